// What a node is told of its seat, whatever the database answers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Sql } from './connect.ts'
import { LockedSeat } from './seat.ts'

type Answer = { readonly session: number; readonly has: boolean } | 'away' | 'silent'

/** A seat whose database answers the next looks like this, the last one for ever. */
function seatOn(...answers: readonly Answer[]) {
  const told: string[] = []
  const left = [...answers]
  let connections = 0
  const ask = async ([text]: TemplateStringsArray) => {
    if (text!.includes('unlock')) return void told.push('unlocked')
    const answer = left.length > 1 ? left.shift()! : left[0]!
    if (answer === 'away') throw new Error('the database is away')
    return answer === 'silent' ? new Promise(() => undefined) : [answer]
  }
  const seat = new LockedSeat(() => (connections++, Object.assign(ask, { end: async () => undefined }) as unknown as Sql), undefined)
  const holder = { taken: async () => void told.push('taken'), lost: async () => void told.push('lost') }
  return { seat, told, holder, connections: () => connections }
}
const mine = (session: number) => ({ session, has: true })
const another = { session: 9, has: false }
const looks = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)

describe('LockedSeat', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is taken once, and kept for as long as the same session has the lock', async () => {
    const { seat, told, holder } = seatOn(mine(1))
    await seat.hold(holder)
    await looks(5)
    expect(told).toEqual(['taken'])
    await seat.leave()
    await looks(5)
    expect(told).toEqual(['taken', 'unlocked'])
  })

  it('is asked for until another node has left it', async () => {
    const { seat, told, holder } = seatOn(another, another, mine(1))
    await seat.hold(holder)
    await looks(1)
    expect(told).toEqual([])
    await looks(1)
    expect(told).toEqual(['taken'])
    await seat.leave()
  })

  it.each<[string, readonly Answer[], readonly string[]]>([
    ['another node has the lock', [another], ['taken', 'lost']],
    ['another session has it for us: it was free in between', [mine(2)], ['taken', 'lost', 'taken']],
    ['the database is away, and back', ['away', mine(2)], ['taken', 'lost', 'taken']],
    ['the database does not answer', ['silent', another], ['taken', 'lost']],
  ])('is lost when %s', async (_why, then, expected) => {
    const { seat, told, holder } = seatOn(mine(1), ...then)
    await seat.hold(holder)
    await looks(15)
    expect(told).toEqual(expected)
    await seat.leave()
  })

  it('is given up, over its connection, and asked for again where it could not be taken', async () => {
    const { seat, told, holder, connections } = seatOn(mine(1))
    let faults = 0
    await seat.hold({ ...holder, taken: () => (faults++ === 0 ? Promise.reject(new Error('the log cannot be read')) : holder.taken()) })
    expect([told, connections()]).toEqual([[], 1])
    await looks(1)
    expect([told, connections()]).toEqual([['taken'], 2])
    await seat.leave()
  })
})
