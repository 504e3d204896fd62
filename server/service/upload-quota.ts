// What one Principal may store: so many uploads at once, and so many bytes for long.

interface Allowance { bytesLeft: number; atMs: number; running: number }

export interface UploadLimits {
  readonly concurrent: number
  /** Bytes that a Principal may store at once, and anew every day. */
  readonly bytesPerDay: number
}

export const defaultUploadLimits: UploadLimits = { concurrent: 8, bytesPerDay: 4 * 1024 ** 3 }

const dayMs = 24 * 60 * 60 * 1000
/** When an upload that found no place may come back. */
const busyRetryMs = 1_000

export class UploadQuota {
  readonly #limits: UploadLimits
  readonly #nowMs: () => number
  readonly #allowances = new Map<string, Allowance>()

  constructor(limits: UploadLimits, nowMs: () => number) {
    this.#limits = limits
    this.#nowMs = nowMs
  }

  /** A place for one upload, to be given back with the bytes that were received, or how long to wait for one. */
  take(principalId: string): { giveBack(receivedBytes: number): void } | { readonly retryAfterMs: number } {
    const allowance = this.#refilled(principalId)
    if (allowance.running >= this.#limits.concurrent) return { retryAfterMs: busyRetryMs }
    if (allowance.bytesLeft <= 0) return { retryAfterMs: Math.ceil(((1 - allowance.bytesLeft) / this.#limits.bytesPerDay) * dayMs) }
    allowance.running++
    return {
      giveBack(receivedBytes) {
        allowance.running--
        allowance.bytesLeft -= receivedBytes
      },
    }
  }

  #refilled(principalId: string): Allowance {
    const { bytesPerDay } = this.#limits
    const atMs = this.#nowMs()
    const allowance = this.#allowances.get(principalId) ?? { bytesLeft: bytesPerDay, atMs, running: 0 }
    allowance.bytesLeft = Math.min(bytesPerDay, allowance.bytesLeft + ((atMs - allowance.atMs) / dayMs) * bytesPerDay)
    allowance.atMs = atMs
    this.#allowances.set(principalId, allowance)
    return allowance
  }
}
