// Which WorkItems the present round still needs, each with its contract.
import type { Budget } from '../../../protocol/generated/types.ts'
import { defaultAllowedLicences } from '../jobs/licence-policy.ts'
import type { ReviewWork } from '../review-inputs.ts'
import { partsIn } from '../review-inputs.ts'
import type { Job, ReviewConstraints } from '../review-jobs.ts'
import { constraintsOf, JOB_DESCRIPTIONS, JOBS } from '../review-jobs.ts'
import type { Revision } from './change-request.ts'
import { revisionFor, revisionSentence } from './change-request.ts'
import { workAsOf, workItemIdOf } from './review-work.ts'
import { introduction } from './sentences.ts'
import type { Situation } from './situation.ts'
import { say } from './situation.ts'
import type { Step } from './steps.ts'
import { command } from './steps.ts'
import { budgetLeft, budgetShare, contractFor, without } from './work-contracts.ts'

/** Says what will be done, then authorizes it. The report comes last: once it is authorized the round is planned. */
export function* authorizations(situation: Situation): Generator<Step> {
  const { history, mission } = situation
  const round = history.requestedChanges.length
  if (history.mirror.workItems.has(workItemIdOf(mission.missionId, 'report', round))) return
  const before = workAsOf(history, round - 1)
  const revision = round === 0 ? yield* firstPlan(situation) : yield* revisedPlan(situation, before)
  if (revision === undefined) return
  let left: Budget = budgetLeft(history)
  for (const job of revision.redo) {
    const workItemId = workItemIdOf(mission.missionId, job, round)
    if (history.mirror.workItems.has(workItemId)) continue
    const budget = budgetShare(left, job)
    left = without(left, budget)
    const dependencyWorkItemIds = JOB_DESCRIPTIONS[job].needs.flatMap((need) =>
      revision.redo.includes(need) ? workItemIdOf(mission.missionId, need, round) : (before[need]?.workItemId ?? []),
    )
    const constraints = constraintsFor(job, { situation, before, revision })
    const contract = contractFor({ mission, job, budget, dependencyWorkItemIds, constraints })
    yield command(`authorize:${workItemId}`, 'work.authorize', { workItemId, contract }, { workItemId })
  }
}

function* firstPlan(situation: Situation): Generator<Step, Revision> {
  yield* say(situation, { about: 'introduction', text: introduction(), references: [situation.history.foundingEventId] })
  return { allow: [], redo: JOBS }
}

/** Undefined until the results that the owner has seen are here. */
function* revisedPlan(situation: Situation, before: ReviewWork): Generator<Step, Revision | undefined> {
  const { history, contents } = situation
  const request = history.requestedChanges.at(-1)
  const parts = yield* partsIn(before, contents)
  if (request === undefined || parts?.licences === undefined) return undefined
  const revision = revisionFor(request.comment, parts.licences)
  yield* say(situation, { about: `changes:${history.requestedChanges.length}`, text: revisionSentence(revision), references: [request.eventId] })
  return revision
}

interface RoundTerms {
  readonly situation: Situation
  readonly before: ReviewWork
  readonly revision: Revision
}

function constraintsFor(job: Job, { situation, before, revision }: RoundTerms): ReviewConstraints {
  const request = situation.history.requestedChanges.at(-1)
  if (job === 'report' && request) return { changeRequest: { comment: request.comment, answer: revisionSentence(revision) } }
  if (job !== 'licences') return {}
  const contract = before.licences?.contract
  const allowedBefore = (contract && constraintsOf(contract).allowedLicences) ?? defaultAllowedLicences
  return { allowedLicences: [...new Set([...allowedBefore, ...revision.allow])].sort() }
}
