import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { deadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is over with its time, with its caller, or when it is ended, and leaves no timer behind', () => {
  const caller = new AbortController()
  const [timed, ended, called] = [deadline(caller.signal, 1_000), deadline(caller.signal, 5_000), deadline(caller.signal, 5_000)]
  const states = () => [timed, ended, called].map(({ signal }) => signal.aborted)
  vi.advanceTimersByTime(999)
  expect(states()).toEqual([false, false, false])
  vi.advanceTimersByTime(1)
  ended.end()
  expect(states()).toEqual([true, true, false])
  caller.abort()
  expect(states()).toEqual([true, true, true])
  expect(deadline(caller.signal, 1_000).signal.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})
