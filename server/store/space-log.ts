import { and, asc, eq, gt, isNotNull, sql as text } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { admissions, log, reactions, receipts, spaces } from '../../drizzle/schema.ts'
import type { FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import type { CommandReceipt, LogEntry, ReactionKey, SpaceLog } from '../service/ports.ts'
import { appendAll, deleteReactions } from './append.ts'
import type { Sql } from './connect.ts'
import { GroupCommit } from './group-commit.ts'

const { placeholder } = text

/** Before every reaction. */
const FIRST: ReactionKey = { targetSpaceId: '', eventId: '' }

/** The Space logs in PostgreSQL. Appends go to the driver directly, reads are prepared statements of Drizzle. */
export function createSpaceLog(sql: Sql, database: PostgresJsDatabase): SpaceLog {
  const queries = prepareQueries(database)
  const commits = new GroupCommit((batches) => appendAll(sql, batches))
  async function findAdmissions(organizationId: string, hashes: readonly string[]): Promise<readonly FirstAdmissionRecord[]> {
    if (hashes.length === 0) return []
    const records = (await queries.admissions.execute({ hashes })).map(({ record }) => JSON.parse(record) as FirstAdmissionRecord)
    return records.filter((record) => record.organizationId === organizationId)
  }
  return {
    append: (batch) => commits.append(batch),
    pendingReactions: (limit, after = FIRST) => queries.reactions.execute({ limit, ...after }),
    async dropReactions(keys) {
      if (keys.length > 0) await deleteReactions(sql, keys)
    },
    head: async (spaceId) => (await queries.head.execute({ spaceId }))[0]?.head ?? 0,
    read: (spaceId, after, limit) => queries.read.execute({ spaceId, after, limit }),
    async readAt(spaceId, sequences, maximumBytes) {
      const wanted = { spaceId, sequences: [...new Set(sequences)] }
      const entries = maximumBytes === undefined ? queries.readAt.execute(wanted) : queries.readWithin.execute({ ...wanted, maximumBytes })
      return (await entries).sort((a, b) => a.sequence - b.sequence)
    },
    findReceipt: async (actorId, actionId) => (await queries.receipts.execute({ actors: [actorId], actions: [actionId] }))[0],
    async findReceipts(keys) {
      if (keys.length === 0) return []
      return queries.receipts.execute({ actors: keys.map((key) => key.actorId), actions: keys.map((key) => key.actionId) })
    },
    findReceiptAt: async (spaceId, sequence) => (await queries.receiptAt.execute({ spaceId, sequence }))[0],
    findAdmission: async (organizationId, signingHash) => (await findAdmissions(organizationId, [signingHash]))[0],
    findAdmissions,
    takenIds: async (spaceIds) => (await queries.takenIds.execute({ spaceIds })).map((row) => row.spaceId),
    async listSpaces(kind) {
      const rows = await queries.listSpaces.execute({ kind })
      return rows.map((row) => row.spaceId).sort()
    },
  }
}

const entryColumns = { spaceId: log.spaceId, sequence: log.sequence, eventId: log.eventId, kind: log.kind, bytes: log.bytes } satisfies Record<keyof LogEntry, unknown>

const receiptColumns = {
  actorId: receipts.actorId,
  actionId: receipts.actionId,
  signingHash: receipts.signingHash,
  spaceId: receipts.spaceId,
  sequence: receipts.sequence,
  commandBytes: receipts.command,
} satisfies Record<keyof CommandReceipt, unknown>

function prepareQueries(database: PostgresJsDatabase) {
  // The limit keeps this a look-up per key: as a plain join, a plan made while the table was small would scan it for ever.
  const found = database
    .select(receiptColumns)
    .from(receipts)
    .where(and(eq(receipts.actorId, text`wanted.actor`), eq(receipts.actionId, text`wanted.action`)))
    .limit(1)
    .as('found')
  const ofSpace = eq(log.spaceId, placeholder('spaceId'))
  // A look-up per sequence too: to have one of several in order, the planner would walk through the whole Space.
  const entryAt = database.select(entryColumns).from(log).where(and(ofSpace, eq(log.sequence, text`wanted.sequence`))).limit(1).as('entry_at')
  const wantedColumns = { spaceId: entryAt.spaceId, sequence: entryAt.sequence, eventId: entryAt.eventId, kind: entryAt.kind, bytes: entryAt.bytes }
  const wantedSequences = text`unnest(${placeholder('sequences')}::bigint[]) as wanted(sequence)`
  const sized = database
    .select({ ...wantedColumns, bytesBefore: text<number>`sum(octet_length(${entryAt.bytes})) over (order by ${entryAt.sequence} rows unbounded preceding) - octet_length(${entryAt.bytes})`.as('bytes_before') })
    .from(wantedSequences)
    .crossJoinLateral(entryAt)
    .as('sized')
  return {
    head: database.select({ head: spaces.head }).from(spaces).where(eq(spaces.spaceId, placeholder('spaceId'))).prepare('head'),
    takenIds: database.select({ spaceId: spaces.spaceId }).from(spaces).where(text`${spaces.spaceId} = any(${placeholder('spaceIds')}::text[])`).prepare('taken_ids'),
    read: database
      .select(entryColumns)
      .from(log)
      .where(and(ofSpace, gt(log.sequence, placeholder('after'))))
      .orderBy(asc(log.sequence))
      .limit(placeholder('limit'))
      .prepare('read'),
    readAt: database
      .select(wantedColumns)
      .from(wantedSequences)
      .crossJoinLateral(entryAt)
      .prepare('read_at'),
    readWithin: database
      .select({ spaceId: sized.spaceId, sequence: sized.sequence, eventId: sized.eventId, kind: sized.kind, bytes: sized.bytes })
      .from(sized)
      .where(text`${sized.bytesBefore} < ${placeholder('maximumBytes')}`)
      .prepare('read_within'),
    receipts: database
      .select({
        actorId: found.actorId,
        actionId: found.actionId,
        signingHash: found.signingHash,
        spaceId: found.spaceId,
        sequence: found.sequence,
        commandBytes: found.commandBytes,
      })
      .from(text`unnest(${placeholder('actors')}::text[], ${placeholder('actions')}::text[]) as wanted(actor, action)`)
      .crossJoinLateral(found)
      .prepare('receipts'),
    receiptAt: database
      .select(receiptColumns)
      .from(receipts)
      .where(and(eq(receipts.spaceId, placeholder('spaceId')), eq(receipts.sequence, placeholder('sequence'))))
      .prepare('receipt_at'),
    admissions: unionAll(
      database.select({ record: admissions.record }).from(admissions).where(isWanted(admissions.signingHash)),
      database.select({ record: text<string>`convert_from(${receipts.admission}, 'UTF8')` }).from(receipts).where(and(isWanted(receipts.signingHash), isNotNull(receipts.admission))),
    ).prepare('admissions'),
    reactions: database
      .select()
      .from(reactions)
      .where(text`(${reactions.targetSpaceId}, ${reactions.eventId}) > (${placeholder('targetSpaceId')}, ${placeholder('eventId')})`)
      .orderBy(asc(reactions.targetSpaceId), asc(reactions.eventId))
      .limit(placeholder('limit'))
      .prepare('reactions'),
    listSpaces: database.select({ spaceId: spaces.spaceId }).from(spaces).where(eq(spaces.kind, placeholder('kind'))).prepare('list_spaces'),
  }
}

const isWanted = (hash: typeof receipts.signingHash | typeof admissions.signingHash) => text`${hash} = any(${placeholder('hashes')}::text[])`
