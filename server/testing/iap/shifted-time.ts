// Time that goes on as usual and leaps when a test says so, for a clock and the timers that go by it.
import { instantFromEpochMs } from '../../../protocol/timestamp.ts'
import type { IapTimers } from '../../service/iap/types.ts'
import type { Clock } from '../../service/ports.ts'

interface Timer { readonly atMs: number; readonly act: () => void }

export class ShiftedTime implements IapTimers {
  readonly #timers = new Set<Timer>()
  #shiftMs = 0

  nowMs(): number {
    return Date.now() + this.#shiftMs
  }

  readonly clock: Clock = { nowMs: () => this.nowMs(), now: () => instantFromEpochMs(this.nowMs()) }

  after(delayMs: number, act: () => void): { cancel(): void } {
    const timer = { atMs: this.nowMs() + delayMs, act }
    this.#timers.add(timer)
    if (delayMs <= 0) setImmediate(() => this.#fire(timer))
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Lets so much time pass at once and rings what is due by then. */
  leap(ms: number): void {
    this.#shiftMs += ms
    for (const timer of this.#timers) if (timer.atMs <= this.nowMs()) this.#fire(timer)
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.act()
  }
}
