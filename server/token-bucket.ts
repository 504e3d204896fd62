/**
 * Rate limit of one connection or one caller. It may be overdrawn by a whole burst: such takes are refused one by one, so that an
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
