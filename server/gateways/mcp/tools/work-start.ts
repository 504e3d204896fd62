import { z } from 'zod'
import type { Result } from '../../../../protocol/result.ts'
import type { Rejection } from '../../../../protocol/error-codes.ts'
import type { WorkName } from '../mission.ts'
import { seeWork, standing, submit } from '../mission.ts'
import type { ToolCall } from '../tool.ts'
import { answer, defineTool, refuse, refuseCommand } from '../tool.ts'
import { changes, defaultLeaseSeconds, leaseSeconds, workName, workOutput } from './work-name.ts'

export const workStart = defineTool({
  name: 'work_start',
  title: 'Start or resume work',
  description:
    'Starts work that is yours and waits in your queue: after work_accept with start false, once what it depended on is verified, after a pause, or after your Execution Lease ran out. Gives you a new Execution Lease; the answer says when it ends.',
  input: z.strictObject({ ...workName, lease_seconds: leaseSeconds }),
  output: workOutput,
  annotations: changes,
  async run(call, { lease_seconds = defaultLeaseSeconds, ...name }) {
    const seen = await seeWork(call, name)
    if (!seen.ok) return seen.error
    if (seen.value.record.item.owner?.agentId !== call.principalId) return refuse('This work is not yours to start. work_offers shows what you can accept.')
    const started = await startWork(call, name, lease_seconds)
    return started.ok ? answer(await standing(call, name)) : refuseCommand(started.error)
  },
})

/** Starts what the caller owns now. */
export async function startWork(call: ToolCall, name: WorkName, leaseSeconds: number): Promise<Result<void, Rejection>> {
  const seen = await seeWork(call, name)
  const ownershipEpoch = seen.ok ? seen.value.record.ownershipEpoch : 1
  const payload = { workItemId: name.work_item_id, ownershipEpoch, executionLeaseSeconds: leaseSeconds }
  return submit(call, 'work.start', payload, { groupId: name.group_id, workItemId: name.work_item_id })
}
