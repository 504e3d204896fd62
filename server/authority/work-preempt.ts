// The Coordinator asks for an execution slot back; the Worker pauses at its next safe point with a checkpoint.
import { reject } from '../../protocol/error-codes.ts'
import { type WORK_PREEMPTION_REQUEST, WORK_PREEMPTION_REQUESTED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, missionNotActive, notCoordinator, notInState, revisionConflict } from './fences.ts'
import type { Decider, Evolver } from './request.ts'
import type { WorkRecord } from './types.ts'
import { findWork, putWork, revised, workOf } from './work-record.ts'

/** `ext.countersign.work.preemption_request`; takes no lease away. */
export const decideRequestPreemption: Decider<typeof WORK_PREEMPTION_REQUEST> = (request) => {
  const { state, command, payload, env } = request
  const found = findWork(state, payload.workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notCoordinator(request) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    notInState(record, 'active') ??
    askedBefore(record)
  if (refusal) return err(refusal)
  return accept(request, {
    kind: WORK_PREEMPTION_REQUESTED,
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { ...payload, requestedAt: env.now },
  })
}

function askedBefore({ preemption }: WorkRecord): Refusal {
  return preemption && reject('INVALID_STATE_TRANSITION', 'the Worker has been asked to pause already')
}

/** No step of the item's life: it goes on executing. */
export const evolvePreemptionRequested: Evolver<typeof WORK_PREEMPTION_REQUESTED> = (state, event) => {
  const { workItemId, reason, urgency, requestedAt, escalation } = event.payload
  const record = workOf(state, workItemId)
  const preemption = { requestedBy: event.actor, requestedAt, reason, urgency, ...(escalation && { escalation }) }
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, {}), preemption })
}
