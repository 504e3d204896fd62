// Leases on work that end without the Worker's doing: which are held, and what the end of one changes (A-156, A-182, O-14).
import type { Lease } from '../../protocol/generated/types.ts'
import type { WORK_EXECUTION_LEASE_EXPIRED, WORK_EXECUTION_LEASE_REVOKED } from '../../protocol/kinds.ts'
import { eventIdOf } from './draft.ts'
import { compareTimes } from './instants.ts'
import type { Evolver } from './request.ts'
import type { DecisionEnv, EventDraft, GroupState, WorkRecord } from './types.ts'
import { notExecuting, noteStep, putWork, revised, workOf } from './work-record.ts'

export interface HeldLease {
  readonly record: WorkRecord
  readonly lease: Lease
}

/** Everything that executes at this moment, earliest expiry first. */
export const executionsOf = (state: GroupState): readonly HeldLease[] => executions(state).sort(byExpiry)

/** Every lease on work that time ends with an Event, Execution and blocked ones, earliest expiry first. */
export const timedLeasesOf = (state: GroupState): readonly HeldLease[] => [...executions(state), ...blocked(state)].sort(byExpiry)

const executions = (state: GroupState): HeldLease[] => held(state, state.executing, ({ executionLease }) => executionLease)

const blocked = (state: GroupState): HeldLease[] => held(state, state.waiting, ({ blockedLease }) => blockedLease)

function held(state: GroupState, workItemIds: Iterable<string>, leaseOf: (record: WorkRecord) => Lease | undefined): HeldLease[] {
  return [...workItemIds].flatMap((id) => {
    const record = workOf(state, id)
    const lease = leaseOf(record)
    return lease ? [{ record, lease }] : []
  })
}

function byExpiry({ lease: a }: HeldLease, { lease: b }: HeldLease): number {
  return compareTimes(a.expiresAt, b.expiresAt) || (a.leaseId < b.leaseId ? -1 : 1)
}

type EndDraft = Pick<EventDraft, 'eventId' | 'actor' | 'aggregateRevision' | 'conversationId' | 'workItemId'>

/**
 * What every draft about the end of a lease has in common. A lease ends once, so its id names the Event: two nodes
 * that notice at the same time write the same one.
 */
export function endOf({ record, lease }: HeldLease, { authority }: DecisionEnv): EndDraft {
  const { conversationId, workItemId, revision } = record.item
  return { eventId: eventIdOf(`end of ${lease.leaseId}`), actor: authority, aggregateRevision: revision + 1, conversationId, workItemId }
}

/** The item returns to its owner's queue; owner and Ownership Epoch stay. */
export const evolveExecutionEnded: Evolver<typeof WORK_EXECUTION_LEASE_EXPIRED | typeof WORK_EXECUTION_LEASE_REVOKED> = (state, event) => {
  const { workItemId } = event.payload
  const record = notExecuting(workOf(state, workItemId))
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { state: 'queued' }) })
  noteStep(state, workItemId, event)
}
