// What the I.A.P. router keeps, in PostgreSQL. A commit is one statement, so it is all there or not at all.
import { and, asc, count, eq, gt, gte, inArray, isNotNull, isNull, lt, not, sql as sqlText } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { iapAccounts, iapCache, iapOutbox, iapReceived, iapRecords, iapTasks } from '../../drizzle/schema.ts'
import type { IapAmount, IapCommit, IapStore, IapTaskRow, KeptIapMessage, KeptIapRecord, TaskWork } from '../service/ports.ts'
import postgres from 'postgres'
import type { Sql } from './connect.ts'

export const createIapStore = (sql: Sql, database: PostgresJsDatabase): IapStore => ({
  commit: (commit) => writeAll(sql, commit),
  ...createTasks(database),
  ...createMessages(sql, database),
  ...createResults(sql, database),
  ...createForgetting(sql),
})

/** The column lists are those of the row types. Text stays text on its way: the driver would write a string for `json` as one more string. */
async function writeAll(sql: Sql, commit: IapCommit): Promise<readonly KeptIapMessage[] | 'conflict'> {
  const { tasks, records, outbox, received, accounts, cache } = commit
  const text = (rows: readonly object[]) => JSON.stringify(rows)
  try {
    const rows = await sql<KeptIapMessage[]>`
      with kept_tasks as (
        insert into iap_tasks (task_id, space_id, proposer_id, status, is_over, cache_key, work, bytes, ended_at)
        select "taskId", "spaceId", "proposerId", status, "isOver", "cacheKey", work, bytes, "endedAt"
        from json_to_recordset(${text(tasks.map((row) => ({ ...row, work: row.work && JSON.stringify(row.work) })))}::text::json) as t("taskId" text, "spaceId" text, "proposerId" text, status text, "isOver" boolean, "cacheKey" text, work text, bytes bigint, "endedAt" text)
        on conflict (task_id) do update set status = excluded.status, is_over = excluded.is_over, bytes = excluded.bytes, ended_at = excluded.ended_at
      ), kept_records as (
        insert into iap_records (task_id, ordinal, record)
        select "taskId", ordinal, record from json_to_recordset(${text(records)}::text::json) as r("taskId" text, ordinal bigint, record text)
      ), kept_received as (
        insert into iap_received (agent_id, message_id, content_hash, answers, received_at)
        select "agentId", "messageId", "contentHash", answers, "receivedAt"
        from json_to_recordset(${text(received)}::text::json) as r("agentId" text, "messageId" text, "contentHash" text, answers text, "receivedAt" text)
        on conflict do nothing
      ), kept_accounts as (
        insert into iap_accounts (agent_id, capability_id, record)
        select "agentId", "capabilityId", record
        from json_to_recordset(${text(accounts.map((row) => ({ ...row, record: JSON.stringify(row.record) })))}::text::json) as a("agentId" text, "capabilityId" text, record text)
        on conflict (agent_id, capability_id) do update set record = excluded.record
      ), kept_cache as (
        insert into iap_cache (cache_key, result, task_id, stored_at)
        select distinct on ("cacheKey") "cacheKey", result, "taskId", "storedAt"
        from json_to_recordset(${text(cache)}::text::json) as c("cacheKey" text, result text, "taskId" text, "storedAt" text)
        on conflict (cache_key) do update set result = excluded.result, task_id = excluded.task_id, stored_at = excluded.stored_at
      )
      insert into iap_outbox (agent_id, message_id, message, created_at)
      select "agentId", "messageId", message, "createdAt"
      from json_to_recordset(${text(outbox.map((row, place) => ({ ...row, place })))}::text::json) as o("agentId" text, "messageId" text, message text, "createdAt" text, place bigint)
      order by place
      on conflict do nothing
      returning agent_id as "agentId", entry, message_id as "messageId", message`
    return [...rows].sort((a, b) => a.entry - b.entry)
  } catch (fault) {
    if (fault instanceof postgres.PostgresError && fault.constraint_name === 'iap_records_ordinal_once') return 'conflict'
    throw fault
  }
}

