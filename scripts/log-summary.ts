// What a verified store amounts to, in one line.
import type { SpaceReport } from '../server/service/verify-log.ts'

export function summaryOf(reports: readonly SpaceReport[]): string {
  const sum = (member: 'events' | 'commands' | 'messages') => reports.reduce((total, report) => total + report[member], 0)
  const differences = reports.reduce((total, report) => total + report.differences.length, 0)
  return `${reports.length} Spaces, ${sum('events')} signed Events, ${sum('commands')} Commands and ${sum('messages')} unsigned Messages of open Spaces verified, ${differences} differences`
}
