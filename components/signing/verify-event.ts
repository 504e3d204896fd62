import { decodeBase64url } from '../../protocol/base64url.ts'
import { verifyStrict } from '../../protocol/ed25519-strict.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { signingBytes } from '../../protocol/signed-documents.ts'
import { endsInUpperZ } from '../../protocol/timestamp.ts'

/** The Group Authority whose signature makes an Event true. */
export interface AuthorityKey {
  readonly principal: { readonly type: string; readonly id: string }
  readonly keyId: string
  readonly publicKey: string
}

/** The check that failed, in words that stand behind a broken seal. */
export type VerificationStage = 'envelope' | 'signer' | 'key' | 'signature' | 'answer to another command'

/** Verifies on this machine that the Group Authority signed exactly this Event. Takes any JSON object for one. */
export function verifyEvent(event: EventDocument, authority: AuthorityKey): Result<EventDocument, VerificationStage> {
  const { signature, acceptedBy, occurredAt } = event
  if (signature?.algorithm !== 'Ed25519' || typeof signature.value !== 'string') return err('envelope')
  if (typeof occurredAt !== 'string' || signature.createdAt !== occurredAt || !endsInUpperZ(occurredAt)) return err('envelope')
  if (acceptedBy?.type !== authority.principal.type || acceptedBy.id !== authority.principal.id) return err('signer')
  const publicKey = decodeBase64url(authority.publicKey)
  if (signature.keyId !== authority.keyId || publicKey === undefined) return err('key')
  const value = decodeBase64url(signature.value)
  if (value === undefined || !verifyStrict(publicKey, signingBytes(event), value)) return err('signature')
  return ok(event)
}

/** Verifies the Event that answers one Command: the authority's signature, the Action ID and the Command's signing hash. */
export function verifyAnswer(event: EventDocument, authority: AuthorityKey, command: { actionId: string; signingHash: string }): Result<EventDocument, VerificationStage> {
  const verified = verifyEvent(event, authority)
  if (!verified.ok) return verified
  const isAnswer = event.cause?.type === 'command' && event.cause.id === command.actionId && event.commandHash === command.signingHash
  return isAnswer ? verified : err('answer to another command')
}
