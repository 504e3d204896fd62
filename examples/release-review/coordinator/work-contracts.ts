// Work Contracts for the jobs: criteria from the Mission's definition of done, budgets out of what the Mission has left.
import type { AcceptanceCriterion, Budget, Mission, Usage, WorkContract } from '../../../protocol/generated/types.ts'
import type { WorkView } from '../../../sdk/index.ts'
import type { Job, ReviewConstraints } from '../review-jobs.ts'
import { JOB_DESCRIPTIONS, JOBS } from '../review-jobs.ts'
import type { MissionHistory } from './mission-history.ts'

type CountedLimit = Exclude<keyof Budget, 'currency' | 'financialLimit'>

/** What the jobs consume, and how a Budget limits it. Nothing here costs money, asks a model or changes anything outside. */
const CONSUMED = { toolCallLimit: 'toolCalls', computeSecondsLimit: 'computeSeconds', wallClockSecondsLimit: 'wallClockSeconds' } as const satisfies Partial<Record<CountedLimit, keyof Usage>>
const UNUSED = ['modelTokenLimit', 'externalSideEffectLimit'] as const satisfies readonly CountedLimit[]

/** Part of what is left that a job gets: reading hundreds of Markdown files takes most. What it does not use comes back. */
const SHARE: Readonly<Record<Job, number>> = { inventory: 0.15, licences: 0.1, links: 0.4, report: 0.15 }

export const RETRY_POLICY: WorkContract['retryPolicy'] = {
  maxAttempts: 5,
  backoff: 'exponential',
  maxDelay: 'PT1M',
  retryableFailures: ['INPUT_UNUSABLE', 'JOB_FAILED', 'RESULT_REJECTED'],
}

export interface ContractTerms {
  readonly mission: Mission
  readonly job: Job
  readonly budget: Budget
  readonly dependencyWorkItemIds: readonly string[]
  readonly constraints: ReviewConstraints
}

export function contractFor({ mission, job, budget, dependencyWorkItemIds, constraints }: ContractTerms): WorkContract {
  const { goal, impact, deliverable, capability } = JOB_DESCRIPTIONS[job]
  return {
    contractVersion: 1,
    goal,
    requiredDeliverables: [deliverable],
    acceptanceCriteria: criteriaFor(mission, job),
    inputArtifacts: [],
    dependencyWorkItemIds: [...dependencyWorkItemIds],
    allowedResources: [{ resource: 'urn:countersign:release-review:folder', operations: ['read'] }],
    requiredCapabilities: [capability],
    deadline: mission.deadline,
    requestedUrgency: 'normal',
    businessImpact: impact,
    retryPolicy: RETRY_POLICY,
    budget,
    sideEffectRisk: 'none',
    executionApproval: 'not_required',
    constraints: { ...constraints },
  }
}

/** The report also takes every criterion of the Mission that no job is named after, so that none is passed over in silence. */
function criteriaFor({ definitionOfDone }: Mission, job: Job): AcceptanceCriterion[] {
  const own = definitionOfDone.find(({ criterionId }) => criterionId === job) ?? JOB_DESCRIPTIONS[job].criterion
  return job === 'report' ? [own, ...definitionOfDone.filter(isForeign)] : [own]
}

/** A criterion that no job can check. */
export const isForeign = ({ criterionId }: AcceptanceCriterion): boolean => !(JOBS as readonly string[]).includes(criterionId)

/** What the Mission can still allocate: finished work holds what it used, all other work its whole budget. */
export function budgetLeft({ mirror, usage }: MissionHistory): Budget {
  const { budget = {} } = mirror.mission ?? {}
  const left: Budget = { ...budget }
  for (const [limit, dimension] of Object.entries(CONSUMED) as [keyof typeof CONSUMED, (typeof CONSUMED)[keyof typeof CONSUMED]][]) {
    const total = budget[limit]
    if (total === undefined) continue
    const held = (item: WorkView) => (item.state === 'verified' || item.state === 'cancelled' ? usage.get(item.workItemId)?.[dimension] : item.contract?.budget[limit]) ?? 0
    left[limit] = Math.max(0, total - [...mirror.workItems.values()].reduce((sum, item) => sum + held(item), 0))
  }
  return left
}

/** The part of `left` for one job, in the dimensions that the Mission limits; all others allow nothing anyway. */
export function budgetShare(left: Budget, job: Job): Budget {
  const share: Budget = {}
  if (left.financialLimit !== undefined && left.currency !== undefined) Object.assign(share, { currency: left.currency, financialLimit: 0 })
  for (const limit of UNUSED) if (left[limit] !== undefined) share[limit] = 0
  for (const limit of Object.keys(CONSUMED) as (keyof typeof CONSUMED)[]) {
    const amount = left[limit]
    if (amount !== undefined) share[limit] = Math.floor(amount * SHARE[job])
  }
  return share
}

/** `left` once this share has been allocated. */
export function without(left: Budget, share: Budget): Budget {
  const rest: Budget = { ...left }
  for (const limit of Object.keys(CONSUMED) as (keyof typeof CONSUMED)[]) {
    const amount = left[limit]
    if (amount !== undefined) rest[limit] = amount - (share[limit] ?? 0)
  }
  return rest
}
