// docs/conformance.md, made from the evidence, so that the claim is never wider than what the tests show (A-284).
import type { Finding, Section } from './matrix.ts'
import { isMissing } from './matrix.ts'
import type { Proof } from './proofs.ts'

const CLAIMED: readonly Section[] = ['core Commands', 'core Events', 'Mission rows', 'WorkItem rows']

/** The page for these findings. It names files and no counts, so that it changes only when the evidence does. */
export function conformancePage(findings: readonly Finding[]): string {
  const sections = [...new Set(findings.map(({ section }) => section))]
  return `${[head(findings), ...sections.map((section) => sectionOf(section, findings.filter((finding) => finding.section === section)))].join('\n\n')}\n`
}

function head(findings: readonly Finding[]): string {
  return `# Conformance to MissionWeaveProtocol 0.1

<!-- Written by \`npm run evidence -- --write\` from the reports of the tests. Do not edit. -->

${claim(findings)}

Each row below names a test file that shows the behaviour and one that shows its refusal. A row counts as shown only when the tests saw the authority do it, not
when a title says so; rules are counted by the titles of passed tests. \`npm run evidence\` runs the tests and prints every count; \`npm run conformance -- <folder>\` runs
the public vectors.`
}

function claim(findings: readonly Finding[]): string {
  const gaps = findings.filter((finding) => CLAIMED.includes(finding.section) && isMissing(finding))
  if (gaps.length === 0) {
    return 'Claim: **full MissionWeaveProtocol 0.1 Group Authority**. There is automated positive and negative evidence for every core Command, every core Event and every row of the Mission and WorkItem tables.'
  }
  const subjects = gaps.map(({ subject }) => `\`${subject}\``).join(', ')
  return `Claim: **a subset of MissionWeaveProtocol 0.1**: every core Command, core Event and row of the Mission and WorkItem tables but these, for which evidence is missing: ${subjects}.`
}

function sectionOf(section: Section, findings: readonly Finding[]): string {
  const hasNegative = findings.some(({ negative }) => negative)
  const header = hasNegative ? '| Subject | Shown by | Refusal shown by |\n| --- | --- | --- |' : '| Subject | Shown by |\n| --- | --- |'
  return `## ${section[0]!.toUpperCase()}${section.slice(1)}\n\n${header}\n${findings.map((finding) => rowOf(finding, hasNegative)).join('\n')}`
}

function rowOf({ subject, positive, negative, reason, decidedBy }: Finding, hasNegative: boolean): string {
  const tested = positive.length === 0 && reason !== undefined ? `not testable: ${reason}` : firstFile(positive)
  const note = `[decision](decisions/${decidedBy})`
  const shown = decidedBy === undefined ? tested : positive.length === 0 ? note : `${tested}, ${note}`
  return `| ${subject} | ${shown} |${hasNegative ? ` ${negative ? firstFile(negative) : ''} |` : ''}`
}

/** The first file in the order of names: a new test elsewhere rarely changes it. */
function firstFile(proofs: readonly Proof[]): string {
  const [first] = proofs.map(({ file }) => file).sort()
  return first === undefined ? '**MISSING**' : `\`${first}\``
}
