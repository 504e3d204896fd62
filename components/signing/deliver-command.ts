// Sends signed bytes to the authority and believes its answer only after verifying it.
import type { ErrorCode } from '../../protocol/error-codes.ts'
import { ERROR_CODES } from '../../protocol/error-codes.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import { isJsonObject, parseStrictJson, type JsonObject } from '../../protocol/strict-json.ts'
import type { RevisionMove } from './refusal-sentences.ts'
import { verifyAnswer, type AuthorityKey, type VerificationStage } from './verify-event.ts'

export type Delivery =
  | { readonly outcome: 'verified'; readonly event: EventDocument }
  | { readonly outcome: 'unverified'; readonly stage: VerificationStage }
  | { readonly outcome: 'refused'; readonly code: ErrorCode; readonly move: RevisionMove }
  | { readonly outcome: 'unreachable' }

export interface DeliveryOptions {
  readonly authority: AuthorityKey
  /** The authority has answered with an Event, not yet verified. */
  readonly onAccepted?: () => void
}

const COMMANDS_PATH = '/api/commands'
/** An Event may carry a whole Mission; the authority's own documents are bounded well below this. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Posts the exact signed Command bytes. Sending the same bytes again gets the same Event. */
export async function deliverCommand(bytes: Uint8Array, { authority, onAccepted }: DeliveryOptions): Promise<Delivery> {
  const answer = await post(bytes)
  if (answer === undefined) return { outcome: 'unreachable' }
  if (isJsonObject(answer['error'])) return refusal(answer['error'])
  const event = answer['event']
  if (!isJsonObject(event)) return { outcome: 'unreachable' }
  onAccepted?.()
  const verified = verifyAnswer(event as unknown as EventDocument, authority, identityOf(bytes))
  return verified.ok ? { outcome: 'verified', event: verified.value } : { outcome: 'unverified', stage: verified.error }
}

async function post(bytes: Uint8Array): Promise<JsonObject | undefined> {
  try {
    const response = await fetch(COMMANDS_PATH, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: new Uint8Array(bytes) })
    const parsed = parseStrictJson(new Uint8Array(await response.arrayBuffer()), { maxBytes: MAX_ANSWER_BYTES })
    return parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : undefined
  } catch {
    return undefined
  }
}

function refusal(error: JsonObject): Delivery {
  const { code, expectedRevision, currentRevision } = error
  if (typeof code !== 'string' || !Object.hasOwn(ERROR_CODES, code)) return { outcome: 'unreachable' }
  const move: RevisionMove = {
    ...(typeof expectedRevision === 'number' && { expectedRevision }),
    ...(typeof currentRevision === 'number' && { currentRevision }),
  }
  return { outcome: 'refused', code: code as ErrorCode, move }
}

function identityOf(bytes: Uint8Array): { actionId: string; signingHash: string } {
  const parsed = parseStrictJson(bytes)
  const command = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {}
  return { actionId: String(command['actionId']), signingHash: signingHash(signingBytes(command)) }
}
