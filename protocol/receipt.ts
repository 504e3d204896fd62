// One file with which anyone can verify offline who approved what: built by the authority, checked by everybody.
import { artifactName } from './artifact-name.ts'
import { encodeBase64url } from './base64url.ts'
import { encodeCanonical } from './canonical-json.ts'
import { sha256Hash } from './digest.ts'
import type { Artifact, FirstAdmissionRecord } from './generated/types.ts'
import type { KeyBinding, KeyBoundary, ValidatedRegistry } from './key-registry.ts'
import type { HashedFile, ReceiptDocuments } from './receipt-checks.ts'
import * as check from './receipt-checks.ts'
import type { Receipt, ReceiptMission, UnsignedReceipt } from './receipt-format.ts'
import { RECEIPT_FORMAT, RECEIPT_LIMITS } from './receipt-format.ts'
import type { Result } from './result.ts'
import { err, invariant, ok } from './result.ts'
import type { Signer } from './signed-documents.ts'
import { signDocument } from './signed-documents.ts'
import type { SignatureVerifier } from './verify-document.ts'

/** What the authority puts into a receipt. `contents` holds the Artifacts that fit, by content hash. */
export type ReceiptParts = {
  readonly exportedAt: string
  readonly organizationId: string
  readonly mission: ReceiptMission
  readonly commandBytes: Uint8Array
  readonly eventBytes: Uint8Array
  /** Revision of the registry and the bindings of every signer: approver, authority, producers. */
  readonly registry: { readonly revision: number; readonly bindings: readonly KeyBinding[] }
  readonly admissionRecords: readonly FirstAdmissionRecord[]
  readonly manifests: readonly { readonly manifest: Artifact; readonly bytes: Uint8Array }[]
  readonly contents: ReadonlyMap<string, Uint8Array>
  readonly pageBuild?: string
}

/** The receipt without its signature; Artifacts whose content is not at hand are listed as omitted. Pure. */
export function buildReceipt(parts: ReceiptParts): UnsignedReceipt {
  const sizes = new Map(parts.manifests.map(({ manifest }) => [manifest.contentHash, manifest.sizeBytes]))
  const hashes = [...sizes.keys()].sort()
  return {
    format: RECEIPT_FORMAT,
    exportedAt: parts.exportedAt,
    organizationId: parts.organizationId,
    mission: parts.mission,
    command: encodeBase64url(parts.commandBytes),
    event: encodeBase64url(parts.eventBytes),
    registry: { revision: parts.registry.revision, bindings: parts.registry.bindings.map(bindingOnly) },
    admissionRecords: parts.admissionRecords,
    manifests: parts.manifests.map(({ bytes }) => encodeBase64url(bytes)),
    contents: hashes.flatMap((hash) => {
      const bytes = parts.contents.get(hash)
      return bytes === undefined ? [] : [{ hash, bytes: encodeBase64url(bytes) }]
    }),
    omitted: hashes.flatMap((hash) => (parts.contents.has(hash) ? [] : [{ hash, sizeBytes: sizes.get(hash)! }])),
    ...(parts.pageBuild === undefined ? {} : { pageBuild: parts.pageBuild }),
    limits: RECEIPT_LIMITS,
  }
}

/** Signs a receipt with the Group Authority's key and gives the bytes of the file. */
export async function sealReceipt(receipt: UnsignedReceipt, keyId: string, sign: Signer): Promise<Uint8Array> {
  const body = encodeCanonical(await signDocument(receipt, 'exportedAt', keyId, sign))
  const file = new Uint8Array(body.length + 1)
  file.set(body)
  file[body.length] = LINE_FEED
  return file
}

const LINE_FEED = 0x0a

/** A registry may keep more beside a binding than an exported file shows. */
export function bindingOnly({ keyId, principal, algorithm, publicKey, validFrom, history, use }: KeyBinding): KeyBinding {
  const shown = { keyId, principal, algorithm, publicKey, validFrom, history: history.map(boundaryOnly) }
  return use === undefined ? shown : { ...shown, use }
}

function boundaryOnly({ recordedAt, validUntil, revokedAt }: KeyBoundary): KeyBoundary {
  return {
    ...(recordedAt === undefined ? {} : { recordedAt }),
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  }
}

/** One question, its answer, and in plain words what was found. */
export type ReceiptCheck = { readonly name: string; readonly ok: boolean; readonly detail: string }

/** An approved Artifact and where content with its hash was found: in the receipt, in given files, or nowhere. */
export type ReceiptArtifact = {
  readonly hash: string
  readonly name: string
  readonly sizeBytes: number
  readonly isIncluded: boolean
  readonly files: readonly string[]
}

/** `limits` says what even a good receipt does not prove. `refusal` is the first check that failed. */
export type ReceiptReport = { readonly checks: readonly ReceiptCheck[]; readonly limits: readonly string[] } & (
  | { readonly ok: true; readonly receipt: Receipt; readonly artifacts: readonly ReceiptArtifact[] }
  | { readonly ok: false; readonly refusal: ReceiptCheck }
)

