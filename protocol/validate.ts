import type { CommandPayloads, EventPayloads, ExtensionData, IAPDocuments, ProtocolObjects } from './generated/types.ts'
import {
  commandPayloadValidators,
  documentValidators,
  eventPayloadValidators,
  extensionValidators,
  frameValidators,
  iapValidators,
} from './generated/validators.js'
import type { Validator, ValidatorError } from './generated/validators.js'

/** A MissionWeaveProtocol object by the stem of its schema file, for example `work-item`. */
export type ObjectName = keyof ProtocolObjects
export type CommandPayloadKind = keyof CommandPayloads
export type EventPayloadKind = keyof EventPayloads

/** The first rule that a value broke. Holds nothing the peer wrote, so that it may be logged and sent back. */
export type ValidationFault = {
  /** JSON Pointer into the value; a member name that a peer chose reads `*`. */
  readonly path: string
  /** The JSON Schema keyword that refused. */
  readonly keyword: string
  /** A few words on what was expected. */
  readonly message: string
}

/** The Command kinds whose payload has a shape here. */
export const commandPayloadKinds: readonly CommandPayloadKind[] = Object.keys(
  commandPayloadValidators,
) as CommandPayloadKind[]
/** The Event kinds whose payload has a shape here. */
export const eventPayloadKinds: readonly EventPayloadKind[] = Object.keys(eventPayloadValidators) as EventPayloadKind[]

export function isCommandPayloadKind(kind: string): kind is CommandPayloadKind {
  return kind in commandPayloadValidators
}

export function isEventPayloadKind(kind: string): kind is EventPayloadKind {
  return kind in eventPayloadValidators
}

/** Checks a whole document or frame against its 0.1 schema; `undefined` when it fits. */
export function validateDocument(name: ObjectName, value: unknown): ValidationFault | undefined {
  const fault = validateWith(documentValidators[name], value)
  return fault !== undefined && name === 'websocket-frame' ? frameFault(value, fault) : fault
}

/** Checks a canonical Command payload; `undefined` when it fits. */
export function validateCommandPayload(kind: CommandPayloadKind, payload: unknown): ValidationFault | undefined {
  return validateWith(commandPayloadValidators[kind], payload)
}

/** Checks an Event payload; `undefined` when it fits. */
export function validateEventPayload(kind: EventPayloadKind, payload: unknown): ValidationFault | undefined {
  return validateWith(eventPayloadValidators[kind], payload)
}

/** Checks the data of an extension; `undefined` when it fits. */
export function validateExtensionData(name: keyof ExtensionData, data: unknown): ValidationFault | undefined {
  return validateWith(extensionValidators[name], data)
}

/** Checks the envelope or a payload of the Inter-Agent Protocol; `undefined` when it fits. */
export function validateIapDocument(name: keyof IAPDocuments, value: unknown): ValidationFault | undefined {
  return validateWith(iapValidators[name], value)
}

function validateWith(validator: Validator, value: unknown): ValidationFault | undefined {
  return validator(value) ? undefined : firstFault(validator.errors ?? [])
}

/** The choice of ten shapes says only that none fits; the shape that the frame claims says why. */
function frameFault(value: unknown, fault: ValidationFault): ValidationFault {
  if (typeof value !== 'object' || value === null) return fault
  const { frameType, phase } = value as { frameType?: unknown; phase?: unknown }
  if (typeof frameType !== 'string') return fault
  const claimed = frameValidators[typeof phase === 'string' ? `${frameType} ${phase}` : frameType]
  return (claimed && validateWith(claimed, value)) ?? fault
}

function firstFault(errors: readonly ValidatorError[]): ValidationFault {
  // What the alternatives of a choice missed comes before the choice; none of it matters more than the choice itself.
  const error = errors.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf') ?? errors[0]
  if (error === undefined) return { path: '', keyword: '', message: 'is not allowed here' }
  return {
    path: error.instancePath.replace(/\/extensions\/[^/]*/, '/extensions/*'),
    keyword: error.keyword,
    message: messageFor(error),
  }
}

function messageFor({ keyword, params }: ValidatorError): string {
  switch (keyword) {
    case 'required':
      return `lacks the member ${String(params.missingProperty)}`
    case 'additionalProperties':
      return 'has a member that is not allowed here'
    case 'type':
      return `must be of type ${String(params.type)}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'enum':
      return 'is none of the allowed values'
    case 'format':
      return params.format === 'uri' ? 'must be an absolute URI' : 'must be a strict RFC 3339 timestamp'
    case 'minimum':
    case 'maximum':
      return `must be ${String(params.comparison)} ${String(params.limit)}`
    case 'minLength':
    case 'minItems':
      return `must have at least ${String(params.limit)} ${keyword === 'minItems' ? 'elements' : 'characters'}`
    case 'maxLength':
    case 'maxItems':
      return `must have at most ${String(params.limit)} ${keyword === 'maxItems' ? 'elements' : 'characters'}`
    case 'uniqueItems':
      return 'must not repeat an element'
    case 'anyOf':
    case 'oneOf':
      return 'fits none of the allowed shapes'
    case 'pattern':
    case 'not':
      return 'is not spelled as required'
    default:
      return 'is not allowed here'
  }
}
