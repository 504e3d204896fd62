// The shapes of the state machine: what a decision sees, what it answers, what the fold keeps. Pure data.
import type {
  Actor, AgentCard, Approval, Artifact, Budget, Command, ContextPackage, Conversation, CooperationOverrideGrant, DelegationGrant, Evidence, EventDocument, ExecutionTerms, Extensions, Group,
  Lease, Membership, Mission, MissionChildCreatedPayload, MissionCreatedPayload, Policy, PolicyLogEntry, WorkContract, WorkItem,
} from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'

/** A Command after six-stage verification and admission. */
export interface VerifiedCommand {
  readonly command: Command
  readonly signingHash: string
  /** `conversation` keys may post and propose only; `authority` keys may sign anything their Principal may do. */
  readonly keyUse: 'authority' | 'conversation' | 'agent' | 'service'
  /** The artifact of another Group that an import names; absent where it does not exist for the sender. */
  readonly source?: ArtifactSource
}

/** The Event of another Group by which an artifact was approved there, with the Approval where that is one of the Mission. */
export interface ArtifactApproval {
  readonly sourceEventId: string
  readonly approval?: Approval
}

/** What another Group tells of one of its artifacts to a member who may read it there. */
export interface ArtifactSource {
  readonly artifact: Artifact
  /** The reader's role there. */
  readonly role: Membership['role']
  /** With the Mission, by its owner. */
  readonly approved?: ArtifactApproval
  /** As the result of a WorkItem, by the Coordinator. */
  readonly accepted?: ArtifactApproval
}

/** What another Mission's Group tells of it. */
export interface MissionFacts {
  readonly ownerId: string
  readonly state: string
}

/** Facts from outside the Group that a decision may use. Fixed for the decision; the same inputs give the same answer. */
export interface DecisionEnv {
  /** Authority time, RFC 3339 UTC; never earlier than the Group's last Event. */
  readonly now: string
  readonly organizationId: string
  /** The service Principal in whose name the authority records what no Command asked for (timers, revocations). */
  readonly authority: Actor
  /** The service Principal that issues Agent Cards and opens sessions. */
  readonly registry: Actor
  /** The service Principal that records negotiations of the Inter-Agent Protocol. */
  readonly router: Actor
  readonly cardOf: (agentId: string) => AgentCard | undefined
  /** 0 for an Agent that has never had a session. */
  readonly sessionEpochOf: (agentId: string) => number
  /** Missions that the Commands of this batch refer to, as they were before it. */
  readonly missionFacts: (missionId: string) => MissionFacts | undefined
  /** The Organization's policy in force. `evolve` never sees it: what it had a say in stands in the Events. */
  readonly policy: Policy
  /** Whether the text is a JSON Schema that this server can hold data against. */
  readonly isDataSchema: (text: string) => boolean
  /** Whether this Principal administers the Organization. */
  readonly isAdmin: (principalId: string) => boolean
  /** Whether the Agent coordinates that other Mission at this moment; looked up where a Command of this batch turns on it. */
  readonly coordinates: (agentId: string, missionId: string) => boolean
}

/** What `decideOrganization` may use besides. */
export interface OrganizationEnv extends DecisionEnv {
  /** The proved handshake that a `session_open` completes, with the Session Epoch reserved for it. */
  readonly handshake?: { readonly agentId: string; readonly keyId: string; readonly sessionEpoch: number }
}

/** An Event of the Organization's own log before it is sealed: no Group, no sequence, no revision. */
export interface OrganizationEventDraft {
  /** Derived from what caused it, so the same decision always names the same Event. */
  readonly eventId: string
  readonly kind: EventDocument['kind']
  readonly actor: Actor
  readonly cause: EventDocument['cause']
  readonly correlationId: string
  readonly payload: Record<string, unknown>
  readonly commandHash?: string
  /** The Command's extensions, relayed unchanged, and what the Command says it was caused by. */
  readonly extensions?: Extensions
}

/** An Event before the authority gives it protocolVersion, groupId, sequence, occurredAt, acceptedBy and signature. */
export interface EventDraft extends OrganizationEventDraft {
  readonly aggregateRevision: number
  readonly conversationId?: string
  readonly workItemId?: string
  /** The first Event of another Group, written together with the Events of this one (A-110, O-9). */
  readonly foundsGroupId?: string
}

/** The first draft that the Command is the cause of is the primary Event (the receipt). */
export type Decision = Result<readonly EventDraft[], Rejection>
export type OrganizationDecision = Result<readonly OrganizationEventDraft[], Rejection>

