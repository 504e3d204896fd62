// Which Agents are there, as far as the doors of this node see them: by an open connection or a recent call. In memory alone.
import { RecentMap } from '../../recent-map.ts'
import type { Clock } from '../ports.ts'

/** An Agent that calls now and then counts as there for this long after a call. */
const calledMs = 120_000
/** Calls are remembered of this many Agents; the one that neither called nor was asked about for longest is forgotten first. */
const maximumAgents = 10_000

export class DoorPresence {
  readonly #clock: Clock
  readonly #calledAtMs = new RecentMap<string, number>(maximumAgents)
  readonly #connections = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  called(principalId: string): void {
    this.#calledAtMs.set(principalId, this.#clock.nowMs())
  }

  /** Gives the function that ends it; a second call of that one changes nothing. */
  connected(principalId: string): () => void {
    this.#connections.set(principalId, (this.#connections.get(principalId) ?? 0) + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const left = this.#connections.get(principalId)! - 1
      if (left === 0) this.#connections.delete(principalId)
      else this.#connections.set(principalId, left)
      this.called(principalId)
    }
  }

  isActive(principalId: string): boolean {
    const calledAtMs = this.#calledAtMs.get(principalId)
    return this.#connections.has(principalId) || (calledAtMs !== undefined && this.#clock.nowMs() - calledAtMs < calledMs)
  }

  /** Milliseconds since 1970; undefined for an Agent that this node has not seen, or has forgotten. */
  lastSeenMs(principalId: string): number | undefined {
    return this.#connections.has(principalId) ? this.#clock.nowMs() : this.#calledAtMs.get(principalId)
  }
}
