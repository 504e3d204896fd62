import type { Approval } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import type { ApprovalView } from '../trpc.tsx'
import type { Decision } from './act-sentence.ts'

/** What the person adds to what was submitted. */
export interface DecisionInput {
  readonly decision: Decision
  readonly comment: string
  readonly conditions: readonly string[]
  /** Sentences about artifacts that were not seen or not verified; they become part of what is signed. */
  readonly remarks: readonly string[]
}

export interface ApprovalStamp {
  readonly approvalId: string
  readonly approverId: string
  readonly occurredAt: string
}

export const MAX_COMMENT_LENGTH = 10_000
export const MAX_CONDITION_LENGTH = 2_000

/** The comment as it will be signed: the person's words, then one line per remark. */
export function signedComments(input: Pick<DecisionInput, 'comment' | 'remarks'>): string {
  return [input.comment.trim(), input.remarks.join('\n')].filter((part) => part !== '').join('\n\n')
}

/**
 * The unsigned Approval of exactly the submission shown: its revision, its hashes in the order submitted, the policy
 * version. Only a pending submission can be decided on.
 */
export function draftApproval(view: ApprovalView, input: DecisionInput, stamp: ApprovalStamp): Omit<Approval, 'signature'> {
  invariant(view.pending, 'a decision needs a pending submission')
  return {
    approvalId: stamp.approvalId,
    kind: view.isChild ? 'child_mission' : 'mission_final',
    decision: input.decision,
    missionId: view.mission.missionId,
    groupId: view.mission.groupId,
    missionRevision: view.pending.missionRevision,
    artifactHashes: [...view.pending.artifactHashes],
    acceptancePolicyVersion: view.acceptancePolicyVersion,
    approver: { type: 'human', id: stamp.approverId },
    comments: signedComments(input),
    conditions: input.conditions.map((condition) => condition.trim()).filter((condition) => condition !== ''),
    occurredAt: stamp.occurredAt,
  }
}
