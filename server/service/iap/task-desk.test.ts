// What the desk does when the store says no: nothing has happened, and memory says what the store says.
import { describe, expect, it } from 'vitest'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import type { IAPMessageOf } from '../../../protocol/iap/types.ts'
import { DEFAULT_RULES } from '../../authority/iap/rules.ts'
import type { OnlineAgent } from '../../authority/iap/roster.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import { ShiftedTime } from '../../testing/iap/shifted-time.ts'
import { CapabilitySchemas } from './capability-schemas.ts'
import type { IapStore, KeptIapMessage } from './store-port.ts'
import type { DeskNeeds } from './task-desk.ts'
import { earliestDue, TaskDesk } from './task-desk.ts'

const bidder: OnlineAgent = {
  agentId: 'ben', principalId: 'urn:ben', sessionId: 's', currentLoad: 0, lastHeardMs: 0,
  handshake: { agentId: 'ben', name: 'Ben', version: '1.0.0', protocolVersion: '1.0.0', capabilities: [{ id: 'sum', type: 'data_analysis', name: 'Sum', description: '' }] },
}

function desk(store: IapStore, mailboxes: DeskNeeds['mailboxes'] = { hasRoom: () => true }) {
  const delivered: KeptIapMessage[] = []
  const unreadable: string[] = []
  const { clock } = new ShiftedTime()
  const made = new TaskDesk({ store, clock, rules: DEFAULT_RULES, roster: new Map([['ben', bidder]]), schemas: new CapabilitySchemas(100), mailboxes, onCommitted: (messages) => void delivered.push(...messages), onFault: () => undefined, onUnreadable: (taskId) => void unreadable.push(taskId) })
  return { made, delivered, unreadable }
}
const proposal = (taskId = 'task') => composeMessage('TASK_PROPOSAL', { messageId: `m-${taskId}`, from: 'ada', to: 'router', timestamp: '2026-11-30T08:00:00Z' }, { taskId, proposerId: 'ada', description: '', requiredCapability: 'data_analysis', input: {} })
const propose = (message: IAPMessageOf<'TASK_PROPOSAL'>) => ({ taskId: message.payload.taskId, input: { type: 'proposal', message } as const, received: { message, contentHash: 'h' }, setting: { spaceId: 'space' } })

