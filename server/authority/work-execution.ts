// Execution under a lease: start, checkpoint, renewal, and the lease ending without the Worker.
import type { Lease, WorkStartedPayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { type WORK_EXECUTION_LEASE_RENEW } from '../../protocol/kinds.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { budgetExhausted } from './budget.ts'
import { incompatibleCard } from './capability.ts'
import { overLimits, workExcess } from './cooperation.ts'
import { accept, leaseIdOf, primaryDraft } from './draft.ts'
import { approvalExhausted, isGateClosed } from './execution-approval.ts'
import type { Refusal } from './fences.ts'
import { leasesOver, missionNotActive, notInState, notOwner, ownershipLeaseOver, revisionConflict } from './fences.ts'
import { later } from './instants.ts'
import { DEFAULT_SECONDS, executionLease, raised, renewed } from './lease.ts'
import { chargeDrafts, offlinePauses, reconciliationOf } from './offline-execution.ts'
import type { Decider, Evolver, GroupEvent, MemberRequest } from './request.ts'
import type { GroupState, WorkRecord } from './types.ts'
import { findWork, notExecuting, noteStep, putWork, revised, workOf } from './work-record.ts'

/** How much of what a start waits for fits into a message for people; `details` names all of it. */
const GOALS_NAMED = 3
const GOAL_LENGTH = 80

/** `work.start`. */
export const decideStart: Decider<'work.start'> = (request) => {
  const { state, command, payload, env, signingHash } = request
  const found = findWork(state, payload.workItemId)
  if (!found.ok) return found
  const record = found.value
  const { item } = record
  const refusal =
    revisionConflict(command, item.revision) ??
    notOwner(request, record, payload.ownershipEpoch) ??
    incompatibleCard(record, env) ??
    budgetExhausted(state, payload.workItemId) ??
    gateClosed(request, record) ??
    approvalExhausted(state, record) ??
    overLimits(request, [workExcess(request, 'active_work_items', 1)]) ??
    ownershipLeaseOver(request, record) ??
    missionNotActive(request) ??
    notInState(record, 'queued') ??
    openDependencies(state, record)
  if (refusal) return err(refusal)
  const terms = {
    leaseId: leaseIdOf(signingHash, 'execution'),
    missionId: item.missionId,
    groupId: item.groupId,
    holderAgentId: command.actor.id,
    sessionEpoch: env.sessionEpochOf(command.actor.id),
    now: env.now,
    seconds: payload.executionLeaseSeconds ?? DEFAULT_SECONDS.execution,
  }
  const lease = executionLease(terms, item.workItemId, record.ownershipEpoch)
  return accept(request, {
    kind: 'work.started',
    aggregateRevision: item.revision + 1,
    item,
    payload: executionPayload(record, lease),
  })
}

function executionPayload({ item, ownershipEpoch }: WorkRecord, lease: Lease): WorkStartedPayload {
  return { workItemId: item.workItemId, ownershipEpoch, executionLease: lease, executionLeaseExpiresAt: lease.expiresAt }
}

/** work that needs an execution Approval waits in the queue for one. */
function gateClosed({ env }: MemberRequest, record: WorkRecord): Refusal {
  if (!isGateClosed(record, env.now)) return undefined
  return reject('APPROVAL_REQUIRED', 'this work needs an execution Approval before it starts')
}

/** eligible once everything it depends on is verified. */
function openDependencies({ workItems }: GroupState, { item }: WorkRecord): Refusal {
  const dependencies = item.contract.dependencyWorkItemIds.flatMap((id) => workItems.get(id)?.item ?? [])
  const open = dependencies.filter(({ state }) => state !== 'verified')
  if (open.length === 0) return undefined
  const goals = open.map(({ contract }) => [...contract.goal].slice(0, GOAL_LENGTH).join('')).slice(0, GOALS_NAMED)
  const waitsFor = open.map(({ workItemId }) => workItemId)
  return reject('INVALID_STATE_TRANSITION', `waits for: ${goals.join('; ')}`, { details: { waitsFor } })
}

/** `work.checkpoint`: the execution slot is given back, the item stays in its owner's queue. */
export const decideCheckpoint: Decider<'work.checkpoint'> = (request) => {
  const { state, command, payload, env } = request
  const found = findWork(state, payload.workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notOwner(request, record, payload.ownershipEpoch) ??
    leasesOver(request, record, payload.executionLeaseId) ??
    notInState(record, 'active')
  if (refusal) return err(refusal)
  const reconciliation = reconciliationOf(request)
  if (!reconciliation.ok) return reconciliation
  const { workItemId, progress, executionLeaseId, ownershipEpoch } = payload
  const isItsOwn = reconciliation.value === undefined || reconciliation.value.record === record
  if (!isItsOwn) return err(reject('AUTH_FORBIDDEN', 'the offline binding is about other work'))
  const resumeBy = addSeconds(env.now, payload.resumeWithinSeconds ?? DEFAULT_SECONDS.ownership)
  const checkpointed = primaryDraft(request, {
    kind: 'work.checkpointed',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: {
      workItemId,
      ownershipEpoch,
      progress,
      releasedLeaseId: executionLeaseId,
      ownershipLeaseExpiresAt: later(record.ownershipLease?.expiresAt ?? resumeBy, resumeBy),
    },
  })
  return ok([...chargeDrafts(request, reconciliation.value), checkpointed, ...offlinePauses(request, reconciliation.value, workItemId)])
}

/** Execution Lease renewal by the Worker that holds it (O-13); what is left of the lease is for bringing work on an exhausted budget to a pause. */
export const decideRenewExecution: Decider<typeof WORK_EXECUTION_LEASE_RENEW> = (request) => {
  const { state, command, payload, env } = request
  const found = findWork(state, payload.workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notOwner(request, record, payload.ownershipEpoch) ??
    incompatibleCard(record, env) ??
    budgetExhausted(state, payload.workItemId) ??
    approvalExhausted(state, record) ??
    leasesOver(request, record, payload.executionLeaseId) ??
    notInState(record, 'active')
  if (refusal) return err(refusal)
  invariant(record.executionLease, 'the lease was found in force')
  const until = addSeconds(env.now, payload.leaseSeconds ?? DEFAULT_SECONDS.execution)
  const lease = renewed(record.executionLease, until, env.now)
  return accept(request, {
    kind: 'work.progressed',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: executionPayload(record, lease),
  })
}

export const evolveStarted: Evolver<'work.started'> = (state, event) => {
  const { workItemId, ownershipEpoch } = event.payload
  holdExecution(state, event)
  countAttempt(state, workItemId, ownershipEpoch)
  noteStep(state, workItemId, event)
}

/** Going on after a checkpoint or an expired lease is the same attempt; a new owner makes the next one. */
function countAttempt(state: GroupState, workItemId: string, ownershipEpoch: number): void {
  const record = workOf(state, workItemId)
  if (record.attemptedEpoch === ownershipEpoch) return
  putWork(state, { ...record, attempts: record.attempts + 1, attemptedEpoch: ownershipEpoch })
}

/** A renewal is no step: hundreds of them would bury the steps. */
export const evolveProgressed: Evolver<'work.progressed'> = (state, event) => holdExecution(state, event)

/** Whoever may execute owns the item at least as long. */
function holdExecution(state: GroupState, { payload, occurredAt }: GroupEvent<'work.started' | 'work.progressed'>): void {
  const record = workOf(state, payload.workItemId)
  const ownership = record.ownershipLease && { ownershipLease: raised(record.ownershipLease, payload.executionLeaseExpiresAt, occurredAt) }
  const item = revised(record.item, occurredAt, { state: 'active' })
  putWork(state, { ...record, item, executionLease: payload.executionLease, ...ownership })
}

export const evolveCheckpointed: Evolver<'work.checkpointed'> = (state, event) => {
  const { workItemId, progress, ownershipLeaseExpiresAt } = event.payload
  const record = notExecuting(workOf(state, workItemId))
  const ownership = record.ownershipLease && { ownershipLease: raised(record.ownershipLease, ownershipLeaseExpiresAt, event.occurredAt) }
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { state: 'queued', progress }), ...ownership })
  noteStep(state, workItemId, event)
}
