// The shapes of the state machine: what a decision sees, what it answers, what the fold keeps. Pure data.
import type {
  AcceptanceCriterion, Actor, AgentCard, Approval, Artifact, Budget, Command, Conversation, Evidence, EventDocument, Group, Lease,
  Membership, Mission, SelectionBasis, WorkContract, WorkItem,
} from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'

/** A Command after six-stage verification and admission. */
export interface VerifiedCommand {
  readonly command: Command
  readonly signingHash: string
  /** `conversation` keys may post and propose only; `authority` keys may sign anything their Principal may do. */
  readonly keyUse: 'authority' | 'conversation' | 'agent' | 'service'
}

/** Facts from outside the Group that a decision may use. Fixed for the decision; the same inputs give the same answer. */
export interface DecisionEnv {
  /** Authority time, RFC 3339 UTC; never earlier than the Group's last Event. */
  readonly now: string
  readonly organizationId: string
  readonly cardOf: (agentId: string) => AgentCard | undefined
  readonly sessionEpochOf: (agentId: string) => number
}

/** An Event before the authority gives it protocolVersion, eventId, groupId, sequence, occurredAt, acceptedBy and signature. */
export interface EventDraft {
  readonly kind: string
  readonly actor: Actor
  readonly cause: EventDocument['cause']
  readonly correlationId: string
  readonly aggregateRevision: number
  readonly conversationId?: string
  readonly workItemId?: string
  readonly payload: Record<string, unknown>
  readonly commandHash?: string
}

/** First draft is the primary Event (the receipt). */
export type Decision = Result<readonly EventDraft[], Rejection>

/** Usage or limits in the six budget dimensions. Absent dimension: nothing allocated. */
export interface Ledger {
  readonly limit: Budget
  /** Sum of the limits given to children. */
  readonly allocated: Record<BudgetDimension, number>
  /** Rolled-up consumption. */
  readonly used: Record<BudgetDimension, number>
}
export type BudgetDimension = 'financial' | 'modelTokens' | 'toolCalls' | 'computeSeconds' | 'wallClockSeconds' | 'externalSideEffects'

export interface Proposal {
  readonly proposalId: string
  readonly proposedBy: Actor
  readonly contract: WorkContract
  readonly parentWorkItemId?: string
  readonly status: 'open' | 'authorized'
  readonly createdAt: string
}

export interface Submission {
  readonly submissionNumber: number
  readonly missionRevision: number
  readonly artifactHashes: readonly string[]
  readonly summary: string
  readonly openRisks: readonly string[]
  readonly dropped: readonly { workItemId: string; reason: string }[]
  readonly sequence: number
  readonly submittedAt: string
  readonly outcome: 'pending' | 'approved' | 'changes_requested'
  readonly approval?: Approval
}

/** What the Group keeps of one WorkItem besides the normative object. */
export interface WorkRecord {
  readonly item: WorkItem
  readonly parentWorkItemId?: string
  readonly replacesWorkItemId?: string
  readonly proposalId?: string
  readonly ownershipLease?: Lease
  readonly executionLease?: Lease
  readonly evidence: readonly Evidence[]
  readonly acceptedEvidence: readonly Evidence[]
  readonly reason?: string
  readonly attempts: number
}

/**
 * State of one Group, folded from its Events. `evolve` owns and updates it in place; nobody else writes to it.
 * Aggregates are immutable values that are replaced; only the indexes are mutable Maps.
 */
export interface GroupState {
  readonly groupId: string
  sequence: number
  lastOccurredAt: string
  title: string
  mission: Mission
  group: Group
  coordinatorLease: Lease
  readonly conversations: Map<string, Conversation>
  /** By Principal id. */
  readonly memberships: Map<string, Membership>
  readonly workItems: Map<string, WorkRecord>
  readonly proposals: Map<string, Proposal>
  /** By content hash, then artifactId: the same content may be published by several WorkItems. */
  readonly artifacts: Map<string, readonly Artifact[]>
  /** messageId → Conversation and author; the text stays in the log. */
  readonly messages: Map<string, { readonly conversationId: string; readonly author: Actor }>
  readonly ledgers: Map<string, Ledger>
  submissions: readonly Submission[]
  /** Sequence of the Event that introduced an id (message, WorkItem, artifact hash, proposal, approval, event id of a lifecycle step). */
  readonly sequenceOf: Map<string, number>
}

export type Criterion = AcceptanceCriterion
export type Basis = SelectionBasis
