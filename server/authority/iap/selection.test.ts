import { describe, expect, it } from 'vitest'
import { IapTask } from '../../testing/iap-task.ts'
import { addRecords, NO_RECORD } from './reputation.ts'
import type { Candidate, SelectionBasis } from './selection.ts'
import { calibratedConfidence, DEFAULT_WEIGHTS, scalesOf, select } from './selection.ts'

const candidate = (bid: number, changes: Partial<Candidate> = {}): Candidate => ({ bid, agentId: `a${bid}`, estimatedCost: 50, estimatedLatency: 500, queueDepth: 1, confidence: 0.8, record: NO_RECORD, ...changes })
const basis = (candidates: readonly Candidate[], changes: Partial<SelectionBasis> = {}): SelectionBasis => ({ weights: DEFAULT_WEIGHTS, scales: scalesOf(candidates, { maxCost: 100, maxLatency: 1000 }), seed: 's', candidates, ...changes })

describe('IAP 1.6 best bid (iap-selection/1)', () => {
  it.each([
    ['cheaper', { estimatedCost: 40 }],
    ['faster', { estimatedLatency: 400 }],
    ['less busy', { queueDepth: 0 }],
    ['more sure of itself', { confidence: 0.9 }],
  ])('all else equal the %s wins', (_what, better) => {
    expect(select(basis([candidate(1), candidate(2, better)]))).toEqual({ winner: 2 })
    expect(select(basis([candidate(1, better), candidate(2)]))).toEqual({ winner: 1 })
  })

  it('weighs what the weights say', () => {
    const bids = [candidate(1, { estimatedCost: 10, estimatedLatency: 1000 }), candidate(2, { estimatedCost: 100, estimatedLatency: 100 })]
    expect(select(basis(bids, { weights: { cost: 1, latency: 0, queueDepth: 0, confidence: 0 } })).winner).toBe(1)
    expect(select(basis(bids, { weights: { cost: 0, latency: 1, queueDepth: 0, confidence: 0 } })).winner).toBe(2)
  })

  it('measures by the limits of the proposal, so that a third bid cannot turn the order of two', () => {
    const two = [candidate(1, { estimatedCost: 20, estimatedLatency: 600 }), candidate(2, { estimatedCost: 50, estimatedLatency: 300 })]
    const third = candidate(3, { estimatedCost: 100, estimatedLatency: 1000, confidence: 0 })
    expect(select(basis([...two, third])).winner).toBe(select(basis(two)).winner)
  })

  it('measures by the largest bid where the proposal sets no limit, and by nothing where all are zero', () => {
    expect(scalesOf([candidate(1), candidate(2, { estimatedCost: 70, queueDepth: 3 })], {})).toEqual({ cost: 70, latency: 500, queueDepth: 3 })
    const free = [candidate(1, { estimatedCost: 0, estimatedLatency: 0, queueDepth: 0 }), candidate(2, { estimatedCost: 0, estimatedLatency: 0, queueDepth: 0, confidence: 0.9 })]
    expect(select(basis(free, { scales: scalesOf(free, {}) })).winner).toBe(2)
  })

  it('breaks a tie by the recorded seed and never by arrival', () => {
    const bids = [candidate(1), candidate(2), candidate(3)]
    for (const seed of ['a', 'b', 'c', 'd']) {
      const chosen = select(basis(bids, { seed }))
      expect(chosen.tied).toEqual([1, 2, 3])
      expect(select(basis([...bids].reverse(), { seed })).winner).toBe(chosen.winner)
    }
  })

  it('gives equal bidders equal chances over many seeds', () => {
    const wins = new Map<number, number>()
    for (let seed = 0; seed < 900; seed++) {
      const { winner } = select(basis([candidate(1), candidate(2), candidate(3)], { seed: String(seed) }))
      wins.set(winner, (wins.get(winner) ?? 0) + 1)
    }
    for (const count of wins.values()) expect(count).toBeGreaterThan(220)
    expect(wins.size).toBe(3)
  })
})

describe('IAP 1.6 calibration', () => {
  const record = (completed: number, failed: number, timedOut = 0) => ({ ...NO_RECORD, completed, failed, timedOut })

  it('believes half of a claim that nothing stands behind', () => {
    expect([0, 0.5, 1].map((claim) => calibratedConfidence(claim, NO_RECORD))).toEqual([0.25, 0.5, 0.75])
  })

  it('comes to believe results: who claims 1.0 and fails loses to who claims little and completes', () => {
    expect(calibratedConfidence(1, record(0, 6, 6))).toBeLessThan(calibratedConfidence(0.2, record(12, 0)))
    expect(calibratedConfidence(0, record(996, 0))).toBeGreaterThan(0.99)
    expect(select(basis([candidate(1, { confidence: 1, record: record(1, 9) }), candidate(2, { confidence: 0.6, record: record(9, 1) })])).winner).toBe(2)
  })
})

describe('IAP 1.19 reputation', () => {
  const settle = (end: (task: IapTask) => void): IapTask => {
    const task = new IapTask('b', 'c')
    task.propose()
    task.bid('b', { estimatedCost: 10 })
    task.bid('c', { estimatedCost: 90 })
    end(task)
    return task
  }

  it('counts what was awarded and completed, with estimate and measure', () => {
    const task = settle((each) => {
      each.accept('b')
      each.nowMs += 2500
      each.complete('b', { actualCost: 15, actualLatency: 1 })
    })
    expect(task.account('b')).toEqual({ ...NO_RECORD, awarded: 1, completed: 1, latency: { samples: 1, estimated: 4000, actual: 2500 }, cost: { samples: 1, estimated: 10, actual: 15 } })
    expect(task.account('c')).toEqual(NO_RECORD)
  })

  it.each([
    ['failed', (task: IapTask) => { task.accept('b'); task.act({ type: 'result', message: task.message('TASK_RESULT', 'b', { taskId: 'task_1', status: 'failed', error: {} }) }) }, { awarded: 1, failed: 1 }],
    ['timedOut', (task: IapTask) => { task.accept('b'); task.due() }, { awarded: 1, timedOut: 1 }],
    ['released', (task: IapTask) => { task.reject('b') }, { awarded: 1, released: 1 }],
    ['released by silence', (task: IapTask) => { task.due() }, { awarded: 1, released: 1 }],
  ] as const)('counts %s', (_what, end, counts) => expect(settle(end).account('b')).toEqual({ ...NO_RECORD, ...counts }))

  it('counts no evidence and no cancelled task', () => {
    expect(settle((task) => { task.accept('b'); task.complete('c'); task.complete('b', { assignmentId: 'old' }); task.act({ type: 'cancel', by: 'proposer' }) }).account('b')).toEqual({ ...NO_RECORD, awarded: 1 })
  })

  it('adds up, figures included', () => {
    const one = { ...NO_RECORD, completed: 1, latency: { samples: 1, estimated: 10, actual: 20 } }
    expect(addRecords(one, { ...one, failed: 1 })).toEqual({ ...NO_RECORD, completed: 2, failed: 1, latency: { samples: 2, estimated: 20, actual: 40 } })
    expect(addRecords(NO_RECORD, one)).toEqual(one)
  })
})
