// `npm run verify-log`: refolds every Space from zero and compares it with what is stored and with what the server holds.
import { parseArgs } from 'node:util'
import type { SpaceReport } from '../server/service/verify-log.ts'
import { summaryOf } from './log-summary.ts'
import { operate } from './operate.ts'

const usage = `npm run verify-log -- [--data DIR] [--json]
  Verifies every Event of every Space: signature, place, Command, fold, read models, and the live state of a running
  server; and every Message of open Spaces, which nobody signs: place and indexes, from its bytes. Exit codes: 0 all agree, 1 something differs, 2 it could not be done.`

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } })
  if (values.help) return say(usage, 0)
  const reports = (await operate('log verify', {}, values.data)) as readonly SpaceReport[]
  const differences = reports.flatMap((report) => report.differences.map((difference) => `${report.spaceId}: ${difference}`))
  return say(values.json ? JSON.stringify(reports, undefined, 2) : [...differences, summaryOf(reports)].join('\n'), differences.length === 0 ? 0 : 1)
}

function say(text: string, code: number): number {
  console.log(text)
  return code
}

try {
  process.exitCode = await main()
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exitCode = 2
}
