import { parseTimestamp } from '../../protocol/timestamp.ts'

/** Whether a Command's protected time lies at most this many seconds from authority time, either way. */
export function isFresh(issuedAt: string, now: string, freshnessSeconds: number): boolean {
  const [issued, authority] = [parseTimestamp(issuedAt), parseTimestamp(now)]
  if (issued === undefined || authority === undefined) return false
  const distance = issued.epochSeconds - authority.epochSeconds
  return distance <= BigInt(freshnessSeconds) && distance >= BigInt(-freshnessSeconds)
}
