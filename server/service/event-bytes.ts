// Between an Event and its stored bytes.
import { Buffer } from 'node:buffer'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { canonicalText, encodeCanonical } from '../../protocol/canonical-json.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import type { Signer } from '../../protocol/signed-documents.ts'
import type { ServiceIdentity } from './organization-keys.ts'
import type { DecodedEntry, LogEntry } from './ports.ts'

const text = new TextDecoder()

/** An Event of our own log; its bytes were made and signed here, so a plain parse suffices. */
export const decodeEvent = (bytes: Uint8Array): EventDocument => JSON.parse(text.decode(bytes)) as EventDocument

export const decodeEntry = (entry: LogEntry): DecodedEntry => ({ ...entry, event: decodeEvent(entry.bytes) })

/** An Event with everything but the signature's value. */
export type UnsignedEvent = Omit<EventDocument, 'signature'>

export interface SignedEvent { readonly event: UnsignedEvent; readonly signingBytes: Uint8Array; readonly bytes: Uint8Array }

/** Signs the Events of a batch as the Group Authority; `bytes` are the RFC 8785 form of the signed documents. */
export async function signEvents(events: readonly UnsignedEvent[], authority: ServiceIdentity): Promise<readonly SignedEvent[]> {
  const sign = events.length <= signedAtOnce ? authority.signNow : authority.sign
  return Promise.all(events.map((event) => signEvent(event, authority.keyId, sign)))
}

/** A batch of at most this many Events does not pay the way to the thread pool. */
const signedAtOnce = 4

/** The bytes are made once: the signature goes in at its place in member order. */
async function signEvent(event: UnsignedEvent, keyId: string, sign: Signer): Promise<SignedEvent> {
  const signingBytes = encodeCanonical(event)
  const value = encodeBase64url(await sign(signingBytes))
  const signature = { algorithm: 'Ed25519', keyId, createdAt: event.occurredAt, value }
  return { event, signingBytes, bytes: withMember(signingBytes, event, 'signature', canonicalText(signature)) }
}

/** The canonical bytes of an object, given as bytes and value, with one more member. */
function withMember(canonical: Uint8Array, object: object, name: string, memberText: string): Uint8Array {
  const later: Record<string, unknown> = {}
  for (const member of Object.keys(object)) {
    const value = (object as Readonly<Record<string, unknown>>)[member]
    if (member > name && value !== undefined) later[member] = value
  }
  const text = canonicalText(later)
  const tail = Buffer.from(text === '{}' ? '}' : `,${text.slice(1)}`)
  const head = canonical.subarray(0, canonical.length - tail.length)
  invariant(tail.equals(canonical.subarray(head.length)), 'members out of canonical order')
  return Buffer.concat([head, Buffer.from(`,"${name}":${memberText}`), tail])
}
