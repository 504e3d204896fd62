// One received message becomes a frame, or a refusal that names what it can of it.
import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type {
  AckFrame,
  ErrorFrame,
  HelloClientInitFrame,
  HelloClientResponseFrame,
  PingFrame,
  SubscribeFrame,
} from '../../../protocol/generated/types.ts'
import { isIdentifier } from '../../../protocol/identifier.ts'
import { PROTOCOL_VERSION } from '../../../protocol/version.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { JsonObject, JsonValue, ParsedJson } from '../../../protocol/strict-json.ts'
import { DEFAULT_MAX_DEPTH, isJsonObject, parseStrictJson } from '../../../protocol/strict-json.ts'
import { validateDocument } from '../../../protocol/validate.ts'
import { memberText } from '../../../protocol/member-text.ts'

/** What an answer may name of the frame that it answers. */
export interface Related {
  readonly relatedFrameId?: string
  readonly relatedActionId?: string
  readonly groupId?: string
}

/** A COMMAND whose outer members fit. The Command itself is judged by the authority, on exactly the text that was sent. */
export interface ReceivedCommand {
  readonly frameType: 'COMMAND'
  readonly command: ParsedJson
  readonly related: Related
}

export type ReceivedFrame =
  | HelloClientInitFrame
  | HelloClientResponseFrame
  | SubscribeFrame
  | AckFrame
  | PingFrame
  | ErrorFrame
  | ReceivedCommand

export interface FrameFault {
  readonly rejection: Rejection
  readonly related: Related
}

const CLIENT_FRAMES = new Set(['HELLO', 'SUBSCRIBE', 'COMMAND', 'ACK', 'PING', 'ERROR'])
const CLIENT_PHASES = new Set<JsonValue | undefined>(['client_init', 'client_response'])
const COMMAND_MEMBERS = new Set(['protocolVersion', 'frameId', 'frameType', 'command'])

/**
 * Reads the bytes of one text message. The version comes before the shape, because a schema can only
 * describe its own version.
 */
export function readFrame(bytes: Uint8Array, maxBytes: number): Result<ReceivedFrame, FrameFault> {
  // A Command may nest as deep inside a frame as it may on its own.
  const parsed = parseStrictJson(bytes, { maxBytes, maxDepth: DEFAULT_MAX_DEPTH + 1 })
  if (!parsed.ok) return refuse(reject('PROTOCOL_VIOLATION', parsed.error.message))
  const { value, schemaView } = parsed.value
  if (!isJsonObject(value) || !isJsonObject(schemaView)) return refuse(reject('PROTOCOL_VIOLATION', 'a frame is an object'))
  const related = relatedTo(value)
  const versionFault = negotiateVersion(schemaView)
  if (versionFault !== undefined) return refuse(versionFault, related)
  if (!isClientFrame(value)) return refuse(reject('PROTOCOL_VIOLATION', 'clients send no such frame'), related)
  if (value.frameType === 'COMMAND') return readCommand(parsed.value, value, related)
  const fault = validateDocument('websocket-frame', schemaView)
  if (fault === undefined) return ok(schemaView as unknown as ReceivedFrame)
  return refuse(reject('SCHEMA_VALIDATION_FAILED', `the frame at "${fault.path}" ${fault.message}`), related)
}

const refuse = (rejection: Rejection, related: Related = {}) => err({ rejection, related })

/** Refuses a foreign version; reduces the versions on offer to the shared one, so that a newer client may offer more. */
function negotiateVersion(frame: JsonObject): Rejection | undefined {
  const { protocolVersion, supportedVersions } = frame
  if (typeof protocolVersion === 'string' && protocolVersion !== PROTOCOL_VERSION) return unsupported()
  if (!Array.isArray(supportedVersions) || !supportedVersions.every((version) => typeof version === 'string')) return undefined
  if (supportedVersions.length === 0) return undefined
  if (!supportedVersions.includes(PROTOCOL_VERSION)) return unsupported()
  frame.supportedVersions = supportedVersions.filter((version) => version === PROTOCOL_VERSION)
  return undefined
}

const unsupported = () => reject('UNSUPPORTED_VERSION', `this authority speaks version ${PROTOCOL_VERSION}`)

function isClientFrame({ frameType, phase }: JsonObject): boolean {
  if (typeof frameType !== 'string' || !CLIENT_FRAMES.has(frameType)) return false
  return frameType !== 'HELLO' || CLIENT_PHASES.has(phase)
}

function readCommand(
  { schemaView, text }: ParsedJson,
  frame: JsonObject,
  related: Related,
): Result<ReceivedCommand, FrameFault> {
  const { command } = frame
  const fits =
    frame.protocolVersion === PROTOCOL_VERSION &&
    related.relatedFrameId !== undefined &&
    isJsonObject(command) &&
    Object.keys(frame).every((name) => COMMAND_MEMBERS.has(name))
  const commandText = fits ? memberText(text, 'command') : undefined
  if (commandText === undefined) {
    return refuse(reject('SCHEMA_VALIDATION_FAILED', 'a COMMAND frame holds version, frame id, type and Command'), related)
  }
  const parsed: ParsedJson = {
    value: command as JsonObject,
    schemaView: (schemaView as JsonObject).command as JsonValue,
    text: commandText,
  }
  return ok({ frameType: 'COMMAND', command: parsed, related })
}

/** Ids are repeated to the sender only in a shape that an ERROR frame may hold. */
function relatedTo({ frameId, command }: JsonObject): Related {
  const nested = isJsonObject(command) ? command : {}
  return {
    ...(isId(frameId) && { relatedFrameId: frameId }),
    ...(isId(nested.actionId) && { relatedActionId: nested.actionId }),
    ...(isId(nested.groupId) && { groupId: nested.groupId }),
  }
}

const isId = (value: JsonValue | undefined): value is string => typeof value === 'string' && isIdentifier(value)
