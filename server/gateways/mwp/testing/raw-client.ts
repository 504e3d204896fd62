// A peer that sends exactly what a test tells it to and keeps everything that comes back.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientOptions } from 'ws'
import { WebSocket } from 'ws'
import { decodeBase64url, encodeBase64url } from '../../../../protocol/base64url.ts'
import { signBytes } from '../../../../protocol/ed25519-sign.ts'
import type { EventFrame, ErrorFrame, Frame } from '../../../../protocol/generated/types.ts'
import { validateDocument } from '../../../../protocol/validate.ts'
import { addressReader } from '../../../http-messages.ts'
import type { AuthorityService } from '../../../service/service.ts'
import type { MwpLimits } from '../limits.ts'
import { createMwpDoor } from '../mwp-door.ts'
import type { TestAgent } from './fake-service.ts'

export const id = () => `urn:uuid:${randomUUID()}`
export const envelope = () => ({ protocolVersion: '0.1', frameId: id() })
export const nonce = () => encodeBase64url(new TextEncoder().encode(randomUUID()))

export interface ListenOptions {
  readonly limits?: Partial<MwpLimits>
  /** 0 takes any. */
  readonly port?: number
  readonly onRequest?: RequestListener
}

/** A door on a port of its own. Faults that it reports are kept. */
export async function listen(service: AuthorityService, { limits = {}, port: wanted = 0, onRequest }: ListenOptions = {}) {
  const faults: unknown[] = []
  const door = createMwpDoor(service, { limits, addressOf: addressReader(), onFault: (fault) => faults.push(fault) })
  const server = createServer(onRequest ?? (() => undefined))
  server.on('upgrade', (request, socket, head) => door.handleUpgrade(request, socket, head))
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    const closed = once(server, 'close')
    server.close()
    await door.close()
    server.closeAllConnections()
    await closed
  }
  return { door, faults, port, url: `ws://127.0.0.1:${port}/mwp`, stop }
}

type Closed = { readonly code: number; readonly reason: string }

export class RawClient {
  readonly socket: WebSocket
  readonly received: Frame[] = []
  readonly texts: string[] = []
  readonly closed: Promise<Closed>
  readonly #waiting = new Set<() => void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => this.#keep(String(data)))
    socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        resolve({ code, reason: String(reason) })
        for (const check of this.#waiting) check()
      })
    })
  }

  static async open(url: string, options: ClientOptions = {}): Promise<RawClient> {
    const client = new RawClient(new WebSocket(url, { perMessageDeflate: false, ...options }))
    await once(client.socket, 'open')
    return client
  }

  /** Opens a connection and walks through the handshake. */
  static async authenticated(url: string, agent: TestAgent): Promise<RawClient> {
    const client = await RawClient.open(url)
    await client.shakeHands(agent)
    return client
  }

  async shakeHands({ agentId, keyId, seed }: TestAgent): Promise<void> {
    const clientNonce = nonce()
    this.send({ ...envelope(), frameType: 'HELLO', phase: 'client_init', agentId, keyId, clientNonce, supportedVersions: ['0.1'] })
    const challenged = await this.find((frame) => frame.frameType === 'HELLO' && frame.phase === 'server_challenge')
    const { serverNonce, challenge } = challenged as Extract<Frame, { phase: 'server_challenge' }>
    const challengeSignature = encodeBase64url(signBytes(seed, decodeBase64url(challenge)!))
    this.send({ ...envelope(), frameType: 'HELLO', phase: 'client_response', agentId, keyId, clientNonce, serverNonce, challengeSignature })
    await this.find((frame) => frame.frameType === 'HELLO' && frame.phase === 'server_accept')
  }

  send(message: object | string | Buffer): void {
    const isText = typeof message === 'string' || Buffer.isBuffer(message)
    this.socket.send(isText ? message : JSON.stringify(message))
  }

  subscribe(groupId: string, afterSequence: number, attention?: object): void {
    const groups = [{ groupId, afterSequence, ...(attention && { attention }) }]
    this.send({ ...envelope(), frameType: 'SUBSCRIBE', subscriptionId: id(), groups })
  }

  /** Sends a PING and waits for its answer: everything sent before has been taken in by then. */
  async roundTrip(): Promise<void> {
    const sent = nonce()
    this.send({ ...envelope(), frameType: 'PING', nonce: sent, sentAt: new Date().toISOString() })
    await this.find((frame) => frame.frameType === 'PING' && frame.replyToNonce === sent)
  }

  /** The first frame, received already or yet to come, that fits. Fails when the connection closes first. */
  find(fits: (frame: Frame) => boolean): Promise<Frame> {
    let seen = 0
    return this.#until(() => {
      while (seen < this.received.length) {
        const frame = this.received[seen++]!
        if (fits(frame)) return frame
      }
      return undefined
    })
  }

  async findError(code: string): Promise<ErrorFrame['error']> {
    const frame = await this.find((candidate) => candidate.frameType === 'ERROR' && candidate.error.code === code)
    return (frame as ErrorFrame).error
  }

  events(groupId: string): EventFrame['event'][] {
    return this.received.flatMap((frame) =>
      frame.frameType === 'EVENT' && frame.event.groupId === groupId ? [frame.event] : [],
    )
  }

  /** Waits until an Event of this sequence has come; the sequences of the Group's Events so far, in order of arrival. */
  async sequencesUpTo(groupId: string, last: number): Promise<number[]> {
    await this.find((frame) => frame.frameType === 'EVENT' && frame.event.groupId === groupId && frame.event.sequence === last)
    return this.events(groupId).map(({ sequence }) => sequence!)
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }

  #keep(text: string): void {
    const frame = JSON.parse(text) as Frame
    const fault = validateDocument('websocket-frame', frame)
    if (fault !== undefined) throw new Error(`the door sent a frame that does not fit: ${fault.path} ${fault.message}`)
    this.texts.push(text)
    this.received.push(frame)
    for (const check of this.#waiting) check()
  }

  #until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look()
        const isOver = this.socket.readyState === WebSocket.CLOSED
        if (found === undefined && !isOver) return
        this.#waiting.delete(check)
        if (found === undefined) reject(new Error('the connection closed first'))
        else resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
}
