// One WebSocket of the I.A.P. door: frames in, messages out, and what it may cost. What messages mean is the router's.
import type { RawData, WebSocket } from 'ws'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import type { IapRouter, Peer, PeerEnd, PeerLink } from '../../service/iap/types.ts'
import type { TokenBucket } from '../../token-bucket.ts'
import type { CloseCode } from './close-codes.ts'
import { CLOSE_CODES, closeCodeOf } from './close-codes.ts'
import type { IapDoorLimits } from './limits.ts'

interface Host {
  readonly router: IapRouter
  readonly limits: IapDoorLimits
  readonly principalId: string
  /** Takes of what the Principal may send, over all its connections, one after another as well. */
  readonly take: (cost: number) => ReturnType<TokenBucket['take']>
  readonly onClosed: (connection: IapConnection) => void
}

export class IapConnection {
  readonly #socket: WebSocket
  readonly #host: Host
  readonly #peer: Peer
  readonly #deadline: NodeJS.Timeout
  readonly #waiting = new Set<() => void>()
  #hasSpoken = false
  #isGreeted = false
  #isEnded = false
  #inHand = 0
  /** How many messages the peer was asked about last. */
  #asked = 0

  constructor(socket: WebSocket, host: Host) {
    const { limits, router, principalId } = host
    this.#socket = socket
    this.#host = host
    this.#deadline = setTimeout(() => this.end(CLOSE_CODES.handshakeTimeout), limits.handshakeDeadlineMs)
    socket.on('message', (data, isBinary) => void this.#receive(data, isBinary))
    socket.on('ping', (data) => void this.#answerPing(data))
    socket.on('pong', (data) => this.#heard(data))
    // `ws` has already chosen the close code; without a listener the fault would end the process.
    socket.on('error', () => this.#stop())
    socket.once('close', () => this.#closed())
    this.#peer = router.connect(principalId, this.#link())
  }

  end({ code, reason }: CloseCode): void {
    this.#stop()
    this.#socket.close(code, reason)
  }

  /** Asks for a sign of life. */
  ping(): void {
    if (!this.#isEnded) this.#socket.ping()
  }

  #link(): PeerLink {
    const isFull = () => this.#isOpen && this.#socket.bufferedAmount >= this.#host.limits.maxBufferedBytes
    return {
      send: (text) => this.#send(text),
      confirm: (count) => this.#ask(count),
      get isFull() {
        return isFull()
      },
      drained: () => (isFull() ? new Promise((resolve) => this.#waiting.add(resolve)) : Promise.resolve()),
      end: (why: PeerEnd) => this.end(closeCodeOf[why]),
    }
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  #send(text: string): void {
    if (!this.#isOpen) return
    if (this.#socket.bufferedAmount > this.#host.limits.hardBufferedBytes) {
      this.end(CLOSE_CODES.neverReads)
      return this.#socket.terminate()
    }
    this.#greeted()
    this.#socket.send(text, { binary: false }, () => this.#wake())
  }

  #ask(count: number): void {
    if (!this.#isOpen) return
    this.#asked = count
    this.#socket.ping(String(count))
  }

  /** Whatever the first answer is: a HANDSHAKE_ACK, or an error with which the connection ends. */
  #greeted(): void {
    this.#isGreeted = true
    clearTimeout(this.#deadline)
  }

  #wake(): void {
    if (this.#isOpen && this.#socket.bufferedAmount > this.#host.limits.maxBufferedBytes / 2) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  async #receive(data: RawData, isBinary: boolean): Promise<void> {
    if (this.#isEnded) return
    if (isBinary) return this.end(CLOSE_CODES.binaryMessage)
    // `ws` hands over one Buffer per message, its default binary type.
    const bytes = data as Buffer
    const { maxFrameBytes, maxGreetingBytes } = this.#host.limits
    if (!this.#isGreeted && bytes.length > maxGreetingBytes) return this.end(CLOSE_CODES.tooLong)
    const frame = parseStrictJson(bytes, { maxBytes: maxFrameBytes })
    // The upgrade has paid for the HANDSHAKE that it is for.
    const grant = this.#host.take(frame.ok && this.#hasSpoken ? costOf(frame.value.value) : 1)
    this.#hasSpoken = true
    // Whoever has no session yet may come back, which a refusal would forbid.
    if (grant === 'exhausted' || (grant !== 'granted' && !this.#isGreeted)) return this.end(CLOSE_CODES.tooManyMessages)
    if (grant !== 'granted') return this.#peer.refuse(`too many messages; come back in ${grant.retryAfterMs} ms`, 'rate_limited')
    if (!frame.ok) return this.#peer.refuse(frame.error.message, 'malformed')
    if (this.#isTooLong(frame.value.value, bytes.length)) return this.#peer.refuse('the message is too long', 'too_long')
    await this.#handOn(frame.value.value)
  }

  /** Only context and batches need more than a message, and introductions a little more. */
  #isTooLong(value: unknown, size: number): boolean {
    const { type } = (value ?? {}) as { readonly type?: unknown }
    if (type === 'CONTEXT_TRANSFER' || type === 'MESSAGE_BATCH') return false
    return size > (type === 'HANDSHAKE' ? this.#host.limits.maxGreetingBytes : this.#host.router.limits.maxMessageBytes)
  }

  /** What comes faster than it is dealt with is left with the peer. */
  async #handOn(value: unknown): Promise<void> {
    if (++this.#inHand >= this.#host.limits.maxFramesInHand) this.#socket.pause()
    await this.#peer.receive(value)
    if (--this.#inHand < this.#host.limits.maxFramesInHand && this.#socket.isPaused) this.#socket.resume()
  }

  /** The pong says that everything which was sent before has been dealt with: whoever counts on it may forget it. */
  async #answerPing(data: Buffer): Promise<void> {
    if (this.#isEnded) return
    this.#peer.heard()
    if (this.#host.take(1) === 'exhausted') return this.end(CLOSE_CODES.tooManyMessages)
    await this.#peer.idle()
    if (!this.#isEnded && this.#socket.bufferedAmount < this.#host.limits.maxBufferedBytes) this.#socket.pong(data)
  }

  #heard(data: Buffer): void {
    this.#peer.heard()
    const count = Number(data.toString('latin1'))
    if (data.length > 0 && Number.isSafeInteger(count) && count <= this.#asked) this.#peer.confirmed(count)
  }

  #stop(): void {
    this.#isEnded = true
    clearTimeout(this.#deadline)
  }

  #closed(): void {
    this.#stop()
    this.#wake()
    this.#peer.closed()
    this.#host.onClosed(this)
  }
}

/** A HANDSHAKE may bring schemas that have to be compiled. */
export const handshakeCost = 100

function costOf(value: unknown): number {
  const { type, payload } = (value ?? {}) as { readonly type?: unknown; readonly payload?: { readonly messages?: unknown } }
  if (type === 'HANDSHAKE') return handshakeCost
  return Array.isArray(payload?.messages) ? Math.max(1, payload.messages.length) : 1
}
