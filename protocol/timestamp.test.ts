import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantViolation } from './result.ts'
import type { Instant } from './timestamp.ts'
import {
  addSeconds,
  compareInstants,
  endsInUpperZ,
  instantFromEpochMs,
  isTimestamp,
  parseTimestamp,
} from './timestamp.ts'

function instant(text: string): Instant {
  const parsed = parseTimestamp(text)
  if (parsed === undefined) throw new Error(`${text} should be a timestamp`)
  return parsed
}

describe('the strict profile (A-9)', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n, ''],
    ['1969-12-31T23:59:59.5Z', -1n, '5'],
    ['0001-01-01T00:00:00Z', -62135596800n, ''],
    ['9999-12-31T23:59:59.999Z', 253402300799n, '999'],
    ['2000-02-29T00:00:00Z', 951782400n, ''],
    ['2024-02-29T12:00:00Z', 1709208000n, ''],
    ['2026-07-15t08:00:00z', 1784102400n, ''],
    ['2026-07-15T08:00:00+00:00', 1784102400n, ''],
    ['2026-07-15T10:00:00+02:00', 1784102400n, ''],
    ['2026-07-15T07:30:00-00:30', 1784102400n, ''],
    ['2026-07-16T07:59:00+23:59', 1784102400n, ''],
    ['2026-07-14T08:01:00-23:59', 1784102400n, ''],
    ['0001-01-01T00:00:00+23:59', -62135683140n, ''],
    ['2026-07-15T08:00:00.1200Z', 1784102400n, '12'],
    ['2026-07-15T08:00:00.000Z', 1784102400n, ''],
    ['2026-07-15T08:00:00.0000000000000000000001Z', 1784102400n, '0000000000000000000001'],
  ])('reads %s', (text, epochSeconds, fraction) => {
    expect(parseTimestamp(text)).toEqual({ epochSeconds, fraction })
    expect(isTimestamp(text)).toBe(true)
  })

  test.each([
    '',
    '2026-07-15',
    '2026-07-15T08:00:00',
    '2026-07-15 08:00:00Z',
    '2026-07-15_08:00:00Z',
    '2026-07-15T08:00Z',
    '2026-07-15T080000Z',
    '20260715T08:00:00Z',
    '2026-7-15T08:00:00Z',
    '26-07-15T08:00:00Z',
    '+2026-07-15T08:00:00Z',
    '12026-07-15T08:00:00Z',
    '2026-07-15T08:00:00.Z',
    '2026-07-15T08:00:00,5Z',
    '2026-07-15T08:00:00.5',
    '2026-07-15T08:00:00Z\n',
    ' 2026-07-15T08:00:00Z',
    '2026-07-15T08:00:00ZZ',
    '2026-07-15T08:00:00+0000',
    '2026-07-15T08:00:00+00',
    '2026-07-15T08:00:00+1:00',
    '2026-07-15T08:00:00+24:00',
    '2026-07-15T08:00:00+00:60',
    '2026-07-15T08:00:00-00:00',
    '0000-01-01T00:00:00Z',
    '2026-00-15T08:00:00Z',
    '2026-13-15T08:00:00Z',
    '2026-07-00T08:00:00Z',
    '2026-07-32T08:00:00Z',
    '2026-06-31T08:00:00Z',
    '2026-02-29T08:00:00Z',
    '1900-02-29T08:00:00Z',
    '2026-02-30T08:00:00Z',
    '2026-07-15T24:00:00Z',
    '2026-07-15T23:60:00Z',
    '1985-04-12T23:60:00+00:01',
    '2016-12-31T23:59:60Z',
    '2026-07-15T08:00:61Z',
    '２026-07-15T08:00:00Z',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
    expect(isTimestamp(text)).toBe(false)
  })

  test('a long run of zeros in a fraction costs linear time', () => {
    const zeros = '0'.repeat(1_000_000)
    expect(instant(`2026-07-15T08:00:00.${zeros}1Z`).fraction).toHaveLength(1_000_001)
    expect(instant(`2026-07-15T08:00:00.1${zeros}Z`).fraction).toBe('1')
  })
})

