// The file format of an exported Group: one line of RFC 8785 JSON after another, each ended by one line feed. First the header,
// then the Events in order, each key before the first line that needs it, at last the seal.
import { isSha256Hash } from '../../protocol/digest.ts'
import type { FirstAdmissionRecord, Signature } from '../../protocol/generated/types.ts'
import type { KeyBinding } from '../../protocol/key-registry.ts'
import { isBinding } from '../../protocol/receipt-format.ts'
import type { JsonObject, JsonValue } from '../../protocol/strict-json.ts'
import { isJsonObject } from '../../protocol/strict-json.ts'

export const GROUP_EXPORT_FORMAT = 'countersign.group-export.v1'

/** What a reader must not conclude from the file, and what it has to know of it. Every file carries it. */
export const GROUP_EXPORT_LIMITS: readonly string[] = [
  'It holds every word of the Group: redacted Messages and restricted Conversations too. Whoever reads it sees what members may not.',
  'It does not prove who the authority is. Compare its public key with one that you received in another way.',
  'That nothing about the keys is left out is the word of the authority, and times come from its clock.',
  'Contents of Artifacts are named by their hashes alone.',
]

export type ExportHeader = {
  readonly format: typeof GROUP_EXPORT_FORMAT
  readonly organizationId: string
  readonly groupId: string
  readonly exportedAt: string
  readonly limits: readonly string[]
}

/** Documents are base64url of the exact bytes; the records admit the Command, the documents inside it, and the Event where it has one. */
export type ExportedEvent = { readonly event: string; readonly command?: string; readonly admissions: readonly FirstAdmissionRecord[] }

export type UnsignedSeal = {
  readonly groupId: string
  /** Protected time of the signature. */
  readonly exportedAt: string
  readonly events: number
  readonly commands: number
  /** Of the fold of all Events. */
  readonly stateHash: string
  /** Of all bytes before the line of the seal. */
  readonly contentHash: string
}
export type ExportSeal = UnsignedSeal & { readonly signature: Signature }

export type ExportLine =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | { readonly type: 'key'; readonly key: KeyBinding }
  | { readonly type: 'event'; readonly entry: ExportedEvent }
  | { readonly type: 'seal'; readonly seal: ExportSeal }

type Guard = (value: JsonValue) => boolean
type Members = Readonly<Record<string, Guard>>

const isText: Guard = (value) => typeof value === 'string'
const isCount: Guard = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isHash: Guard = (value) => typeof value === 'string' && isSha256Hash(value)
const listOf = (isElement: Guard): Guard => (value) => Array.isArray(value) && value.every(isElement)

const HEADER: Members = { format: (value) => value === GROUP_EXPORT_FORMAT, organizationId: isText, groupId: isText, exportedAt: isText, limits: listOf(isText) }
const EVENT: Members = { event: isText, admissions: listOf(isJsonObject) }
const SIGNATURE: Members = { algorithm: (value) => value === 'Ed25519', keyId: isText, createdAt: isText, value: isText }
const SEAL: Members = { groupId: isText, exportedAt: isText, events: isCount, commands: isCount, stateHash: isHash, contentHash: isHash, signature: (value) => has(value, SIGNATURE) }

/** The line by its shape; undefined when it has none of the four. Says nothing about what it proves. */
export function readExportLine(value: JsonValue): ExportLine | undefined {
  if (!isJsonObject(value)) return undefined
  if ('format' in value) return has(value, HEADER) ? { type: 'header', header: value as unknown as ExportHeader } : undefined
  if ('event' in value) return has(value, EVENT, { command: isText }) ? { type: 'event', entry: value as unknown as ExportedEvent } : undefined
  const { key, seal } = value
  if (Object.keys(value).length !== 1) return undefined
  if (key !== undefined) return isBinding(key) ? { type: 'key', key: key as unknown as KeyBinding } : undefined
  return seal !== undefined && has(seal, SEAL) ? { type: 'seal', seal: seal as unknown as ExportSeal } : undefined
}

/** Exactly these members, each of its shape. */
function has(value: JsonValue, required: Members, optional: Members = {}): boolean {
  if (!isJsonObject(value)) return false
  const isPresent = Object.keys(required).every((name) => Object.hasOwn(value, name))
  return isPresent && Object.entries(value as JsonObject).every(([name, member]) => guardOf(name, required, optional)?.(member) === true)
}

function guardOf(name: string, required: Members, optional: Members): Guard | undefined {
  if (Object.hasOwn(required, name)) return required[name]
  return Object.hasOwn(optional, name) ? optional[name] : undefined
}
