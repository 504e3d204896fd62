// What a result says about its criterion, from its content alone: the worker signs it, the Coordinator comes to the same or refuses the work.
import { isBroken } from './jobs/link-check.ts'
import { openRisks } from './jobs/report.ts'
import type { JobContent } from './job-content.ts'

export interface Finding {
  /** `failed`: the work was done, and what it looked at is not in order. */
  readonly result: 'passed' | 'failed'
  readonly method: string
  readonly details: Readonly<Record<string, number>>
}

export function findingOf(content: JobContent): Finding {
  switch (content.job) {
    case 'inventory': {
      const { dependencies } = content.inventory
      return {
        result: 'passed',
        method: 'Listed every package of package-lock.json once, with the licence that the lock file or the installed package declares.',
        details: { dependencies: dependencies.length, withoutLicence: dependencies.filter(({ licence }) => licence === '').length },
      }
    }
    case 'licences': {
      const count = (verdict: string) => content.licences.findings.filter((finding) => finding.verdict === verdict).length
      const details = { allowed: count('allowed'), denied: count('denied'), unreadable: count('unreadable') }
      return {
        result: details.denied + details.unreadable === 0 ? 'passed' : 'failed',
        method: 'Compared the SPDX expression of every dependency with the list of allowed licences in the contract.',
        details,
      }
    }
    case 'links': {
      const { files, links } = content.links
      const broken = links.filter(isBroken).length
      return {
        result: broken === 0 ? 'passed' : 'failed',
        method: 'Looked up the file and heading behind every link of every Markdown file. Links to other hosts were not followed.',
        details: { files: files.length, links: links.length, broken, notChecked: links.filter(({ status }) => status === 'not-checked').length },
      }
    }
    case 'report':
      return {
        result: 'passed',
        method: 'Joined inventory, licence findings and link findings; joining the same three again gives the same bytes.',
        details: { openRisks: openRisks(content.parts).length },
      }
  }
}

/** `{ denied: 3, notChecked: 1 }` as `3 denied, 1 not checked`. */
export function countsIn({ details }: Finding): string {
  return Object.entries(details)
    .map(([name, count]) => `${count} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ')
}