describe('TaskDesk', () => {
  it('tells nobody of what was not committed, and decides it when it is asked again', async () => {
    const store = createMemoryIap()
    const { commit } = store
    let isBroken = true
    const { made, delivered } = desk({ ...store, commit: (each) => (isBroken ? Promise.reject(new Error('the database is away')) : commit(each)) })
    await expect(made.submit(propose(proposal()))).rejects.toThrow('the database is away')
    expect([delivered, await made.find('task'), made.open()]).toEqual([[], undefined, []])
    isBroken = false
    await made.submit(propose(proposal()))
    expect(delivered.map(({ agentId }) => agentId)).toEqual(['ben'])
    expect((await made.find('task'))!.status).toBe('bidding')
  })

  it('answers a message that comes again while it is in hand as it answers it the first time, and decides it once (IAP: deduplication by messageId)', async () => {
    const store = createMemoryIap()
    const { made, delivered } = desk(store)
    const job = propose(proposal())
    // In one batch, and in the next one.
    expect(await Promise.all([made.submit(job), made.submit(job)])).toEqual([[], []])
    expect(await made.submit(job)).toEqual([])
    expect(delivered).toHaveLength(1)
    expect(await made.submit({ ...job, received: { ...job.received, contentHash: 'other' } })).toMatchObject([{ type: 'ERROR', payload: { details: { reason: 'message_id_reused' } } }])
  })

  it('knows what it could not read again after a fault, so that no deadline of it is forgotten', async () => {
    const store = createMemoryIap()
    const away = () => Promise.reject(new Error('the database is away'))
    let isBroken = false
    const { made } = desk({ ...store, commit: (each) => (isBroken ? away() : store.commit(each)), findTask: (taskId) => (isBroken ? away() : store.findTask(taskId)), accounts: () => (isBroken ? away() : store.accounts()) })
    await made.submit(propose(proposal()))
    isBroken = true
    const bid = composeMessage('TASK_BID', { messageId: 'bid', from: 'ben', to: 'router', timestamp: '2026-11-30T08:00:00Z' }, { taskId: 'task', bidderId: 'ben', estimatedCost: 1, estimatedLatency: 1, confidence: 1 })
    await expect(made.submit({ taskId: 'task', input: { type: 'bid', message: bid } })).rejects.toThrow('the database is away')
    expect([made.open().length, made.unread]).toEqual([0, ['task']])
    isBroken = false
    await made.submit({ taskId: 'task', input: { type: 'due' } })
    expect([made.open().map(({ status }) => status), made.unread]).toEqual([['bidding'], []])
  })

  it.each(['decided', 'kept'] as const)('rejects of a batch only the job that cannot be %s', async (what) => {
    const store = createMemoryIap()
    const commit: IapStore['commit'] = (each) => (each.tasks.some(({ taskId }) => what === 'kept' && taskId === 'b') ? Promise.reject(new Error('no')) : store.commit(each))
    const { made, delivered } = desk({ ...store, commit })
    const jobs = ['a', 'b', 'c'].map((taskId) => propose(proposal(taskId)))
    // A record of no task's: there is no Space that it could go to.
    const { setting: _none, ...homeless } = jobs[1]!
    if (what === 'decided') jobs[1] = homeless as never
    const outcomes = await Promise.allSettled(jobs.map((job) => made.submit(job)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(delivered.map(({ message }) => (JSON.parse(message) as IAPMessageOf<'TASK_PROPOSAL'>).payload.taskId)).toEqual(['a', 'c'])
    expect([made.open().length, await made.find('b'), made.unread]).toEqual([2, undefined, []])
  })

  it('lets a task whose records lead nowhere stand still, and no other', async () => {
    const store = createMemoryIap()
    const { made: before } = desk(store)
    for (const taskId of ['a', 'c']) await before.submit(propose(proposal(taskId)))
    await store.commit({ tasks: [{ taskId: 'b', spaceId: 'space', proposerId: 'ada', status: 'bidding', isOver: false, bytes: 0 }], records: [{ taskId: 'b', ordinal: 7, record: '{"ordinal":7}' }], outbox: [], received: [], accounts: [], cache: [] })
    const { made, unreadable } = desk(store)
    await made.load()
    expect([made.open().map(({ taskId }) => taskId).sort(), unreadable]).toEqual([['a', 'c'], ['b']])
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((taskId) => made.submit({ taskId, input: { type: 'cancel', by: 'ada' } })))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect([await Promise.all(['a', 'c'].map(async (taskId) => (await made.find(taskId))!.status)), made.unread]).toEqual([['cancelled', 'cancelled'], []])
    await expect(made.find('b')).rejects.toThrow('without a gap')
  })

  it('asks for the records of any number of open tasks, a thousand at a time', async () => {
    const store = createMemoryIap()
    const { made: before } = desk(store)
    await before.submit(propose(proposal()))
    const [[row], records] = [await store.openTasks(), await store.records(['task'])]
    const asked: number[] = []
    const many = Array.from({ length: 2_500 }, (_, index) => ({ ...row!, taskId: `task-${index}` }))
    const { made } = desk({ ...store, openTasks: async () => many, records: async (taskIds) => (asked.push(taskIds.length), taskIds.flatMap((taskId) => records.map((record) => ({ ...record, taskId })))) })
    await made.load()
    expect([asked, made.open().length]).toEqual([[1_000, 1_000, 500], 2_500])
  })

  it('tries nothing one by one while the store is away', async () => {
    const store = createMemoryIap()
    let commits = 0
    const away = () => Promise.reject(new Error('the database is away'))
    const { made } = desk({ ...store, commit: () => (commits++, away()), accounts: away })
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((taskId) => made.submit(propose(proposal(taskId)))))
    expect([outcomes.map(({ status }) => status), commits]).toEqual([['rejected', 'rejected', 'rejected'], 1])
  })

  it('finds what is due next among more tasks than a call takes arguments', async () => {
    const { made } = desk(createMemoryIap())
    await made.submit(propose(proposal()))
    const [task] = made.open()
    const tasks = Array.from({ length: 1_000_000 }, () => task!)
    tasks[500_000] = { ...task!, windowClosesMs: 1_000 }
    expect([earliestDue(tasks), earliestDue([])]).toEqual([1_000, Infinity])
  })

  it('folds again and decides anew when somebody else was quicker', async () => {
    const store = createMemoryIap()
    const [first, second] = [desk(store), desk(store)]
    await Promise.all([first.made.load(), second.made.load()])
    await first.made.submit(propose(proposal()))
    // The second one has not heard of it: its own first record would have the ordinal 0.
    const find = store.findTask
    let isBlind = true
    const late = desk({ ...store, findTask: (taskId) => (isBlind ? ((isBlind = false), Promise.resolve(undefined)) : find(taskId)) })
    const answers = await late.made.submit(propose(proposal()))
    expect(answers).toMatchObject([{ type: 'ERROR', payload: { details: { reason: 'task_id_taken' } } }])
    expect(await store.records(['task'])).toHaveLength(2)
  })

  it('refuses a proposal for whose proposer too much waits, what the same batch adds included', async () => {
    const { made } = desk(createMemoryIap(), { hasRoom: (agentId, drafted) => agentId !== 'ada' || (drafted?.count ?? 0) < 1 })
    // Nobody can do it, so its end is told in the batch.
    const hopeless = (taskId: string) => propose({ ...proposal(taskId), payload: { ...proposal(taskId).payload, requiredCapability: 'x-unheard' } })
    const answers = await Promise.all([made.submit(hopeless('a')), made.submit(hopeless('b'))])
    expect(answers).toMatchObject([[], [{ type: 'ERROR', payload: { code: 'AGENT_OVERLOAD', relatedTaskId: 'b', recoverable: true, details: { reason: 'mailbox_full' } } }]])
    expect([(await made.find('a'))!.status, await made.find('b')]).toEqual(['failed', undefined])
  })

  it('takes one task at a time for a WorkItem (0141)', async () => {
    const { made } = desk(createMemoryIap())
    const work = { groupId: 'group', workItemId: 'item', requiredCapabilities: [], workerIds: ['urn:ben'] }
    const forWork = (taskId: string, changes = {}) => ({ ...propose(proposal(taskId)), setting: { spaceId: 'space', work: { ...work, ...changes } } })
    const answers = await Promise.all([forWork('a'), forWork('b'), forWork('c', { workItemId: 'other' })].map((job) => made.submit(job)))
    expect(answers).toMatchObject([[], [{ type: 'ERROR', payload: { code: 'VALIDATION_ERROR', relatedTaskId: 'b', details: { reason: 'work_item_in_hand' } } }], []])
    await made.submit({ taskId: 'a', input: { type: 'cancel', by: 'ada' } })
    await made.submit({ ...forWork('d'), received: { message: proposal('d'), contentHash: 'h' } })
    expect((await made.find('d'))!.status).toBe('bidding')
  })

  it('forgets with the store, and between two batches only', async () => {
    const store = createMemoryIap()
    const { made } = desk(store)
    const forgotten = made.forget(async () => ['task'])
    await Promise.all([forgotten, made.submit(propose(proposal()))])
    expect(made.rowOf('task')).toMatchObject({ status: 'bidding' })
    await made.submit({ taskId: 'task', input: { type: 'cancel', by: 'ada' } })
    expect(made.rowOf('task')).toMatchObject({ isOver: true, endedAt: expect.any(String) as string, bytes: (await store.records(['task'])).reduce((sum, { record }) => sum + record.length, 0) })
    await made.forget(async () => ['task'])
    expect(made.rowOf('task')).toBeUndefined()
  })

  it('counts how an agent did with so many capabilities and no more', async () => {
    const store = createMemoryIap()
    const row = (index: number) => ({ agentId: 'ben', capabilityId: `c${index}`, record: { awarded: 1, completed: 1, failed: 0, timedOut: 0, released: 0 } })
    await store.commit({ tasks: [], records: [], outbox: [], received: [], cache: [], accounts: Array.from({ length: 1_024 }, (_, index) => row(index)) })
    const { made } = desk(store)
    await made.load()
    await made.submit(propose(proposal()))
    const bid = composeMessage('TASK_BID', { messageId: 'bid', from: 'ben', to: 'router', timestamp: '2026-11-30T08:00:00Z' }, { taskId: 'task', bidderId: 'ben', estimatedCost: 1, estimatedLatency: 1, confidence: 1 })
    await made.submit({ taskId: 'task', input: { type: 'bid', message: bid } })
    expect([(await made.find('task'))!.status, made.recordOf('ben', 'sum'), (await store.accounts()).length]).toEqual(['assigned', undefined, 1_024])
  })

  it('counts the slots that a batch gives away within the batch', async () => {
    const store = createMemoryIap()
    const { made, delivered } = desk(store)
    await Promise.all(['a', 'b'].map((taskId) => made.submit(propose(proposal(taskId)))))
    const bid = (taskId: string) => composeMessage('TASK_BID', { messageId: `bid-${taskId}`, from: 'ben', to: 'router', timestamp: '2026-11-30T08:00:00Z' }, { taskId, bidderId: 'ben', estimatedCost: 1, estimatedLatency: 1, confidence: 1 })
    await Promise.all(['a', 'b'].map((taskId) => made.submit({ taskId, input: { type: 'bid', message: bid(taskId) } })))
    expect(delivered.filter(({ message }) => message.includes('TASK_ASSIGNMENT'))).toHaveLength(1)
    expect([(await made.find('a'))!.status, (await made.find('b'))!.status]).toEqual(['assigned', 'failed'])
  })
})
