// What the publisher reads and writes: each record once, and nothing of a long task again that stands in its Space.
import { expect, it } from 'vitest'
import { ok } from '../../../protocol/result.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import { silentLog } from '../../log.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import type { MessageDraft, SpaceMessage } from '../open-spaces/types.ts'
import { SpacePublisher } from './space-publisher.ts'

const at = '2026-11-30T08:00:00Z'
const none = { outbox: [], received: [], accounts: [], cache: [] }
const cancellation = (ordinal: number, refs: readonly number[]): TaskRecord => ({ taskId: 'task', ordinal, refs, author: 'router', at, type: 'task_cancellation', content: { by: 'ada' } })
const row = (record: TaskRecord) => ({ taskId: 'task', ordinal: record.ordinal, record: JSON.stringify(record) })

function publishing() {
  const store = createMemoryIap()
  const sent: MessageDraft[] = []
  const read: (readonly number[])[] = []
  const publisher = new SpacePublisher({
    store: {
      ...store,
      unpublished: async (taskId) => {
        const rows = await store.unpublished(taskId)
        read.push(rows.map(({ ordinal }) => ordinal))
        return rows
      },
    },
    spaces: {
      sendRecord: async (_senderId, _spaceId, draft) => ok({ messageId: `m${sent.push(draft) - 1}` } as SpaceMessage),
      search: async () => ok([]),
    },
    nodes: { enter: async (author) => author, nodeIdOf: async (agentId) => agentId },
    timers: { after: () => ({ cancel: () => undefined }) },
    diagnostics: silentLog(),
  })
  const add = async (...records: readonly TaskRecord[]) => {
    await store.commit({ ...none, tasks: [{ taskId: 'task', spaceId: 'space', proposerId: 'ada', status: 'proposed', isOver: false, bytes: 0 }], records: records.map(row) })
    publisher.publish('task')
    await publisher.settled()
  }
  return { add, sent, read, store }
}

it('IAP: a record refers to the Messages of those that it rests on, of the same turn or an earlier one', async () => {
  const { add, sent, store } = publishing()
  await add(cancellation(0, []), cancellation(1, [0]))
  await add(cancellation(2, [1, 0, 1]))
  expect(sent.map(({ messages }) => messages)).toEqual([[], ['m0'], ['m1', 'm0']])
  expect((await store.records(['task'])).map(({ messageId }) => messageId)).toEqual(['m0', 'm1', 'm2'])
})

it('IAP: what stands in the Space is not read again, however long the task is', async () => {
  const { add, read } = publishing()
  for (let ordinal = 0; ordinal < 5; ordinal++) await add(cancellation(ordinal, []))
  expect(read).toEqual([[0], [1], [2], [3], [4]])
})
