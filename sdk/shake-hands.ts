import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { RawData, WebSocket } from 'ws'
import { decodeBase64url, encodeBase64url } from '../protocol/base64url.ts'
import type { HelloServerAcceptFrame, HelloServerChallengeFrame } from '../protocol/generated/types.ts'
import { isJsonObject, parseStrictJson } from '../protocol/strict-json.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'
import { readFrame, sendFrame } from './frames.ts'
import type { Identity } from './identity.ts'
import { HandshakeRefused } from './refusal.ts'

const NONCE_BYTES = 24

/** A live session. `token` is also the bearer token of the HTTP side. */
export interface Session {
  readonly token: string
  readonly sessionEpoch: number
  readonly expiresAt: string
}

type ServerHello = HelloServerChallengeFrame | HelloServerAcceptFrame

/**
 * Opens a session over a connecting socket. Rejects with HandshakeRefused when the authority declines, otherwise
 * with the fault of the transport.
 */
export async function shakeHands(socket: WebSocket, { principal, keyId, sign }: Identity): Promise<Session> {
  await once(socket, 'open')
  const clientNonce = encodeBase64url(randomBytes(NONCE_BYTES))
  const own = { agentId: principal.id, keyId, clientNonce }
  sendFrame(socket, { frameType: 'HELLO', phase: 'client_init', ...own, supportedVersions: [PROTOCOL_VERSION] })
  const { serverNonce, challenge } = await nextHello(socket, 'server_challenge')
  const transcript = decodeBase64url(challenge)
  if (transcript === undefined || !isTranscript(transcript, { ...own, serverNonce })) {
    throw new Error('the challenge is no transcript of this handshake')
  }
  const challengeSignature = encodeBase64url(await sign(transcript))
  sendFrame(socket, { frameType: 'HELLO', phase: 'client_response', ...own, serverNonce, challengeSignature })
  const { sessionToken, sessionEpoch, expiresAt } = await nextHello(socket, 'server_accept')
  return { token: sessionToken, sessionEpoch, expiresAt }
}

/**
 * The bytes to sign come from the peer. They must hold what only a transcript holds, or a false authority could have a
 * Command signed that way.
 */
function isTranscript(bytes: Uint8Array, members: Readonly<Record<string, string>>): boolean {
  const parsed = parseStrictJson(bytes)
  if (!parsed.ok || !isJsonObject(parsed.value.value)) return false
  const transcript = parsed.value.value
  return Object.entries(members).every(([name, value]) => transcript[name] === value)
}

/** The next HELLO, which must be of this phase. An ERROR or the end of the connection rejects. */
function nextHello<P extends ServerHello['phase']>(socket: WebSocket, phase: P): Promise<ServerHello & { phase: P }> {
  return new Promise((resolve, reject) => {
    const onClose = (code: number) => settle(() => reject(new Error(`the connection closed with ${code}`)))
    const onMessage = (data: RawData, isBinary: boolean) => {
      const frame = readFrame(data, isBinary)
      if (frame?.frameType === 'ERROR') settle(() => reject(new HandshakeRefused(frame.error)))
      else if (frame?.frameType === 'HELLO' && frame.phase === phase) settle(() => resolve(frame as ServerHello & { phase: P }))
      else settle(() => reject(new Error('the authority does not keep to the handshake')))
    }
    const settle = (finish: () => void) => {
      socket.off('message', onMessage).off('close', onClose)
      finish()
    }
    socket.on('message', onMessage).on('close', onClose)
  })
}
