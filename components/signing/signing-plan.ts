// What exactly is about to be signed, found from the bytes alone.
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { signDocument, signingBytes, type Signer as SignBytes } from '../../protocol/signed-documents.ts'
import { isJsonObject, parseStrictJson, type JsonObject } from '../../protocol/strict-json.ts'
import type { KeyUse } from './signer.ts'

export const SIGN_IN_PURPOSE = 'countersign.console.sign-in'
export const ENROL_PURPOSE = 'countersign.console.enrol'
export const ADD_KEY_PURPOSE = 'countersign.console.add-key'

/** Commands that talk. Every other kind, known or not, is an act of authority and needs the dialog. */
const CONVERSATION_KINDS: ReadonlySet<string> = new Set(['message.post', 'message.correct', 'message.retract', 'work.propose'])

export type SigningPlan =
  | {
      readonly form: 'command'
      readonly use: KeyUse
      readonly document: JsonObject
      /** The Approval inside the Command, when it is signed by the same gesture, before the Command. */
      readonly approval?: JsonObject
      /** The bytes that the dialog shows and hashes: the Approval's if there is one, else the Command's. */
      readonly shownBytes: Uint8Array
    }
  | { readonly form: 'sign-in' | 'add-key'; readonly use: KeyUse | 'any'; readonly document: JsonObject; readonly shownBytes: Uint8Array }

/**
 * Reads the request's bytes strictly. Bytes that are not canonical, that are no document which can be shown in words,
 * or that were made for another site than `origin`, refuse.
 */
export function planSigning(bytes: Uint8Array, origin: string): Result<SigningPlan, 'unreadable'> {
  const document = parseCanonical(bytes)
  if (document === undefined) return err('unreadable')
  if (typeof document['kind'] === 'string') return planCommand(document, bytes)
  if (isChallenge(document, origin) && document['purpose'] === SIGN_IN_PURPOSE) {
    return ok({ form: 'sign-in', use: 'any', document, shownBytes: bytes })
  }
  if (hasExactly(document, ['challengeId', 'publicKey', 'purpose', 'use']) && document['purpose'] === ADD_KEY_PURPOSE) {
    return ok({ form: 'add-key', use: 'authority', document, shownBytes: bytes })
  }
  return err('unreadable')
}

function planCommand(document: JsonObject, bytes: Uint8Array): Result<SigningPlan, 'unreadable'> {
  const { kind, payload } = document
  if ('signature' in document || typeof kind !== 'string' || !isJsonObject(payload) || typeof document['issuedAt'] !== 'string') return err('unreadable')
  const approval = payload['approval']
  const command = { form: 'command', use: CONVERSATION_KINDS.has(kind) ? 'conversation' : 'authority', document } as const
  if (!isJsonObject(approval) || 'signature' in approval) return ok({ ...command, shownBytes: bytes })
  return ok({ ...command, approval, shownBytes: signingBytes(approval) })
}

/** Whether the bytes are a challenge that a new key may answer to prove possession, made by this very site. */
export function isPossessionChallenge(bytes: Uint8Array, origin: string): boolean {
  const document = parseCanonical(bytes)
  const purpose = document?.['purpose']
  return document !== undefined && isChallenge(document, origin) && (purpose === ENROL_PURPOSE || purpose === ADD_KEY_PURPOSE)
}

/** Signs the planned Command, inner Approval first; RFC 8785 bytes of the whole. */
export async function completeCommand(plan: SigningPlan & { form: 'command' }, keyId: string, sign: SignBytes): Promise<Uint8Array> {
  const { document, approval } = plan
  if (approval === undefined) return encodeCanonical(await signDocument(document, 'issuedAt', keyId, sign))
  const signed = await signDocument(approval, 'occurredAt', keyId, sign)
  const command: JsonObject = { ...document, payload: { ...(document['payload'] as JsonObject), approval: signed } }
  return encodeCanonical(await signDocument(command, 'issuedAt', keyId, sign))
}

function parseCanonical(bytes: Uint8Array): JsonObject | undefined {
  const parsed = parseStrictJson(bytes)
  if (!parsed.ok || !isJsonObject(parsed.value.value)) return undefined
  const again = encodeCanonical(parsed.value.value)
  return again.length === bytes.length && again.every((byte, at) => byte === bytes[at]) ? parsed.value.value : undefined
}

const isChallenge = (document: JsonObject, origin: string): boolean =>
  hasExactly(document, ['audience', 'challengeId', 'expiresAt', 'purpose']) && document['audience'] === origin

function hasExactly(document: JsonObject, members: readonly string[]): boolean {
  return Object.keys(document).length === members.length && members.every((member) => typeof document[member] === 'string')
}
