// One open answer of server-sent events: written to only as fast as the peer reads.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

const headers = {
  'content-type': 'text/event-stream',
  // Neither kept, compressed nor held back on the way.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export class EventStream {
  readonly #response: ServerResponse
  readonly #gone = new AbortController()
  #blockedSinceMs: number | undefined

  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => this.#gone.abort())
    if (response.destroyed) this.#gone.abort()
  }

  /** Aborted once nothing can be written any more. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Sends the head, and where the stream begins, so that a peer which has seen nothing can resume too. */
  open(cursor: string): void {
    this.#response.writeHead(200, headers)
    this.#response.write(`id: ${cursor}\n\n`)
  }

  /** Resolves when the peer has taken nearly all of it, or is gone. `nowMs` is of any clock that does not run backwards. */
  async write(bytes: Uint8Array, nowMs: number): Promise<void> {
    if (this.gone.aborted || this.#response.write(bytes)) return
    this.#blockedSinceMs = nowMs
    await once(this.#response, 'drain', { signal: this.gone }).catch(() => undefined)
    this.#blockedSinceMs = undefined
  }

  /** A comment, unless the peer still has something to read; `cursor` where it has moved on past what was not for this stream. */
  beat(cursor: string | undefined): void {
    if (this.#blockedSinceMs !== undefined || this.gone.aborted) return
    this.#response.write(cursor === undefined ? ': keepalive\n\n' : `: keepalive\nid: ${cursor}\n\n`)
  }

  /** For how long the peer has taken nothing. */
  blockedForMs(nowMs: number): number {
    return this.#blockedSinceMs === undefined ? 0 : nowMs - this.#blockedSinceMs
  }

  /** Ends the answer, once; a peer that does not read is cut off. Nothing is written after it. */
  end(): void {
    if (this.gone.aborted) return
    if (this.#blockedSinceMs === undefined) this.#response.end()
    else this.#response.destroy()
    this.#gone.abort()
  }
}
