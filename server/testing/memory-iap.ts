// What the I.A.P. router keeps, in Maps.
import type { IapAccountRow, IapAmount, IapCacheRow, IapOutboxRow, IapReceivedRow, IapStore, IapTaskRow, KeptIapMessage, KeptIapRecord } from '../service/ports.ts'

type Changeable<T> = { -readonly [K in keyof T]: T[K] }

export function createMemoryIap(): IapStore {
  const tasks = new Map<string, IapTaskRow>()
  const records = new Map<string, Changeable<KeptIapRecord>[]>()
  const received = new Map<string, IapReceivedRow>()
  const accounts = new Map<string, IapAccountRow>()
  const cache = new Map<string, IapCacheRow>()
  let outbox: readonly (KeptIapMessage & { readonly createdAt: string })[] = []
  const worked = new Set<string>()
  let lastEntry = 0
  const keyOf = (agentId: string, id: string) => `${agentId}\n${id}`
  function post(row: IapOutboxRow): readonly KeptIapMessage[] {
    const { agentId, messageId, message, createdAt } = row
    if (outbox.some((kept) => kept.agentId === agentId && kept.messageId === messageId)) return []
    const kept = { agentId, entry: ++lastEntry, messageId, message }
    outbox = [...outbox, { ...kept, createdAt }]
    return [kept]
  }
  /** Takes these messages out of the outbox. */
  function take(isTaken: (row: (typeof outbox)[number]) => boolean): IapAmount {
    const gone = outbox.filter(isTaken)
    outbox = outbox.filter((row) => !isTaken(row))
    return amountOf(gone.map(({ message }) => message))
  }
  function forget(rows: readonly IapTaskRow[]): readonly string[] {
    const gone = rows.filter(({ taskId, work }) => (work === undefined || worked.has(taskId)) && records.get(taskId)?.every(({ messageId }) => messageId !== undefined) !== false).map(({ taskId }) => taskId)
    for (const taskId of gone) for (const rowsByTask of [tasks, records]) rowsByTask.delete(taskId)
    return gone
  }
  return {
    async commit(commit) {
      if (commit.records.some(({ taskId, ordinal }) => records.get(taskId)?.some((kept) => kept.ordinal === ordinal))) return 'conflict'
      for (const row of commit.tasks) tasks.set(row.taskId, { ...tasks.get(row.taskId), ...row })
      for (const row of commit.records) records.set(row.taskId, [...(records.get(row.taskId) ?? []), { ...row }])
      for (const row of commit.received) if (!received.has(keyOf(row.agentId, row.messageId))) received.set(keyOf(row.agentId, row.messageId), row)
      for (const row of commit.accounts) accounts.set(keyOf(row.agentId, row.capabilityId), row)
      for (const row of commit.cache) cache.set(row.cacheKey, row)
      return commit.outbox.flatMap(post)
    },
    openTasks: async () => [...tasks.values()].filter((row) => !row.isOver),
    unpublishedTasks: async () => [...records].filter(([, rows]) => rows.some(({ messageId }) => messageId === undefined)).map(([taskId]) => taskId),
    tasksAtWork: async () => [...tasks.values()].filter((row) => row.work !== undefined && !worked.has(row.taskId)),
    async workOver(taskId) {
      worked.add(taskId)
    },
    findTask: async (taskId) => tasks.get(taskId),
    records: async (taskIds) => taskIds.flatMap((taskId) => (records.get(taskId) ?? []).map((row) => ({ ...row }))),
    recordsFrom: async (taskId, from) => (records.get(taskId) ?? []).filter(({ ordinal }) => ordinal >= from).map((row) => ({ ...row })),
    unpublished: async (taskId) => (records.get(taskId) ?? []).filter(({ messageId }) => messageId === undefined).map(({ messageId: _none, ...row }) => row),
    messageIdsOf: async (taskId, ordinals) => new Map((records.get(taskId) ?? []).flatMap(({ ordinal, messageId }) => (messageId !== undefined && ordinals.includes(ordinal) ? [[ordinal, messageId]] : []))),
    async published(taskId, ordinal, messageId) {
      const row = records.get(taskId)?.find((kept) => kept.ordinal === ordinal)
      if (row) row.messageId = messageId
    },
    waiting: async (agentId, after, limit) => outbox.filter((kept) => kept.agentId === agentId && kept.entry > after).slice(0, limit).map(({ createdAt: _at, ...kept }) => kept),
    delivered: async (agentId, entries) => take((kept) => kept.agentId === agentId && entries.includes(kept.entry)),
    backlogs: async () => new Map(outbox.map(({ agentId }) => [agentId, amountOf(outbox.filter((kept) => kept.agentId === agentId).map(({ message }) => message))])),
    async expire(notice, before) {
      const gone = take((kept) => kept.agentId === notice.agentId && kept.createdAt < before && kept.messageId !== notice.messageId)
      return { gone, added: gone.count > 0 ? post(notice) : [] }
    },
    findReceived: async (agentId, messageId) => received.get(keyOf(agentId, messageId)),
    async forgetReceived(before) {
      for (const [key, row] of received) if (row.receivedAt < before) received.delete(key)
    },
    async trimReceived(agentId, keep) {
      const rows = [...received].filter(([, row]) => row.agentId === agentId).sort(([, a], [, b]) => (a.receivedAt > b.receivedAt ? -1 : 1))
      for (const [key] of rows.slice(keep)) received.delete(key)
    },
    forgetTasks: async (endedBefore) => forget([...tasks.values()].filter(({ endedAt }) => endedAt !== undefined && endedAt < endedBefore)),
    async trimTasks(proposerId, keep) {
      const ended = [...tasks.values()].filter((row) => row.proposerId === proposerId && row.endedAt !== undefined).sort((a, b) => (a.endedAt! > b.endedAt! ? -1 : 1))
      return forget(beyond(ended, keep, ({ bytes }) => bytes))
    },
    accounts: async () => [...accounts.values()],
    cached: async (cacheKey) => cache.get(cacheKey),
    async trimCache(before, keep) {
      const rows = [...cache.values()].sort((a, b) => (a.storedAt > b.storedAt ? -1 : 1))
      const old = rows.filter(({ storedAt }) => storedAt < before)
      for (const { cacheKey } of [...old, ...beyond(rows, keep, ({ result }) => Buffer.byteLength(result))]) cache.delete(cacheKey)
    },
  }
}

const amountOf = (texts: readonly string[]): IapAmount => ({ count: texts.length, bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) })

/** The rows after those that the bound has room for. */
function beyond<T>(rows: readonly T[], { count, bytes }: IapAmount, sizeOf: (row: T) => number): readonly T[] {
  let total = 0
  return rows.filter((row, place) => (total += sizeOf(row)) > bytes || place >= count)
}
