// What the console shows: plain values derived from the fold and the log. Components get these types through the tRPC router.
import type { Actor, Approval, Artifact, Budget, CapabilityRef, Evidence, ExecutionTerms, Policy } from '../../protocol/generated/types.ts'
import type { JsonObject } from '../../protocol/strict-json.ts'
import type { EdgeProvenance } from '../authority/read-models.ts'

/** A Principal as people see it. `custody` is written out ("browser key, not extractable", "key held by the agent"). */
export interface ParticipantView {
  readonly id: string
  readonly type: Actor['type']
  readonly name: string
  readonly role?: string
  readonly membershipState?: string
  /** What a change of the Membership has to name as the present state of things. */
  readonly membershipEpoch?: number
  readonly custody?: string
  readonly online?: boolean
}

export type Health = 'healthy' | 'waiting-on-person' | 'blocked' | 'failing' | 'finished'

/** One sentence parts that answer: how is it, why, until when, who must act. Each fact links to its Event. */
export interface StatusLine {
  readonly health: Health
  /** "Waiting for your approval of revision 7" */
  readonly sentence: string
  readonly because: string
  readonly until?: string
  readonly actor?: ParticipantView
  readonly sequence?: number
}

/** A Mission of the reader's whose log cannot be read now, by what is indexed of it. */
export interface UnreadableMission { readonly missionId: string; readonly title: string }

export interface MissionSummary {
  readonly missionId: string
  readonly groupId: string
  readonly title: string
  readonly state: string
  readonly revision: number
  readonly status: StatusLine
  readonly owner: ParticipantView
  readonly coordinator: ParticipantView
  readonly deadline: string
  readonly updatedAt: string
  readonly counts: Readonly<Record<string, number>>
  /** Its result waits for the caller's decision. */
  readonly waitingOnMe: boolean
  /** WorkItems that may not start before the caller approves. */
  readonly startsWaitingOnMe: number
}

export interface BudgetLine { readonly dimension: string; readonly unit: string; readonly limit?: number; readonly used: number; readonly allocated: number }

export interface BoardItem {
  readonly workItemId: string
  readonly goal: string
  readonly state: string
  readonly revision: number
  readonly sequence: number
  /** The proposal that it was made of. */
  readonly proposalId?: string
  readonly owner?: ParticipantView
  readonly ownershipEpoch?: number
  /** Who may still accept it; absent where nobody is asked. */
  readonly offeredTo?: readonly ParticipantView[]
  /** Execution Lease expiry while active. */
  readonly leaseExpiresAt?: string
  readonly deadline: string
  readonly dependsOn: readonly { readonly workItemId: string; readonly goal: string; readonly state: string }[]
  /** Plain sentences, empty when nothing blocks: "Waits for inventory (#41)". Derived, never a tag. */
  readonly blockers: readonly { readonly sentence: string; readonly sequence?: number }[]
  readonly budget: readonly BudgetLine[]
  readonly artifactHashes: readonly string[]
  readonly progress?: { readonly phase: string; readonly milestones: readonly string[] }
  readonly conversationId: string
  readonly attempts: number
  /** Its owner may not start before the person in charge approves; what there is to approve. Absent once the gate is open. */
  readonly startGate?: StartGate
  /** The child Mission that does, or did, this work. */
  readonly child?: { readonly missionId: string; readonly title: string; readonly state: string }
}

/** What an execution Approval of this work can allow at most. */
export interface StartGate extends Omit<ExecutionTerms, 'expiresAt'> {
  /** Who may approve it: the MissionOwner, in a child Mission the human at the root. */
  readonly personId: string
  readonly acceptancePolicyVersion: string
}

/** A WorkItem as somebody sees it who wants to offer it. */
export interface OfferView {
  readonly workItemId: string
  readonly revision: number
  readonly deadline: string
  readonly requiredCapabilities: readonly CapabilityRef[]
  /** Why it cannot be offered to anybody now, in a sentence; `until` when that ends by itself. */
  readonly obstacle?: string
  readonly until?: string
  /** The Agents of the Group besides the Coordinator; `whyNot` in a sentence where the offer would be refused. */
  readonly candidates: readonly { readonly who: ParticipantView; readonly verifiedMatches: readonly CapabilityRef[]; readonly whyNot?: string }[]
}

