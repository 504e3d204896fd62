// What verifying a receipt asks, one question per function. A refusal says in plain words what is wrong.
import { validateRecord } from './admission.ts'
import { decodeBase64url } from './base64url.ts'
import { canonicalize, canonicalText, encodeCanonical } from './canonical-json.ts'
import { sha256Hash } from './digest.ts'
import { hasReducedScalar, verifyWithCheckedKey } from './ed25519-strict.ts'
import { isSamePrincipal, validateRegistry } from './key-registry.ts'
import type { ResolvedKey, ValidatedRegistry } from './key-registry.ts'
import { PRIMARY_EVENT_OF } from './kinds.ts'
import type { Receipt } from './receipt-format.ts'
import { readReceipt } from './receipt-format.ts'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import type { DocumentKind } from './signed-documents.ts'
import { signingBytes } from './signed-documents.ts'
import type { JsonValue } from './strict-json.ts'
import { parseStrictJson } from './strict-json.ts'
import { endsInUpperZ, parseTimestamp } from './timestamp.ts'
import type { SignatureVerifier, VerificationFailure, VerificationStage, VerifiedDocument } from './verify-document.ts'
import { verifyDocument, verifyParsedDocument } from './verify-document.ts'

export const MAX_RECEIPT_BYTES = 64 * 1024 * 1024
const LINE_FEED = 0x0a
const APPROVE = 'mission.approve'

/** The reason of a refusal is a sentence for people. */
type Checked<T> = Result<T, string>

/** A file that somebody holds beside the receipt, with the hash of its content. */
export type HashedFile = { readonly name: string; readonly hash: string }

/** The signed documents of a receipt, each through all six stages. */
export type ReceiptDocuments = {
  readonly command: VerifiedDocument<'command'>
  readonly event: VerifiedDocument<'event'>
  readonly approval: VerifiedDocument<'approval'>
  readonly manifests: readonly VerifiedDocument<'artifact'>[]
}

/** Reads the file: canonical JSON of the format and one line feed, so that no byte can differ unnoticed. */
export function openReceipt(bytes: Uint8Array): Checked<Receipt> {
  if (bytes.at(-1) !== LINE_FEED) return err('the file does not end in one line feed')
  const body = bytes.subarray(0, -1)
  const parsed = parseStrictJson(body, { maxBytes: MAX_RECEIPT_BYTES })
  if (!parsed.ok) return err(`the file is not readable: ${parsed.error.message}`)
  const canonical = canonicalize(parsed.value.value)
  if (!canonical.ok || !sameBytes(canonical.value, body)) return err('the file is not in canonical form')
  const receipt = readReceipt(parsed.value.value)
  return receipt.ok ? receipt : err(`the member "${receipt.error}" is missing, foreign or malformed`)
}

/** Validates the registry excerpt as a whole. */
export function checkRegistry({ organizationId, registry }: Receipt): Checked<ValidatedRegistry> {
  const validated = validateRegistry({ organizationId, bindings: registry.bindings })
  return validated.ok ? validated : err(`the registry excerpt is not valid: ${validated.error}`)
}

/** Verifies the signature over the whole receipt; gives the authority's key. */
export async function checkSeal(
  receipt: Receipt,
  registry: ValidatedRegistry,
  verify: SignatureVerifier = verifyWithCheckedKey,
): Promise<Checked<ResolvedKey>> {
  const { exportedAt, signature } = receipt
  const at = parseTimestamp(exportedAt)
  if (at === undefined || !endsInUpperZ(exportedAt)) return err('the export time is not a UTC timestamp')
  if (signature.createdAt !== exportedAt) return err('the signature is not of the export time')
  const value = decodeBase64url(signature.value)
  if (value === undefined || !hasReducedScalar(value)) return err('the signature is malformed')
  const key = registry.resolve(signature.keyId, { rule: 'service' }, at)
  if (!key.ok) return err(`the signing key is not one of a service, valid at the export: ${key.error}`)
  const holds = await verify(key.value.publicKey, signingBytes(receipt), value)
  return holds ? key : err('the signature does not match the content of the receipt')
}

