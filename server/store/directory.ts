import { and, asc, desc, eq, isNull, lt, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { agentSessions, audit, cards, consoleSessions, cursors, invitations, principals } from '../../drizzle/schema.ts'
import type { Actor, AgentCard } from '../../protocol/generated/types.ts'
import { storableText } from '../authority/storable-text.ts'
import type { Directory, PrincipalRecord, Registration, RegistrationOutcome } from '../service/ports.ts'
import { createKeyDirectory, insertKey } from './key-directory.ts'
import { StoreFault } from './store-fault.ts'

/** The Organization's state outside the Space logs, in PostgreSQL. */
export const createDirectory = (database: PostgresJsDatabase): Directory => ({
  ...createKeyDirectory(database),
  ...createPrincipalDirectory(database),
  ...createAgentDirectory(database),
  ...createConsoleDirectory(database),
  ...createAuditDirectory(database),
})

type Transaction = Pick<PostgresJsDatabase, 'insert' | 'select' | 'update'>

function createPrincipalDirectory(database: PostgresJsDatabase): Pick<Directory, 'register' | 'listPrincipals' | 'findPrincipal'> {
  return {
    async register(registration) {
      try {
        await database.transaction((transaction) => register(transaction, registration))
        return 'registered'
      } catch (cause) {
        if (cause instanceof Unregistered) return cause.outcome
        throw cause
      }
    },
    async listPrincipals() {
      const rows = await database.select().from(principals)
      return rows.map(principalRecord).sort((a, b) => (a.principal.id < b.principal.id ? -1 : 1))
    },
    async findPrincipal(principalId) {
      const [row] = await database.select().from(principals).where(eq(principals.principalId, principalId))
      return row && principalRecord(row)
    },
  }
}

const principalRecord = ({ principalId: id, principalType: type, ...record }: typeof principals.$inferSelect): PrincipalRecord => ({ principal: { type, id } as Actor, ...record })

/** Thrown inside the transaction of a registration, so that it is rolled back. */
class Unregistered extends Error {
  override readonly name = 'Unregistered'
  constructor(readonly outcome: Exclude<RegistrationOutcome, 'registered'>) {
    super(outcome)
  }
}

async function register(transaction: Transaction, { invitation, principal, keys }: Registration): Promise<void> {
  if (invitation !== undefined) {
    const used = await transaction.update(invitations).set({ consumedAt: invitation.at }).where(isOpen(invitation.tokenHash)).returning({ tokenHash: invitations.tokenHash })
    if (used.length === 0) throw new Unregistered('invitation-used')
  }
  if (!(await insertPrincipal(transaction, principal))) throw new Unregistered('principal-taken')
  // In one order everywhere: rivals that hold each other's first key would wait for each other.
  const ordered = [...keys].sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1))
  for (const key of ordered) if ((await insertKey(transaction, key)) === 'taken') throw new Unregistered('key-taken')
}

/** False when a Principal of another type has this id. */
async function insertPrincipal(transaction: Transaction, { principal: { id, type }, ...record }: PrincipalRecord): Promise<boolean> {
  await transaction.insert(principals).values({ ...record, principalId: id, principalType: type }).onConflictDoNothing()
  const [stored] = await transaction.select({ type: principals.principalType }).from(principals).where(eq(principals.principalId, id))
  return stored?.type === type
}

const isOpen = (tokenHash: string) => and(eq(invitations.tokenHash, tokenHash), isNull(invitations.consumedAt))

function createAuditDirectory(database: PostgresJsDatabase): Pick<Directory, 'addAuditEntry' | 'auditEntries' | 'forget'> {
  return {
    async addAuditEntry({ detail, spaceId, ...entry }) {
      await database.insert(audit).values({ ...entry, spaceId: spaceId === undefined ? null : storableText(spaceId), detail: JSON.stringify(detail) })
    },
    async auditEntries({ spaceId, before, limit }) {
      const wanted = and(eq(audit.spaceId, spaceId), before === undefined ? undefined : lt(audit.entry, before))
      const rows = await database.select().from(audit).where(wanted).orderBy(desc(audit.entry)).limit(limit)
      return rows.map(({ detail, ...row }) => ({ ...row, spaceId, detail: JSON.parse(detail) as Record<string, unknown> }))
    },
    async forget({ expiredBefore, auditedBefore }) {
      await database.delete(consoleSessions).where(lt(consoleSessions.expiresAt, expiredBefore))
      await database.delete(invitations).where(lt(invitations.expiresAt, expiredBefore))
      await database.delete(audit).where(lt(audit.at, auditedBefore))
    },
  }
}

