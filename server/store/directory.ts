import { and, asc, desc, eq, isNull, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { agentSessions, audit, cards, consoleSessions, cursors, invitations, principals } from '../../drizzle/schema.ts'
import type { Actor, AgentCard } from '../../protocol/generated/types.ts'
import { storableText } from '../authority/read-model-rows.ts'
import type { Directory } from '../service/ports.ts'
import { createKeyDirectory } from './key-directory.ts'
import { StoreFault } from './store-fault.ts'

/** The Organization's state outside the Space logs, in PostgreSQL. */
export const createDirectory = (database: PostgresJsDatabase): Directory => ({
  ...createKeyDirectory(database),
  ...createPrincipalDirectory(database),
  ...createAgentDirectory(database),
  ...createConsoleDirectory(database),
  async addAuditEntry({ detail, spaceId, ...entry }) {
    await database.insert(audit).values({ ...entry, spaceId: spaceId === undefined ? null : storableText(spaceId), detail: JSON.stringify(detail) })
  },
})

function createPrincipalDirectory(database: PostgresJsDatabase): Pick<Directory, 'addPrincipal' | 'listPrincipals'> {
  return {
    async addPrincipal({ principal, ...record }) {
      const row = { ...record, name: storableText(record.name), principalId: principal.id, principalType: principal.type }
      const added = await database.insert(principals).values(row).onConflictDoNothing().returning({ principalId: principals.principalId })
      return added.length === 1 ? 'added' : 'taken'
    },
    async listPrincipals() {
      const rows = await database.select().from(principals)
      return rows
        .map(({ principalId: id, principalType: type, ...record }) => ({ principal: { type, id } as Actor, ...record }))
        .sort((a, b) => (a.principal.id < b.principal.id ? -1 : 1))
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
): Pick<Directory, 'addInvitation' | 'findInvitation' | 'consumeInvitation' | 'addConsoleSession' | 'findConsoleSession' | 'endConsoleSession'> {
  const open = (tokenHash: string) => and(eq(invitations.tokenHash, tokenHash), isNull(invitations.consumedAt))
  return {
    async addInvitation(invitation) {
      await database.insert(invitations).values({ ...invitation, name: storableText(invitation.name) })
    },
    async findInvitation(tokenHash) {
      const [row] = await database.select().from(invitations).where(open(tokenHash))
      if (row === undefined) return undefined
      const { consumedAt: _consumedAt, ...invitation } = row
      return invitation
    },
    async consumeInvitation(tokenHash, at) {
      const consumed = await database.update(invitations).set({ consumedAt: at }).where(open(tokenHash)).returning({ tokenHash: invitations.tokenHash })
      return consumed.length === 1
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
