// Keeps one session alive: reconnects with back-off, and stops when reconnecting cannot help.
import { setMaxListeners } from 'node:events'
import type { BackoffOptions } from './backoff.ts'
import { backoffMs, delay } from './backoff.ts'
import { deferred } from './deferred.ts'
import type { Identity } from './identity.ts'
import type { ConnectionHandlers } from './mwp-connection.ts'
import { MwpConnection } from './mwp-connection.ts'
import { ClientClosed, HandshakeRefused, SessionReplaced } from './refusal.ts'

/** Close code of the authority for a session that a newer one replaced. */
const SESSION_REPLACED = 4001
/** Handshake refusals that may not be repeated; everything else needs another key, version or Agent Card. */
const PASSING_REFUSALS = new Set(['INTERNAL_ERROR', 'RATE_LIMITED', 'BACKPRESSURE'])

export interface SessionKeeperHandlers extends ConnectionHandlers {
  /** A session is open, the first or a further one. */
  onOpened(connection: MwpConnection): void
  /** There will be no further session. */
  onOver(reason: Error): void
}

export interface SessionKeeperOptions {
  readonly url: string
  readonly identity: Identity
  readonly backoff: BackoffOptions
}

export class SessionKeeper {
  readonly #options: SessionKeeperOptions
  readonly #handlers: SessionKeeperHandlers
  readonly #closing = new AbortController()
  readonly #finished: Promise<void>
  #next = deferred<MwpConnection>()

  constructor(options: SessionKeeperOptions, handlers: SessionKeeperHandlers) {
    this.#options = options
    this.#handlers = handlers
    // Everything that waits through a reconnection listens; there may be many Commands.
    setMaxListeners(0, this.signal)
    this.#finished = this.#run()
  }

  /** The open connection, or the next one. Rejects once there will be none. */
  connection(): Promise<MwpConnection> {
    return this.#next.promise
  }

  /** Aborted once the keeper closes or gives up. */
  get signal(): AbortSignal {
    return this.#closing.signal
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#finished
  }

  async #run(): Promise<void> {
    const { backoff } = this.#options
    let attempt = 0
    let end: Error | undefined
    while (end === undefined && !this.signal.aborted) {
      const wasOpened = await this.#session().catch((fault: Error) => fault)
      if (wasOpened === true) attempt = 0
      else end = endingFault(wasOpened)
      if (end === undefined) await delay(backoffMs(attempt++, backoff), this.signal)
    }
    this.#closing.abort()
    const reason = end ?? new ClientClosed('the client was closed')
    this.#next.reject(reason)
    this.#handlers.onOver(reason)
  }

  /** One session from start to end; true when it ended in a way that another one may follow. */
  async #session(): Promise<true> {
    const { url, identity } = this.#options
    const connection = await MwpConnection.open(url, identity, this.#handlers, this.signal)
    const close = () => connection.close()
    this.signal.addEventListener('abort', close)
    if (this.signal.aborted) close()
    this.#next.resolve(connection)
    this.#handlers.onOpened(connection)
    const { code, reason } = await connection.ended
    this.signal.removeEventListener('abort', close)
    this.#next = deferred()
    if (code === SESSION_REPLACED) throw new SessionReplaced(reason)
    return true
  }
}

/** The fault, when trying again cannot help. */
function endingFault(fault: Error): Error | undefined {
  if (fault instanceof SessionReplaced) return fault
  return fault instanceof HandshakeRefused && !PASSING_REFUSALS.has(fault.refusal.code) ? fault : undefined
}
