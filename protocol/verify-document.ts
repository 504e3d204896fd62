// The six verification stages of a Signed Document.
import { decodeBase64url } from './base64url.ts'
import { canonicalize, encodeCanonical } from './canonical-json.ts'
import { checkSignatureParts, hasReducedScalar, verifyWithCheckedKey } from './ed25519-strict.ts'
import type { ErrorCode } from './error-codes.ts'
import type { Actor, Signature } from './generated/types.ts'
import type { KeyBinding, KeyResolver, ResolvedKey } from './key-registry.ts'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import type { DocumentKind, SignedDocument } from './signed-documents.ts'
import { DOCUMENT_PROFILES, signingHash, withoutSignature } from './signed-documents.ts'
import type { JsonValue } from './strict-json.ts'
import { parseStrictJson } from './strict-json.ts'
import type { Instant } from './timestamp.ts'
import { endsInUpperZ, parseTimestamp } from './timestamp.ts'
import type { ValidationFault } from './validate.ts'
import { validateDocument } from './validate.ts'

export type VerificationStage =
  | 'parse'
  | 'schema'
  | 'signature-envelope'
  | 'key-resolution'
  | 'canonicalization'
  | 'signature'

/**
 * First stage that failed, its wire code, and a reason for the audit record alone. Only a schema fault says
 * more, because it tells the sender nothing about keys.
 */
export type VerificationFailure = {
  readonly stage: VerificationStage
  readonly code: ErrorCode
  readonly reason: string
  readonly schemaFault?: ValidationFault
}

const WIRE_CODES: Record<VerificationStage, ErrorCode> = {
  parse: 'PROTOCOL_VIOLATION',
  schema: 'SCHEMA_VALIDATION_FAILED',
  'signature-envelope': 'AUTH_INVALID_SIGNATURE',
  'key-resolution': 'AUTH_INVALID_SIGNATURE',
  canonicalization: 'PROTOCOL_VIOLATION',
  signature: 'AUTH_INVALID_SIGNATURE',
}

/**
 * Decides the equation of stage 6 for a public key that has passed A-59. It must compare R by its encoding, as
 * OpenSSL and WebCrypto do: a cofactored check would let a mixed-order R through.
 */
export type SignatureVerifier = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>

/** A document that has passed all six stages: this Principal signed it. What it may do is another question. */
export type VerifiedDocument<K extends DocumentKind = DocumentKind> = {
  readonly kind: K
  readonly value: SignedDocument<K>
  /** The document as received; for a nested document its RFC 8785 form. */
  readonly bytes: Uint8Array
  readonly signingBytes: Uint8Array
  readonly signingHash: string
  readonly organizationId: string
  readonly keyId: string
  readonly principal: Actor
  readonly publicKey: Uint8Array
  readonly protectedTime: string
  readonly binding: KeyBinding
}

type Verification<T> = Result<T, VerificationFailure>

/** Verifies received bytes as a document of the kind. `verifySignature` defaults to the slow portable check. */
export async function verifyDocument<K extends DocumentKind>(request: {
  readonly kind: K
  readonly bytes: Uint8Array
  readonly registry: KeyResolver
  readonly verifySignature?: SignatureVerifier
  readonly maxBytes?: number
}): Promise<Verification<VerifiedDocument<K>>> {
  const { bytes, maxBytes } = request
  const parsed = parseStrictJson(bytes, maxBytes === undefined ? {} : { maxBytes })
  if (!parsed.ok) return fail('parse', parsed.error.reason)
  return runStages({ ...request, ...parsed.value })
}

/**
 * Verifies a document that was parsed strictly, alone or nested in another; stage 1 is behind it. `schemaView` is the
 * matching part of the outer schema view and may be left out once the outer document has passed canonicalization and
 * its schema. Without `bytes` the result carries the RFC 8785 form.
 */
