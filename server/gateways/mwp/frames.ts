// The frames that the authority sends, as text or bytes ready for the socket.
import { randomBytes, randomUUID } from 'node:crypto'
import { encodeBase64url } from '../../../protocol/base64url.ts'
import type { ProtocolError } from '../../../protocol/generated/types.ts'
import { PROTOCOL_VERSION } from '../../../protocol/version.ts'
import type { AgentSession, Challenge } from '../../service/service.ts'

const NONCE_BYTES = 18

const envelope = () => ({ protocolVersion: PROTOCOL_VERSION, frameId: `urn:uuid:${randomUUID()}` })

const EVENT_START = Buffer.from('{"event":')

/**
 * An EVENT around the stored bytes of the Event, which are never parsed or written anew. Members stand in canonical
 * order, so that the frame as a whole is RFC 8785 text too.
 */
export function eventFrame(eventBytes: Uint8Array): Uint8Array {
  const end = Buffer.from(
    `,"frameId":"urn:uuid:${randomUUID()}","frameType":"EVENT","protocolVersion":"${PROTOCOL_VERSION}"}`,
  )
  return Buffer.concat([EVENT_START, eventBytes, end])
}

export const errorFrame = (error: ProtocolError): string =>
  JSON.stringify({ ...envelope(), frameType: 'ERROR', error })

export const pingFrame = (replyToNonce: string, sentAt: string): string =>
  JSON.stringify({
    ...envelope(),
    frameType: 'PING',
    nonce: encodeBase64url(randomBytes(NONCE_BYTES)),
    replyToNonce,
    sentAt,
  })

/** Second step of the handshake. `challenge` holds the canonical transcript that the client signs. */
export const challengeFrame = (clientNonce: string, { serverNonce, challenge }: Challenge): string =>
  JSON.stringify({
    ...envelope(),
    frameType: 'HELLO',
    phase: 'server_challenge',
    selectedVersion: PROTOCOL_VERSION,
    clientNonce,
    serverNonce,
    challenge,
  })

/** Last step of the handshake: the new Session Epoch and the token that the HTTP doors accept as well. */
export const acceptFrame = ({ token, sessionEpoch, expiresAt }: AgentSession): string =>
  JSON.stringify({
    ...envelope(),
    frameType: 'HELLO',
    phase: 'server_accept',
    selectedVersion: PROTOCOL_VERSION,
    sessionToken: token,
    sessionEpoch,
    expiresAt,
  })
