// Telling which stage a bad signature failed at costs a millisecond of arithmetic, so each address may fail only so often.

interface Allowance { tokens: number; atMs: number }

const burst = 40
const perSecond = 4
const maximumAddresses = 10_000

export class FailureQuota {
  readonly #allowances = new Map<string, Allowance>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Milliseconds that the address has to wait, 0 when it may go on. */
  waitMs(address: string): number {
    const { tokens } = this.#refilled(address)
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000)
  }

  failed(address: string): void {
    const allowance = this.#refilled(address)
    this.#allowances.delete(address)
    this.#allowances.set(address, { ...allowance, tokens: Math.max(0, allowance.tokens - 1) })
    // Oldest failure first: whoever has been quiet longest is forgiven.
    const oldest = this.#allowances.size > maximumAddresses ? this.#allowances.keys().next().value : undefined
    if (oldest !== undefined) this.#allowances.delete(oldest)
  }

  #refilled(address: string): Allowance {
    const atMs = this.#nowMs()
    const known = this.#allowances.get(address)
    return { atMs, tokens: known ? Math.min(burst, known.tokens + ((atMs - known.atMs) / 1000) * perSecond) : burst }
  }
}
