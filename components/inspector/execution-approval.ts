import { executionConditions } from '../../protocol/execution-terms.ts'
import type { Approval, ApprovalGrantExecutionPayload, ExecutionTerms } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import { addSeconds, compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'
import type { BoardItem, MissionView } from '../trpc.tsx'

/** Work as far as its start is concerned. */
export type GatedWork = Pick<BoardItem, 'workItemId' | 'deadline' | 'startGate'>

export interface StartApprovalStamp {
  readonly approvalId: string
  readonly approverId: string
  readonly occurredAt: string
}

/** What the contract allows, for the present owner, from now on for so many seconds but never longer than the work has. */
export function termsFor({ startGate, deadline }: GatedWork, now: string, seconds: number): ExecutionTerms {
  invariant(startGate, 'only work that waits for it can be approved')
  const { ownershipEpoch, contractVersion, resources, budget } = startGate
  return { ownershipEpoch, contractVersion, resources: [...resources], budget, expiresAt: earlier(addSeconds(now, seconds), deadline) }
}

/** The unsigned Approval with its terms; the conditions say the same terms in words, and those are what the person signs. */
export function draftStartApproval(
  mission: Pick<MissionView, 'missionId' | 'groupId' | 'revision'>,
  item: GatedWork,
  terms: ExecutionTerms,
  stamp: StartApprovalStamp,
): { readonly approval: Omit<Approval, 'signature'>; readonly terms: ApprovalGrantExecutionPayload['terms'] } {
  invariant(item.startGate, 'only work that waits for it can be approved')
  const approval: Omit<Approval, 'signature'> = {
    approvalId: stamp.approvalId,
    kind: 'work_execution',
    decision: 'approved',
    missionId: mission.missionId,
    groupId: mission.groupId,
    workItemId: item.workItemId,
    missionRevision: mission.revision,
    artifactHashes: [],
    acceptancePolicyVersion: item.startGate.acceptancePolicyVersion,
    approver: { type: 'human', id: stamp.approverId },
    comments: '',
    conditions: executionConditions(terms),
    occurredAt: stamp.occurredAt,
  }
  return { approval, terms }
}

function earlier(a: string, b: string): string {
  const [first, second] = [parseTimestamp(a), parseTimestamp(b)]
  invariant(first && second, 'times of the authority are timestamps')
  return compareInstants(first, second) > 0 ? b : a
}