/** Verifies a document that the receipt carries as base64url of its exact bytes. */
export async function checkDocument<K extends DocumentKind>(
  kind: K,
  encoded: string,
  registry: ValidatedRegistry,
  verifySignature?: SignatureVerifier,
): Promise<Checked<VerifiedDocument<K>>> {
  const bytes = decodeBase64url(encoded)
  if (bytes === undefined) return err('its bytes are not canonical base64url')
  const verified = await verifyDocument({ kind, bytes, registry, ...injected(verifySignature) })
  return verified.ok ? verified : err(inWords(verified.error))
}

/** Verifies every manifest; the first bad one refuses. */
export async function checkManifests(
  { manifests }: Receipt,
  registry: ValidatedRegistry,
  verifySignature?: SignatureVerifier,
): Promise<Checked<readonly VerifiedDocument<'artifact'>[]>> {
  const verified: VerifiedDocument<'artifact'>[] = []
  for (const [at, encoded] of manifests.entries()) {
    const manifest = await checkDocument('artifact', encoded, registry, verifySignature)
    if (!manifest.ok) return err(`manifest ${at + 1}: ${manifest.error}`)
    verified.push(manifest.value)
  }
  return ok(verified)
}

/** Verifies the Approval inside the Command. */
export async function checkApproval(
  { value: { payload } }: VerifiedDocument<'command'>,
  registry: ValidatedRegistry,
  verifySignature?: SignatureVerifier,
): Promise<Checked<VerifiedDocument<'approval'>>> {
  const value = payload['approval'] as JsonValue
  const verified = await verifyParsedDocument({ kind: 'approval', value, registry, ...injected(verifySignature) })
  return verified.ok ? verified : err(inWords(verified.error))
}

/** The Approval must be the actor's own, say "approved", and be of the Mission, Group and revision that are shown. */
export function checkDecision({ mission }: Receipt, { command, approval }: ReceiptDocuments): Checked<string> {
  const decided = approval.value
  if (command.value.kind !== APPROVE) return err(`the Command is ${command.value.kind}, not ${APPROVE}`)
  if (decided.decision !== 'approved') return err(`the decision is "${decided.decision}"`)
  if (decided.kind === 'work_execution') return err('the Approval releases work, it does not finish a Mission')
  if (!isSamePrincipal(decided.approver, command.value.actor)) return err('approver and sender are not the same')
  if (decided.missionId !== mission.missionId) return err('the Approval is of another Mission')
  if (decided.groupId !== mission.groupId || command.value.groupId !== mission.groupId) {
    return err('the Approval or the Command is of another Group')
  }
  if (decided.missionRevision !== mission.revision) {
    return err(`the Approval is of revision ${decided.missionRevision}, the receipt shows ${mission.revision}`)
  }
  return ok(`${decided.approver.id} approved revision ${mission.revision} of ${mission.missionId}`)
}

/** The authority that signed the receipt must have accepted this very Command with an Event of the same Approval. */
export function checkAcceptance(
  { mission }: Receipt,
  { command, event, approval }: ReceiptDocuments,
  authority: ResolvedKey,
): Checked<string> {
  const { kind, groupId, cause, commandHash, actor, acceptedBy, payload, sequence, occurredAt } = event.value
  if (kind !== PRIMARY_EVENT_OF[APPROVE]) return err(`the Event is ${kind}, not ${PRIMARY_EVENT_OF[APPROVE]}`)
  if (!isSamePrincipal(acceptedBy, authority.binding.principal)) {
    return err('another service than the signer of the receipt accepted')
  }
  if (groupId !== mission.groupId || payload['missionId'] !== mission.missionId) {
    return err('the Event is of another Mission or Group')
  }
  if (commandHash !== command.signingHash) return err('the Event names another Command by its hash')
  if (cause.type !== 'command' || cause.id !== command.value.actionId) return err('the Event has another cause')
  if (!isSamePrincipal(actor, command.value.actor)) return err('the Event names another actor')
  if (canonicalText(payload['approval'] ?? null) !== canonicalText(approval.value)) {
    return err('the Event carries another Approval')
  }
  return ok(`${acceptedBy.id} accepted it as Event ${sequence} at ${occurredAt}`)
}

