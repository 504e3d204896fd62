import { and, asc, eq, isNull, lt, or, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { accessKeys, custodialKeys, doorTokens } from '../../drizzle/schema.ts'
import type { CredentialStore, CustodialKey, KeptAccessKey, KeptToken } from '../service/ports.ts'

/** Tokens, access keys and sealed private keys in PostgreSQL. Rows of tokens and access keys are added, revoked and, long after their end, deleted. */
export const createCredentialStore = (database: PostgresJsDatabase): CredentialStore => ({
  ...createTokens(database),
  ...createAccessKeys(database),
  ...createCustodialKeys(database),
  async forgetEnded(before) {
    for (const table of [doorTokens, accessKeys]) await database.delete(table).where(or(lt(table.expiresAt, before), lt(table.revokedAt, before)))
  },
})

function createTokens(database: PostgresJsDatabase): Pick<CredentialStore, 'addToken' | 'findToken' | 'revokeToken' | 'listTokens'> {
  return {
    async addToken({ doors, ...token }) {
      await database.insert(doorTokens).values({ ...token, doors: doors.join(' ') })
    },
    async findToken(tokenHash) {
      const [row] = await database.select().from(doorTokens).where(eq(doorTokens.tokenHash, tokenHash))
      return row && keptToken(row)
    },
    async revokeToken(tokenId, at) {
      await database.update(doorTokens).set({ revokedAt: at }).where(and(eq(doorTokens.tokenId, tokenId), isNull(doorTokens.revokedAt)))
      const [row] = await database.select().from(doorTokens).where(eq(doorTokens.tokenId, tokenId))
      return row && keptToken(row)
    },
    async listTokens(principalIds) {
      const isTheirs = principalIds && text`${doorTokens.principalId} = any(${text.param([...principalIds])}::text[])`
      return (await database.select().from(doorTokens).where(isTheirs).orderBy(asc(doorTokens.createdAt), asc(doorTokens.tokenId))).map(keptToken)
    },
  }
}

function createAccessKeys(database: PostgresJsDatabase): Pick<CredentialStore, 'addAccessKey' | 'findAccessKey' | 'revokeAccessKey' | 'listAccessKeys'> {
  return {
    async addAccessKey(accessKey) {
      await database.insert(accessKeys).values(accessKey)
    },
    async findAccessKey(keyHash) {
      const [row] = await database.select().from(accessKeys).where(eq(accessKeys.keyHash, keyHash))
      return row && keptAccessKey(row)
    },
    async revokeAccessKey(accessKeyId, at) {
      await database.update(accessKeys).set({ revokedAt: at }).where(and(eq(accessKeys.accessKeyId, accessKeyId), isNull(accessKeys.revokedAt)))
      const [row] = await database.select().from(accessKeys).where(eq(accessKeys.accessKeyId, accessKeyId))
      return row && keptAccessKey(row)
    },
    listAccessKeys: async () => (await database.select().from(accessKeys).orderBy(asc(accessKeys.createdAt), asc(accessKeys.accessKeyId))).map(keptAccessKey),
  }
}

function createCustodialKeys(database: PostgresJsDatabase): Pick<CredentialStore, 'findCustodialKey' | 'putCustodialKey'> {
  const find = async (principalId: string): Promise<CustodialKey | undefined> => {
    const [row] = await database.select().from(custodialKeys).where(eq(custodialKeys.principalId, principalId))
    return row && { ...row, sealed: Uint8Array.from(row.sealed) }
  }
  return {
    findCustodialKey: find,
    async putCustodialKey(key, replaces) {
      const { principalId, keyId, sealed } = key
      if (replaces === undefined) await database.insert(custodialKeys).values({ principalId, keyId, sealed }).onConflictDoNothing()
      else await database.update(custodialKeys).set({ keyId, sealed }).where(and(eq(custodialKeys.principalId, principalId), eq(custodialKeys.keyId, replaces)))
      return (await find(principalId)) ?? key
    },
  }
}

type Ends = { readonly expiresAt: string | null; readonly revokedAt: string | null }

const endsOf = ({ expiresAt, revokedAt }: Ends) => ({ ...(expiresAt !== null && { expiresAt }), ...(revokedAt !== null && { revokedAt }) })

function keptToken({ doors, expiresAt, revokedAt, ...row }: typeof doorTokens.$inferSelect): KeptToken {
  return { ...row, doors: doors.split(' '), ...endsOf({ expiresAt, revokedAt }) }
}

function keptAccessKey({ expiresAt, revokedAt, ...row }: typeof accessKeys.$inferSelect): KeptAccessKey {
  return { ...row, ...endsOf({ expiresAt, revokedAt }) }
}
