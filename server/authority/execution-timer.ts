// Execution Leases that end by themselves: expiry (a timer) and a replaced Session (A-182, A-183, O-14).
import { WORK_EXECUTION_LEASE_EXPIRED, WORK_EXECUTION_LEASE_REVOKED } from '../../protocol/kinds.ts'
import type { EventPayloads, Lease } from '../../protocol/generated/types.ts'
import { eventIdOf } from './draft.ts'
import { compareTimes } from './instants.ts'
import { isLive } from './lease.ts'
import type { Evolver } from './request.ts'
import type { DecisionEnv, EventDraft, GroupState, WorkRecord } from './types.ts'
import { notExecuting, noteStep, putWork, revised, workOf } from './work-record.ts'

interface Ended {
  readonly expired: EventPayloads[typeof WORK_EXECUTION_LEASE_EXPIRED]
  readonly revoked: EventPayloads[typeof WORK_EXECUTION_LEASE_REVOKED]
}

interface Execution {
  readonly record: WorkRecord
  readonly lease: Lease
}

/** A new Session of an Agent, and the Event that recorded it. */
export interface ReplacedSession {
  readonly agentId: string
  readonly sessionEpoch: number
  readonly causeEventId: string
}

/** Ends every Execution Lease that has run out; the items return to their owners' queues. */
export function decideDue(state: GroupState, env: DecisionEnv): readonly EventDraft[] {
  return executions(state)
    .filter(({ lease }) => !isLive(lease, env.now))
    .map(({ record, lease: { leaseId, expiresAt } }) => ({
      ...endedBy(record, env, `${leaseId} expired`),
      kind: WORK_EXECUTION_LEASE_EXPIRED,
      cause: { type: 'timer', id: leaseId },
      correlationId: leaseId,
      payload: { workItemId: record.item.workItemId, executionLeaseId: leaseId, expiredAt: expiresAt } satisfies Ended['expired'],
    }))
}

/** revokes what the Agent held in earlier Sessions; owner and Ownership Epoch stay. */
export function decideSessionReplaced(state: GroupState, { agentId, sessionEpoch, causeEventId }: ReplacedSession, env: DecisionEnv): readonly EventDraft[] {
  return executions(state)
    .filter(({ lease }) => lease.holderAgentId === agentId && lease.sessionEpoch < sessionEpoch)
    .map(({ record, lease: { leaseId } }) => ({
      ...endedBy(record, env, `${leaseId} revoked`),
      kind: WORK_EXECUTION_LEASE_REVOKED,
      cause: { type: 'event', id: causeEventId },
      correlationId: causeEventId,
      payload: { workItemId: record.item.workItemId, executionLeaseId: leaseId, reason: 'session_replaced', state: 'queued', sessionEpoch } satisfies Ended['revoked'],
    }))
}

/** When `decideDue` may next have work, or `undefined` while nothing executes. */
export function nextDue(state: GroupState): string | undefined {
  return executions(state)[0]?.lease.expiresAt
}

/** Earliest expiry first; as many as run at this moment. */
function executions(state: GroupState): Execution[] {
  const running = [...state.executing].flatMap((id) => {
    const record = workOf(state, id)
    return record.executionLease ? [{ record, lease: record.executionLease }] : []
  })
  return running.sort((a, b) => compareTimes(a.lease.expiresAt, b.lease.expiresAt) || (a.lease.leaseId < b.lease.leaseId ? -1 : 1))
}

/** A lease ends once, so its id names the Event: two nodes that notice at the same time write the same one. */
function endedBy({ item }: WorkRecord, { authority }: DecisionEnv, seed: string) {
  const { conversationId, workItemId, revision } = item
  return { eventId: eventIdOf(seed), actor: authority, aggregateRevision: revision + 1, conversationId, workItemId }
}

export const evolveExecutionEnded: Evolver<typeof WORK_EXECUTION_LEASE_EXPIRED | typeof WORK_EXECUTION_LEASE_REVOKED> = (state, event) => {
  const { workItemId } = event.payload
  const record = notExecuting(workOf(state, workItemId))
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { state: 'queued' }) })
  noteStep(state, workItemId, event)
}
