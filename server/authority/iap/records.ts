// What the log keeps of a task: one Message of the task's Space for each record. The records alone say how the task stands.
import type { IAPErrorCode } from '../../../protocol/iap/error-codes.ts'
import type { AgentId, TaskBid, TaskId, TaskPartialResult, TaskProposal, TaskResult } from '../../../protocol/iap/types.ts'
import type { Selection } from './selection.ts'
import type { EligibleAgent, PlacedBid, ReleaseCause } from './types.ts'

/** The content of each kind of record besides its head. Times are RFC 3339. */
export interface RecordContents {
  readonly task_proposal: { readonly messageId: string; readonly proposal: TaskProposal }
  readonly task_broadcast: { readonly round: number; readonly eligible: readonly EligibleAgent[]; readonly closesAt: string }
  /** `replaces`: ordinal of the bidder's earlier bid in this round. */
  readonly task_bid: { readonly messageId: string; readonly bid: TaskBid; readonly round: number; readonly ineligible?: PlacedBid['ineligible']; readonly replaces?: number }
  readonly task_assignment: { readonly assignmentId: string; readonly agentId: AgentId; readonly acceptBy: string; readonly deadline: string; readonly selection: Selection }
  readonly task_acceptance: { readonly messageId: string; readonly assignmentId: string; readonly timeoutAt: string }
  readonly task_rejection: { readonly messageId: string; readonly assignmentId: string; readonly cause: ReleaseCause; readonly reason?: string }
  readonly task_release: { readonly assignmentId: string; readonly agentId: AgentId; readonly cause: ReleaseCause }
  /** The holder keeps the task under a new fence. */
  readonly task_fence: { readonly assignmentId: string; readonly replaces: string; readonly agentId: AgentId }
  readonly assignee_lost: { readonly assignmentId: string; readonly agentId: AgentId; readonly graceUntil: string }
  readonly assignee_returned: { readonly assignmentId: string; readonly agentId: AgentId }
  readonly task_partial_result: { readonly messageId: string; readonly assignmentId: string; readonly part: TaskPartialResult }
  /** The data went to its receiver; the log has its hash (hex, of the JSON text) and size. */
  readonly context_transfer: { readonly messageId: string; readonly fromAgent: AgentId; readonly toAgent: AgentId; readonly contextType: string; readonly compression: string; readonly sha256: string; readonly size: number }
  /** `refused` tells why a result is only evidence. `latencyMs` is the router's own measure from the acceptance. */
  readonly task_result: { readonly messageId: string; readonly result: TaskResult; readonly refused?: string; readonly latencyMs?: number; readonly isCached?: boolean }
  readonly task_failure: { readonly code: IAPErrorCode; readonly reason: string }
  readonly task_cancellation: { readonly by: string; readonly reason?: string }
}
export type RecordType = keyof RecordContents

export interface RecordHead {
  readonly taskId: TaskId
  /** Counts the records of the task from 0. */
  readonly ordinal: number
  /** Ordinals of earlier records of the task; in the Space, references to their Messages. */
  readonly refs: readonly number[]
  /** The agent in whose name the Message stands, or `router`. */
  readonly author: AgentId
  /** When the router received or decided it. */
  readonly at: string
}
export type RecordOf<T extends RecordType> = RecordHead & { readonly type: T; readonly content: RecordContents[T] }
export type TaskRecord = { readonly [T in RecordType]: RecordOf<T> }[RecordType]

const PREFIX = 'iap/'

/** The `content_type` of the record's Message. */
export const contentTypeOf = (record: TaskRecord): string => PREFIX + record.type

/** Whether a Message of this type passes for a record. */
export const isRecordType = (contentType: string): boolean => contentType.startsWith(PREFIX)

/** The content of the record's Message: an object of JSON. */
export const spaceContentOf = ({ type: _type, content, ...head }: TaskRecord): Record<string, unknown> => ({ ...head, ...content })

/** The record that a Message holds which the router wrote itself. */
export function recordFromSpace(contentType: string, spaceContent: Readonly<Record<string, unknown>>): TaskRecord {
  const { taskId, ordinal, refs, author, at, ...content } = spaceContent
  return { taskId, ordinal, refs, author, at, type: contentType.slice(PREFIX.length), content } as unknown as TaskRecord
}
