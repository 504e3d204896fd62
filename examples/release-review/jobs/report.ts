// Joins the three checks into one page for the person who signs.
import type { Inventory } from './inventory.ts'
import type { LicenceReport, Verdict } from './licence-policy.ts'
import type { LinkReport } from './link-check.ts'
import { isBroken } from './link-check.ts'

export interface ReviewParts { readonly inventory: Inventory; readonly licences: LicenceReport; readonly links: LinkReport }

/** What the owner asked for on an earlier revision, and what was done about it. */
export interface ChangeRequest { readonly comment: string; readonly answer: string }

const count = (licences: LicenceReport, verdict: Verdict) => licences.findings.filter((finding) => finding.verdict === verdict).length
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** What the owner should weigh before signing; empty when nothing is open. */
export function openRisks({ licences, links }: Pick<ReviewParts, 'licences' | 'links'>): readonly string[] {
  const groups = new Map<string, number>()
  for (const { dependency, verdict } of licences.findings) if (verdict !== 'allowed') groups.set(dependency.licence || 'no licence', (groups.get(dependency.licence || 'no licence') ?? 0) + 1)
  const broken = links.links.filter(isBroken)
  return [
    ...[...groups].sort().map(([licence, packages]) => `${packages} ${packages === 1 ? 'package' : 'packages'} under ${licence}, which is not on the list of allowed licences`),
    ...(broken.length > 0 ? [`${broken.length} broken ${broken.length === 1 ? 'link' : 'links'} in the Markdown files`] : []),
  ]
}

export function reviewReport(parts: ReviewParts, changeRequest?: ChangeRequest): string {
  const { inventory, licences, links } = parts
  const broken = links.links.filter(isBroken)
  const refused = licences.findings.filter((finding) => finding.verdict !== 'allowed')
  const risks = openRisks(parts)
  return [
    `# Release review of ${inventory.project}`,
    '',
    risks.length === 0 ? 'Nothing is open: every licence is on the list and every checked link leads somewhere.' : 'Open before release:',
    '',
    ...risks.map((risk) => `- ${risk}`),
    '',
    ...(changeRequest ? answered(changeRequest) : []),
    '## Dependencies',
    '',
    `${inventory.dependencies.length} packages, ${inventory.dependencies.filter((dependency) => dependency.isDevelopmentOnly).length} of them for development only.`,
    '',
    '## Licences',
    '',
    `Allowed: ${licences.allowed.join(', ')}.`,
    '',
    `${count(licences, 'allowed')} allowed, ${count(licences, 'denied')} denied, ${count(licences, 'unreadable')} unreadable.`,
    '',
    ...table(['Package', 'Version', 'Licence', 'Why'], refused.map(({ dependency, reason }) => [dependency.name, dependency.version, dependency.licence, reason])),
    '## Links',
    '',
    `${links.files.length} Markdown files, ${links.links.length} links, ${broken.length} broken, ${links.links.filter((link) => link.status === 'not-checked').length} to other hosts and not checked.`,
    '',
    ...table(['File', 'Line', 'Target', 'Problem'], broken.map(({ file, line, target, status }) => [file, String(line), target, status])),
  ].join('\n')
}

function answered({ comment, answer }: ChangeRequest): string[] {
  return ['## Changes requested', '', ...comment.trim().split(/\r?\n/).map((line) => `> ${line}`.trimEnd()), '', answer, '']
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}