/** Money in the Mission's currency; everything else counts. */
export type BudgetDimension = 'financial' | 'modelTokens' | 'toolCalls' | 'computeSeconds' | 'wallClockSeconds' | 'externalSideEffects'
/** One figure for each of the six budget dimensions. */
export type Amounts = Readonly<Record<BudgetDimension, number>>

/** The account of the Mission or of one WorkItem. A dimension absent from `limit` has nothing allocated. */
export interface Ledger {
  readonly limit: Budget
  /** Account that this one draws on; absent for the Mission's own. */
  readonly parentId?: string
  /** Sum of what the accounts below it hold reserved. */
  readonly allocated: Amounts
  /** What `allocated` of the account above counts for this one: its limit, or once the work is finished what it still needs. */
  readonly reserved: Amounts
  /** Charged to this account itself. */
  readonly direct: Amounts
  /** Charged to this account and to all below it. */
  readonly used: Amounts
  /** What running child Missions at or below this account may still charge in Groups of their own; counts like `used`. */
  readonly held: Amounts
  /** The work is verified, failed or cancelled, and the unused part has been given back. */
  readonly isSettled: boolean
}

export interface Proposal {
  readonly proposalId: string
  readonly proposedBy: Actor
  readonly contract: WorkContract
  readonly parentWorkItemId?: string
  readonly status: 'open' | 'authorized'
  readonly createdAt: string
}

/** A Grant with what it has been used for. */
export interface Delegation {
  readonly grant: DelegationGrant
  /** Budget of each WorkItem that was created or offered under it. */
  readonly committed: ReadonlyMap<string, Amounts>
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
  /** In a child Mission, what the owner of the root Mission signed about it. */
  readonly rootDecision?: Approval
}

/** Why work is blocked, and what would let it go on. */
export interface Blocker {
  readonly reason: string
  readonly unblockCondition: string
}

/** A request to pause at the next safe point. */
export interface Preemption {
  readonly requestedBy: Actor
  readonly requestedAt: string
  readonly reason: string
  readonly urgency: WorkContract['requestedUrgency']
  /** The budget for this dimension is used up, and this Principal is asked to decide whether there will be more. */
  readonly escalation?: { readonly dimension: BudgetDimension; readonly to: Actor }
}

/** The child Mission that works, or worked last, on a WorkItem. */
export interface ChildLink {
  readonly missionId: string
  readonly groupId: string
  readonly title: string
  readonly failurePolicy: MissionChildCreatedPayload['failurePolicy']
  readonly state: 'running' | 'approved' | 'failed' | 'cancelled'
}

/** What a child Mission keeps of the Mission above it, besides `mission.parent`; resources and capabilities are its ceilings. */
export type ParentLink = NonNullable<MissionCreatedPayload['parentLink']>

/** An Approval to execute, with what the WorkItem itself had been charged before it: what came since counts against its budget. */
export interface GrantedExecution {
  readonly approvalId: string
  readonly terms: ExecutionTerms
  readonly usedBefore: Amounts
}

/** What the Group keeps of one WorkItem besides the normative object. */
export interface WorkRecord {
  readonly item: WorkItem
  /** Highest Ownership Epoch so far, 0 before the first; raised by acceptance and by fencing an owner out. */
  readonly ownershipEpoch: number
  readonly parentWorkItemId?: string
  readonly replacesWorkItemId?: string
  readonly proposalId?: string
  /** Held leases only: a lease that was released, revoked or has expired is gone from the fold and stays in the log. */
  readonly ownershipLease?: Lease
  readonly executionLease?: Lease
  /** The latest that have ended under the present ownership, oldest first: what was buffered under them may still come in. */
  readonly closedExecutions?: readonly { readonly lease: Lease; readonly closedAt: string }[]
  /** Held while the item is blocked: how long its owner keeps it. */
  readonly blockedLease?: Lease
  /** The latest Approval to start, whether or not its terms still hold. */
  readonly executionApproval?: GrantedExecution
  /** What blocked work waits for. */
  readonly blocker?: Blocker
  readonly child?: ChildLink
  /** The executing owner was asked to pause; gone once the execution ends. */
  readonly preemption?: Preemption
  /** What the latest submission or failure brought. */
  readonly evidence: readonly Evidence[]
  /** What the review that verified it brought. */
  readonly acceptedEvidence: readonly Evidence[]
  /** Why it failed or was cancelled. */
  readonly reason?: string
  /** How often an Agent has begun it: the first start of each ownership counts. */
  readonly attempts: number
  /** Ownership Epoch of the last start that counted. */
  readonly attemptedEpoch?: number
}

