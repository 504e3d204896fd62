// Handing work in and the Coordinator's review of it.
import type { Evidence } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { settleAccount } from './budget.ts'
import { incompatibleCard } from './capability.ts'
import { accept } from './draft.ts'
import { evidenceRefused, introduceEvidence, isPublishedBy } from './evidence.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, leasesOver, missionNotActive, notCoordinator, notInState, notOwner, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import { isReviewer, soleReviewer, unassessedCriterion, uncoveredCriterion } from './review-rules.ts'
import { findWork, notExecuting, noteStep, putWork, revised, unleased, workOf } from './work-record.ts'

/** `work.submit`; the Execution Lease is released, the owner stays answerable until the review. */
export const decideSubmit: Decider<'work.submit'> = (request) => {
  const { state, command, payload, env } = request
  const { workItemId, ownershipEpoch, executionLeaseId, artifactHashes, evidence } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notOwner(request, record, ownershipEpoch) ??
    incompatibleCard(record, env) ??
    leasesOver(request, record, executionLeaseId) ??
    notInState(record, 'active') ??
    unpublished(request) ??
    evidenceRefused(request, record, evidence) ??
    uncoveredCriterion(record, evidence)
  if (refusal) return err(refusal)
  const submission = { artifactHashes, evidenceIds: evidence.map(({ evidenceId }) => evidenceId), submittedAt: env.now }
  return accept(request, {
    kind: 'work.submitted',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, ownershipEpoch, submission, evidence, releasedLeaseId: executionLeaseId },
  })
}

function unpublished({ state, payload }: MemberRequest<'work.submit'>): Refusal {
  const artifactHash = payload.artifactHashes.find((hash) => !isPublishedBy(state, hash, payload.workItemId))
  if (artifactHash === undefined) return undefined
  return reject('INVALID_COMMAND', 'this work did not publish one of the artifacts', { details: { artifactHash } })
}

/** `work.accept_result`; to send a result back the Coordinator fails the item and offers it again. */
export const decideAcceptResult: Decider<'work.accept_result'> = (request) => {
  const { state, command, payload } = request
  const { workItemId, evidence } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notCoordinator(request) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    notInState(record, 'submitted') ??
    evidenceRefused(request, record, evidence, isReviewer) ??
    failedReview(evidence) ??
    unassessedCriterion(record, evidence) ??
    soleReviewer(request, record, evidence)
  if (refusal) return err(refusal)
  return accept(request, {
    kind: 'work.result.accepted',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, evidence },
  })
}

function failedReview(evidence: readonly Evidence[]): Refusal {
  const isFailed = evidence.some(({ result }) => result === 'failed')
  return isFailed ? reject('INVALID_COMMAND', 'a review that found a failure does not accept the result') : undefined
}

export const evolveSubmitted: Evolver<'work.submitted'> = (state, event) => {
  const { workItemId, submission, evidence } = event.payload
  const record = notExecuting(workOf(state, workItemId))
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { state: 'submitted', submission }), evidence })
  introduceEvidence(state, evidence, event.sequence)
  noteStep(state, workItemId, event)
}

export const evolveResultAccepted: Evolver<'work.result.accepted'> = (state, event) => {
  const { workItemId, evidence, submission } = event.payload
  const record = unleased(workOf(state, workItemId))
  const item = revised(record.item, event.occurredAt, { state: 'verified', ...(submission && { submission }) })
  putWork(state, { ...record, item, acceptedEvidence: evidence })
  settleAccount(state, workItemId)
  state.mission = { ...state.mission, revision: state.mission.revision + 1 }
  introduceEvidence(state, evidence, event.sequence)
  noteStep(state, workItemId, event)
}
