// Comparison of the timestamps in Commands, Events and leases. All digits of a fraction count.
import { invariant } from '../../protocol/result.ts'
import { compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'

/** Orders two RFC 3339 texts by the instants they name, whatever their offsets. */
export function compareTimes(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0
  if (areAlike(a, b)) return a < b ? -1 : 1
  const [first, second] = [parseTimestamp(a), parseTimestamp(b)]
  invariant(first && second, 'a stored time is not a timestamp')
  return compareInstants(first, second)
}

/** Both in UTC and with as many digits, as the authority writes its own times: then text order is time order. */
const areAlike = (a: string, b: string): boolean => a.length === b.length && a.endsWith('Z') && b.endsWith('Z') && a[DATE_END] === b[DATE_END]

const DATE_END = 'YYYY-MM-DD'.length

export const isAfter = (time: string, other: string): boolean => compareTimes(time, other) > 0

export const later = (a: string, b: string): string => (isAfter(b, a) ? b : a)
