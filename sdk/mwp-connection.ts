// One WebSocket session with an authority: handshake, frames in both directions, liveness.
import { WebSocket } from 'ws'
import type { EventDocument, ProtocolError } from '../protocol/generated/types.ts'
import type { FrameBody } from './frames.ts'
import { MAX_FRAME_BYTES, readFrame, sendCommand, sendFrame } from './frames.ts'
import type { Identity } from './identity.ts'
import type { Session } from './shake-hands.ts'
import { shakeHands } from './shake-hands.ts'

const HANDSHAKE_TIMEOUT_MS = 15_000
const PING_INTERVAL_MS = 20_000

export interface ConnectionHandlers {
  onEvent(event: EventDocument): void
  onError(error: ProtocolError): void
}

/** How a connection ended; 1006 when the peer vanished. */
export interface ConnectionEnd {
  readonly code: number
  readonly reason: string
}

export class MwpConnection {
  readonly session: Session
  readonly ended: Promise<ConnectionEnd>
  readonly #socket: WebSocket

  private constructor(socket: WebSocket, session: Session) {
    this.#socket = socket
    this.session = session
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
    })
  }

  /** Connects and authenticates, until `signal` aborts. Rejects with HandshakeRefused or with the fault of the transport. */
  static async open(url: string, identity: Identity, handlers: ConnectionHandlers, signal: AbortSignal): Promise<MwpConnection> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES })
    socket.on('error', () => undefined)
    const giveUp = () => socket.terminate()
    const deadline = setTimeout(giveUp, HANDSHAKE_TIMEOUT_MS)
    signal.addEventListener('abort', giveUp)
    try {
      const session = await shakeHands(socket, identity)
      listen(socket, handlers)
      watchLiveness(socket)
      return new MwpConnection(socket, session)
    } catch (fault) {
      socket.terminate()
      throw fault
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', giveUp)
    }
  }

  send(body: FrameBody, frameId?: string): void {
    sendFrame(this.#socket, body, frameId)
  }

  sendCommand(command: Uint8Array): void {
    sendCommand(this.#socket, command)
  }

  close(): void {
    this.#socket.close(1000)
  }
}

function listen(socket: WebSocket, handlers: ConnectionHandlers): void {
  socket.on('message', (data, isBinary) => {
    const frame = readFrame(data, isBinary)
    switch (frame?.frameType) {
      case 'EVENT':
        return handlers.onEvent(frame.event)
      case 'ERROR':
        return handlers.onError(frame.error)
      case 'PING':
        if (frame.replyToNonce !== undefined) return
        return sendFrame(socket, {
          frameType: 'PING',
          nonce: frame.nonce,
          replyToNonce: frame.nonce,
          sentAt: new Date().toISOString(),
        })
      default:
        socket.close(1002, 'frame_not_understood')
    }
  })
}

/** A cable that was pulled closes nothing; only silence tells. */
function watchLiveness(socket: WebSocket): void {
  let isAlive = true
  const heard = () => void (isAlive = true)
  socket.on('pong', heard).on('ping', heard).on('message', heard)
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, PING_INTERVAL_MS)
  socket.once('close', () => clearInterval(timer))
}
