import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Urgency } from '../protocol/generated/types.ts'
import { afterPause, AGEING_STEP, FairOrder, slotToFree, URGENCY_FACTOR } from './fair-order.ts'
import type { QueuedItem } from './fair-order.ts'

const item = (groupId: string, workItemId: string, changes: Partial<QueuedItem> = {}): QueuedItem => ({ groupId, workItemId, urgency: 'normal', deadlineMs: 0, passedOver: 0, ...changes })

describe('between Groups', () => {
  test('A-175: shares follow the weights while both Groups have work', () => {
    const order = new FairOrder({ weightOf: (groupId) => (groupId === 'a' ? 3 : 1) })
    const starts = { a: 0, b: 0 }
    for (let n = 0; n < 400; n++) {
      order.put(item('a', `a${n}`))
      order.put(item('b', `b${n}`))
      starts[order.take()!.groupId as 'a' | 'b'] += 1
    }
    expect(starts.a / starts.b).toBeCloseTo(3, 1)
  })

  test('A-175: a Group that was idle saves nothing up', () => {
    const order = new FairOrder()
    for (let n = 0; n < 50; n++) {
      order.put(item('a', `a${n}`))
      order.take()
    }
    for (let n = 0; n < 10; n++) for (const groupId of ['a', 'b']) order.put(item(groupId, `${groupId}-${n}`))
    const taken = Array.from({ length: 10 }, () => order.take()!.groupId)
    expect(taken.filter((groupId) => groupId === 'b')).toHaveLength(5)
  })

  test('A-175: a Group at its quota waits for one of its own slots', () => {
    const order = new FairOrder({ quotaOf: () => 1 })
    order.put(item('a', 'urgent', { urgency: 'critical' }))
    order.put(item('b', 'plain'))
    const held = new Map([['a', 1]])
    expect(order.take(held)?.workItemId).toBe('plain')
    expect(order.take(held)).toBeUndefined()
    expect(order.take()?.workItemId).toBe('urgent')
  })

  test('A-174: urgency of one Group makes its turn come sooner and does not shut the other out', () => {
    const order = new FairOrder()
    const starts = { loud: 0, quiet: 0 }
    for (let n = 0; n < 180; n++) {
      order.put(item('loud', `l${n}`, { urgency: 'critical' }))
      order.put(item('quiet', `q${n}`, { urgency: 'routine' }))
      starts[order.take()!.groupId as 'loud' | 'quiet'] += 1
    }
    expect(starts.quiet).toBe(180 / (URGENCY_FACTOR.critical + 1))
  })
})

describe('within a Group', () => {
  test('A-175: the more urgent first, then the earlier deadline', () => {
    const order = new FairOrder()
    order.put(item('a', 'late', { deadlineMs: 2 }))
    order.put(item('a', 'early', { deadlineMs: 1 }))
    order.put(item('a', 'urgent', { urgency: 'high', deadlineMs: 3 }))
    expect([order.take(), order.take(), order.take()].map((taken) => taken?.workItemId)).toEqual(['urgent', 'early', 'late'])
  })

  test('A-175: ageing brings routine work past an endless stream of critical work', () => {
    const order = new FairOrder()
    order.put(item('a', 'old', { urgency: 'routine', deadlineMs: 9 }))
    let starts = 0
    for (let next; next?.workItemId !== 'old'; starts++) {
      order.put(item('a', `new${starts}`, { urgency: 'critical' }))
      next = order.take()
    }
    expect(starts).toBeLessThanOrEqual(3 * AGEING_STEP + 1)
  })
})

test('A-175: no starvation: whatever waits starts within a bound, whatever else arrives', () => {
  const urgency = fc.constantFrom<Urgency>('routine', 'normal', 'high', 'critical')
  const arrival = fc.record({ group: fc.nat(2), urgency, deadlineMs: fc.nat(100) })
  const weights = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
  fc.assert(
    fc.property(weights, fc.array(arrival, { maxLength: 20 }), fc.array(arrival, { minLength: 1, maxLength: 20 }), urgency, (weight, before, stream, asked) => {
      const order = new FairOrder({ weightOf: (groupId) => weight[Number(groupId)]! })
      let count = 0
      const arrive = ({ group, ...changes }: (typeof stream)[number]) => order.put(item(String(group), `w${count++}`, changes))
      before.forEach(arrive)
      order.put(item('0', 'waits', { urgency: asked, deadlineMs: 1_000 }))
      // In its Group: older items, and newcomers until its age is above every class. Elsewhere: what the weights allow in that time.
      const inGroup = before.length + 4 * AGEING_STEP + 1
      const perTurn = [1, 2].reduce((sum, other) => sum + (URGENCY_FACTOR.critical * weight[other]!) / weight[0], 0)
      const bound = Math.ceil((inGroup + 1) * (1 + perTurn)) + 3
      for (let starts = 0; starts <= bound; starts++) {
        arrive(stream[starts % stream.length]!)
        if (order.take()?.workItemId === 'waits') return
      }
      throw new Error(`did not start within ${bound} starts`)
    }),
    { numRuns: 300 },
  )
})

describe('a slot for urgent work', () => {
  const running = (workItemId: string, changes: Partial<QueuedItem> = {}, isAskedToPause = false) => ({ ...item('a', workItemId, changes), isAskedToPause })
  const urgent = item('b', 'urgent', { urgency: 'critical' })

  test('A-184: is asked of the least urgent item', () => {
    expect(slotToFree([running('normal'), running('routine', { urgency: 'routine' })], urgent)?.workItemId).toBe('routine')
  })

  test.each([
    ['the next item is of an ordinary class', [running('r', { urgency: 'routine' })], item('b', 'n')],
    ['what runs is as urgent', [running('c', { urgency: 'critical' })], urgent],
    ['one was asked already', [running('a'), running('b', {}, true)], urgent],
    ['nothing runs', [], urgent],
  ])('A-184: is not asked for when %s', (_why, holders, next) => {
    expect(slotToFree(holders, next)).toBeUndefined()
  })

  test('A-175: work that was paused twice is not paused for critical work again', () => {
    const paused = afterPause(afterPause(item('a', 'old')))
    expect(slotToFree([{ ...paused, isAskedToPause: false }], urgent)).toBeUndefined()
  })
})
