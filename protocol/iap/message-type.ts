// The message types of the Inter-Agent Protocol as they stand on the wire, and which payload goes with which.
import type { IAPDocuments } from '../generated/types.ts'

/** The fourteen types of 1.0 and the two of this product's 1.1. */
export const MessageType = {
  HANDSHAKE: 'HANDSHAKE',
  HANDSHAKE_ACK: 'HANDSHAKE_ACK',
  CAPABILITY_DISCOVERY: 'CAPABILITY_DISCOVERY',
  CAPABILITY_RESPONSE: 'CAPABILITY_RESPONSE',
  TASK_PROPOSAL: 'TASK_PROPOSAL',
  TASK_BID: 'TASK_BID',
  TASK_ASSIGNMENT: 'TASK_ASSIGNMENT',
  TASK_ACCEPTANCE: 'TASK_ACCEPTANCE',
  TASK_REJECTION: 'TASK_REJECTION',
  CONTEXT_TRANSFER: 'CONTEXT_TRANSFER',
  TASK_RESULT: 'TASK_RESULT',
  ERROR: 'ERROR',
  HEARTBEAT: 'HEARTBEAT',
  DISCONNECT: 'DISCONNECT',
  MESSAGE_BATCH: 'MESSAGE_BATCH',
  TASK_PARTIAL_RESULT: 'TASK_PARTIAL_RESULT',
} as const
export type MessageType = (typeof MessageType)[keyof typeof MessageType]

/** Types that 1.0 does not know; a peer that announced 1.0 is sent none of them unasked. */
export const ADDED_IN_1_1: readonly MessageType[] = [MessageType.MESSAGE_BATCH, MessageType.TASK_PARTIAL_RESULT]

const SCHEMAS = {
  HANDSHAKE: 'handshake',
  HANDSHAKE_ACK: 'handshake-ack',
  CAPABILITY_DISCOVERY: 'capability-discovery',
  CAPABILITY_RESPONSE: 'capability-response',
  TASK_PROPOSAL: 'task-proposal',
  TASK_BID: 'task-bid',
  TASK_ASSIGNMENT: 'task-assignment',
  TASK_ACCEPTANCE: 'task-acceptance',
  TASK_REJECTION: 'task-rejection',
  CONTEXT_TRANSFER: 'context-transfer',
  TASK_RESULT: 'task-result',
  ERROR: 'error',
  HEARTBEAT: 'heartbeat',
  DISCONNECT: 'disconnect',
  MESSAGE_BATCH: 'message-batch',
  TASK_PARTIAL_RESULT: 'task-partial-result',
} as const satisfies Record<MessageType, keyof IAPDocuments>

/** The payload of each type. */
export type IAPPayloads = { readonly [T in MessageType]: IAPDocuments[(typeof SCHEMAS)[T]] }

/** The schema file of the payload. */
export const payloadSchemaOf = (type: MessageType): keyof IAPDocuments => SCHEMAS[type]

export const isMessageType = (text: string): text is MessageType => Object.hasOwn(MessageType, text)
