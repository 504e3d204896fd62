// A new Session of an Agent ends what its earlier ones were executing.
import type { EventPayloads } from '../../protocol/generated/types.ts'
import { WORK_EXECUTION_LEASE_REVOKED } from '../../protocol/kinds.ts'
import { endOf, executionsOf } from './execution-end.ts'
import type { DecisionEnv, EventDraft, GroupState } from './types.ts'

type Payload = EventPayloads[typeof WORK_EXECUTION_LEASE_REVOKED]

/** The new Session, and the Event in the Organization's log that recorded it. */
export interface ReplacedSession {
  readonly agentId: string
  readonly sessionEpoch: number
  readonly causeEventId: string
}

/** One Event for every Execution Lease that the Agent holds from an earlier Session; it keeps ownership and its epoch. */
export function decideSessionReplaced(state: GroupState, session: ReplacedSession, env: DecisionEnv): readonly EventDraft[] {
  const { agentId, sessionEpoch, causeEventId } = session
  const held = executionsOf(state).filter(({ lease }) => lease.holderAgentId === agentId && lease.sessionEpoch < sessionEpoch)
  return held.map((execution) => {
    const { record, lease } = execution
    const payload = {
      workItemId: record.item.workItemId,
      executionLeaseId: lease.leaseId,
      reason: 'session_replaced',
      state: 'queued',
      sessionEpoch,
    } satisfies Payload
    const cause = { type: 'event', id: causeEventId } as const
    return { ...endOf(execution, env), kind: WORK_EXECUTION_LEASE_REVOKED, cause, correlationId: causeEventId, payload }
  })
}
