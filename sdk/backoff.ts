export interface BackoffOptions {
  readonly firstMs: number
  readonly maxMs: number
}

export const DEFAULT_BACKOFF: BackoffOptions = { firstMs: 100, maxMs: 10_000 }

/** Delay before a further attempt: doubling, capped, and spread so that clients do not come back all at once. */
export function backoffMs(attempt: number, { firstMs, maxMs }: BackoffOptions, random = Math.random()): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** attempt)
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}

/** Resolves after the delay, or at once when the signal aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
