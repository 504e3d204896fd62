// Who waits for a change of a Principal's Memberships.

/** News from other nodes is gathered this long before everybody who waits looks again. */
const gatherMs = 250

export class MembershipWatch {
  readonly #waiting = new Map<string, Set<() => void>>()
  #gathering: NodeJS.Timeout | undefined

  /** Memberships of these Principals have changed on this node. */
  changed(memberIds: readonly string[]): void {
    for (const memberId of memberIds) for (const wake of [...(this.#waiting.get(memberId) ?? [])]) wake()
  }

  /** Something has changed on another node, perhaps this. */
  changedElsewhere(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      this.changed([...this.#waiting.keys()])
    }, gatherMs).unref()
  }

  /** Resolves at the next change, after the wait or when the signal aborts, whichever is first. */
  next(memberId: string, waitMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const own = this.#waiting.get(memberId) ?? new Set()
      this.#waiting.set(memberId, own)
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        own.delete(wake)
        if (own.size === 0 && this.#waiting.get(memberId) === own) this.#waiting.delete(memberId)
        resolve()
      }
      const timer = setTimeout(wake, waitMs)
      signal.addEventListener('abort', wake)
      own.add(wake)
    })
  }
}
