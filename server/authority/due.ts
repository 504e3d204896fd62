// What comes about in a Group without a Command: leases on work run out, Memberships that nothing is left for end.
import type { EventPayloads } from '../../protocol/generated/types.ts'
import { WORK_EXECUTION_LEASE_EXPIRED } from '../../protocol/kinds.ts'
import { departureDraft, departuresOf } from './departure.ts'
import type { HeldLease } from './execution-end.ts'
import { endOf, timedLeasesOf } from './execution-end.ts'
import { compareTimes } from './instants.ts'
import { isLive } from './lease.ts'
import type { DecisionEnv, EventDraft, GroupState } from './types.ts'

type Expired = EventPayloads[typeof WORK_EXECUTION_LEASE_EXPIRED]
type Unblocked = EventPayloads['work.unblocked']

/**
 * One Event for every lease on work that has run out by `env.now`: what was executing returns to its owner's queue,
 * what was blocked is open for another offer. One more for every member who came for work and has none left. Nothing is due any
 * more in an archived Group.
 */
export function decideDue(state: GroupState, env: DecisionEnv): readonly EventDraft[] {
  if (state.group.state === 'archived') return []
  const over = timedLeasesOf(state).filter(({ lease }) => !isLive(lease, env.now))
  const leaving = departuresOf(state).filter(({ at }) => compareTimes(at, env.now) <= 0)
  return [...over.map((held) => lapseDraft(held, env)), ...leaving.map((departure) => departureDraft(departure, env))]
}

function lapseDraft(held: HeldLease, env: DecisionEnv): EventDraft {
  const { leaseId } = held.lease
  return { ...endOf(held, env), ...lapseOf(held), cause: { type: 'timer', id: leaseId }, correlationId: leaseId }
}

function lapseOf({ record, lease }: HeldLease): Pick<EventDraft, 'kind' | 'payload'> {
  const { workItemId } = record.item
  if (lease.leaseType === 'blocked') {
    return { kind: 'work.unblocked', payload: { workItemId, state: 'open', lapsedLeaseId: lease.leaseId } satisfies Unblocked }
  }
  const payload = { workItemId, executionLeaseId: lease.leaseId, expiredAt: lease.expiresAt } satisfies Expired
  return { kind: WORK_EXECUTION_LEASE_EXPIRED, payload }
}

/** The earliest instant at which `decideDue` may have work; `undefined` while nothing is bound to end. */
export function nextDue(state: GroupState): string | undefined {
  if (state.group.state === 'archived') return undefined
  const lease = timedLeasesOf(state)[0]?.lease.expiresAt
  const departure = departuresOf(state)[0]?.at
  if (lease === undefined || departure === undefined) return lease ?? departure
  return compareTimes(lease, departure) < 0 ? lease : departure
}