type Tasks = Pick<IapStore, 'openTasks' | 'unpublishedTasks' | 'tasksAtWork' | 'workOver' | 'findTask' | 'records' | 'recordsFrom' | 'unpublished' | 'messageIdsOf' | 'published'>

function createTasks(database: PostgresJsDatabase): Tasks {
  return {
    openTasks: async () => (await database.select().from(iapTasks).where(not(iapTasks.isOver)).orderBy(asc(iapTasks.taskId))).map(taskRow),
    unpublishedTasks: async () => (await database.selectDistinct({ taskId: iapRecords.taskId }).from(iapRecords).where(isNull(iapRecords.messageId))).map(({ taskId }) => taskId),
    tasksAtWork: async () => (await database.select().from(iapTasks).where(and(isNotNull(iapTasks.work), not(iapTasks.isWorkOver)))).map(taskRow),
    async workOver(taskId) {
      await database.update(iapTasks).set({ isWorkOver: true }).where(eq(iapTasks.taskId, taskId))
    },
    async findTask(taskId) {
      const [row] = await database.select().from(iapTasks).where(eq(iapTasks.taskId, taskId))
      return row && taskRow(row)
    },
    async records(taskIds) {
      if (taskIds.length === 0) return []
      const rows = await database.select().from(iapRecords).where(inArray(iapRecords.taskId, [...taskIds]))
      // For the database's order it would have to walk through the records of all tasks.
      rows.sort((a, b) => (a.taskId === b.taskId ? a.ordinal - b.ordinal : a.taskId < b.taskId ? -1 : 1))
      return rows.map(keptRecord)
    },
    async recordsFrom(taskId, ordinal) {
      const rows = await database.select().from(iapRecords).where(and(eq(iapRecords.taskId, taskId), gte(iapRecords.ordinal, ordinal))).orderBy(asc(iapRecords.ordinal))
      return rows.map(keptRecord)
    },
    unpublished: (taskId) => database.select({ taskId: iapRecords.taskId, ordinal: iapRecords.ordinal, record: iapRecords.record }).from(iapRecords).where(and(eq(iapRecords.taskId, taskId), isNull(iapRecords.messageId))).orderBy(asc(iapRecords.ordinal)),
    async messageIdsOf(taskId, ordinals) {
      if (ordinals.length === 0) return new Map()
      const { ordinal, messageId } = iapRecords
      const rows = await database.select({ ordinal, messageId }).from(iapRecords).where(and(eq(iapRecords.taskId, taskId), inArray(ordinal, [...ordinals]), isNotNull(messageId)))
      return new Map(rows.map((row) => [row.ordinal, row.messageId!]))
    },
    async published(taskId, ordinal, messageId) {
      await database.update(iapRecords).set({ messageId }).where(and(eq(iapRecords.taskId, taskId), eq(iapRecords.ordinal, ordinal)))
    },
  }
}

type Messages = Pick<IapStore, 'waiting' | 'delivered' | 'backlogs' | 'expire' | 'findReceived' | 'forgetReceived' | 'trimReceived'>

const nothing: IapAmount = { count: 0, bytes: 0 }

