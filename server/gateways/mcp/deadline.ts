// How long a call may wait.

export interface Deadline {
  /** Aborted when the time is over or nobody waits any more. */
  readonly signal: AbortSignal
  /** Ends it now and lets go of what it holds. */
  end(): void
}

/** Holds on to its own timer: a signal that was made of others may be collected before it fires. */
export function deadline(caller: AbortSignal, waitMs: number): Deadline {
  const controller = new AbortController()
  const end = () => {
    clearTimeout(timer)
    caller.removeEventListener('abort', end)
    controller.abort()
  }
  const timer = setTimeout(end, waitMs)
  caller.addEventListener('abort', end, { once: true })
  if (caller.aborted) end()
  return { signal: controller.signal, end }
}
