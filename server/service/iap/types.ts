// What the I.A.P. door asks of the router, and what the router asks of a door.
import type { RouterRules } from '../../authority/iap/types.ts'
import type { IapAmount } from './store-port.ts'

/** Why the router ends a connection. */
export type PeerEnd = 'refused' | 'version' | 'replaced' | 'silent' | 'left' | 'stopping' | 'failed'

/** One connection as the router sees it. */
export interface PeerLink {
  /** Sends one message. */
  send(text: string): void
  /** Asks the peer for a sign that it has the first so many messages of its mailbox; `Peer.confirmed` is called with the count when it came. */
  confirm(count: number): void
  /** Whether so much is on its way that more should wait. */
  readonly isFull: boolean
  /** Resolves when there is room again, or when the connection is gone. */
  drained(): Promise<void>
  end(why: PeerEnd): void
}

/** What a door tells the router of one connection. */
export interface Peer {
  /** One frame: a message as strict JSON, in the order of arrival. Resolves when it is dealt with; never rejects. */
  receive(value: unknown): Promise<void>
  /** Resolves when every frame so far is dealt with. */
  idle(): Promise<void>
  /** A sign of life that is no message. */
  heard(): void
  confirmed(count: number): void
  /** Answers what the door itself refuses. */
  refuse(message: string, reason: string): void
  closed(): void
}

/** Time as the router needs it; tests have one that stands still. */
export interface IapTimers {
  /** Calls back once, after so many milliseconds. */
  after(delayMs: number, act: () => void): { cancel(): void }
}

export interface IapLimits {
  /** Bytes of a message that carries no context. */
  readonly maxMessageBytes: number
  /** Bytes of context, unpacked. */
  readonly maxContextBytes: number
  readonly maxBatchMessages: number
  /** Tasks of one proposer that have not ended. */
  readonly maxOpenTasks: number
  /** After a start the agents have so long to come back before anything is taken from them. */
  readonly settleMs: number
  /** How long the schemas of one capability may take over one value. */
  readonly schemaMs: number
  /** How long answers are kept for messages that come again. */
  readonly answersKeptMs: number
  /** Answers kept for one agent. */
  readonly maxAnswers: number
  /** Messages that may wait for one agent, and their bytes. What tells how its own tasks end comes on top. */
  readonly maxWaiting: IapAmount
  /** How long a message waits. */
  readonly messagesKeptMs: number
  /** Ended tasks of one proposer that the router remembers, and bytes of their records. */
  readonly maxEndedTasks: IapAmount
  readonly tasksKeptMs: number
  /** Results of all tasks that may answer a like one. */
  readonly maxResults: IapAmount
  readonly resultsKeptMs: number
}

export interface IapOptions {
  readonly rules?: Partial<RouterRules>
  readonly limits?: Partial<IapLimits>
  readonly timers?: IapTimers
}

const dayMs = 24 * 3_600_000

export const DEFAULT_IAP_LIMITS: IapLimits = {
  maxMessageBytes: 128 * 1024,
  maxContextBytes: 1024 * 1024,
  maxBatchMessages: 64,
  maxOpenTasks: 256,
  settleMs: 5_000,
  schemaMs: 100,
  answersKeptMs: 7 * dayMs,
  maxAnswers: 10_000,
  maxWaiting: { count: 4_096, bytes: 64 * 1024 * 1024 },
  messagesKeptMs: 30 * dayMs,
  maxEndedTasks: { count: 10_000, bytes: 256 * 1024 * 1024 },
  tasksKeptMs: 90 * dayMs,
  maxResults: { count: 10_000, bytes: 256 * 1024 * 1024 },
  resultsKeptMs: 30 * dayMs,
}

/** The Inter-Agent Protocol router: `service.iap`. */
export interface IapRouter {
  /** Whether this node has the router. One of all nodes has, and which one may change at any time. */
  readonly isServing: boolean
  readonly limits: IapLimits
  readonly heartbeatIntervalMs: number
  /** A connection whose token belongs to this Principal. Only where it serves, as `cancel`. */
  connect(principalId: string, link: PeerLink): Peer
  /** Ends a task for whoever may decide that outside the protocol; false when there is no such task or it has ended. */
  cancel(taskId: string, by: string, reason?: string): Promise<boolean>
  /** Ends all connections; nobody is taken for gone who leaves now. */
  suspend(): Promise<void>
  /** Resolves when everything that was committed stands in its Space. */
  published(): Promise<void>
}