function createMessages(sql: Sql, database: PostgresJsDatabase): Messages {
  const { agentId, entry, messageId, message } = iapOutbox
  return {
    waiting: (agent, after, limit) => database.select({ agentId, entry, messageId, message }).from(iapOutbox).where(and(eq(agentId, agent), gt(entry, after))).orderBy(asc(entry)).limit(limit),
    async delivered(agent, entries) {
      if (entries.length === 0) return nothing
      const gone = await database.delete(iapOutbox).where(and(eq(agentId, agent), inArray(entry, [...entries]))).returning({ bytes: octetLength(message) })
      return { count: gone.length, bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    async backlogs() {
      const rows = await database.select({ agentId, count: count(), bytes: bytesOf(message) }).from(iapOutbox).groupBy(agentId)
      return new Map(rows.map(({ agentId: agent, ...amount }) => [agent, amount]))
    },
    async expire(notice, before) {
      const [row] = await sql<(IapAmount & { entry: number | null })[]>`
        with gone as (
          delete from iap_outbox where agent_id = ${notice.agentId} and created_at < ${before} and message_id <> ${notice.messageId} returning message
        ), added as (
          insert into iap_outbox (agent_id, message_id, message, created_at)
          select ${notice.agentId}, ${notice.messageId}, ${notice.message}, ${notice.createdAt} where exists (select from gone)
          on conflict do nothing
          returning entry
        )
        select count(*) as count, coalesce(sum(octet_length(message)), 0)::bigint as bytes, (select entry from added) as entry from gone`
      const { entry: added, ...gone } = row!
      return { gone, added: added === null ? [] : [{ agentId: notice.agentId, entry: added, messageId: notice.messageId, message: notice.message }] }
    },
    async findReceived(agent, id) {
      const [row] = await database.select().from(iapReceived).where(and(eq(iapReceived.agentId, agent), eq(iapReceived.messageId, id)))
      return row
    },
    async forgetReceived(before) {
      await database.delete(iapReceived).where(lt(iapReceived.receivedAt, before))
    },
    async trimReceived(agent, keep) {
      await sql`
        delete from iap_received using (
          select message_id from iap_received where agent_id = ${agent} order by agent_id, received_at desc offset ${keep}
        ) as old
        where iap_received.agent_id = ${agent} and iap_received.message_id = old.message_id`
    },
  }
}

type Results = Pick<IapStore, 'accounts' | 'cached' | 'trimCache'>

function createResults(sql: Sql, database: PostgresJsDatabase): Results {
  return {
    accounts: async () => (await database.select().from(iapAccounts)).map(({ record, ...row }) => ({ ...row, record: JSON.parse(record) as never })),
    async cached(cacheKey) {
      const [row] = await database.select().from(iapCache).where(eq(iapCache.cacheKey, cacheKey))
      return row
    },
    async trimCache(before, keep) {
      await sql`
        delete from iap_cache using (
          select cache_key, row_number() over newest as place, sum(octet_length(result)) over newest as total
          from iap_cache window newest as (order by stored_at desc, cache_key)
        ) as ranked
        where iap_cache.cache_key = ranked.cache_key and (stored_at < ${before} or place > ${keep.count} or total > ${keep.bytes})`
    },
  }
}

function createForgetting(sql: Sql): Pick<IapStore, 'forgetTasks' | 'trimTasks'> {
  const forget = async (which: ReturnType<Sql>): Promise<readonly string[]> => {
    const rows = await sql<{ taskId: string }[]>`
      with gone as (
        delete from iap_tasks
        where task_id in (${which}) and (work is null or is_work_over)
          and not exists (select from iap_records where iap_records.task_id = iap_tasks.task_id and message_id is null)
        returning task_id
      ), gone_records as (
        delete from iap_records using gone where iap_records.task_id = gone.task_id
      )
      select task_id as "taskId" from gone`
    return rows.map(({ taskId }) => taskId)
  }
  return {
    forgetTasks: (endedBefore) => forget(sql`select task_id from iap_tasks where ended_at < ${endedBefore}`),
    trimTasks: (proposerId, keep) => forget(sql`
      select task_id from (
        select task_id, row_number() over newest as place, sum(bytes) over newest as total
        from iap_tasks where proposer_id = ${proposerId} and ended_at is not null
        window newest as (order by ended_at desc, task_id)
      ) as ranked
      where place > ${keep.count} or total > ${keep.bytes}`),
  }
}

const octetLength = (text: AnyPgColumn) => sqlText<number>`octet_length(${text})`
const bytesOf = (text: AnyPgColumn) => sqlText<number>`sum(octet_length(${text}))::bigint`

const keptRecord = ({ messageId, ...row }: typeof iapRecords.$inferSelect): KeptIapRecord => ({ ...row, ...(messageId !== null && { messageId }) })
const taskRow = ({ cacheKey, endedAt, work, isWorkOver: _over, ...row }: typeof iapTasks.$inferSelect): IapTaskRow => ({ ...row, ...(endedAt !== null && { endedAt }), ...(cacheKey !== null && { cacheKey }), ...(work !== null && { work: JSON.parse(work) as TaskWork }) })