/** A later word on a Message, which is a Message of its own. */
export interface Amendment {
  readonly kind: 'correction' | 'retraction' | 'redaction'
  readonly sequence: number
}

/** What the Group keeps of a Message; the text stays in the log. */
export interface MessageRecord {
  readonly conversationId: string
  readonly author: Actor
  /** In log order; absent while the Message stands as it was posted. `evolve` adds to it in place. */
  readonly amendments?: Amendment[]
}

/** What the Group keeps of a Context Package; the text stays in the log. */
export type PackageRecord = Pick<ContextPackage, 'version' | 'workItemId' | 'artifactHashes'>

/** What a provisional Membership is for, and how much of the log goes with it. */
export interface Candidacy {
  readonly workItemId: string
  /** Sequence of the last Event that the candidate may read; the first is that of the offer. */
  readonly through: number
}

/** A Cooperation Override Grant and what became of it. */
export interface OverrideRecord {
  readonly grant: CooperationOverrideGrant
  /** Primary Event of the Command that used it up, and when. */
  readonly consumedEventId?: string
  readonly consumedAt?: string
}

/** The snapshot that a Group is archived with. */
export interface GroupArchive {
  readonly snapshotId: string
  /** Last Event that it covers. */
  readonly throughSequence: number
  readonly stateHash: string
  /** Hash of the signed snapshot itself. */
  readonly snapshotArtifactHash: string
  /** Earlier Events are no longer replayed; absent where all of them are. */
  readonly firstOnlineSequence?: number
}

/** A change of Coordinators after which the successor has not taken stock yet. */
export interface Takeover {
  /** Sequence of the assignment. */
  readonly sequence: number
  readonly predecessorId: string
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
  /** In a child Mission only. */
  parentLink?: ParentLink
  group: Group
  coordinatorLease: Lease
  takeover?: Takeover
  readonly conversations: Map<string, Conversation>
  /** By Principal id. */
  readonly memberships: Map<string, Membership>
  /** By Principal id, until its Membership is active: what was hidden from a candidate stays hidden if it leaves as one. */
  readonly candidacies: Map<string, Candidacy>
  /** Members who came by an offer; they leave once nothing is left for them to do. */
  readonly temporary: Set<string>
  readonly contextPackages: Map<string, PackageRecord>
  readonly workItems: Map<string, WorkRecord>
  readonly proposals: Map<string, Proposal>
  /** By Grant id; one whose target has ended is gone for good. */
  readonly delegations: Map<string, Delegation>
  /** By content hash, then artifactId: the same content may be published by several WorkItems. */
  readonly artifacts: Map<string, readonly Artifact[]>
  /** By the id of the Message that was posted; amendments are kept with it. */
  readonly messages: Map<string, MessageRecord>
  /** Sequences of the Events whose text is hidden → sequence of the redaction that hides them. */
  readonly redactedBy: Map<number, number>
  /** Sequences of the Events in restricted Conversations → the Conversation. */
  readonly confidential: Map<number, string>
  readonly ledgers: Map<string, Ledger>
  submissions: readonly Submission[]
  /** Ids of all Events, in order. */
  readonly eventIds: string[]
  /** Append-only. */
  readonly policyLog: PolicyLogEntry[]
  archive?: GroupArchive
  /** Sequence of the Event that introduced an id: Events, Messages, work, proposals, artifacts and hashes, Evidence, Approvals, members. */
  readonly sequenceOf: Map<string, number>
  /** Sequences of the lifecycle steps of each WorkItem, ascending; the first is its authorization. */
  readonly workSteps: Map<string, number[]>
  /** WorkItems that each Agent is answerable for (queued to submitted), so that nothing has to search for them. */
  readonly ownedBy: Map<string, Set<string>>
  /** Cooperation Override Grants by id. */
  readonly overrides: Map<string, OverrideRecord>
  /** Major version that the Group has pinned of each Extension Profile it was required to understand, by profile URI. */
  readonly extensionPins: Map<string, string>
  /** Times within the last minute before a member's last one, ascending, of what a rate counts; by rate and member. */
  readonly recent: Map<string, string[]>
  /** WorkItems with an Execution Lease. */
  readonly executing: Set<string>
  /** WorkItems with a blocked lease. */
  readonly waiting: Set<string>
}
