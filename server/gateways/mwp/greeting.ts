// What a peer may send before anybody knows who it is: little, whatever it is made of.
import type { Duplex } from 'node:stream'

export interface GreetingLimits {
  readonly maxHelloFrames: number
  readonly maxHelloBytes: number
}

export class Greeting {
  readonly #transport: Duplex
  readonly #limits: GreetingLimits
  readonly #count: (chunk: Buffer) => void
  #frames = 0
  #bytes = 0

  /** `onFlood` is told how many bytes have come through `transport`, whenever they are more than any handshake needs. */
  constructor(transport: Duplex, limits: GreetingLimits, onFlood: (bytes: number) => void) {
    this.#transport = transport
    this.#limits = limits
    this.#count = (chunk) => {
      this.#bytes += chunk.length
      if (this.#bytes > limits.maxHelloBytes) onFlood(this.#bytes)
    }
    // Before `ws` reads the bytes, so that what is too much is never parsed.
    transport.prependListener('data', this.#count)
  }

  /** Counts one more frame; false when it is one too many. */
  hasRoom(): boolean {
    return ++this.#frames <= this.#limits.maxHelloFrames
  }

  /** The peer is authenticated: nothing is counted any more. */
  passed(): void {
    this.#transport.off('data', this.#count)
  }
}
