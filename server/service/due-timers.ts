// Wakes a Space when one of its leases or offers runs out. A late or lost timer changes nothing that is decided:
// expiry is judged at decision time, the timer only makes it visible.
import type { Clock } from './ports.ts'

const longestWaitMs = 60 * 60 * 1000

export class DueTimers {
  readonly #clock: Clock
  readonly #onDue: (spaceId: string) => void
  readonly #timers = new Map<string, { readonly dueAtMs: number; readonly timer: NodeJS.Timeout }>()
  #isStopped = false

  constructor(clock: Clock, onDue: (spaceId: string) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Sets or clears the Space's timer; `dueAt` is RFC 3339. */
  schedule(spaceId: string, dueAt: string | undefined): void {
    const known = this.#timers.get(spaceId)
    const dueAtMs = dueAt === undefined ? undefined : Date.parse(dueAt)
    if (known?.dueAtMs === dueAtMs) return
    clearTimeout(known?.timer)
    this.#timers.delete(spaceId)
    if (dueAtMs !== undefined && !this.#isStopped) this.#arm(spaceId, dueAtMs)
  }

  stop(): void {
    this.#isStopped = true
    for (const { timer } of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  /** In steps of an hour at most: a longer wait would overflow the timer, and clocks are set. */
  #arm(spaceId: string, dueAtMs: number): void {
    const waitMs = Math.min(Math.max(dueAtMs - this.#clock.nowMs(), 0), longestWaitMs)
    const timer = setTimeout(() => {
      if (this.#clock.nowMs() < dueAtMs) return this.#arm(spaceId, dueAtMs)
      this.#timers.delete(spaceId)
      this.#onDue(spaceId)
    }, waitMs)
    timer.unref()
    this.#timers.set(spaceId, { dueAtMs, timer })
  }
}