/** A file that somebody holds beside the receipt, to be matched by its content alone. */
export type GivenFile = { readonly name: string; readonly bytes: Uint8Array }

export type ReceiptOptions = {
  /** Public key (base64url) that must have signed the receipt. Without it the authority is whoever the file says. */
  readonly authorityPublicKey?: string
  /** Files that must each be an approved Artifact. */
  readonly files?: readonly GivenFile[]
  readonly verifySignature?: SignatureVerifier
}

/** Verifies a receipt offline. Stops where later questions would rest on something that failed. */
export async function verifyReceipt(bytes: Uint8Array, options: ReceiptOptions = {}): Promise<ReceiptReport> {
  const checks: ReceiptCheck[] = []
  const files = options.files?.map(({ name, bytes: content }) => ({ name, hash: sha256Hash(content) }))
  const opened = await askAll(bytes, { ...options, files }, checks)
  const refusal = checks.find((one) => !one.ok)
  if (refusal !== undefined) return { ok: false, checks, limits: RECEIPT_LIMITS, refusal }
  invariant(opened !== undefined, 'a receipt that passes every check was opened')
  const artifacts = artifactsOf(opened.receipt, opened.documents, files ?? [])
  return { ok: true, checks, limits: RECEIPT_LIMITS, receipt: opened.receipt, artifacts }
}

type Ask = <T>(name: string, answer: Result<T, string>, inWords: (value: T) => string) => T | undefined
type Questions = Omit<ReceiptOptions, 'files'> & { readonly files: readonly HashedFile[] | undefined }
type Opened = { readonly receipt: Receipt; readonly documents: ReceiptDocuments }

async function askAll(bytes: Uint8Array, options: Questions, checks: ReceiptCheck[]): Promise<Opened | undefined> {
  const ask: Ask = (name, answer, inWords) => {
    checks.push({ name, ok: answer.ok, detail: answer.ok ? inWords(answer.value) : answer.error })
    return answer.ok ? answer.value : undefined
  }
  const receipt = ask('file', check.openReceipt(bytes), () => 'canonical form, every member in its place')
  if (receipt === undefined) return undefined
  const registry = ask('key registry', check.checkRegistry(receipt), ({ keys }) => `${keys.size} keys, all valid bindings`)
  if (registry === undefined) return undefined
  const authority = ask('authority signature', await check.checkSeal(receipt, registry, options.verifySignature), signedBy)
  if (authority === undefined) return undefined
  ask('authority key', comparePin(authority.binding.publicKey, options.authorityPublicKey), String)
  const documents = await askDocuments(receipt, registry, options.verifySignature, ask)
  if (documents === undefined) return undefined
  ask('decision', check.checkDecision(receipt, documents), String)
  ask('acceptance', check.checkAcceptance(receipt, documents, authority), String)
  ask('admission', check.checkAdmissions(receipt, documents), String)
  ask('artifact set', check.checkArtifactSet(documents), String)
  ask('included content', check.checkContents(receipt, documents), String)
  if (options.files !== undefined) ask('given files', check.checkFiles(options.files, documents), String)
  return { receipt, documents }
}

async function askDocuments(
  receipt: Receipt,
  registry: ValidatedRegistry,
  verifySignature: SignatureVerifier | undefined,
  ask: Ask,
): Promise<ReceiptDocuments | undefined> {
  const documentOf = <K extends 'command' | 'event'>(kind: K) =>
    check.checkDocument(kind, receipt[kind], registry, verifySignature)
  const command = ask('command', await documentOf('command'), signedBy)
  const event = ask('event', await documentOf('event'), signedBy)
  const verified = await check.checkManifests(receipt, registry, verifySignature)
  const manifests = ask('manifests', verified, ({ length }) => `${length}, each signed by its producer`)
  if (command === undefined || event === undefined || manifests === undefined) return undefined
  const approval = ask('approval', await check.checkApproval(command, registry, verifySignature), signedBy)
  return approval === undefined ? undefined : { command, event, approval, manifests }
}

function artifactsOf(
  { contents }: Receipt,
  { manifests }: ReceiptDocuments,
  files: readonly HashedFile[],
): readonly ReceiptArtifact[] {
  const byHash = new Map(manifests.map(({ value }) => [value.contentHash, value]))
  return [...byHash].map(([hash, manifest]) => ({
    hash,
    name: artifactName(manifest),
    sizeBytes: manifest.sizeBytes,
    isIncluded: contents.some((content) => content.hash === hash),
    files: files.filter((file) => file.hash === hash).map(({ name }) => name),
  }))
}

function comparePin(publicKey: string, pin: string | undefined): Result<string, string> {
  if (pin === undefined) return ok(`${publicKey}, not compared with a key that you trust`)
  return pin === publicKey ? ok(`${publicKey}, as expected`) : err(`the receipt is signed by ${publicKey}, not by ${pin}`)
}

const signedBy = ({ binding, protectedTime }: { binding: KeyBinding; protectedTime?: string }): string => {
  const at = protectedTime === undefined ? '' : ` at ${protectedTime}`
  return `signed by ${binding.principal.type} ${binding.principal.id}${at} with ${binding.keyId}`
}
