// The objects of the Inter-Agent Protocol by the names that its text gives them.
import type {
  IAPContextTransfer, IAPEnvelope, IAPErrorMessage, IAPHandshake, IAPTaskAssignment, IAPTaskBid, IAPTaskPartialResult, IAPTaskProposal, IAPTaskResult, IapCapability, IapCapabilityRecord,
} from '../generated/types.ts'
import type { IAPPayloads, MessageType } from './message-type.ts'

export type AgentId = string
export type TaskId = string

/** The recipient that stands for the server. No agent may be called so. */
export const ROUTER = 'router'

export type AgentHandshake = Readonly<IAPHandshake>
export type AgentCapability = Readonly<IapCapability>
/** Counts of how one agent did with one capability. */
export type CapabilityRecord = Readonly<IapCapabilityRecord>
export type TaskProposal = Readonly<IAPTaskProposal>
export type TaskBid = Readonly<IAPTaskBid>
export type TaskAssignment = Readonly<IAPTaskAssignment>
export type TaskResult = Readonly<IAPTaskResult>
export type TaskPartialResult = Readonly<IAPTaskPartialResult>
export type ContextTransfer = Readonly<IAPContextTransfer>
export type ErrorMessage = Readonly<IAPErrorMessage>

/** A message whose type and payload are known to go together. */
export type IAPMessageOf<T extends MessageType> = Readonly<Omit<IAPEnvelope, 'type' | 'payload'>> & { readonly type: T; readonly payload: IAPPayloads[T] }
/** Any message; its `type` tells what its payload is. */
export type IAPMessage = { readonly [T in MessageType]: IAPMessageOf<T> }[MessageType]