export function verifyParsedDocument<K extends DocumentKind>(request: {
  readonly kind: K
  readonly value: JsonValue
  readonly schemaView?: JsonValue
  readonly bytes?: Uint8Array
  readonly registry: KeyResolver
  readonly verifySignature?: SignatureVerifier
}): Promise<Verification<VerifiedDocument<K>>> {
  return runStages(request)
}

type Stages<K extends DocumentKind> = {
  readonly kind: K
  readonly value: JsonValue
  readonly schemaView?: JsonValue
  readonly bytes?: Uint8Array
  readonly registry: KeyResolver
  readonly verifySignature?: SignatureVerifier
}

async function runStages<K extends DocumentKind>(input: Stages<K>): Promise<Verification<VerifiedDocument<K>>> {
  const schemaFault = validateDocument(input.kind, input.schemaView ?? input.value)
  if (schemaFault !== undefined) return err({ ...failure('schema', 'schema-mismatch'), schemaFault })
  const value = input.value as SignedDocument<K>
  const envelope = readEnvelope(input.kind, value)
  if (!envelope.ok) return envelope
  const late = await runLateStages(input, value, envelope.value)
  // A successful equation implies a good R, so the point arithmetic of stage 3 is owed only when something fails.
  if (!late.ok && !checkSignatureParts(envelope.value.signature)) {
    return fail('signature-envelope', 'signature-r-invalid')
  }
  return late
}

type Envelope = {
  readonly keyId: string
  readonly protectedTime: string
  readonly at: Instant
  readonly signature: Uint8Array
}

/** Stage 3 but for the point arithmetic on R. */
function readEnvelope<K extends DocumentKind>(kind: K, value: SignedDocument<K>): Verification<Envelope> {
  const envelope: Signature = value.signature
  const protectedTime = value[DOCUMENT_PROFILES[kind].protectedTime]
  const at = typeof protectedTime === 'string' ? parseTimestamp(protectedTime) : undefined
  if (typeof protectedTime !== 'string' || at === undefined || !endsInUpperZ(protectedTime)) {
    return fail('signature-envelope', 'protected-time-not-utc-z')
  }
  if (envelope.createdAt !== protectedTime) return fail('signature-envelope', 'protected-time-created-at-mismatch')
  const signature = decodeBase64url(envelope.value)
  if (signature === undefined) return fail('signature-envelope', 'signature-not-canonical-base64url')
  if (signature.length !== 64) return fail('signature-envelope', 'signature-wrong-length')
  if (!hasReducedScalar(signature)) return fail('signature-envelope', 'signature-s-out-of-range')
  return ok({ protectedTime, at, signature, keyId: envelope.keyId })
}

/** Stages 4 to 6. */
async function runLateStages<K extends DocumentKind>(
  input: Stages<K>,
  value: SignedDocument<K>,
  { protectedTime, at, signature, keyId }: Envelope,
): Promise<Verification<VerifiedDocument<K>>> {
  const resolved = input.registry.resolve(keyId, DOCUMENT_PROFILES[input.kind].signerOf(value), at)
  if (!resolved.ok) return fail('key-resolution', resolved.error)
  const { binding, publicKey, organizationId }: ResolvedKey = resolved.value
  const canonical = canonicalize(withoutSignature(value))
  if (!canonical.ok) return fail('canonicalization', canonical.error.reason)
  const signingBytes = canonical.value
  const holds = await (input.verifySignature ?? verifyWithCheckedKey)(publicKey, signingBytes, signature)
  if (!holds) return fail('signature', 'equation-mismatch')
  return ok({
    kind: input.kind,
    value,
    bytes: input.bytes ?? encodeCanonical(value),
    signingBytes,
    signingHash: signingHash(signingBytes),
    organizationId,
    keyId,
    principal: binding.principal,
    publicKey,
    protectedTime,
    binding,
  })
}

const failure = (stage: VerificationStage, reason: string): VerificationFailure => ({
  stage,
  code: WIRE_CODES[stage],
  reason,
})
const fail = (stage: VerificationStage, reason: string) => err(failure(stage, reason))
