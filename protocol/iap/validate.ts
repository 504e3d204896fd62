// Whether a value is a message of the Inter-Agent Protocol. Faults hold nothing that a peer wrote, so they may be sent back.
import { validateIapDocument } from '../validate.ts'
import type { ValidationFault } from '../validate.ts'
import type { IAPDocuments } from '../generated/types.ts'
import { isCapabilityType } from './capability-type.ts'
import { isMessageType, payloadSchemaOf } from './message-type.ts'
import type { AgentHandshake, IAPMessage } from './types.ts'
import { ROUTER } from './types.ts'
import { majorOf } from './version.ts'

export interface ValidationResult {
  readonly valid: boolean
  readonly errors: readonly string[]
}

const resultOf = (errors: readonly string[]): ValidationResult => ({ valid: errors.length === 0, errors })
const told = ({ path, message }: ValidationFault, at: string): string => `${at}${path} ${message}`.trim()

/** Checks envelope, type, payload and, in a HANDSHAKE, that both versions agree on the major. Members it does not know are left alone. */
export function validateIAPMessage(value: unknown): ValidationResult {
  const fault = validateIapDocument('message', value)
  if (fault !== undefined) return resultOf([told(fault, '')])
  const message = value as IAPMessage
  if (!isMessageType(message.type)) return resultOf(['/type is no message type of this version'])
  if (message.type === 'HANDSHAKE') return resultOf([...handshakeFaults(message.payload), ...versionFaults(message.protocolVersion, message.payload)])
  return resultOf(payloadFaults(payloadSchemaOf(message.type), message.payload))
}

/** Checks the payload of a HANDSHAKE. */
export function validateHandshake(value: unknown): ValidationResult {
  return resultOf(handshakeFaults(value, ''))
}

/** Whether the value passed `validateIAPMessage`. */
export function isIAPMessage(value: unknown): value is IAPMessage {
  return validateIAPMessage(value).valid
}

function payloadFaults(schema: keyof IAPDocuments, payload: unknown, at = '/payload'): readonly string[] {
  const fault = validateIapDocument(schema, payload)
  return fault === undefined ? [] : [told(fault, at)]
}

function handshakeFaults(payload: unknown, at = '/payload'): readonly string[] {
  const faults = payloadFaults('handshake', payload, at)
  if (faults.length > 0) return faults
  const { agentId, capabilities } = payload as AgentHandshake
  const errors = capabilities.flatMap(({ type }, index) => (isCapabilityType(type) ? [] : [`${at}/capabilities/${index}/type is no known type and does not start with x-`]))
  if (new Set(capabilities.map(({ id }) => id)).size < capabilities.length) errors.push(`${at}/capabilities has two of one id`)
  if (agentId === ROUTER) errors.push(`${at}/agentId is the router's own name`)
  return errors
}

function versionFaults(envelope: string, payload: unknown): readonly string[] {
  const own = (payload as Partial<AgentHandshake> | null)?.protocolVersion
  return typeof own === 'string' && majorOf(own) !== majorOf(envelope) ? ['/protocolVersion and /payload/protocolVersion differ in the major'] : []
}
