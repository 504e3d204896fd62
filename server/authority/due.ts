// What time alone brings about in a Group: Execution Leases run out.
import type { EventPayloads } from '../../protocol/generated/types.ts'
import { WORK_EXECUTION_LEASE_EXPIRED } from '../../protocol/kinds.ts'
import { endOf, executionsOf } from './execution-end.ts'
import { isLive } from './lease.ts'
import type { DecisionEnv, EventDraft, GroupState } from './types.ts'

type Payload = EventPayloads[typeof WORK_EXECUTION_LEASE_EXPIRED]

/** One Event for every Execution Lease that has run out by `env.now`; the items return to their owners' queues. */
export function decideDue(state: GroupState, env: DecisionEnv): readonly EventDraft[] {
  const over = executionsOf(state).filter(({ lease }) => !isLive(lease, env.now))
  return over.map((execution) => {
    const { leaseId, expiresAt } = execution.lease
    const payload = { workItemId: execution.record.item.workItemId, executionLeaseId: leaseId, expiredAt: expiresAt } satisfies Payload
    const cause = { type: 'timer', id: leaseId } as const
    return { ...endOf(execution, env), kind: WORK_EXECUTION_LEASE_EXPIRED, cause, correlationId: leaseId, payload }
  })
}

/** The earliest instant at which `decideDue` may have work; `undefined` while nothing executes. */
export const nextDue = (state: GroupState): string | undefined => executionsOf(state)[0]?.lease.expiresAt
