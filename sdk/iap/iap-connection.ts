// One WebSocket of an I.A.P. agent: handshake, messages in both directions, liveness.
import type { RawData } from 'ws'
import { WebSocket } from 'ws'
import type { IAPHandshakeAck } from '../../protocol/generated/types.ts'
import type { AgentHandshake, ErrorMessage, IAPMessage } from '../../protocol/iap/types.ts'
import { isIAPMessage } from '../../protocol/iap/validate.ts'
import { parseStrictJson } from '../../protocol/strict-json.ts'
import { createHandshakeMessage } from './create-messages.ts'

/** Close code for a token that is not valid, or not any more. */
export const UNAUTHORIZED = 4401
/** Close code of a session that a newer one of the same agent replaced. */
export const SESSION_REPLACED = 4001

const HANDSHAKE_TIMEOUT_MS = 15_000
/** A message can hold one context in base64. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** The router answered with an ERROR. Branch on `payload.code`. */
export class IAPRefused extends Error {
  override readonly name = 'IAPRefused'
  readonly payload: ErrorMessage

  constructor(payload: ErrorMessage) {
    super(`${payload.code}: ${payload.message}`)
    this.payload = payload
  }
}

/** The server did not take the token. */
export class IAPUnauthorized extends Error {
  override readonly name = 'IAPUnauthorized'
}

export interface IAPConnectionOptions {
  readonly url: string
  readonly token: string | undefined
  readonly handshake: AgentHandshake
  readonly onMessage: (message: IAPMessage) => void
}

export class IAPConnection {
  readonly ack: IAPHandshakeAck
  /** The close code; 1006 when the peer vanished. */
  readonly ended: Promise<number>
  readonly #socket: WebSocket
  #pingCount = 0

  private constructor(socket: WebSocket, ack: IAPHandshakeAck) {
    this.#socket = socket
    this.ack = ack
    this.ended = new Promise((resolve) => socket.once('close', resolve))
  }

  /** Rejects with IAPUnauthorized, IAPRefused or the fault of the transport. */
  static async open({ url, token, handshake, onMessage }: IAPConnectionOptions): Promise<IAPConnection> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES })
    socket.on('error', () => undefined)
    const deadline = setTimeout(() => socket.terminate(), HANDSHAKE_TIMEOUT_MS)
    try {
      await opened(socket)
      const answered = listen(socket, onMessage)
      socket.send(JSON.stringify(createHandshakeMessage(handshake)))
      return new IAPConnection(socket, await answered)
    } catch (fault) {
      socket.terminate()
      throw fault
    } finally {
      clearTimeout(deadline)
    }
  }

  send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text)
  }

  /** Resolves once the peer has received everything that was sent before; never, when the connection ends first. */
  async received(): Promise<void> {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return new Promise(() => undefined)
    const mark = `${++this.#pingCount}`
    await new Promise<void>((resolve) => {
      // The pong to an earlier ping says nothing of what was sent since.
      const heard = (data: Buffer) => {
        if (data.toString() !== mark) return
        socket.off('pong', heard)
        resolve()
      }
      socket.on('pong', heard)
      socket.ping(mark)
    })
  }

  /** Ends a connection whose peer has not answered for the interval. */
  watch(intervalMs: number, beat: () => void): void {
    let isAlive = true
    const heard = () => void (isAlive = true)
    this.#socket.on('pong', heard).on('message', heard)
    const timer = setInterval(() => {
      if (!isAlive) return this.#socket.terminate()
      isAlive = false
      this.#socket.ping()
      beat()
    }, intervalMs)
    this.#socket.once('close', () => clearInterval(timer))
  }

  close(): void {
    this.#socket.close(1000)
  }
}

/** The message in a frame; `undefined` for anything else, which a later minor version may send. */
function readMessage(data: RawData, isBinary: boolean): IAPMessage | undefined {
  const parsed = isBinary ? undefined : parseStrictJson(data as Buffer, { maxBytes: MAX_MESSAGE_BYTES })
  if (parsed?.ok !== true) return undefined
  const value: unknown = parsed.value.value
  return isIAPMessage(value) ? value : undefined
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve).once('error', reject)
    socket.once('close', (code) => reject(new Error(`the connection closed with ${code}`)))
    socket.once('unexpected-response', (_request, response) => {
      const { statusCode } = response
      reject(statusCode === 401 || statusCode === 403 ? new IAPUnauthorized(`the server answered ${statusCode}`) : new Error(`the server answered ${statusCode}`))
    })
  })
}

/** Resolves with the answer to the HANDSHAKE, which is the server's first message, and hands on all others: they can come in the same packet. */
function listen(socket: WebSocket, onMessage: (message: IAPMessage) => void): Promise<IAPHandshakeAck> {
  return new Promise((resolve, reject) => {
    let isGreeted = false
    socket.once('close', (code) => reject(code === UNAUTHORIZED ? new IAPUnauthorized('the server closed with 4401') : new Error(`the connection closed with ${code}`)))
    socket.on('message', (data, isBinary) => {
      const message = readMessage(data, isBinary)
      if (isGreeted) return message && onMessage(message)
      isGreeted = true
      if (message?.type === 'HANDSHAKE_ACK') resolve(message.payload)
      else if (message?.type === 'ERROR') reject(new IAPRefused(message.payload))
      else reject(new Error('the server does not keep to the handshake'))
    })
  })
}