export interface ArtifactView {
  readonly contentHash: string
  readonly name: string
  readonly artifact: Artifact
  readonly producer: ParticipantView
  readonly workItemId: string
  /** Absent for what was brought in from another Mission. */
  readonly workGoal?: string
  readonly sequence: number
  readonly submitted: boolean
}

export interface ConversationView {
  readonly conversationId: string
  readonly title: string
  readonly type: string
  readonly workItemId?: string
  readonly messages: number
  /** Who posts, owner and Coordinator included; absent where every member does. */
  readonly participants?: readonly ParticipantView[]
  /** Only the participants read it. */
  readonly isRestricted: boolean
  /** Whether the caller is one of those who post. */
  readonly takesPart: boolean
}

export interface MissionView extends MissionSummary {
  readonly head: number
  /** In a child Mission: the Mission and the WorkItem that it is part of. */
  readonly parent?: { readonly missionId: string; readonly workItemId: string }
  readonly objective: string
  readonly definitionOfDone: readonly { readonly criterionId: string; readonly description: string; readonly evidenceRequired: readonly string[] }[]
  readonly budget: readonly BudgetLine[]
  /** What the Mission may use, as it was signed. */
  readonly limits: Budget
  readonly currency?: string
  readonly coordinatorLeaseExpiresAt: string
  readonly coordinatorEpoch: number
  readonly work: readonly BoardItem[]
  readonly conversations: readonly ConversationView[]
  readonly people: readonly ParticipantView[]
  readonly createdAt: string
  /** The caller's own standing, needed to build Commands. */
  readonly me: { readonly principalId: string; readonly role: string; readonly membershipEpoch: number }
  readonly submissions: readonly { readonly submissionNumber: number; readonly missionRevision: number; readonly outcome: string; readonly sequence: number; readonly submittedAt: string }[]
}

/** How a Message stands now; `restricted` is one that the caller may not read. */
export type MessageForm = 'posted' | 'corrected' | 'retracted' | 'redacted' | 'restricted'

type MessageParts = readonly ({ type: 'text'; text: string } | { type: 'artifact_ref'; artifactHash: string } | { type: 'data_ref'; schema: string; data: unknown })[]

/** One link of a Message's chain: the Message as it was posted, or a later word on it. */
export interface MessageStep {
  readonly sequence: number
  readonly kind: 'message' | 'correction' | 'retraction' | 'redaction'
  readonly author: ParticipantView
  readonly at: string
  readonly reason?: string
  /** Its text exists and is not for the caller. */
  readonly isWithheld: boolean
  readonly parts: MessageParts
}

export interface MessageView {
  readonly sequence: number
  readonly eventId: string
  readonly messageId: string
  readonly conversationId: string
  readonly author: ParticipantView
  readonly form: MessageForm
  /** What it says now; empty once it says nothing any more. */
  readonly parts: MessageParts
  /** From the Message as it was posted to the last word on it; empty while it stands as it was posted. */
  readonly chain: readonly MessageStep[]
  readonly mentions: readonly ParticipantView[]
  /** What it answers: Messages or any other entries of the Space. `sequence` is absent for an id that is not known here. */
  readonly references: readonly { readonly id: string; readonly sequence?: number }[]
  readonly at: string
}

export type NodeKind = 'message' | 'event' | 'artifact'
export interface GraphNode {
  readonly id: string
  readonly sequence: number
  readonly nodeKind: NodeKind
  readonly eventKind: string
  /** One short line: "Licence worker submitted 1 artifact". */
  readonly title: string
  readonly excerpt?: string
  readonly actor: ParticipantView
  readonly at: string
  /** Lane key: a Conversation or WorkItem id, or `mission`. */
  readonly lane: string
}
export interface GraphEdge { readonly child: number; readonly parent: number; readonly provenance: EdgeProvenance }
export interface GraphPage { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[]; readonly lanes: readonly { id: string; title: string }[]; readonly head: number; readonly total: number; readonly hasOlder: boolean }

