// The file format of an approval receipt: RFC 8785 bytes of the members below, then one line feed.
import type { FirstAdmissionRecord, Signature } from './generated/types.ts'
import type { KeyBinding } from './key-registry.ts'
import { isSha256Hash } from './digest.ts'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import type { JsonValue } from './strict-json.ts'
import { isJsonObject } from './strict-json.ts'

export const RECEIPT_FORMAT = 'countersign.approval-receipt.v1'

/** What a reader must not conclude from a receipt. Every receipt carries it. */
export const RECEIPT_LIMITS: readonly string[] = [
  'It does not prove who the authority is. Compare its public key with one that you received in another way.',
  'It does not prove who held the private key of the approver; it proves that this key signed.',
  'The registry excerpt holds the keys involved. That nothing about them is left out is the word of the authority.',
  'Times come from the clock of the authority, not from an independent time stamp.',
  'Title and objective are stated by the authority. The approver signed the Mission, its revision and the hashes.',
  'Content that is listed as omitted is named by its hash alone.',
  'It does not show what happened after the export, such as a revocation of the approval.',
]

export type ReceiptMission = {
  readonly missionId: string
  readonly groupId: string
  readonly title: string
  readonly objective: string
  /** Revision of the Mission that the approver decided on. */
  readonly revision: number
}

/** Documents and contents are base64url of the exact bytes; hashes are content hashes of Artifacts. */
export type UnsignedReceipt = {
  readonly format: typeof RECEIPT_FORMAT
  /** Protected time of the signature over the whole. */
  readonly exportedAt: string
  readonly organizationId: string
  readonly mission: ReceiptMission
  /** The signed `mission.approve` Command; it carries the signed Approval. */
  readonly command: string
  /** The signed `mission.approved` Event. */
  readonly event: string
  readonly registry: { readonly revision: number; readonly bindings: readonly KeyBinding[] }
  readonly admissionRecords: readonly FirstAdmissionRecord[]
  /** The signed manifest of every approved Artifact. */
  readonly manifests: readonly string[]
  readonly contents: readonly { readonly hash: string; readonly bytes: string }[]
  readonly omitted: readonly { readonly hash: string; readonly sizeBytes: number }[]
  /** Build of the page on which the approver signed. */
  readonly pageBuild?: string
  readonly limits: readonly string[]
}

/** A receipt with the Group Authority's signature over all other members. */
export type Receipt = UnsignedReceipt & { readonly signature: Signature }

type Guard = (value: JsonValue) => boolean
type Members = Readonly<Record<string, Guard>>

const isText: Guard = (value) => typeof value === 'string'
const isCount: Guard = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isHash: Guard = (value) => typeof value === 'string' && isSha256Hash(value)
const listOf =
  (isElement: Guard): Guard =>
  (value) =>
    Array.isArray(value) && value.every(isElement)
const closed =
  (required: Members, optional: Members = {}): Guard =>
  (value) =>
    misfitOf(value, required, optional) === undefined

/** The first member that is missing, foreign or of the wrong shape; the empty string when the value is no object. */
function misfitOf(value: JsonValue, required: Members, optional: Members): string | undefined {
  if (!isJsonObject(value)) return ''
  const missing = Object.keys(required).find((name) => !(name in value))
  if (missing !== undefined) return missing
  return Object.entries(value).find(([name, member]) => {
    const guard = Object.hasOwn(required, name) ? required[name] : Object.hasOwn(optional, name) ? optional[name] : undefined
    return guard === undefined || !guard(member)
  })?.[0]
}

const actor = closed({ type: isText, id: isText })
const boundary = closed({}, { recordedAt: isText, validUntil: isText, revokedAt: isText })
export const isBinding = closed(
  {
    keyId: isText,
    principal: actor,
    algorithm: isText,
    publicKey: isText,
    validFrom: isText,
    history: listOf(boundary),
  },
  { use: (value) => value === 'authority' || value === 'conversation' },
)

const RECEIPT_MEMBERS: Members = {
  format: (value) => value === RECEIPT_FORMAT,
  exportedAt: isText,
  organizationId: isText,
  mission: closed({ missionId: isText, groupId: isText, title: isText, objective: isText, revision: isCount }),
  command: isText,
  event: isText,
  registry: closed({ revision: isCount, bindings: listOf(isBinding) }),
  admissionRecords: listOf(isJsonObject),
  manifests: listOf(isText),
  contents: listOf(closed({ hash: isHash, bytes: isText })),
  omitted: listOf(closed({ hash: isHash, sizeBytes: isCount })),
  limits: listOf(isText),
  signature: closed({
    algorithm: (value) => value === 'Ed25519',
    keyId: isText,
    createdAt: isText,
    value: isText,
  }),
}

/** The value as a receipt, or the name of the member that does not fit. Says nothing about what the members prove. */
export function readReceipt(value: JsonValue): Result<Receipt, string> {
  const misfit = misfitOf(value, RECEIPT_MEMBERS, { pageBuild: isText })
  return misfit === undefined ? ok(value as unknown as Receipt) : err(misfit)
}

