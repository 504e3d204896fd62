// Rate limits that may be overdrawn for a moment.
import { RecentMap } from './recent-map.ts'

/**
 * Rate limit of one sender. It may be overdrawn by a whole burst: such takes are refused one by one, so that an
 * honest sender learns to wait; a sender that overdraws even that is not listening.
 */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #tokens: number
  #filledAt: number

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#tokens = burst
    this.#filledAt = nowMs
  }

  /** Takes `cost` tokens. `retryAfterMs` says when there will be some again. */
  take(nowMs: number, cost = 1): 'granted' | 'exhausted' | { readonly retryAfterMs: number } {
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledAt) * this.#perMs)
    this.#filledAt = nowMs
    if (this.#tokens < -this.#burst) return 'exhausted'
    this.#tokens -= cost
    if (this.#tokens >= 0) return 'granted'
    return { retryAfterMs: Math.ceil(-this.#tokens / this.#perMs) }
  }
}

/** Rate limits of many senders, each with a bucket of its own; whoever has been quiet longest is forgotten first. */
export class TokenBuckets {
  readonly #rate: { readonly perSecond: number; readonly burst: number }
  readonly #buckets: RecentMap<string, TokenBucket>

  constructor(rate: { readonly perSecond: number; readonly burst: number }, maximumSenders = 10_000) {
    this.#rate = rate
    this.#buckets = new RecentMap(maximumSenders)
  }

  /** Takes tokens of this sender, as `TokenBucket.take` does. */
  take(sender: string, nowMs: number, cost = 1): ReturnType<TokenBucket['take']> {
    const bucket = this.#buckets.get(sender) ?? new TokenBucket(this.#rate.perSecond, this.#rate.burst, nowMs)
    this.#buckets.set(sender, bucket)
    return bucket.take(nowMs, cost)
  }

  /** Takes one token of this sender: 0, or the milliseconds that it has to wait. */
  waitMs(sender: string, nowMs: number): number {
    const taken = this.take(sender, nowMs)
    if (taken === 'granted') return 0
    return taken === 'exhausted' ? 1000 : taken.retryAfterMs
  }
}