export interface LogLine { readonly sequence: number; readonly eventId: string; readonly kind: string; readonly actor: ParticipantView; readonly at: string; readonly title: string; readonly cause: { readonly type: string; readonly id: string } }

/** A Node of an open Space: `id` is its Principal, as everywhere in the console, `nodeId` what Messages name it by. */
export interface NodeView extends ParticipantView { readonly nodeId: string }

export interface SpaceSummary {
  readonly spaceId: string
  readonly name: string
  readonly tags: readonly string[]
  readonly messageCount: number
  readonly memberCount: number
  /** Whether the caller has entered it. Reading takes no membership. */
  readonly isMember: boolean
}

export interface SpaceView extends SpaceSummary {
  /** By name; the first thousand of `memberCount`. */
  readonly members: readonly (NodeView & { readonly description: string })[]
  /** The caller as a Node. */
  readonly myNodeId: string
}

/** A Message of an open Space. Numbers that no binary64 holds are strings of their digits in `content` and `meta`. */
export interface SpaceMessageView {
  readonly sequence: number
  readonly messageId: string
  readonly author: NodeView
  readonly at: string
  readonly contentType?: string
  readonly content: JsonObject
  readonly meta?: JsonObject
  /** Of a record of the Inter-Agent Protocol: names of the agents in it, by the ids that it has for them. */
  readonly agents?: Readonly<Record<string, string>>
  /** Sequences of the Messages that it answers, ascending. */
  readonly answers: readonly number[]
  /** The first twenty of `mentionCount`. */
  readonly mentions: readonly NodeView[]
  readonly mentionCount: number
}

/**
 * One ruling of the Policy Log. Ids in `reason` are replaced by names as far as the reader may know them; it is absent where
 * members of a Group that the reader does not belong to wrote it. `sequence` is the Event that it let through, `code` why it let nothing through.
 */
export interface RulingLine {
  readonly entry: number
  readonly area: string
  readonly outcome: 'allowed' | 'refused'
  readonly actor: ParticipantView
  readonly at: string
  /** Of the Event, or of the Command that was refused. */
  readonly kind: string
  readonly reason?: string
  readonly policyVersion: number
  /** The Space that it is about; absent for the Organization's policy itself. */
  readonly groupId?: string
  /** Its Mission, where the reader is a member. */
  readonly mission?: { readonly missionId: string; readonly title: string }
  readonly sequence?: number
  readonly code?: string
}

/** A version of the Organization's policy with the one that it replaced. */
export interface PolicyVersion { readonly policy: Policy; readonly previous: Policy; readonly by: ParticipantView; readonly at: string; readonly reason: string }

/** Everything the approver decides on. The page recomputes hashes itself and signs `approval` built from these values. */
export interface ApprovalView {
  readonly mission: MissionView
  /** Who decides next: the owner, or the human at the root who has to approve a child Mission first. */
  readonly decider: ParticipantView
  /** Whether this is a child Mission, whose Approvals are of a kind of their own. A person decides on one as the human at the root. */
  readonly isChild: boolean
  readonly pending?: {
    readonly submissionNumber: number
    readonly missionRevision: number
    readonly artifactHashes: readonly string[]
    readonly summary: string
    readonly openRisks: readonly string[]
    readonly dropped: readonly { readonly workItemId: string; readonly goal: string; readonly reason: string }[]
    readonly sequence: number
    readonly submittedAt: string
  }
  readonly artifacts: readonly (ArtifactView & { readonly change: 'added' | 'changed' | 'same'; readonly previousHash?: string })[]
  /** Artifacts of the caller's last decision that are no longer in the set. */
  readonly removed: readonly ArtifactView[]
  readonly criteria: readonly { readonly criterionId: string; readonly description: string; readonly required: readonly { readonly type: string; readonly evidence: readonly (Evidence & { sequence: number })[] }[]; readonly satisfied: boolean }[]
  /** What the caller has signed about the pending submission, while somebody else has yet to decide. */
  readonly signed?: { readonly approval: Approval; readonly sequence: number }
  /** The caller's earlier signed decisions on this Mission, newest first. */
  readonly decisions: readonly { readonly approval: Approval; readonly sequence: number }[]
  readonly acceptancePolicyVersion: string
}
