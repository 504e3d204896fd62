import { expect, test } from 'vitest'
import { backoffMs, delay } from './backoff.ts'

const options = { firstMs: 100, maxMs: 1000 }

test('doubles from attempt to attempt up to the cap', () => {
  expect([0, 1, 2, 3, 4, 50].map((attempt) => backoffMs(attempt, options, 1))).toEqual([100, 200, 400, 800, 1000, 1000])
})

test('spreads over the upper half, so that clients do not come back at once', () => {
  expect(backoffMs(2, options, 0)).toBe(200)
  expect(backoffMs(2, options, 0.5)).toBe(300)
})

test('a delay ends with its signal', async () => {
  const controller = new AbortController()
  const waiting = delay(3_600_000, controller.signal)
  controller.abort()
  await waiting
  await delay(3_600_000, controller.signal)
})