function createAgentDirectory(
  database: PostgresJsDatabase,
): Pick<Directory, 'putCard' | 'listCards' | 'nextSessionEpoch' | 'sessionEpochs' | 'saveCursor' | 'loadCursors'> {
  const epoch = { agentId: agentSessions.agentId, sessionEpoch: agentSessions.sessionEpoch }
  return {
    async putCard({ agentId, cardVersion }, bytes) {
      const kept = await database
        .insert(cards)
        .values({ agentId, cardVersion, bytes })
        // An update that changes nothing returns the row exactly when it holds the same bytes.
        .onConflictDoUpdate({ target: [cards.agentId, cards.cardVersion], set: { bytes }, setWhere: eq(cards.bytes, text`excluded.bytes`) })
        .returning({ agentId: cards.agentId })
      if (kept.length === 0) throw new StoreFault('card-version-reused', `version ${cardVersion} of the Card of ${agentId} exists with other content`)
    },
    async listCards() {
      const rows = await database.selectDistinctOn([cards.agentId]).from(cards).orderBy(asc(cards.agentId), desc(cards.cardVersion))
      return rows.map((row) => JSON.parse(new TextDecoder().decode(row.bytes)) as AgentCard).sort((a, b) => (a.agentId < b.agentId ? -1 : 1))
    },
    async nextSessionEpoch(agentId) {
      const [row] = await database
        .insert(agentSessions)
        .values({ agentId, sessionEpoch: 1 })
        .onConflictDoUpdate({ target: agentSessions.agentId, set: { sessionEpoch: text`${agentSessions.sessionEpoch} + 1` } })
        .returning(epoch)
      return row!.sessionEpoch
    },
    async sessionEpochs() {
      const rows = await database.select(epoch).from(agentSessions)
      return new Map(rows.map((row) => [row.agentId, row.sessionEpoch]))
    },
    async saveCursor(agentId, groupId, sequence) {
      await database
        .insert(cursors)
        .values({ agentId, groupId, sequence })
        .onConflictDoUpdate({ target: [cursors.agentId, cursors.groupId], set: { sequence: text`greatest(${cursors.sequence}, excluded.sequence)` } })
    },
    async loadCursors(agentId) {
      const rows = await database.select().from(cursors).where(eq(cursors.agentId, agentId))
      return new Map(rows.map((row) => [row.groupId, row.sequence]))
    },
  }
}

function createConsoleDirectory(
  database: PostgresJsDatabase,
): Pick<Directory, 'addInvitation' | 'findInvitation' | 'addConsoleSession' | 'findConsoleSession' | 'endConsoleSession'> {
  return {
    async addInvitation(invitation) {
      await database.insert(invitations).values(invitation)
    },
    async findInvitation(tokenHash) {
      const [row] = await database.select().from(invitations).where(isOpen(tokenHash))
      if (row === undefined) return undefined
      const { consumedAt: _consumedAt, ...invitation } = row
      return invitation
    },
    async addConsoleSession(session) {
      await database.insert(consoleSessions).values(session)
    },
    async findConsoleSession(tokenHash) {
      const [row] = await database.select().from(consoleSessions).where(eq(consoleSessions.tokenHash, tokenHash))
      if (row === undefined) return undefined
      const { principalId, keyId, expiresAt } = row
      return { principalId, keyId, expiresAt }
    },
    async endConsoleSession(tokenHash) {
      await database.delete(consoleSessions).where(eq(consoleSessions.tokenHash, tokenHash))
    },
  }
}
