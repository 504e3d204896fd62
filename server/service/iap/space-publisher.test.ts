// What the publisher reads and writes: each record once, and nothing of a long task again that stands in its Space.
import { expect, it } from 'vitest'
import { reject } from '../../../protocol/error-codes.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import { silentLog } from '../../log.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import type { MessageDraft, SpaceMessage, SpaceRefusal } from '../open-spaces/types.ts'
import { SpacePublisher } from './space-publisher.ts'

const at = '2026-11-30T08:00:00Z'
const none = { outbox: [], received: [], accounts: [], cache: [] }
const cancellation = (ordinal: number, refs: readonly number[]): TaskRecord => ({ taskId: 'task', ordinal, refs, author: 'router', at, type: 'task_cancellation', content: { by: 'ada' } })
const row = (record: TaskRecord) => ({ taskId: 'task', ordinal: record.ordinal, record: JSON.stringify(record) })

const work = { groupId: 'group', workItemId: 'work', requiredCapabilities: [], workerIds: [] }

function publishing({ taken = new Set([0, 1, 2, 3, 4]), refusals = [] as SpaceRefusal[] } = {}) {
  const store = createMemoryIap()
  const sent: MessageDraft[] = []
  const read: (readonly number[])[] = []
  const retries: (() => void)[] = []
  const [put, refused]: [(readonly [string, readonly string[]])[], (readonly [string, string])[]] = [[], []]
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
      sendRecord: async (_senderId, _spaceId, draft) => {
        const refusal = refusals.shift()
        return refusal ? err(refusal) : ok({ messageId: `m${sent.push(draft) - 1}` } as SpaceMessage)
      },
      search: async () => ok([]),
    },
    groups: {
      put: async (record, _work, refs) => {
        put.push([record.type, refs])
        return taken.has(record.ordinal) ? ok(`r${record.ordinal}`) : err(reject('INVALID_STATE_TRANSITION', 'the Group is archived'))
      },
    },
    nodes: { enter: async (author) => author, nodeIdOf: async (agentId) => agentId },
    onRefused: (taskId, { code }) => refused.push([taskId, code]),
    timers: { after: (_ms, ring) => (retries.push(ring), { cancel: () => undefined }) },
    diagnostics: silentLog(),
  })
  const add = (...records: readonly TaskRecord[]) => addTo('space', ...records)
  const addTo = async (spaceId: string, ...records: readonly TaskRecord[]) => {
    await store.commit({ ...none, tasks: [{ taskId: 'task', spaceId, proposerId: 'ada', status: 'proposed', isOver: false, bytes: 0, work }], records: records.map(row) })
    publisher.publish('task')
    await publisher.settled()
  }
  /** What was put off comes due. */
  const retry = async () => {
    for (const ring of retries.splice(0)) ring()
    await publisher.settled()
  }
  return { add, addTo, retry, sent, read, store, put, refused }
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

const part = (ordinal: number, refs: readonly number[]): TaskRecord =>
  ({ taskId: 'task', ordinal, refs, author: 'ben', at, type: 'task_partial_result', content: { messageId: `m${ordinal}`, assignmentId: 'a', part: { taskId: 'task', assignmentId: 'a', index: 0, part: 1 } } })

it('IAP: what is done for a WorkItem is put into its Group, a part of a result under the record that it refers to', async () => {
  const { addTo, put, sent, store } = publishing()
  await addTo('group', cancellation(0, []), part(1, [0]), cancellation(2, [1]))
  expect(put).toEqual([['task_cancellation', []], ['task_cancellation', ['r0']]])
  expect(sent).toEqual([])
  expect((await store.records(['task'])).map(({ messageId }) => messageId)).toEqual(['r0', 'r0', 'r2'])
})

it('IAP: a task for a WorkItem that began in an open Space stays there', async () => {
  const { add, put, sent } = publishing()
  await add(cancellation(0, []))
  expect([put.length, sent.length]).toEqual([0, 1])
})

it('IAP: a record that its Group refuses stays in the journal, and the router hears of it once', async () => {
  const { addTo, refused, store } = publishing({ taken: new Set([0]) })
  await addTo('group', cancellation(0, []))
  await addTo('group', cancellation(1, [0]))
  await addTo('group')
  expect(refused).toEqual([['task', 'INVALID_STATE_TRANSITION']])
  expect(await store.unpublished('task')).toEqual([])
})

it('IAP: a record that a Space has no room for stands there by its hash, and one that comes while it is busy stands there whole a little later', async () => {
  const { add, sent } = publishing({ refusals: [{ category: 'too_large', reason: 'too long' }] })
  await add(cancellation(0, []))
  expect(sent.map(({ content }) => JSON.parse(content))).toMatchObject([{ omitted: { size: expect.any(Number) } }])
  const later = publishing({ refusals: [{ category: 'busy', reason: 'too much waits' }] })
  await later.add(cancellation(0, []))
  expect(later.sent).toEqual([])
  await later.retry()
  expect(later.sent.map(({ content }) => JSON.parse(content))).toMatchObject([{ by: 'ada' }])
})
