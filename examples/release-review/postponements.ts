const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 60_000

/** What was refused or went wrong, by name, and when to try it again: after one second, then two, four … at most a minute. */
export class Postponements {
  readonly #entries = new Map<string, { attempts: number; untilMs: number }>()

  /** The number of failed attempts so far. */
  postpone(name: string, nowMs: number): number {
    const attempts = (this.#entries.get(name)?.attempts ?? 0) + 1
    this.#entries.set(name, { attempts, untilMs: nowMs + Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1)) })
    return attempts
  }

  isDue(name: string, nowMs: number): boolean {
    return (this.#entries.get(name)?.untilMs ?? 0) <= nowMs
  }

  /** It has succeeded. */
  forget(name: string): void {
    this.#entries.delete(name)
  }

  /** The next time at which something is due again; Infinity when nothing waits. */
  nextMs(nowMs: number): number {
    return Math.min(...[...this.#entries.values()].map(({ untilMs }) => untilMs).filter((untilMs) => untilMs > nowMs))
  }
}
