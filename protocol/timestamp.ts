import { invariant } from './result.ts'

/** A point in time with every digit of its fraction: two texts name the same instant exactly when both members agree. */
export type Instant = {
  /** Whole seconds since 1970-01-01T00:00:00Z, rounded towards the past. */
  readonly epochSeconds: bigint
  /** Digits after the decimal point, without trailing zeros; empty for a whole second. */
  readonly fraction: string
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/
const DIGIT_0 = 0x30

const SECONDS_PER_DAY = 86_400
const DAYS_PER_ERA = 146_097 // 400 Gregorian years
const DAYS_FROM_ERA_START_TO_EPOCH = 719_468 // 0000-03-01 to 1970-01-01
const EARLIEST_EPOCH_SECOND = -62_135_596_800 // 0001-01-01T00:00:00Z
const LATEST_EPOCH_SECOND = 253_402_300_799 // 9999-12-31T23:59:59Z

type ParsedTimestamp = {
  readonly epochSeconds: number
  /** The digits as written, trailing zeros included. */
  readonly fraction: string
}

/**
 * The instant that `text` names, or `undefined` when it is outside the strict profile (A-9): RFC 3339, year
 * 0001–9999, a real Gregorian date, seconds 00–59, and no `-00:00`.
 */
export function parseTimestamp(text: string): Instant | undefined {
  const parsed = parse(text)
  if (parsed === undefined) return undefined
  return { epochSeconds: BigInt(parsed.epochSeconds), fraction: withoutTrailingZeros(parsed.fraction) }
}

/** Whether `text` meets the strict profile (A-9); this is the schemas' `date-time` format. */
export function isTimestamp(text: string): boolean {
  return parse(text) !== undefined
}

/** Orders two instants by all of their fraction digits, unrounded (A-10). */
export function compareInstants(a: Instant, b: Instant): -1 | 0 | 1 {
  if (a.epochSeconds !== b.epochSeconds) return a.epochSeconds < b.epochSeconds ? -1 : 1
  // Digits after a decimal point compare as text once trailing zeros are gone.
  if (a.fraction === b.fraction) return 0
  return a.fraction < b.fraction ? -1 : 1
}

/** Whether a timestamp is written in UTC with the upper-case `Z` that signed times need. */
export function endsInUpperZ(text: string): boolean {
  return text.endsWith('Z')
}

/**
 * The time `seconds` (a whole number, may be negative) after `text`, written in UTC with `T`, `Z` and the fraction
 * digits of `text`. Throws InvariantViolation when `text` is no timestamp or the result leaves years 0001–9999.
 */
export function addSeconds(text: string, seconds: number): string {
  const parsed = parse(text)
  invariant(parsed !== undefined, 'only a timestamp can be added to')
  return formatUtc(parsed.epochSeconds + seconds, parsed.fraction)
}

/**
 * Writes milliseconds since the epoch as `YYYY-MM-DDTHH:MM:SS.mmmZ`; a fraction of a millisecond is dropped towards
 * the past. Throws InvariantViolation outside years 0001–9999.
 */
export function instantFromEpochMs(ms: number): string {
  const whole = Math.floor(ms)
  requireWithinYears(Math.floor(whole / 1000))
  return new Date(whole).toISOString()
}

function parse(text: string): ParsedTimestamp | undefined {
  if (!RFC_3339.test(text)) return undefined
  // Read by their places: an array of matches for each of the many times in a Command would cost more than all else here.
  const year = pairAt(text, 0) * 100 + pairAt(text, 2)
  const month = pairAt(text, 5)
  const day = pairAt(text, 8)
  const hour = pairAt(text, 11)
  const minute = pairAt(text, 14)
  const second = pairAt(text, 17)
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const zone = isUtc(text) ? text.length - 1 : text.length - '+00:00'.length
  const offset = isUtc(text) ? 0 : offsetSeconds(text[zone], pairAt(text, zone + 1), pairAt(text, zone + 4))
  if (offset === undefined) return undefined
  const local = daysFromEpoch(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second
  return { epochSeconds: local - offset, fraction: text.slice('YYYY-MM-DDTHH:MM:SS.'.length, zone) }
}

const isUtc = (text: string): boolean => text.endsWith('Z') || text.endsWith('z')

/** The number that two digits make. */
const pairAt = (text: string, at: number): number => (text.charCodeAt(at) - DIGIT_0) * 10 + text.charCodeAt(at + 1) - DIGIT_0

function offsetSeconds(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined
  const magnitude = hours * 3600 + minutes * 60
  if (sign !== '-') return magnitude
  return magnitude === 0 ? undefined : -magnitude
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

// Both conversions count from 1 March, so that the leap day comes last in its year and the months before it follow
// the repeating pattern of 153 days in five months.

function daysFromEpoch(year: number, month: number, day: number): number {
  const shiftedYear = month > 2 ? year : year - 1
  const shiftedMonth = (month + 9) % 12
  const dayOfYear = Math.floor((153 * shiftedMonth + 2) / 5) + day - 1
  const leapDays = Math.floor(shiftedYear / 4) - Math.floor(shiftedYear / 100) + Math.floor(shiftedYear / 400)
  return shiftedYear * 365 + leapDays + dayOfYear - DAYS_FROM_ERA_START_TO_EPOCH
}

function dateFromDays(daysSinceEpoch: number): string {
  const days = daysSinceEpoch + DAYS_FROM_ERA_START_TO_EPOCH
  const era = Math.floor(days / DAYS_PER_ERA)
  const dayOfEra = days - era * DAYS_PER_ERA
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / (DAYS_PER_ERA - 1))
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
}

function requireWithinYears(epochSeconds: number): void {
  const isWithin = epochSeconds >= EARLIEST_EPOCH_SECOND && epochSeconds <= LATEST_EPOCH_SECOND
  invariant(isWithin, 'a time lies in the years 0001 to 9999')
}

function formatUtc(epochSeconds: number, fraction: string): string {
  invariant(Number.isInteger(epochSeconds), 'a time is a whole number of seconds and a fraction')
  requireWithinYears(epochSeconds)
  const days = Math.floor(epochSeconds / SECONDS_PER_DAY)
  const secondOfDay = epochSeconds - days * SECONDS_PER_DAY
  const hour = digits(Math.floor(secondOfDay / 3600), 2)
  const minute = digits(Math.floor(secondOfDay / 60) % 60, 2)
  const second = digits(secondOfDay % 60, 2)
  return `${dateFromDays(days)}T${hour}:${minute}:${second}${fraction === '' ? '' : `.${fraction}`}Z`
}

/** A loop, because `/0+$/` takes quadratic time over a long run of zeros that ends in another digit. */
function withoutTrailingZeros(fraction: string): string {
  let end = fraction.length
  while (end > 0 && fraction[end - 1] === '0') end -= 1
  return fraction.slice(0, end)
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
