// Work that waits for what only others can bring about: a checkpoint with a bounded blocked lease, and its end.
import type { WorkUnblockedPayload } from '../../protocol/generated/types.ts'
import { err, invariant } from '../../protocol/result.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { accept, leaseIdOf } from './draft.ts'
import { coordinatorLeaseOver, leasesOver, missionNotActive, notCoordinator, notInState, notOwner, revisionConflict } from './fences.ts'
import { later } from './instants.ts'
import { blockedLease, DEFAULT_SECONDS, isLive, raised } from './lease.ts'
import type { Decider, Evolver } from './request.ts'
import type { WorkRecord } from './types.ts'
import { childRunning, fenced, findWork, notExecuting, noteStep, notWaiting, ownershipHold, putWork, revised, workOf } from './work-record.ts'

/** `work.block`: the slot is free again, the owner keeps the item as long as the blocked lease lasts. */
export const decideBlock: Decider<'work.block'> = (request) => {
  const { state, command, payload, env, signingHash } = request
  const { workItemId, ownershipEpoch, executionLeaseId, progress, reason, unblockCondition, blockedLeaseSeconds } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const { item } = record
  const refusal =
    revisionConflict(command, item.revision) ??
    notOwner(request, record, ownershipEpoch) ??
    leasesOver(request, record, executionLeaseId) ??
    notInState(record, 'active')
  if (refusal) return err(refusal)
  const terms = {
    leaseId: leaseIdOf(signingHash, 'blocked'),
    missionId: item.missionId,
    groupId: item.groupId,
    holderAgentId: command.actor.id,
    sessionEpoch: env.sessionEpochOf(command.actor.id),
    now: env.now,
    seconds: blockedLeaseSeconds ?? DEFAULT_SECONDS.blocked,
  }
  const lease = blockedLease(terms, workItemId, ownershipEpoch)
  return accept(request, {
    kind: 'work.blocked',
    aggregateRevision: item.revision + 1,
    item,
    payload: {
      workItemId,
      ownershipEpoch,
      progress,
      reason,
      unblockCondition,
      releasedLeaseId: executionLeaseId,
      blockedLease: lease,
      ownershipLeaseExpiresAt: later(record.ownershipLease?.expiresAt ?? lease.expiresAt, lease.expiresAt),
    },
  })
}

/** `work.unblock`: back to its owner's queue with time to start, or open if the blocked lease has run out. */
export const decideUnblock: Decider<'work.unblock'> = (request) => {
  const { state, command, payload, env } = request
  const { workItemId, resolution } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notCoordinator(request) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    notInState(record, 'blocked') ??
    childRunning(record)
  if (refusal) return err(refusal)
  return accept(request, {
    kind: 'work.unblocked',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, resolution, ...goesOn(record, env.now) },
  })
}

type Onward = Pick<WorkUnblockedPayload, 'state' | 'ownershipLeaseExpiresAt' | 'lapsedLeaseId'>

function goesOn(record: WorkRecord, now: string): Onward {
  const hold = ownershipHold(record)
  // A child Mission worked on it and has ended: nobody else has it.
  if (record.child && !hold) return { state: 'open' }
  invariant(hold, 'blocked work has a blocked lease')
  const lapsedLeaseId = hold.leaseId
  if (!isLive(hold, now)) return { state: 'open', lapsedLeaseId }
  const startBy = addSeconds(now, DEFAULT_SECONDS.ownership)
  return { state: 'queued', ownershipLeaseExpiresAt: later(record.ownershipLease?.expiresAt ?? startBy, startBy) }
}

export const evolveBlocked: Evolver<'work.blocked'> = (state, event) => {
  const { workItemId, progress, reason, unblockCondition, blockedLease: lease, ownershipLeaseExpiresAt } = event.payload
  const record = notExecuting(workOf(state, workItemId))
  const ownership = record.ownershipLease && { ownershipLease: raised(record.ownershipLease, ownershipLeaseExpiresAt, event.occurredAt) }
  const item = revised(record.item, event.occurredAt, { state: 'blocked', progress })
  putWork(state, { ...record, item, blockedLease: lease, blocker: { reason, unblockCondition }, ...ownership })
  noteStep(state, workItemId, event)
}

export const evolveUnblocked: Evolver<'work.unblocked'> = (state, event) => {
  const { workItemId, state: next, ownershipLeaseExpiresAt } = event.payload
  const waiting = workOf(state, workItemId)
  const record = next === 'open' ? fenced(waiting) : notWaiting(waiting)
  const ownership =
    record.ownershipLease &&
    ownershipLeaseExpiresAt !== undefined && { ownershipLease: raised(record.ownershipLease, ownershipLeaseExpiresAt, event.occurredAt) }
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { state: next }), ...ownership })
  noteStep(state, workItemId, event)
}
