// The newest entries of every Space that somebody follows, so that live readers do not ask the database, and the
// signal that a Space has grown. A lost signal costs latency, never data: readers go by sequence.
import type { LogEntry, SpaceLog } from './ports.ts'

const maximumEntries = 1024
const maximumBytes = 4 * 1024 * 1024

type Growth = (spaceId: string, head: number) => void

export class SpaceTails {
  readonly #log: Pick<SpaceLog, 'head' | 'read'>
  readonly #tails = new Map<string, SpaceTail>()
  readonly #listeners = new Set<Growth>()
  readonly #refreshing = new Map<string, Promise<void>>()

  constructor(log: Pick<SpaceLog, 'head' | 'read'>) {
    this.#log = log
  }

  /** The Spaces that somebody follows here. */
  get spaceIds(): readonly string[] {
    return [...this.#tails.keys()]
  }

  /** The highest head that was heard of for a Space that somebody follows here. */
  headOf(spaceId: string): number | undefined {
    return this.#tails.get(spaceId)?.head
  }

  onGrowth(listener: Growth): () => void {
    const own: Growth = (spaceId, head) => listener(spaceId, head)
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  /** Entries that this node has just committed, in order. */
  committed(spaceId: string, entries: readonly LogEntry[]): void {
    const last = entries.at(-1)
    if (last === undefined) return
    this.#tails.get(spaceId)?.push(entries)
    this.#announce(spaceId, last.sequence)
  }

  /** The log was seen to reach this head, whoever wrote. */
  reached(spaceId: string, head: number): void {
    const tail = this.#tails.get(spaceId)
    if (tail === undefined || tail.head >= head) return
    tail.advance(head)
    this.#announce(spaceId, head)
  }

  /** Another node may have written to the Space: asks for its head once, however often it is called meanwhile. */
  refresh(spaceId: string): Promise<void> {
    const running = this.#refreshing.get(spaceId)
    if (running) return running
    const refresh = this.#readHead(spaceId).finally(() => this.#refreshing.delete(spaceId))
    this.#refreshing.set(spaceId, refresh)
    return refresh
  }

  /** Starts to follow a Space; `release` it once for every call. */
  async follow(spaceId: string): Promise<SpaceTail> {
    let tail = this.#tails.get(spaceId)
    if (tail === undefined) this.#tails.set(spaceId, (tail = new SpaceTail(spaceId, this.#log)))
    tail.followers++
    // Registered first and asked second: whatever is committed in between reaches the tail.
    try {
      tail.advance(await this.#log.head(spaceId))
    } catch (fault) {
      this.release(tail)
      throw fault
    }
    return tail
  }

  release(tail: SpaceTail): void {
    if (--tail.followers === 0) this.#tails.delete(tail.spaceId)
  }

  async #readHead(spaceId: string): Promise<void> {
    if (this.#listeners.size === 0 && !this.#tails.has(spaceId)) return
    const head = await this.#log.head(spaceId)
    const tail = this.#tails.get(spaceId)
    if (tail && tail.head >= head) return
    tail?.advance(head)
    this.#announce(spaceId, head)
  }

  #announce(spaceId: string, head: number): void {
    for (const listener of this.#listeners) listener(spaceId, head)
  }
}

/** Newest entries of one Space without a gap among them; `head` may be ahead of them. */
export class SpaceTail {
  readonly spaceId: string
  readonly #log: Pick<SpaceLog, 'read'>
  #entries: LogEntry[] = []
  #bytes = 0
  #head = 0
  readonly #waiting = new Set<() => void>()
  followers = 0

  constructor(spaceId: string, log: Pick<SpaceLog, 'read'>) {
    this.spaceId = spaceId
    this.#log = log
  }

  get head(): number {
    return this.#head
  }

  push(entries: readonly LogEntry[]): void {
    // What is in between was written by another node. The head says nothing of that: it may have been heard of without the entries.
    if (entries[0]!.sequence !== (this.#entries.at(-1)?.sequence ?? 0) + 1) this.#forget(this.#entries.length)
    this.#entries.push(...entries)
    for (const entry of entries) this.#bytes += entry.bytes.length
    while (this.#entries.length > maximumEntries || (this.#bytes > maximumBytes && this.#entries.length > 1)) this.#forget(1)
    this.advance(entries.at(-1)!.sequence)
  }

  advance(head: number): void {
    if (head <= this.#head) return
    this.#head = head
    for (const wake of [...this.#waiting]) wake()
  }

  /** Up to `limit` entries after the position, from memory where they are there; empty at the head. */
  async after(sequence: number, limit: number): Promise<readonly LogEntry[]> {
    if (sequence >= this.#head) return []
    const from = sequence + 1 - (this.#entries[0]?.sequence ?? 0)
    // Below the head there is something to give: an empty answer would have the reader ask again at once, and for ever.
    if (this.#entries[from]?.sequence === sequence + 1 && this.#entries.at(-1)!.sequence === this.#head) return this.#entries.slice(from, from + limit)
    return this.#log.read(this.spaceId, sequence, limit)
  }

  /** Resolves once the head is beyond the position or `cancel` was called. */
  growth(sequence: number): { done: Promise<void>; cancel: () => void } {
    if (this.#head > sequence) return { done: Promise.resolve(), cancel: () => undefined }
    let wake = () => {}
    const done = new Promise<void>((resolve) => {
      wake = () => {
        this.#waiting.delete(wake)
        resolve()
      }
    })
    this.#waiting.add(wake)
    return { done, cancel: wake }
  }

  #forget(count: number): void {
    for (const entry of this.#entries.splice(0, count)) this.#bytes -= entry.bytes.length
  }
}
