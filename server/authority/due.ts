// What time alone brings about in a Group: Execution Leases and blocked leases run out.
import type { EventPayloads } from '../../protocol/generated/types.ts'
import { WORK_EXECUTION_LEASE_EXPIRED } from '../../protocol/kinds.ts'
import type { HeldLease } from './execution-end.ts'
import { endOf, timedLeasesOf } from './execution-end.ts'
import { isLive } from './lease.ts'
import type { DecisionEnv, EventDraft, GroupState } from './types.ts'

type Expired = EventPayloads[typeof WORK_EXECUTION_LEASE_EXPIRED]
type Unblocked = EventPayloads['work.unblocked']

/**
 * One Event for every lease on work that has run out by `env.now`: what was executing returns to its owner's queue,
 * what was blocked is open for another offer.
 */
export function decideDue(state: GroupState, env: DecisionEnv): readonly EventDraft[] {
  const over = timedLeasesOf(state).filter(({ lease }) => !isLive(lease, env.now))
  return over.map((held) => {
    const { leaseId } = held.lease
    const cause = { type: 'timer', id: leaseId } as const
    return { ...endOf(held, env), ...lapseOf(held), cause, correlationId: leaseId }
  })
}

function lapseOf({ record, lease }: HeldLease): Pick<EventDraft, 'kind' | 'payload'> {
  const { workItemId } = record.item
  if (lease.leaseType === 'blocked') {
    return { kind: 'work.unblocked', payload: { workItemId, state: 'open', lapsedLeaseId: lease.leaseId } satisfies Unblocked }
  }
  const payload = { workItemId, executionLeaseId: lease.leaseId, expiredAt: lease.expiresAt } satisfies Expired
  return { kind: WORK_EXECUTION_LEASE_EXPIRED, payload }
}

/** The earliest instant at which `decideDue` may have work; `undefined` while no such lease is held. */
export const nextDue = (state: GroupState): string | undefined => timedLeasesOf(state)[0]?.lease.expiresAt
