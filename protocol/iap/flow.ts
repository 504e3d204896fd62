// FlowState: one machine for a session and one for each task of an agent, moved by the messages that it sends or receives.
import type { MessageType } from './message-type.ts'
import type { AgentId } from './types.ts'

export const FlowState = {
  DISCONNECTED: 'disconnected',
  HANDSHAKING: 'handshaking',
  CONNECTED: 'connected',
  IDLE: 'idle',
  DISCOVERING: 'discovering',
  PROPOSING: 'proposing',
  BIDDING: 'bidding',
  ASSIGNING: 'assigning',
  EXECUTING: 'executing',
  TRANSFERRING_CONTEXT: 'transferring_context',
  COMPLETING: 'completing',
  ERROR: 'error',
  DISCONNECTING: 'disconnecting',
} as const
export type FlowState = (typeof FlowState)[keyof typeof FlowState]

export interface FlowContext {
  readonly agentId: AgentId
  readonly currentState: FlowState
  readonly previousState?: FlowState
  readonly lastMessageType?: MessageType
  /** The latest message did not fit the state and changed nothing. */
  readonly isIllegal: boolean
}

type Moves = Partial<Record<MessageType, FlowState>>

/** From a session with nothing going on. A bidder is brought into PROPOSING by the proposal that it receives. */
const FREE: Moves = {
  CAPABILITY_DISCOVERY: 'discovering',
  TASK_PROPOSAL: 'proposing',
  TASK_BID: 'bidding',
  TASK_ASSIGNMENT: 'assigning',
  CONTEXT_TRANSFER: 'transferring_context',
  HEARTBEAT: 'idle',
}
const AT_WORK: Moves = {
  CONTEXT_TRANSFER: 'transferring_context',
  TASK_PARTIAL_RESULT: 'executing',
  TASK_RESULT: 'completing',
  // Work that is kept over a new session is assigned again under a new fence.
  TASK_ASSIGNMENT: 'assigning',
}
/** What every state of an open session allows. */
const OPEN: Moves = { ERROR: 'error', DISCONNECT: 'disconnecting' }

const MOVES: Readonly<Record<FlowState, Moves>> = {
  disconnected: { HANDSHAKE: 'handshaking' },
  handshaking: { ...OPEN, HANDSHAKE_ACK: 'connected' },
  connected: { ...OPEN, ...FREE, HANDSHAKE: 'handshaking' },
  idle: { ...OPEN, ...FREE, HANDSHAKE: 'handshaking' },
  discovering: { ...OPEN, CAPABILITY_RESPONSE: 'idle', HEARTBEAT: 'discovering' },
  proposing: { ...OPEN, TASK_BID: 'bidding', TASK_ASSIGNMENT: 'assigning', TASK_RESULT: 'completing', TASK_PROPOSAL: 'proposing', HEARTBEAT: 'proposing' },
  bidding: { ...OPEN, TASK_BID: 'bidding', TASK_ASSIGNMENT: 'assigning', TASK_RESULT: 'completing', TASK_PROPOSAL: 'bidding', HEARTBEAT: 'bidding' },
  assigning: { ...OPEN, TASK_ACCEPTANCE: 'executing', TASK_REJECTION: 'idle', HEARTBEAT: 'assigning' },
  executing: { ...OPEN, ...AT_WORK, HEARTBEAT: 'executing' },
  transferring_context: { ...OPEN, ...AT_WORK, TASK_ACCEPTANCE: 'executing', HEARTBEAT: 'idle' },
  completing: { ...OPEN, ...FREE },
  error: { ...OPEN, ...FREE, HANDSHAKE: 'handshaking' },
  // No message says that the socket is gone; a second DISCONNECT stands for it.
  disconnecting: { DISCONNECT: 'disconnected', HANDSHAKE: 'handshaking' },
}

/** Least active first: what an agent reports is the most active of its machines. */
const ACTIVITY: readonly FlowState[] = [
  'disconnected', 'disconnecting', 'handshaking', 'connected', 'idle', 'error', 'discovering', 'proposing', 'bidding', 'assigning', 'completing', 'transferring_context', 'executing',
]

export const createFlowContext = (agentId: AgentId): FlowContext => ({ agentId, currentState: FlowState.DISCONNECTED, isIllegal: false })

/** The context after a message that was sent or received. One that does not fit leaves the state and sets `isIllegal`. */
export function transitionFlow(context: FlowContext, type: MessageType): FlowContext {
  const next = MOVES[context.currentState][type]
  if (next === undefined) return { ...context, lastMessageType: type, isIllegal: true }
  return { agentId: context.agentId, currentState: next, previousState: context.currentState, lastMessageType: type, isIllegal: false }
}

/** The state that an agent reports: the most active of its session and of its tasks. */
export const reportedFlowState = (session: FlowContext, tasks: readonly FlowContext[]): FlowState =>
  [session, ...tasks].map(({ currentState }) => currentState).reduce((most, state) => (ACTIVITY.indexOf(state) > ACTIVITY.indexOf(most) ? state : most))
