import { and, asc, eq, gt, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { admissions, log, receipts, spaces } from '../../drizzle/schema.ts'
import type { FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import type { CommandReceipt, SpaceLog } from '../service/ports.ts'
import { appendAll } from './append.ts'
import type { Sql } from './connect.ts'
import { GroupCommit } from './group-commit.ts'

const { placeholder } = text

/** The Space logs in PostgreSQL. Appends go to the driver directly, reads are prepared statements of Drizzle. */
export function createSpaceLog(sql: Sql, database: PostgresJsDatabase): SpaceLog {
  const queries = prepareQueries(database)
  const commits = new GroupCommit((batches) => appendAll(sql, batches))
  return {
    append: (batch) => commits.append(batch),
    head: async (spaceId) => (await queries.head.execute({ spaceId }))[0]?.head ?? 0,
    read: (spaceId, after, limit) => queries.read.execute({ spaceId, after, limit }),
    readAt: (spaceId, sequences) => queries.readAt.execute({ spaceId, sequences }),
    findReceipt: async (actorId, actionId) => (await queries.receipts.execute({ actors: [actorId], actions: [actionId] }))[0],
    async findReceipts(keys) {
      if (keys.length === 0) return []
      return queries.receipts.execute({ actors: keys.map((key) => key.actorId), actions: keys.map((key) => key.actionId) })
    },
    findReceiptAt: async (spaceId, sequence) => (await queries.receiptAt.execute({ spaceId, sequence }))[0],
    async findAdmission(organizationId, signingHash) {
      return (await queries.admissions.execute({ organizationId, hashes: [signingHash] })).map(parseRecord)[0]
    },
    async findAdmissions(organizationId, signingHashes) {
      if (signingHashes.length === 0) return []
      return (await queries.admissions.execute({ organizationId, hashes: signingHashes })).map(parseRecord)
    },
    async listSpaces(kind) {
      const rows = await queries.listSpaces.execute({ kind })
      return rows.map((row) => row.spaceId).sort()
    },
  }
}

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
  return {
    head: database.select({ head: spaces.head }).from(spaces).where(eq(spaces.spaceId, placeholder('spaceId'))).prepare('head'),
    read: database
      .select()
      .from(log)
      .where(and(ofSpace, gt(log.sequence, placeholder('after'))))
      .orderBy(asc(log.sequence))
      .limit(placeholder('limit'))
      .prepare('read'),
    readAt: database
      .select()
      .from(log)
      .where(and(ofSpace, text`${log.sequence} = any(${placeholder('sequences')}::bigint[])`))
      .orderBy(asc(log.sequence))
      .prepare('read_at'),
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
    admissions: database
      .select({ record: admissions.record })
      .from(admissions)
      .where(and(eq(admissions.organizationId, placeholder('organizationId')), text`${admissions.signingHash} = any(${placeholder('hashes')}::text[])`))
      .prepare('admissions'),
    listSpaces: database.select({ spaceId: spaces.spaceId }).from(spaces).where(eq(spaces.kind, placeholder('kind'))).prepare('list_spaces'),
  }
}

const parseRecord = (row: { record: string }) => JSON.parse(row.record) as FirstAdmissionRecord
