import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'
import { compareTimes } from './instants.ts'

const digits = (value: number) => String(value).padStart(2, '0')

/** Times of one minute in every spelling that the profile has, so that many are equal or near to each other. */
const time = fc
  .tuple(fc.integer({ min: 57, max: 59 }), fc.constantFrom('', '.0', '.1', '.10', '.01', '.9'), fc.constantFrom('Z', 'z', '+00:00', '+01:00', '-01:00'), fc.constantFrom('T', 't'))
  .map(([second, fraction, zone, separator]) => `2026-03-01${separator}${zone === '+01:00' ? '13' : zone === '-01:00' ? '11' : '12'}:00:${digits(second)}${fraction}${zone}`)

describe('compareTimes', () => {
  it('orders two texts as the instants that they name, however they are spelled (A-10)', () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        expect(compareTimes(a, b)).toBe(compareInstants(parseTimestamp(a)!, parseTimestamp(b)!))
      }),
      { numRuns: 2_000 },
    )
  })
})
