// What the I.A.P. router keeps, in Maps.
import type { IapAccountRow, IapCacheRow, IapOutboxRow, IapReceivedRow, IapStore, IapTaskRow, KeptIapMessage, KeptIapRecord } from '../service/ports.ts'

type Changeable<T> = { -readonly [K in keyof T]: T[K] }

export function createMemoryIap(): IapStore {
  const tasks = new Map<string, IapTaskRow>()
  const records = new Map<string, Changeable<KeptIapRecord>[]>()
  const received = new Map<string, IapReceivedRow>()
  const accounts = new Map<string, IapAccountRow>()
  const cache = new Map<string, IapCacheRow>()
  let outbox: readonly KeptIapMessage[] = []
  const worked = new Set<string>()
  let lastEntry = 0
  const keyOf = (agentId: string, id: string) => `${agentId}\n${id}`
  function post(row: IapOutboxRow): readonly KeptIapMessage[] {
    const { agentId, messageId, message } = row
    if (outbox.some((kept) => kept.agentId === agentId && kept.messageId === messageId)) return []
    const kept = { agentId, entry: ++lastEntry, messageId, message }
    outbox = [...outbox, kept]
    return [kept]
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
    unpublished: async (taskId) => (records.get(taskId) ?? []).filter(({ messageId }) => messageId === undefined).map(({ messageId: _none, ...row }) => row),
    messageIdsOf: async (taskId, ordinals) => new Map((records.get(taskId) ?? []).flatMap(({ ordinal, messageId }) => (messageId !== undefined && ordinals.includes(ordinal) ? [[ordinal, messageId]] : []))),
    async published(taskId, ordinal, messageId) {
      const row = records.get(taskId)?.find((kept) => kept.ordinal === ordinal)
      if (row) row.messageId = messageId
    },
    waiting: async (agentId, after, limit) => outbox.filter((kept) => kept.agentId === agentId && kept.entry > after).slice(0, limit),
    async delivered(agentId, entries) {
      outbox = outbox.filter((kept) => kept.agentId !== agentId || !entries.includes(kept.entry))
    },
    findReceived: async (agentId, messageId) => received.get(keyOf(agentId, messageId)),
    async forgetReceived(before) {
      for (const [key, row] of received) if (row.receivedAt < before) received.delete(key)
    },
    accounts: async () => [...accounts.values()],
    cached: async (cacheKey) => cache.get(cacheKey),
  }
}
