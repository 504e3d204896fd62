// Puts a payload into an envelope. Ids and times are given, so that a server can derive both.
import type { IAPPayloads, MessageType } from './message-type.ts'
import type { AgentId, IAPMessageOf } from './types.ts'
import { IAP_BASE_VERSION } from './version.ts'

/** Everything of an envelope besides type and payload. */
export interface Envelope {
  readonly messageId: string
  readonly from: AgentId
  readonly to: AgentId
  /** ISO 8601. */
  readonly timestamp: string
  readonly correlationId?: string
  readonly metadata?: Record<string, unknown>
}

/** A message of the base version, which every peer of the major understands. */
export const composeMessage = <T extends MessageType>(type: T, envelope: Envelope, payload: IAPPayloads[T]): IAPMessageOf<T> => ({ ...envelope, type, protocolVersion: IAP_BASE_VERSION, payload })
