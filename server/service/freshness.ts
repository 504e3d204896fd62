import { parseTimestamp } from '../../protocol/timestamp.ts'

/** How far the time on a Command may lie from authority time, either way, in whole seconds. */
export const freshnessSeconds = 300

/** Whether a Command's protected time lies within the window around authority time. */
export function isFresh(issuedAt: string, now: string): boolean {
  const [issued, authority] = [parseTimestamp(issuedAt), parseTimestamp(now)]
  if (issued === undefined || authority === undefined) return false
  const distance = issued.epochSeconds - authority.epochSeconds
  return distance <= BigInt(freshnessSeconds) && distance >= BigInt(-freshnessSeconds)
}
