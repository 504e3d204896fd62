// The four pieces of a release review: which capability each takes, what it delivers and what it rests on.
import type { AcceptanceCriterion, CapabilityRef, Deliverable, WorkContract } from '../../protocol/generated/types.ts'

export type Job = 'inventory' | 'licences' | 'links' | 'report'

export interface JobDescription {
  readonly capability: CapabilityRef
  readonly goal: string
  readonly impact: string
  /** Stands in where the Mission's definition of done has no criterion with the name of the job. */
  readonly criterion: AcceptanceCriterion
  /** Jobs whose verified results it takes as input. */
  readonly needs: readonly Job[]
  /** `deliverableId` is the file name that people see. */
  readonly deliverable: Deliverable
}

const capability = (name: string): CapabilityRef => ({ id: `release.${name}`, version: '1.0.0' })
const schema = (name: string) => `urn:countersign:release-review:${name}:1`

export const JOB_DESCRIPTIONS: Readonly<Record<Job, JobDescription>> = {
  inventory: {
    capability: capability('inventory'),
    goal: 'List every dependency with its licence',
    impact: 'Without the list nobody knows what the release contains.',
    criterion: { criterionId: 'inventory', description: 'Every dependency is listed with its version and licence.', evidenceRequired: ['artifact_integrity'] },
    needs: [],
    deliverable: { deliverableId: 'inventory.json', description: 'Every package of the lock file.', mediaType: 'application/json', schema: schema('inventory') },
  },
  licences: {
    capability: capability('licence-policy'),
    goal: 'Check every licence against the policy',
    impact: 'A licence that nobody accepted can stop the release.',
    criterion: { criterionId: 'licences', description: 'Every licence is on the list of allowed licences.', evidenceRequired: ['policy_check'] },
    needs: ['inventory'],
    deliverable: { deliverableId: 'licences.csv', description: 'One verdict per dependency.', mediaType: 'text/csv', schema: schema('licences') },
  },
  links: {
    capability: capability('link-check'),
    goal: 'Check every link in the Markdown files',
    impact: 'A broken link misleads whoever reads the documentation.',
    criterion: { criterionId: 'links', description: 'Every link in the Markdown files leads somewhere.', evidenceRequired: ['deterministic_test'] },
    needs: [],
    deliverable: { deliverableId: 'links.json', description: 'Every link and whether it leads somewhere.', mediaType: 'application/json', schema: schema('links') },
  },
  report: {
    capability: capability('report'),
    goal: 'Join the findings in one report',
    impact: 'It is what the owner reads before signing.',
    criterion: { criterionId: 'report', description: 'One report joins inventory, licence findings and link findings.', evidenceRequired: ['artifact_integrity'] },
    needs: ['inventory', 'licences', 'links'],
    deliverable: { deliverableId: 'report.md', description: 'The findings on one page.', mediaType: 'text/markdown', schema: schema('report') },
  },
}

/** In the order in which they are planned: nothing needs a later one. */
export const JOBS = Object.keys(JOB_DESCRIPTIONS) as readonly Job[]

/** The job that a contract is about, or undefined for work of another kind. */
export function jobOf({ requiredCapabilities }: WorkContract): Job | undefined {
  const [only, ...others] = requiredCapabilities
  return others.length > 0 ? undefined : JOBS.find((job) => JOB_DESCRIPTIONS[job].capability.id === only?.id)
}

/** The part of a contract's `constraints` that this review defines. */
export interface ReviewConstraints {
  readonly allowedLicences?: readonly string[]
  readonly changeRequest?: { readonly comment: string; readonly answer: string }
}

/** Tolerates constraints that somebody else wrote: what does not fit is left out. */
export function constraintsOf({ constraints = {} }: WorkContract): ReviewConstraints {
  const { allowedLicences, changeRequest } = constraints as Record<string, unknown>
  const { comment, answer } = (changeRequest ?? {}) as Record<string, unknown>
  return {
    ...(isTexts(allowedLicences) && { allowedLicences }),
    ...(typeof comment === 'string' && typeof answer === 'string' && { changeRequest: { comment, answer } }),
  }
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((text) => typeof text === 'string')
