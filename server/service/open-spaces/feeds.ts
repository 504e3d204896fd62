// Messages of one open Space, and those that concern one Node, as they come: pulled by the reader and without a gap.
import type { OpenSpaceStore } from '../ports.ts'
import type { SpaceTail, SpaceTails } from '../space-tails.ts'
import { messageOf } from './message-json.ts'
import type { MessageFeed, NodeFeed, SpaceMessage } from './types.ts'

/** Of one Space, from the log and, live, from memory. */
export class SpaceFeed implements MessageFeed {
  readonly startsAfter: number
  readonly #tails: SpaceTails
  readonly #tail: SpaceTail
  #position: number
  #hasEnded = false
  #cancelWait: (() => void) | undefined

  private constructor(tails: SpaceTails, tail: SpaceTail, after: number) {
    this.#tails = tails
    this.#tail = tail
    this.startsAfter = after
    this.#position = after
  }

  /** Starts after this sequence, or at the head; undefined when it is beyond the head. */
  static async open(tails: SpaceTails, spaceId: string, after?: number): Promise<SpaceFeed | undefined> {
    const tail = await tails.follow(spaceId)
    if (after === undefined || after <= tail.head) return new SpaceFeed(tails, tail, after ?? tail.head)
    tails.release(tail)
    return undefined
  }

  async next(limit: number): Promise<readonly SpaceMessage[] | 'ended'> {
    while (!this.#hasEnded) {
      const entries = await this.#tail.after(this.#position, limit)
      if (this.#hasEnded) break
      if (entries.length > 0) {
        this.#position = entries.at(-1)!.sequence
        return entries.map(messageOf)
      }
      const growth = this.#tail.growth(this.#position)
      this.#cancelWait = growth.cancel
      await growth.done
    }
    return 'ended'
  }

  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#cancelWait?.()
    this.#tails.release(this.#tail)
  }
}

type Source = Pick<OpenSpaceStore, 'page' | 'concernedAfter' | 'lastPosition'>

/** Messages looked through at once for whom they concern. */
const newsPage = 500

/** Of all Spaces, by Node. One look at what is new serves everybody who waits. */
export class NodeFeeds {
  readonly #store: Source
  readonly #onFault: (fault: unknown) => void
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #late = new Set<string>()
  #seen = 0
  #hasGrown = false
  #looking: Promise<void> | undefined

  constructor(store: Source, onFault: (fault: unknown) => void) {
    this.#store = store
    this.#onFault = onFault
  }

  /** Starts after this position, or behind the newest Message; undefined when it was not given out yet. */
  async open(nodeId: string, after?: number): Promise<NodeFeed | undefined> {
    const newest = await this.#store.lastPosition()
    if (after !== undefined && after > newest) return undefined
    // Whoever begins to wait asks for what is there first.
    if (this.#waiting.size === 0) this.#seen = Math.max(this.#seen, newest)
    return new NodeReader(this.#store, { nodeId, position: after ?? newest }, (wake) => this.#wait(nodeId, wake))
  }

  /** Some open Space may have grown. */
  grown(): void {
    this.#hasGrown = true
    if (this.#waiting.size > 0) this.#looking ??= this.#look()
  }

  #wait(nodeId: string, wake: () => void): () => void {
    const own = this.#waiting.get(nodeId) ?? new Set()
    this.#waiting.set(nodeId, own.add(wake))
    if (this.#looking) this.#late.add(nodeId)
    return () => {
      own.delete(wake)
      if (own.size === 0 && this.#waiting.get(nodeId) === own) this.#waiting.delete(nodeId)
    }
  }

  async #look(): Promise<void> {
    try {
      while (this.#hasGrown && this.#waiting.size > 0) {
        this.#hasGrown = false
        this.#late.clear()
        const { position, nodeIds } = await this.#store.concernedAfter(this.#seen, [...this.#waiting.keys()], newsPage)
        if (position > this.#seen) this.#hasGrown = true
        this.#seen = position
        // Those who came meanwhile may not have seen what this look was not asked about.
        for (const nodeId of new Set([...nodeIds, ...this.#late])) for (const wake of [...(this.#waiting.get(nodeId) ?? [])]) wake()
      }
    } catch (fault) {
      this.#onFault(fault)
    } finally {
      // In the same turn as the last look at `hasGrown`: what grows next finds that nobody looks.
      this.#looking = undefined
    }
  }
}

class NodeReader implements NodeFeed {
  readonly startsAfter: number
  readonly #store: Source
  readonly #nodeId: string
  readonly #wait: (wake: () => void) => () => void
  #position: number
  #hasEnded = false
  #wake = () => {}

  constructor(store: Source, { nodeId, position }: { readonly nodeId: string; readonly position: number }, wait: (wake: () => void) => () => void) {
    this.#store = store
    this.#nodeId = nodeId
    this.startsAfter = position
    this.#position = position
    this.#wait = wait
  }

  async next(limit: number): ReturnType<NodeFeed['next']> {
    while (!this.#hasEnded) {
      // Waits first and looks second: whatever is committed in between wakes it.
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      const cancel = this.#wait(this.#wake)
      try {
        const entries = await this.#store.page({ of: 'node', nodeId: this.#nodeId }, { after: { sequence: 0, position: this.#position }, limit })
        if (this.#hasEnded) break
        if (entries.length > 0) {
          this.#position = entries.at(-1)!.position
          return entries.map((entry) => ({ position: entry.position, message: messageOf(entry) }))
        }
        await woken
      } finally {
        cancel()
      }
    }
    return 'ended'
  }

  close(): void {
    this.#hasEnded = true
    this.#wake()
  }
}
