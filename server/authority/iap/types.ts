// The shapes of one I.A.P. task: what the fold keeps, what a decision is asked, what it answers. Pure data.
import type { IAPErrorCode } from '../../../protocol/iap/error-codes.ts'
import type { TaskStatus } from '../../../protocol/iap/task-status.ts'
import type { AgentId, CapabilityRecord, ErrorMessage, IAPMessage, IAPMessageOf, TaskBid, TaskId, TaskProposal } from '../../../protocol/iap/types.ts'
import type { TaskRecord } from './records.ts'
import type { SelectionWeights } from './selection.ts'

/** Why an agent that had won does not have the task any more. */
export type ReleaseCause = 'rejected' | 'overloaded' | 'not_accepted' | 'disconnected' | 'offline'

export interface EligibleAgent {
  readonly agentId: AgentId
  readonly capabilityId: string
  /** What a result is held to; kept with the broadcast, so that the task can be folded without the agent. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
}

export interface PlacedBid {
  readonly ordinal: number
  readonly round: number
  readonly bid: TaskBid
  /** Bids over a limit of the proposal are kept and never chosen. */
  readonly ineligible?: 'over_max_cost' | 'over_max_latency'
}

/** The task in somebody's hands. */
export interface Holding {
  readonly ordinal: number
  /** The fence: it changes whenever the task changes hands or its holder's session is replaced. */
  readonly assignmentId: string
  readonly agent: EligibleAgent
  readonly bid: TaskBid
  readonly acceptByMs: number
  readonly deadlineMs: number
  readonly acceptance?: { readonly ordinal: number; readonly atMs: number; readonly timeoutMs: number }
  /** The holder is not heard any more; the task is given away at this time. */
  readonly graceUntilMs?: number
  readonly partCount: number
}

export interface TaskState {
  readonly taskId: TaskId
  readonly proposal: TaskProposal
  /** Of the proposer's own message; every message about the task is correlated with it. */
  readonly proposalMessageId: string
  readonly status: TaskStatus
  /** The ordinal of the next record. */
  readonly recordCount: number
  /** 0 before the first broadcast; there are at most two. */
  readonly round: number
  readonly eligible: ReadonlyMap<AgentId, EligibleAgent>
  readonly windowClosesMs?: number
  /** All bids in the order in which they came; of one agent the last in a round counts. */
  readonly bids: readonly PlacedBid[]
  readonly released: ReadonlyMap<AgentId, ReleaseCause>
  readonly holding?: Holding
  /** Results that were not applied. */
  readonly evidenceCount: number
  /** Parts of results that are kept, of whichever holder. `bytes`: of their JSON texts in UTF-8. */
  readonly parts: { readonly count: number; readonly bytes: number }
  /** Contexts that were passed on, and whom they went to. */
  readonly contextCount: number
  readonly consulted: ReadonlySet<AgentId>
  /** The latest record of each agent that a later one of its own can refer to. */
  readonly lastRecordOf: ReadonlyMap<AgentId, number>
  readonly failure?: { readonly code: IAPErrorCode; readonly reason: string }
}

export interface RouterRules {
  /** The longest bid window; a quarter of the proposal's `maxLatency` where that is shorter. */
  readonly bidWindowMs: number
  readonly acceptWithinMs: number
  /** Time for a task whose proposal names no `maxLatency`. */
  readonly defaultTaskMs: number
  /** No task may take longer, whatever its proposal says. */
  readonly longestTaskMs: number
  /** How long accepted work waits for an agent that is not heard any more. */
  readonly graceMs: number
  readonly heartbeatIntervalMs: number
  readonly weights: SelectionWeights
}

/** How an agent stands at the moment of a decision. */
export interface AgentStanding {
  readonly isOnline: boolean
  readonly freeSlots: number
  /** Whether it announced 1.1 and may be sent what that added. */
  readonly speaksAdditions: boolean
  /** Whether more may wait for it until it is known to have what it was sent. */
  readonly hasRoom: boolean
}

/** Facts from outside the task, fixed for the decision. The functions are lookups: the same arguments give the same answer. */
export interface TaskEnv {
  readonly nowMs: number
  /** Fresh random text of the caller's; recorded wherever it settles a tie. */
  readonly seed: string
  readonly rules: RouterRules
  /** Agents that could take the task now, and how many more could if they were not busy. */
  readonly candidates: () => { readonly eligible: readonly EligibleAgent[]; readonly busy: number }
  readonly standingOf: (agentId: AgentId) => AgentStanding
  readonly recordOf: (agentId: AgentId, capabilityId: string) => CapabilityRecord
  /** Whether another task that has not ended is done for the same WorkItem. */
  readonly isWorkInHand: () => boolean
}

/** What can happen to a task. The door has validated messages and seen to it that they are of the session's own agent. */
export type TaskInput =
  /** `cached` is an earlier result of the same key, where the proposer asked for one. */
  | { readonly type: 'proposal'; readonly message: IAPMessageOf<'TASK_PROPOSAL'>; readonly cached?: { readonly result: unknown } }
  | { readonly type: 'bid'; readonly message: IAPMessageOf<'TASK_BID'> }
  | { readonly type: 'acceptance'; readonly message: IAPMessageOf<'TASK_ACCEPTANCE'> }
  | { readonly type: 'rejection'; readonly message: IAPMessageOf<'TASK_REJECTION'> }
  | { readonly type: 'partial-result'; readonly message: IAPMessageOf<'TASK_PARTIAL_RESULT'> }
  /** `outputFault`: what the holder's output schema says against the result. */
  | { readonly type: 'result'; readonly message: IAPMessageOf<'TASK_RESULT'>; readonly outputFault?: string }
  /** `content`: hash (hex) and size of the unpacked data, or why it cannot be passed on. */
  | { readonly type: 'context'; readonly message: IAPMessageOf<'CONTEXT_TRANSFER'>; readonly content: { readonly sha256: string; readonly size: number } | { readonly fault: string } }
  | { readonly type: 'cancel'; readonly by: string; readonly reason?: string }
  /** It said DISCONNECT. */
  | { readonly type: 'departed'; readonly agentId: AgentId }
  /** Its socket broke, or three heartbeats are missing. */
  | { readonly type: 'lost'; readonly agentId: AgentId }
  /** It has a session again; `isTakeover` when that replaced one which was still open. */
  | { readonly type: 'returned'; readonly agentId: AgentId; readonly isTakeover: boolean }
  /** A timer rang. Harmless at any time. */
  | { readonly type: 'due' }

export interface TaskOutcome {
  /** To be appended to the task's Space, in one transaction with the messages. */
  readonly records: readonly TaskRecord[]
  /** Complete, with ids that the same decision derives again. `to` is the recipient. */
  readonly messages: readonly IAPMessage[]
  /** For whoever sent the input. Records and messages can stand beside it: a late result is refused and kept. */
  readonly error?: ErrorMessage
}
