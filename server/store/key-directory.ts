import { asc, eq, or, sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { keyBoundaries, keys } from '../../drizzle/schema.ts'
import type { KeyBoundary } from '../../protocol/key-registry.ts'
import { invariant } from '../../protocol/result.ts'
import type { Instant } from '../../protocol/timestamp.ts'
import { compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'
import type { Actor } from '../../protocol/generated/types.ts'
import type { Directory, KeyUse, RegisteredKey } from '../service/ports.ts'
import { StoreFault } from './store-fault.ts'

type KeyRow = typeof keys.$inferSelect
type BoundaryRow = typeof keyBoundaries.$inferSelect

/** The Key Registry's rows: bindings are never changed, boundaries only added. */
export function createKeyDirectory(database: PostgresJsDatabase): Pick<Directory, 'loadKeys' | 'keyRevision' | 'addKey' | 'addKeyBoundary'> {
  return {
    async loadKeys() {
      const [bindings, boundaries] = await snapshot(database)
      const histories = new Map(bindings.map((key): [string, BoundaryRow[]] => [key.keyId, []]))
      for (const boundary of boundaries) histories.get(boundary.keyId)?.push(boundary)
      // Rows are only ever added, so their number is a revision that every change raises.
      return {
        revision: bindings.length + boundaries.length,
        keys: bindings.map((key) => registeredKey(key, histories.get(key.keyId) ?? [])).sort(byId),
      }
    },

    async keyRevision() {
      // One statement sees one moment.
      const [counted] = await database.execute<{ revision: number }>(sql`SELECT ((SELECT count(*) FROM ${keys}) + (SELECT count(*) FROM ${keyBoundaries}))::int AS revision`)
      invariant(counted, 'a count is one row')
      return counted.revision
    },

    addKey: (key) => database.transaction((transaction) => insertKey(transaction, key)),

    addKeyBoundary: (keyId, boundary) =>
      database.transaction(async (transaction) => {
        // The lock on the key puts boundaries in one order.
        const [known] = await transaction.select({ keyId: keys.keyId }).from(keys).where(eq(keys.keyId, keyId)).for('update')
        if (known === undefined) throw new StoreFault('key-unknown', `there is no key ${keyId} to end`)
        const history = await transaction.select().from(keyBoundaries).where(eq(keyBoundaries.keyId, keyId))
        const earlier = earlierParts(history, boundary)
        if (earlier) await transaction.insert(keyBoundaries).values({ keyId, entry: history.length, ...earlier, recordedAt: boundary.recordedAt })
      }),
  }
}

/** Binds a key for good, unless its id or public key is bound. */
export async function insertKey(transaction: Pick<PostgresJsDatabase, 'insert' | 'select'>, key: RegisteredKey): Promise<'added' | 'same' | 'taken'> {
  const added = await transaction.insert(keys).values(keyRow(key)).onConflictDoNothing().returning({ keyId: keys.keyId })
  if (added.length === 1) {
    if (key.history.length > 0) await transaction.insert(keyBoundaries).values(key.history.map((boundary, entry) => ({ keyId: key.keyId, entry, ...boundary })))
    return 'added'
  }
  const rivals = await transaction.select().from(keys).where(or(eq(keys.keyId, key.keyId), eq(keys.publicKey, key.publicKey)))
  return rivals.every((rival) => bindsTheSame(rival, keyRow(key))) ? 'same' : 'taken'
}

/** Every binding and boundary at one moment. */
function snapshot(database: PostgresJsDatabase): Promise<[KeyRow[], BoundaryRow[]]> {
  return database.transaction(
    async (transaction): Promise<[KeyRow[], BoundaryRow[]]> => [
      await transaction.select().from(keys),
      await transaction.select().from(keyBoundaries).orderBy(asc(keyBoundaries.entry)),
    ],
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** The ends that lie before every recorded end of their sort; undefined when the boundary says nothing new. */
function earlierParts(history: readonly BoundaryRow[], { validUntil, revokedAt }: KeyBoundary): KeyBoundary | undefined {
  const earlier = {
    ...(isEarlier(validUntil, history.map((entry) => entry.validUntil)) && { validUntil }),
    ...(isEarlier(revokedAt, history.map((entry) => entry.revokedAt)) && { revokedAt }),
  }
  return earlier.validUntil === undefined && earlier.revokedAt === undefined ? undefined : earlier
}

function isEarlier(end: string | undefined, recorded: readonly (string | null)[]): end is string {
  if (end === undefined) return false
  return recorded.every((other) => other === null || compareInstants(instant(end), instant(other)) < 0)
}

function instant(text: string): Instant {
  const parsed = parseTimestamp(text)
  invariant(parsed, 'the end of a key is a timestamp')
  return parsed
}

const byId = (a: RegisteredKey, b: RegisteredKey) => (a.keyId < b.keyId ? -1 : 1)

function keyRow({ keyId, publicKey, algorithm, principal, validFrom, keyUse, custody, label }: RegisteredKey): KeyRow {
  return { keyId, publicKey, algorithm, principalType: principal.type, principalId: principal.id, validFrom, keyUse, custody, label }
}

/** Custody and label are words for people; everything else is the binding. */
function bindsTheSame(one: KeyRow, other: KeyRow): boolean {
  const members = ['keyId', 'publicKey', 'algorithm', 'principalType', 'principalId', 'validFrom', 'keyUse'] as const
  return members.every((member) => one[member] === other[member])
}

function registeredKey({ principalType, principalId, keyUse, ...binding }: KeyRow, history: readonly BoundaryRow[]): RegisteredKey {
  return {
    ...binding,
    algorithm: 'Ed25519',
    principal: { type: principalType, id: principalId } as Actor,
    keyUse: keyUse as KeyUse,
    ...((keyUse === 'authority' || keyUse === 'conversation') && { use: keyUse }),
    history: history.map(keyBoundary),
  }
}

function keyBoundary({ validUntil, revokedAt, recordedAt }: BoundaryRow): KeyBoundary {
  return {
    ...(recordedAt !== null && { recordedAt }),
    ...(validUntil !== null && { validUntil }),
    ...(revokedAt !== null && { revokedAt }),
  }
}
