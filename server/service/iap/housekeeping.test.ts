// What the router forgets, and when it looks.
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { ShiftedTime } from '../../testing/iap/shifted-time.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import { Housekeeping } from './housekeeping.ts'
import type { IapCommit, IapStore } from './store-port.ts'
import { DEFAULT_IAP_LIMITS } from './types.ts'

const nothing: IapCommit = { tasks: [], records: [], outbox: [], received: [], accounts: [], cache: [] }
const dayMs = 24 * 3_600_000

function keeper(store: IapStore, limits = {}) {
  const time = new ShiftedTime()
  const housekeeping = new Housekeeping({
    store,
    desk: { forget: async (forgetStored) => void (await forgetStored()) },
    mailboxes: { expire: async () => undefined },
    limits: { ...DEFAULT_IAP_LIMITS, ...limits },
    clock: time.clock,
    timers: time,
    diagnostics: silentLog(),
  })
  return {
    time,
    housekeeping,
    /** Commits it and waits until what follows is done. */
    async keep(commit: Partial<IapCommit>): Promise<void> {
      await store.commit({ ...nothing, ...commit })
      housekeeping.kept({ ...nothing, ...commit })
      await housekeeping.settled()
    },
  }
}
const answered = (time: ShiftedTime, messageId: string) => ({ agentId: 'ada', messageId, contentHash: 'h', answers: '[]', receivedAt: time.clock.now() })
const ended = (time: ShiftedTime, taskId: string, bytes = 1) => ({ taskId, spaceId: 'space', proposerId: 'ada', status: 'failed', isOver: true, bytes, endedAt: time.clock.now() })
const result = (time: ShiftedTime, cacheKey: string) => ({ cacheKey, result: '1', taskId: 'a', storedAt: time.clock.now() })

describe('Housekeeping', () => {
  it('keeps of each agent the newest answers, tasks and bytes of tasks, and of all the newest results', async () => {
    const store = createMemoryIap()
    const { time, keep } = keeper(store, { maxAnswers: 2, maxEndedTasks: { count: 3, bytes: 100 }, maxResults: { count: 2, bytes: 100 } })
    for (const id of ['1', '2', '3', '4']) {
      await keep({ received: [answered(time, id)], tasks: [ended(time, id, id === '4' ? 99 : 1)], cache: [result(time, id)] })
      time.leap(1_000)
    }
    const there = (found: readonly unknown[]) => found.map((each) => each !== undefined)
    const ids = ['1', '2', '3', '4']
    expect(there(await Promise.all(ids.map((id) => store.findReceived('ada', id))))).toEqual([false, false, true, true])
    expect(there(await Promise.all(ids.map((id) => store.findTask(id))))).toEqual([false, false, true, true])
    expect(there(await Promise.all(ids.map((id) => store.cached(id))))).toEqual([false, false, true, true])
  })

  it('looks as soon as much was added to few', async () => {
    const store = createMemoryIap()
    const { time, keep } = keeper(store, { maxEndedTasks: { count: 1_000, bytes: 80 } })
    const large = ended(time, 'large', 81)
    time.leap(1_000)
    await keep({ tasks: [large, ended(time, 'small', 9)] })
    expect([await store.findTask('large'), (await store.findTask('small'))?.bytes]).toEqual([undefined, 9])
  })

  it('looks once a day for what is too old', async () => {
    const store = createMemoryIap()
    const { time, keep, housekeeping } = keeper(store)
    await keep({ received: [answered(time, 'm')], tasks: [ended(time, 't')], cache: [result(time, 'k')] })
    const there = async () => (await Promise.all([store.findReceived('ada', 'm'), store.cached('k'), store.findTask('t')])).map((each) => each !== undefined)
    housekeeping.start()
    const seen = []
    for (const days of [6, 2, 23, 60]) {
      time.leap(days * dayMs)
      await housekeeping.settled()
      seen.push(await there())
    }
    expect(seen).toEqual([[true, true, true], [false, true, true], [false, false, true], [false, false, false]])
    await housekeeping.stop()
  })

  it('goes on after a fault', async () => {
    const store = createMemoryIap()
    let faults = 0
    const { time, keep } = keeper({ ...store, trimReceived: (...asked) => (faults++ === 0 ? Promise.reject(new Error('the database is away')) : store.trimReceived(...asked)) }, { maxAnswers: 1 })
    for (const id of ['1', '2']) {
      await keep({ received: [answered(time, id)] })
      time.leap(1_000)
    }
    expect([await store.findReceived('ada', '1'), (await store.findReceived('ada', '2'))?.messageId]).toEqual([undefined, '2'])
  })
})
