import { expect, test } from 'vitest'
import { forecast, forecastSentence } from './forecast.ts'

const nowMs = Date.parse('2026-03-01T10:01:00.000Z')
const load = { nowMs, slots: 2, active: 0, queued: 0, meanMs: 60_000 }
const tomorrow = nowMs + 86_400_000

test('A-177: with a free slot the work starts now', () => {
  expect(forecast(load, tomorrow)).toEqual({
    estimatedStart: '2026-03-01T10:01:00.000Z',
    estimatedCompletion: '2026-03-01T10:05:00.000Z',
    confidence: 0.8,
    capacityStatus: 'available',
    lastCalculatedAt: '2026-03-01T10:01:00.000Z',
  })
})

test('A-177: neighbouring places in the queue give the same forecast', () => {
  const [one, other] = [3, 4].map((queued) => forecast({ ...load, active: 2, queued }, tomorrow))
  expect(one).toEqual(other)
  expect(one).toMatchObject({ capacityStatus: 'queued', estimatedStart: '2026-03-01T10:05:00.000Z' })
})

test('A-177: work that will not be done by its deadline is announced as constrained', () => {
  expect(forecast({ ...load, active: 2, queued: 40 }, nowMs + 600_000).capacityStatus).toBe('constrained')
})

test('A-177: the sentence names both times and the confidence', () => {
  expect(forecastSentence(forecast(load, tomorrow))).toBe(
    'Paused for more urgent work. Expected to go on by 2026-03-01 10:01 UTC and to be done by 2026-03-01 10:05 UTC (confidence 80 %).',
  )
})
