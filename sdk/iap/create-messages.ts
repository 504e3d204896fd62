// Builds messages of the Inter-Agent Protocol with fresh ids and the present time, by the names that its text gives.
import type {
  IAPCapabilityDiscovery, IAPCapabilityResponse, IAPDisconnect, IAPHandshakeAck, IAPHeartbeat, IAPTaskAcceptance, IAPTaskAssignment, IAPTaskPartialResult, IAPTaskRejection, IAPTaskResult,
} from '../../protocol/generated/types.ts'
import { composeMessage } from '../../protocol/iap/compose.ts'
import type { IAPPayloads } from '../../protocol/iap/message-type.ts'
import { MessageType } from '../../protocol/iap/message-type.ts'
import type { AgentHandshake, AgentId, ContextTransfer, ErrorMessage, IAPMessage, IAPMessageOf, TaskBid, TaskId, TaskProposal } from '../../protocol/iap/types.ts'
import { ROUTER } from '../../protocol/iap/types.ts'
import { IAP_VERSION } from '../../protocol/iap/version.ts'

interface Way {
  readonly from: AgentId
  readonly to: AgentId
  readonly correlationId?: string | undefined
  readonly metadata?: Record<string, unknown> | undefined
}

/** A task id that nobody else has made. */
export const generateTaskId = (): TaskId => `task_${globalThis.crypto.randomUUID()}`

function stamped<T extends MessageType>(type: T, { from, to, correlationId, metadata }: Way, payload: IAPPayloads[T]): IAPMessageOf<T> {
  const messageId = `msg_${globalThis.crypto.randomUUID()}`
  return composeMessage(type, { messageId, from, to, timestamp: new Date().toISOString(), ...(correlationId !== undefined && { correlationId }), ...(metadata !== undefined && { metadata }) }, payload)
}

export const createHandshakeMessage = (handshake: AgentHandshake): IAPMessageOf<'HANDSHAKE'> => ({
  ...stamped(MessageType.HANDSHAKE, { from: handshake.agentId, to: ROUTER }, handshake),
  protocolVersion: handshake.protocolVersion,
})

export const createCapabilityDiscoveryMessage = (agentId: AgentId, query: IAPCapabilityDiscovery = {}): IAPMessageOf<'CAPABILITY_DISCOVERY'> =>
  stamped(MessageType.CAPABILITY_DISCOVERY, { from: agentId, to: ROUTER }, query)

/** `metadata` is the proposer's own, for example `{ useCache: true }`. */
export const createTaskProposalMessage = (proposal: TaskProposal, metadata?: Record<string, unknown>): IAPMessageOf<'TASK_PROPOSAL'> =>
  stamped(MessageType.TASK_PROPOSAL, { from: proposal.proposerId, to: ROUTER, metadata }, proposal)

export const createTaskBidMessage = (bid: TaskBid, agentId: AgentId, correlationId?: string): IAPMessageOf<'TASK_BID'> => stamped(MessageType.TASK_BID, { from: agentId, to: ROUTER, correlationId }, bid)

export const createTaskAcceptanceMessage = (acceptance: IAPTaskAcceptance, agentId: AgentId): IAPMessageOf<'TASK_ACCEPTANCE'> =>
  stamped(MessageType.TASK_ACCEPTANCE, { from: agentId, to: ROUTER }, acceptance)

export const createTaskRejectionMessage = (rejection: IAPTaskRejection, agentId: AgentId): IAPMessageOf<'TASK_REJECTION'> =>
  stamped(MessageType.TASK_REJECTION, { from: agentId, to: ROUTER }, rejection)

/** `metadata` holds `queue: true` when an absent receiver may get it later, and the chunk's place. */
export const createContextTransferMessage = (transfer: ContextTransfer, metadata?: Record<string, unknown>): IAPMessageOf<'CONTEXT_TRANSFER'> =>
  stamped(MessageType.CONTEXT_TRANSFER, { from: transfer.fromAgent, to: transfer.toAgent, metadata }, transfer)

export const createTaskResultMessage = (result: IAPTaskResult, agentId: AgentId): IAPMessageOf<'TASK_RESULT'> => stamped(MessageType.TASK_RESULT, { from: agentId, to: ROUTER }, result)

export const createTaskPartialResultMessage = (part: IAPTaskPartialResult, agentId: AgentId): IAPMessageOf<'TASK_PARTIAL_RESULT'> =>
  stamped(MessageType.TASK_PARTIAL_RESULT, { from: agentId, to: ROUTER }, part)

/** The fourth argument is the id of the message that the error is about. */
export const createErrorMessage = (from: AgentId, to: AgentId, error: ErrorMessage, originalMessageId?: string): IAPMessageOf<'ERROR'> =>
  stamped(MessageType.ERROR, { from, to, correlationId: originalMessageId }, error)

export const createHeartbeatMessage = (agentId: AgentId, heartbeat: IAPHeartbeat = {}): IAPMessageOf<'HEARTBEAT'> => stamped(MessageType.HEARTBEAT, { from: agentId, to: ROUTER }, heartbeat)

export const createDisconnectMessage = (agentId: AgentId, disconnect: IAPDisconnect = {}): IAPMessageOf<'DISCONNECT'> => stamped(MessageType.DISCONNECT, { from: agentId, to: ROUTER }, disconnect)

export const createMessageBatch = (messages: readonly IAPMessage[], agentId: AgentId): IAPMessageOf<'MESSAGE_BATCH'> => ({
  ...stamped(MessageType.MESSAGE_BATCH, { from: agentId, to: ROUTER }, { messages: [...messages] }),
  protocolVersion: IAP_VERSION,
})

/** For a router: answers the HANDSHAKE with this id. */
export const createHandshakeAckMessage = (ack: IAPHandshakeAck, originalMessageId: string): IAPMessageOf<'HANDSHAKE_ACK'> =>
  stamped(MessageType.HANDSHAKE_ACK, { from: ROUTER, to: ack.agentId, correlationId: originalMessageId }, ack)

/** For a router: answers the CAPABILITY_DISCOVERY with this id. */
export const createCapabilityResponseMessage = (response: IAPCapabilityResponse, to: AgentId, originalMessageId: string): IAPMessageOf<'CAPABILITY_RESPONSE'> =>
  stamped(MessageType.CAPABILITY_RESPONSE, { from: ROUTER, to, correlationId: originalMessageId }, response)

/** For a router: gives the task to the bidder. */
export const createTaskAssignmentMessage = (assignment: IAPTaskAssignment, proposalMessageId?: string): IAPMessageOf<'TASK_ASSIGNMENT'> =>
  stamped(MessageType.TASK_ASSIGNMENT, { from: ROUTER, to: assignment.bid.bidderId, correlationId: proposalMessageId }, assignment)
