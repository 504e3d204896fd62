import { expect, test } from 'vitest'
import { Postponements } from './postponements.ts'

test('waits twice as long after every failure, at most a minute, and anew after a success', () => {
  const refused = new Postponements()
  const delays = Array.from({ length: 8 }, () => {
    refused.postpone('offer', 0)
    return refused.nextMs(0)
  })
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  expect([refused.isDue('offer', 59_999), refused.isDue('offer', 60_000), refused.isDue('something else', 0)]).toEqual([false, true, true])
  refused.forget('offer')
  expect(refused.postpone('offer', 0)).toBe(1)
})

test('has no next time when nothing waits', () => {
  expect(new Postponements().nextMs(0)).toBe(Infinity)
})