/** Every document needs its First-Admission Record, and no record may be of anything else. */
export function checkAdmissions(receipt: Receipt, documents: ReceiptDocuments): Checked<string> {
  const { command, event, approval, manifests } = documents
  const authenticatedService = event.value.acceptedBy
  const records = new Map(receipt.admissionRecords.map((record) => [record.signingHash, record]))
  if (records.size !== receipt.admissionRecords.length) return err('two records are of the same document')
  for (const subject of [command, event, approval, ...manifests]) {
    const record = records.get(subject.signingHash)
    records.delete(subject.signingHash)
    if (record === undefined && subject.kind === 'artifact') continue
    if (record === undefined) return err(`the ${subject.kind} has no record`)
    const admitted = validateRecord(subject, { record: encodeCanonical(record), authenticatedService })
    if (!admitted.ok) return err(`the record of the ${subject.kind}: ${admitted.error.reason}`)
  }
  if (records.size > 0) return err('a record is of no document in the receipt')
  return ok('command, event and approval were admitted while their keys were valid')
}

/** The manifests must describe exactly the approved hashes. */
export function checkArtifactSet({ approval, manifests }: ReceiptDocuments): Checked<string> {
  const approved = new Set(approval.value.artifactHashes)
  const described = new Set(manifests.map(({ value }) => value.contentHash))
  const undescribed = [...approved].find((hash) => !described.has(hash))
  if (undescribed !== undefined) return err(`${undescribed} was approved, but has no manifest`)
  const foreign = [...described].find((hash) => !approved.has(hash))
  if (foreign !== undefined) return err(`${foreign} has a manifest, but was not approved`)
  return ok(`${approved.size} approved, each with its manifest`)
}

/** Every approved Artifact is either included, and then hashes as named, or listed as omitted, with its size. */
export function checkContents({ contents, omitted }: Receipt, documents: ReceiptDocuments): Checked<string> {
  const expected = new Map(documents.manifests.map(({ value }) => [value.contentHash, value.sizeBytes]))
  const size = expected.size
  for (const { hash, bytes } of contents) {
    const content = decodeBase64url(bytes)
    if (content === undefined) return err(`the content of ${hash} is not canonical base64url`)
    if (sha256Hash(content) !== hash) return err(`the content of ${hash} has another hash`)
    if (expected.get(hash) !== content.length) return err(`the content of ${hash} is not listed with this size, or twice`)
    expected.delete(hash)
  }
  for (const { hash, sizeBytes } of omitted) {
    if (expected.get(hash) !== sizeBytes) return err(`${hash} is omitted, but not listed with this size, or twice`)
    expected.delete(hash)
  }
  const [unaccounted] = expected.keys()
  if (unaccounted !== undefined) return err(`${unaccounted} is neither included nor listed as omitted`)
  return ok(`${contents.length} of ${size} included and recomputed`)
}

/** Every given file must be one of the approved Artifacts. */
export function checkFiles(files: readonly HashedFile[], { approval }: ReceiptDocuments): Checked<string> {
  const approved = new Set(approval.value.artifactHashes)
  const foreign = files.find(({ hash }) => !approved.has(hash))
  if (foreign !== undefined) return err(`${foreign.name} has the hash ${foreign.hash}, which was not approved`)
  return ok(`${files.length} recomputed, all of them approved`)
}

const STAGE_WORDS: Record<VerificationStage, string> = {
  parse: 'it is not exactly one JSON document',
  schema: 'it does not fit its schema',
  'signature-envelope': 'its signature is malformed',
  'key-resolution': 'its key is not one that was valid for its signer',
  canonicalization: 'it has no canonical form',
  signature: 'its signature does not match its content',
}

const inWords = ({ stage, reason }: VerificationFailure): string => `${STAGE_WORDS[stage]} (${reason})`

const injected = (verifySignature: SignatureVerifier | undefined) =>
  verifySignature === undefined ? {} : { verifySignature }

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])
