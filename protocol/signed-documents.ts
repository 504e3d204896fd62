// The nine Signed Document profiles and what exactly their signatures cover.
import { encodeBase64url } from './base64url.ts'
import { encodeCanonical } from './canonical-json.ts'
import { sha256Hash } from './digest.ts'
import type { Actor, ProtocolObjects, Signature, SignedDocumentKind } from './generated/types.ts'
import type { SignerRule } from './key-registry.ts'
import { invariant } from './result.ts'
import { endsInUpperZ, isTimestamp } from './timestamp.ts'

export type DocumentKind = SignedDocumentKind

/** The document of each kind, after its schema has been checked. */
export type SignedDocument<K extends DocumentKind = DocumentKind> = ProtocolObjects[K]

type Profile<K extends DocumentKind> = {
  readonly protectedTime: string & keyof SignedDocument<K>
  readonly signerOf: (document: SignedDocument<K>) => SignerRule
}

const exactly = (principal: Actor): SignerRule => ({ rule: 'principal', principal })

/** Protected time member and expected signer of every kind. Only the card takes any service. */
export const DOCUMENT_PROFILES: { readonly [K in DocumentKind]: Profile<K> } = {
  'agent-card': { protectedTime: 'issuedAt', signerOf: () => ({ rule: 'service' }) },
  approval: { protectedTime: 'occurredAt', signerOf: ({ approver }) => exactly(approver) },
  artifact: { protectedTime: 'createdAt', signerOf: ({ producer }) => exactly({ type: 'agent', id: producer.agentId }) },
  command: { protectedTime: 'issuedAt', signerOf: ({ actor }) => exactly(actor) },
  'context-package': { protectedTime: 'generatedAt', signerOf: ({ generatedBy }) => exactly(generatedBy) },
  event: { protectedTime: 'occurredAt', signerOf: ({ acceptedBy }) => exactly(acceptedBy) },
  evidence: { protectedTime: 'createdAt', signerOf: ({ generatedBy }) => exactly(generatedBy) },
  'extension-profile': { protectedTime: 'approvedAt', signerOf: ({ approvedBy }) => exactly(approvedBy) },
  'group-snapshot': { protectedTime: 'createdAt', signerOf: ({ createdBy }) => exactly(createdBy) },
}

/** The document without its top-level `signature`; nested members of that name stay. */
export function withoutSignature(document: object): object {
  const unsigned = Object.setPrototypeOf({}, null) as Record<string, unknown>
  for (const name of Object.keys(document)) if (name !== 'signature') unsigned[name] = (document as Readonly<Record<string, unknown>>)[name]
  return unsigned
}

/** The bytes that a signature of our own document covers. Throws outside the I-JSON model. */
export const signingBytes = (document: object): Uint8Array => encodeCanonical(withoutSignature(document))

/** Hash of signing bytes: the identity of a document in receipts and the Admission Log. */
export const signingHash = (bytes: Uint8Array): string => sha256Hash(bytes)

/** Signs the exact bytes with the key that `keyId` names; 64 bytes. */
export type Signer = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>

/**
 * Signs a document of our own. `protectedTime` names the member that the signature repeats; it must be a timestamp
 * with an upper-case `Z`.
 */
export async function signDocument<T extends object>(
  document: T,
  protectedTime: string & keyof T,
  keyId: string,
  sign: Signer,
): Promise<T & { signature: Signature }> {
  const createdAt = document[protectedTime]
  invariant(
    typeof createdAt === 'string' && isTimestamp(createdAt) && endsInUpperZ(createdAt),
    `${protectedTime} is not a protected time`,
  )
  const value = encodeBase64url(await sign(signingBytes(document)))
  return { ...document, signature: { algorithm: 'Ed25519', keyId, createdAt, value } }
}
