// What a person's request for changes asks of the review, as far as this Coordinator can act on it.
import type { LicenceReport } from '../jobs/licence-policy.ts'
import { licencesAllowedBy } from '../jobs/licence-policy.ts'
import type { Job } from '../review-jobs.ts'
import { JOBS } from '../review-jobs.ts'

export interface Revision {
  /** Licences to allow from now on, besides those allowed so far. */
  readonly allow: readonly string[]
  /** Jobs to do again, in the order of planning; the report is always one of them. */
  readonly redo: readonly Job[]
}

const AGAIN: readonly (readonly [Job, RegExp])[] = [
  ['inventory', /\b(?:inventory|lock ?file|package-lock|dependenc(?:y|ies))\b/i],
  ['links', /\blinks?\b/i],
]

/** `licences` is the report that the person saw. */
export function revisionFor(comment: string, licences: LicenceReport): Revision {
  const allow = licencesAllowedBy(comment, licences)
  const named = new Set<Job>(AGAIN.flatMap(([job, words]) => (words.test(comment) ? [job] : [])))
  if (allow.length > 0 || named.has('inventory')) named.add('licences')
  named.add('report')
  return { allow, redo: JOBS.filter((job) => named.has(job)) }
}

const WORDS: Readonly<Record<Job, string>> = { inventory: 'the list of dependencies', licences: 'the licence check', links: 'the link check', report: 'the report' }

/** For the conversation and for the report alike. */
export function revisionSentence({ allow, redo }: Revision): string {
  if (redo.length === 1) {
    return 'The comment names no licence that was refused and no check to repeat. Only the report is written again, with the comment quoted in it.'
  }
  const kept = JOBS.filter((job) => !redo.includes(job))
  return [
    ...(allow.length > 0 ? [`Now allowed: ${allow.join(', ')}.`] : []),
    `Done again: ${redo.map((job) => WORDS[job]).join(', ')}.`,
    ...(kept.length > 0 ? [`Unchanged: ${kept.map((job) => WORDS[job]).join(', ')}.`] : []),
  ].join(' ')
}
