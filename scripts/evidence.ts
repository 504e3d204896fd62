// npm run evidence [-- --json] [--last-run] [--write]: what the automated tests prove of protocol 0.1, subject by subject.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Finding } from './evidence/matrix.ts'
import { findingsOf, isMissing } from './evidence/matrix.ts'
import { conformancePage } from './evidence/page.ts'
import type { Proof } from './evidence/proofs.ts'
import { PROJECTS, readDecisions, readProofs } from './evidence/proofs.ts'
import { root } from './install.mjs'
import { untoldCodes } from './reference/untold-codes.ts'
import { vitest } from './steps.mjs'

const PAGE = join(root, 'docs', 'conformance.md')

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Reads the reports of the last run instead of running the tests. */
    'last-run': { type: 'boolean', default: false },
    /** Writes docs/conformance.md; otherwise it is only compared. */
    write: { type: 'boolean', default: false },
  },
})

const counted = (proofs: readonly Proof[]): string => (proofs.length === 0 ? 'MISSING' : String(proofs.length))

function line({ subject, positive, negative, reason, decidedBy }: Finding): string {
  if (decidedBy !== undefined) return `  ${subject.padEnd(70)} ${positive.length} and ${decidedBy}`
  if (reason !== undefined && positive.length === 0) return `  ${subject.padEnd(70)} not testable: ${reason}`
  return `  ${subject.padEnd(70)} ${counted(positive)}${negative ? ` / ${counted(negative)}` : ''}`
}

function printText(findings: readonly Finding[]): void {
  for (const section of new Set(findings.map((finding) => finding.section))) {
    const rows = findings.filter((finding) => finding.section === section)
    console.log(`\n${section} (tests${rows.some(({ negative }) => negative) ? ' that show it / that show its refusal' : ''})`)
    for (const row of rows) console.log(line(row))
  }
  const missing = findings.filter(isMissing)
  console.log(`\n${findings.length} subjects, ${missing.length} MISSING${missing.length > 0 ? `: ${missing.map(({ subject }) => subject).join(', ')}` : ''}`)
}

const names = (proofs: readonly Proof[]) => proofs.map(({ file, title }) => ({ file, title }))
const forMachines = (finding: Finding) => ({
  ...finding,
  positive: names(finding.positive),
  ...(finding.negative && { negative: names(finding.negative) }),
  missing: isMissing(finding),
})

/** Runs the tests of these projects; the number that failed. */
async function failuresOf(projects: readonly string[]): Promise<number> {
  let failures = 0
  for (const project of projects) failures += (await vitest(project)).failed
  if (failures > 0) console.error(`${failures} tests failed; what they would prove is not counted`)
  return failures
}

async function main(): Promise<number> {
  const failed = options['last-run'] ? 0 : await failuresOf(PROJECTS)
  const proofs = readProofs(root)
  const findings = findingsOf(proofs, readDecisions(root))
  if (options.json) console.log(JSON.stringify(findings.map(forMachines), null, 2))
  else printText(findings)
  const page = conformancePage(findings)
  if (options.write) writeFileSync(PAGE, page)
  const isCurrent = readFileSync(PAGE, 'utf8') === page
  if (!isCurrent) console.error('docs/conformance.md says something else: npm run evidence -- --last-run --write')
  const untold = untoldCodes(proofs)
  if (untold.length > 0) console.error(`docs/commands.md does not tell of ${untold.join(', ')}: add them in scripts/reference`)
  return failed === 0 && isCurrent && untold.length === 0 && !findings.some(isMissing) ? 0 : 1
}

process.exitCode = await main()
