// Work that ends without a result: failed, or cancelled.
import type { WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { settleAccount } from './budget.ts'
import { accept } from './draft.ts'
import { evidenceRefused, introduceEvidence } from './evidence.ts'
import type { Refusal } from './fences.ts'
import {
  actingLeaseOver,
  coordinatorLeaseOver,
  isCoordinator,
  leasesOver,
  neitherOwnerNorCoordinator,
  notCoordinator,
  notInState,
  notOwner,
  revisionConflict,
} from './fences.ts'
import type { Decider, Evolver, GroupEvent, MemberRequest } from './request.ts'
import type { GroupState, WorkRecord } from './types.ts'
import { fenced, findWork, noteStep, putWork, revised, UNFINISHED, unleased, withdrawn, workOf } from './work-record.ts'

/** `work.fail`: the Coordinator for any unfinished work, the owner for what it executes. */
export const decideFail: Decider<'work.fail'> = (request) => {
  const { state, command, payload } = request
  const { workItemId, reason, evidence } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const mayNot = isCoordinator(state, command.actor) ? coordinatorMayNotFail : ownerMayNotFail
  const refusal =
    revisionConflict(command, record.item.revision) ??
    mayNot(request, record) ??
    notInState(record, ...UNFINISHED) ??
    evidenceRefused(request, record, evidence)
  if (refusal) return err(refusal)
  return accept(request, {
    kind: 'work.failed',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, reason, evidence },
  })
}

const coordinatorMayNotFail = (request: MemberRequest): Refusal => notCoordinator(request) ?? coordinatorLeaseOver(request)

/** a Worker reports failure under the lease that it executes with. */
function ownerMayNotFail(request: MemberRequest<'work.fail'>, record: WorkRecord): Refusal {
  const { ownershipEpoch, executionLeaseId } = request.payload
  if (ownershipEpoch === undefined || executionLeaseId === undefined) {
    const isOwner = record.item.owner?.agentId === request.command.actor.id
    if (isOwner) return reject('INVALID_COMMAND', 'an owner cites its Ownership Epoch and Execution Lease')
    return reject('AUTH_FORBIDDEN', 'only the Coordinator or the owner fails work')
  }
  return notOwner(request, record, ownershipEpoch) ?? leasesOver(request, record, executionLeaseId) ?? notInState(record, 'active')
}

/** `work.cancel`, by MissionOwner or Coordinator. */
export const decideCancelWork: Decider<'work.cancel'> = (request) => {
  const { state, command, payload } = request
  const { workItemId, reason } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    neitherOwnerNorCoordinator(request) ??
    actingLeaseOver(request) ??
    notInState(record, ...UNFINISHED)
  if (refusal) return err(refusal)
  return accept(request, {
    kind: 'work.cancelled',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, reason },
  })
}

/** The leases are revoked; the owner stays on record until the next offer fences it. */
export const evolveFailed: Evolver<'work.failed'> = (state, event) => {
  const { workItemId, reason, evidence } = event.payload
  const record = unleased(workOf(state, workItemId))
  putWork(state, { ...record, item: ended(record.item, event, 'failed'), reason, evidence })
  introduceEvidence(state, evidence, event.sequence)
  close(state, workItemId, event)
}

export const evolveWorkCancelled: Evolver<'work.cancelled'> = (state, event) => {
  const { workItemId, reason } = event.payload
  const record = fenced(workOf(state, workItemId))
  putWork(state, { ...record, item: ended(record.item, event, 'cancelled'), reason })
  close(state, workItemId, event)
}

function ended(item: WorkItem, { occurredAt }: GroupEvent<'work.failed' | 'work.cancelled'>, state: 'failed' | 'cancelled'): WorkItem {
  return revised(withdrawn(item), occurredAt, { state })
}

function close(state: GroupState, workItemId: string, event: GroupEvent<'work.failed' | 'work.cancelled'>): void {
  settleAccount(state, workItemId)
  state.mission = { ...state.mission, revision: state.mission.revision + 1 }
  noteStep(state, workItemId, event)
}
