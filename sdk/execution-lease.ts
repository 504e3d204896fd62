import type { WorkStartedPayload } from '../protocol/generated/types.ts'
import { WORK_EXECUTION_LEASE_RENEW } from '../protocol/kinds.ts'
import type { Result } from '../protocol/result.ts'
import { ok } from '../protocol/result.ts'
import type { AgentClient } from './agent-client.ts'
import type { ExecutionLease } from './artifact-manifest.ts'
import { delay } from './backoff.ts'
import type { Refusal } from './refusal.ts'

const DEFAULT_LEASE_SECONDS = 300
/** A lease is renewed when a third of it has passed, so that two attempts may fail. */
const RENEWALS_PER_LEASE = 3

export interface ExecutionRequest {
  readonly groupId: string
  readonly workItemId: string
  readonly ownershipEpoch: number
  /** 300 when absent. */
  readonly leaseSeconds?: number
}

/**
 * Starts an owned WorkItem and runs `body` under its Execution Lease, which is renewed meanwhile. `signal` aborts once
 * the lease cannot be renewed any more (its reason is the Refusal): whatever `body` would still submit is fenced. The
 * lease ends with the Command that `body` submits last: work.submit, work.checkpoint, work.block or work.fail.
 */
export async function withExecutionLease<T>(
  client: Pick<AgentClient, 'submit'>,
  request: ExecutionRequest,
  body: (lease: ExecutionLease, signal: AbortSignal) => Promise<T>,
): Promise<Result<T, Refusal>> {
  const { groupId, workItemId, ownershipEpoch, leaseSeconds = DEFAULT_LEASE_SECONDS } = request
  const payload = { workItemId, ownershipEpoch, executionLeaseSeconds: leaseSeconds }
  const started = await client.submit('work.start', payload, { groupId, workItemId })
  if (!started.ok) return started
  const { leaseId, missionId } = (started.value.payload as WorkStartedPayload).executionLease
  const lease: ExecutionLease = { missionId, groupId, workItemId, ownershipEpoch, executionLeaseId: leaseId }
  const lost = new AbortController()
  const finished = new AbortController()
  const renewing = keepRenewing(client, lease, leaseSeconds, finished.signal).catch((fault: unknown) => fault)
  void renewing.then((reason) => reason !== undefined && lost.abort(reason))
  try {
    return ok(await body(lease, lost.signal))
  } finally {
    finished.abort()
    await renewing
  }
}

/** Why the lease could not be renewed; undefined once `finished`. */
async function keepRenewing(
  client: Pick<AgentClient, 'submit'>,
  { groupId, workItemId, ownershipEpoch, executionLeaseId }: ExecutionLease,
  leaseSeconds: number,
  finished: AbortSignal,
): Promise<Refusal | undefined> {
  for (;;) {
    await delay((leaseSeconds * 1000) / RENEWALS_PER_LEASE, finished)
    if (finished.aborted) return undefined
    const payload = { workItemId, ownershipEpoch, executionLeaseId, leaseSeconds }
    const renewed = await client.submit(WORK_EXECUTION_LEASE_RENEW, payload, { groupId, workItemId })
    if (renewed.ok) continue
    // A lease on an exhausted budget lasts to its end, for handing in or for a checkpoint.
    if (renewed.error.code === 'BUDGET_EXCEEDED') await delay((leaseSeconds * 1000 * (RENEWALS_PER_LEASE - 1)) / RENEWALS_PER_LEASE, finished)
    return finished.aborted ? undefined : renewed.error
  }
}
