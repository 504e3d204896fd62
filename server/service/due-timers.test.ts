import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DueTimers } from './due-timers.ts'
import { StillClock } from '../testing/authority-fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function started() {
  const clock = new StillClock()
  const due: string[] = []
  return { clock, due, timers: new DueTimers(clock, (spaceId) => due.push(spaceId)) }
}
const pass = (clock: StillClock, seconds: number) => {
  clock.advance(seconds)
  vi.advanceTimersByTime(seconds * 1000)
}

it('wakes a Space once, when its instant has come', () => {
  const { clock, due, timers } = started()
  timers.schedule('a', '2026-11-29T12:10:00Z')
  pass(clock, 599)
  expect(due).toEqual([])
  pass(clock, 1)
  pass(clock, 3600)
  expect(due).toEqual(['a'])
})

it('goes by the authority’s clock when that is slower than the timer', () => {
  const { clock, due, timers } = started()
  timers.schedule('a', '2026-11-29T12:00:10Z')
  vi.advanceTimersByTime(11_000)
  expect(due).toEqual([])
  pass(clock, 10)
  expect(due).toEqual(['a'])
})

it('waits longer than a timer can, and forgets what was moved, cleared or stopped', () => {
  const { clock, due, timers } = started()
  timers.schedule('far', '2027-01-29T12:00:00Z')
  timers.schedule('moved', '2026-11-29T12:00:01Z')
  timers.schedule('moved', '2026-11-29T13:00:00Z')
  timers.schedule('cleared', '2026-11-29T12:00:01Z')
  timers.schedule('cleared', undefined)
  pass(clock, 2)
  expect(due).toEqual([])
  for (let day = 0; day < 61; day++) pass(clock, 86_400)
  expect(due).toEqual(['moved', 'far'])
  timers.schedule('late', '2026-11-29T12:00:01Z')
  timers.stop()
  pass(clock, 10)
  timers.schedule('later', '2026-11-29T12:00:01Z')
  pass(clock, 10)
  expect(due).toHaveLength(2)
})
