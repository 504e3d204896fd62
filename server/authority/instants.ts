// Comparison of the timestamps in Commands, Events and leases. All digits of a fraction count.
import { invariant } from '../../protocol/result.ts'
import { compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'

/** Orders two RFC 3339 texts by the instants they name, whatever their offsets. */
export function compareTimes(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0
  const [first, second] = [parseTimestamp(a), parseTimestamp(b)]
  invariant(first && second, 'a stored time is not a timestamp')
  return compareInstants(first, second)
}

export const isAfter = (time: string, other: string): boolean => compareTimes(time, other) > 0

export const later = (a: string, b: string): string => (isAfter(b, a) ? b : a)
