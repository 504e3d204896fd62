// Everything that leaves a connection: coalesced per turn of the event loop, and bounded.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

type Message = string | Uint8Array

/** What one subscription has on its way out. A full lane waits; other lanes keep flowing. */
export interface Lane {
  readonly isFull: boolean
  send(message: Message, onFlushed?: () => void): void
  /** Resolves when half of the window is free and the connection has room, or when the connection is gone. */
  drained(): Promise<void>
}

export interface OutboxLimits {
  readonly groupWindowBytes: number
  readonly maxBufferedBytes: number
  readonly hardBufferedBytes: number
}

export class Outbox {
  readonly #socket: WebSocket
  readonly #transport: Duplex
  readonly #limits: OutboxLimits
  readonly #onOverflow: () => void
  readonly #waiting = new Set<() => boolean>()
  #isCorked = false

  /** `transport` is the stream under `socket`. `onOverflow` is called when the peer lets even the hard limit fill up. */
  constructor(socket: WebSocket, transport: Duplex, limits: OutboxLimits, onOverflow: () => void) {
    this.#socket = socket
    this.#transport = transport
    this.#limits = limits
    this.#onOverflow = onOverflow
    socket.once('close', () => this.#wake())
  }

  get isFull(): boolean {
    return this.#isOpen && this.#socket.bufferedAmount >= this.#limits.maxBufferedBytes
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Sends one text message; `onFlushed` runs once it has left the process, or at once when it never will. */
  send(message: Message, onFlushed?: () => void): void {
    if (!this.#isOpen) return onFlushed?.()
    if (this.#socket.bufferedAmount > this.#limits.hardBufferedBytes) {
      this.#onOverflow()
      return onFlushed?.()
    }
    this.#corkForThisTurn()
    this.#socket.send(message, { binary: false }, () => {
      onFlushed?.()
      this.#wake()
    })
  }

  lane(): Lane {
    const window = this.#limits.groupWindowBytes
    let outstanding = 0
    const isFull = () => this.#isOpen && (outstanding >= window || this.isFull)
    const hasRoom = () => !this.#isOpen || (outstanding <= window / 2 && !this.isFull)
    return {
      get isFull() {
        return isFull()
      },
      send: (message, onFlushed) => {
        outstanding += message.length
        this.send(message, () => {
          outstanding -= message.length
          onFlushed?.()
        })
      },
      drained: () => this.#when(hasRoom),
    }
  }

  #when(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        const isSettled = isReached()
        if (isSettled) resolve()
        return isSettled
      }
      if (!settle()) this.#waiting.add(settle)
    })
  }

  #wake(): void {
    for (const settle of this.#waiting) if (settle()) this.#waiting.delete(settle)
  }

  /** One system call per turn instead of one per message: the call is what a delivery costs. */
  #corkForThisTurn(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#transport.cork()
    setImmediate(() => {
      this.#isCorked = false
      this.#transport.uncork()
    })
  }
}