describe('compareInstants (A-10)', () => {
  test.each([
    ['2026-07-15T08:00:00Z', '2026-07-15T08:00:00.000Z', 0],
    ['2026-07-15T08:00:00Z', '2026-07-15T10:00:00.0+02:00', 0],
    ['2026-07-15T08:00:00.12Z', '2026-07-15T08:00:00.1200Z', 0],
    ['2026-07-15T08:00:00.12Z', '2026-07-15T08:00:00.119999999999999999999Z', 1],
    ['2026-07-15T08:00:00.123Z', '2026-07-15T08:00:00.1230000000000000000001Z', -1],
    ['2026-07-15T08:00:00.9Z', '2026-07-15T08:00:01Z', -1],
    ['2026-07-15T08:00:00.9Z', '2026-07-15T08:00:00.10Z', 1],
    ['1969-12-31T23:59:59.5Z', '1970-01-01T00:00:00Z', -1],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.25Z', 1],
    ['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59Z', 1],
  ] as const)('%s against %s', (a, b, expected) => {
    expect(compareInstants(instant(a), instant(b))).toBe(expected)
    expect(compareInstants(instant(b), instant(a))).toBe(expected === 0 ? 0 : -expected)
  })

  test('agrees with arithmetic on scaled integers', () => {
    const fraction = fc.stringMatching(/^[0-9]{1,12}$/)
    fc.assert(
      fc.property(fraction, fraction, (a, b) => {
        const [x, y] = [BigInt(a.padEnd(12, '0')), BigInt(b.padEnd(12, '0'))]
        const expected = x < y ? -1 : x > y ? 1 : 0
        const read = (digits: string) => instant(`2026-07-15T08:00:00.${digits}Z`)
        expect(compareInstants(read(a), read(b))).toBe(expected)
      }),
    )
  })
})

describe('writing times', () => {
  const wholeRange = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })

  test('milliseconds are written as the platform writes them, and read back', () => {
    fc.assert(
      fc.property(wholeRange, (ms) => {
        const text = instantFromEpochMs(ms)
        expect(text).toBe(new Date(ms).toISOString())
        expect(instant(text).epochSeconds).toBe(BigInt(Math.floor(ms / 1000)))
      }),
      { numRuns: 2000 },
    )
  })

  test('a fraction of a millisecond is dropped towards the past', () => {
    expect(instantFromEpochMs(1.9)).toBe('1970-01-01T00:00:00.001Z')
    expect(instantFromEpochMs(-0.1)).toBe('1969-12-31T23:59:59.999Z')
  })

  test.each([NaN, Infinity, -62_135_596_800_001, 253_402_300_800_000])('%d milliseconds is no time', (ms) => {
    expect(() => instantFromEpochMs(ms)).toThrow(InvariantViolation)
  })

  test.each([
    ['2026-07-15T08:00:00Z', 90, '2026-07-15T08:01:30Z'],
    ['2026-07-15T08:00:00.120Z', 1, '2026-07-15T08:00:01.120Z'],
    ['2026-07-15t10:00:00.5+02:00', 0, '2026-07-15T08:00:00.5Z'],
    ['2024-02-28T23:59:59Z', 1, '2024-02-29T00:00:00Z'],
    ['2025-12-31T23:59:59.999Z', 1, '2026-01-01T00:00:00.999Z'],
    ['1970-01-01T00:00:00.25Z', -1, '1969-12-31T23:59:59.25Z'],
    ['0001-01-01T00:00:00Z', 31_536_000, '0002-01-01T00:00:00Z'],
  ])('%s and %d seconds', (text, seconds, expected) => {
    expect(addSeconds(text, seconds)).toBe(expected)
  })

  test.each([
    ['2026-02-30T00:00:00Z', 1],
    ['9999-12-31T23:59:59Z', 1],
    ['0001-01-01T00:00:00Z', -1],
    ['2026-07-15T08:00:00Z', 0.5],
    ['2026-07-15T08:00:00Z', NaN],
  ])('%s and %d seconds is a fault of the caller', (text, seconds) => {
    expect(() => addSeconds(text, seconds)).toThrow(InvariantViolation)
  })

  test('endsInUpperZ tells UTC with an upper-case Z from every other spelling', () => {
    expect(endsInUpperZ('2026-07-15T08:00:00Z')).toBe(true)
    expect(endsInUpperZ('2026-07-15T08:00:00z')).toBe(false)
    expect(endsInUpperZ('2026-07-15T08:00:00+00:00')).toBe(false)
  })
})
