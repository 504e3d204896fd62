// Facts that several Commands share, and the shape in which all are told.
import type { ErrorCode } from '../../protocol/error-codes.ts'

/** What has to hold, and the code of the refusal where it does not. */
export type Check = readonly [holds: string, ...codes: ErrorCode[]]

export interface CommandFacts {
  readonly sender: string
  /** What `expectedRevision` is compared with. */
  readonly revision: string
  /** After the checks that all Commands pass, in the order in which they are made. */
  readonly checks: readonly Check[]
  readonly effects: string
  /** The first Event answers the Command; what else comes with it, in the same batch. */
  readonly events: string
}

/** Codes of the checks that every Command passes before its own. */
export const COMMON_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PROTOCOL_VIOLATION', 'SCHEMA_VALIDATION_FAILED', 'AUTH_INVALID_SIGNATURE', 'ACTION_ID_COLLISION', 'UNKNOWN_CRITICAL_EXTENSION', 'INVALID_COMMAND',
  'WORK_CONTRACT_INCOMPLETE', 'AUTH_FORBIDDEN', 'GROUP_NOT_FOUND', 'AUTH_STALE_SESSION', 'MEMBERSHIP_STALE', 'MEMBERSHIP_REQUIRED', 'AUTH_STALE_COORDINATOR',
  'REVISION_CONFLICT', 'BACKPRESSURE', 'INTERNAL_ERROR',
])

export const coordinator: Check = ['The sender is the Coordinator in office and cites its epoch.', 'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR']
export const lease: Check = ['The Coordinator lease has not run out.', 'WORK_LEASE_EXPIRED']
export const ownerOrCoordinator: Check = ['The sender is the MissionOwner or the Coordinator in office.', 'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR']
export const leaseOfCoordinator: Check = ['A Coordinator acts under a live lease; the MissionOwner needs none.', 'WORK_LEASE_EXPIRED']
export const owner: Check = ['The sender is the MissionOwner.', 'AUTH_FORBIDDEN']
export const ownerOrService: Check = ['The sender is the MissionOwner, or a service that policy lets do this.', 'AUTH_FORBIDDEN']
export const active: Check = ['The Mission is active.', 'INVALID_STATE_TRANSITION']
export const stocktaken: Check = ['A Coordinator that was assigned to the Mission has taken stock.', 'INVALID_STATE_TRANSITION']
export const notOver: Check = ['The Mission is not over.', 'INVALID_STATE_TRANSITION']
export const workExists: Check = ['The WorkItem exists.', 'INVALID_COMMAND']
export const worker: Check = ['The Ownership Epoch is the current one and the sender owns the WorkItem.', 'WORK_STALE_OWNERSHIP', 'AUTH_FORBIDDEN']
export const executing: Check = ['The cited Execution Lease is in force, of this Session, and neither lease has run out.', 'WORK_LEASE_EXPIRED']
export const card: Check = ['The Agent Card still covers what the work was accepted with.', 'AUTH_FORBIDDEN']
export const isActive: Check = ['The WorkItem is active.', 'INVALID_STATE_TRANSITION']
export const offline: Check = [
  'A binding to offline execution, where there is one, is this Agent’s, of this work, its owner and a lease that it held, within the grace; every account covers its usage.',
  'INVALID_COMMAND', 'AUTH_FORBIDDEN', 'WORK_STALE_OWNERSHIP', 'AUTH_STALE_SESSION', 'WORK_LEASE_EXPIRED', 'BUDGET_EXCEEDED',
]
export const unfinished: Check = ['The WorkItem is unfinished: open, offered, queued, active, blocked or submitted.', 'INVALID_STATE_TRANSITION']
export const newId: Check = ['Its ids are new in the Group.', 'INVALID_COMMAND']
export const evidence: Check = ['The Evidence is the sender’s own, new, about this work and its criteria.', 'INVALID_COMMAND']
export const entitled: Check = [
  'The sender is the Coordinator; or cites a Delegation Grant that is in force, its own and reaches this far; or is the MissionOwner and gives an `overrideReason`.',
  'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR', 'MEMBERSHIP_STALE', 'INVALID_COMMAND',
]
export const ceilings: Check = ['The budget fits what is left above it and, for a delegate, the ceilings of the Grant.', 'BUDGET_EXCEEDED']
export const contract: Check = [
  'The contract is coherent: no name twice, deadline within the Mission’s, dangerous work gated, resources and capabilities within those of the Mission above, dependencies known and without a cycle.',
  'INVALID_COMMAND', 'AUTH_FORBIDDEN',
]
export const approvalMatter: readonly Check[] = [
  ['The Approval is the sender’s, of the right kind and decision, for this Mission.', 'INVALID_COMMAND'],
  ['The Mission awaits approval.', 'INVALID_STATE_TRANSITION'],
]
export const approvalOfSubmission: readonly Check[] = [
  ['The Approval names the submitted revision, the exact set of artifacts and the acceptance policy version in force.', 'REVISION_CONFLICT'],
  ['The id of the Approval is new.', 'INVALID_COMMAND'],
]
export const approvalAnswers: readonly Check[] = [
  ['The sender is the MissionOwner and does not coordinate the Mission as well.', 'AUTH_FORBIDDEN'],
  ...approvalMatter,
  ...approvalOfSubmission,
]
