// What one session watches: a feed per resource, told as one notification however much has grown meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import type { MessageFeed, OpenSpaces } from '../../service/open-spaces/types.ts'

interface Watch {
  readonly uri: string
  readonly feed: MessageFeed
  readonly ended: AbortController
  /** Grown since it is watched. */
  hasGrown: boolean
  /** Grown since it was said last. */
  isUnsaid: boolean
}

interface SubscriptionHandlers {
  /** Shortest time between two notifications about one resource. */
  readonly everyMs: number
  /** False where it has to be said later. */
  notify(uri: string): boolean
  onFault(fault: unknown): void
}

/** Messages that pass unread at a time. */
const pieceSize = 32

export class Subscriptions {
  readonly #spaces: Pick<OpenSpaces, 'follow'>
  readonly #handlers: SubscriptionHandlers
  readonly #watches = new Map<string, Watch>()
  #isClosed = false

  constructor(spaces: Pick<OpenSpaces, 'follow'>, handlers: SubscriptionHandlers) {
    this.#spaces = spaces
    this.#handlers = handlers
  }

  get count(): number {
    return this.#watches.size
  }

  has(uri: string): boolean {
    return this.#watches.has(uri)
  }

  /** Whatever is written after this has resolved is told. False where there is no such Space, or nobody listens any more. */
  async add(uri: string, spaceId: string): Promise<boolean> {
    if (this.#watches.has(uri)) return true
    const feed = await this.#spaces.follow(spaceId)
    if (!feed.ok) return false
    if (this.#isClosed) {
      feed.value.close()
      return false
    }
    const watch: Watch = { uri, feed: feed.value, ended: new AbortController(), hasGrown: false, isUnsaid: false }
    this.#end(this.#watches.get(uri))
    this.#watches.set(uri, watch)
    void this.#follow(watch).catch((fault: unknown) => {
      this.remove(uri)
      this.#handlers.onFault(fault)
    })
    return true
  }

  remove(uri: string): void {
    this.#end(this.#watches.get(uri))
    this.#watches.delete(uri)
  }

  /** Says what could not be said before. */
  flush(): void {
    for (const watch of this.#watches.values()) this.#say(watch)
  }

  /** Says all that has grown once more, to a reader who may have missed it. */
  repeat(): void {
    for (const watch of this.#watches.values()) watch.isUnsaid = watch.hasGrown
    this.flush()
  }

  close(): void {
    this.#isClosed = true
    for (const uri of [...this.#watches.keys()]) this.remove(uri)
  }

  async #follow(watch: Watch): Promise<void> {
    const { feed, ended } = watch
    while ((await feed.next(pieceSize)) !== 'ended') {
      watch.hasGrown = true
      watch.isUnsaid = true
      this.#say(watch)
      await pause(this.#handlers.everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined)
    }
  }

  #say(watch: Watch): void {
    if (watch.isUnsaid && this.#handlers.notify(watch.uri)) watch.isUnsaid = false
  }

  #end(watch: Watch | undefined): void {
    watch?.ended.abort()
    watch?.feed.close()
  }
}
