import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../service/ports.ts'
import type { Sql } from './connect.ts'

const REFRESH_MS = 10_000
const SAMPLES = 3

/** Where the time comes from: the database's clock in milliseconds since 1970, and a local one that never steps. */
export interface TimeSources {
  readonly databaseMs: () => Promise<number>
  readonly monotonicMs: () => number
}

export const timeSources = (sql: Sql): TimeSources => ({
  async databaseMs() {
    const [row] = await sql<{ ms: string }[]>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS ms`
    return Number(row!.ms)
  },
  monotonicMs: () => performance.now(),
})

/** The database's clock, read from a local clock and a measured offset; each measurement is off by half a round trip at most. */
export class DatabaseClock implements Clock {
  readonly #sources: TimeSources
  #offsetMs = 0
  #lastMs = 0
  /** A busy millisecond is asked for many times. */
  #written = { ms: Number.NaN, text: '' }
  #timer: NodeJS.Timeout | undefined

  private constructor(sources: TimeSources) {
    this.#sources = sources
  }

  /** Measures once, so that `now()` is right from the start, and then in the background until `stop`. */
  static async start(sources: TimeSources, log?: Log): Promise<DatabaseClock> {
    const clock = new DatabaseClock(sources)
    await clock.measure()
    const refresh = () => void clock.measure().catch((cause: unknown) => log?.warn({ err: cause }, 'the database clock could not be read'))
    clock.#timer = setInterval(refresh, REFRESH_MS).unref()
    return clock
  }

  now(): string {
    const ms = this.nowMs()
    if (ms !== this.#written.ms) this.#written = { ms, text: instantFromEpochMs(ms) }
    return this.#written.text
  }

  nowMs(): number {
    this.#lastMs = Math.max(this.#lastMs, Math.floor(this.#sources.monotonicMs() + this.#offsetMs))
    return this.#lastMs
  }

  /** Takes a few samples and believes the one with the shortest round trip. */
  async measure(): Promise<void> {
    let shortestMs = Infinity
    let offsetMs = this.#offsetMs
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const askedMs = this.#sources.monotonicMs()
      const databaseMs = await this.#sources.databaseMs()
      const answeredMs = this.#sources.monotonicMs()
      if (answeredMs - askedMs >= shortestMs) continue
      shortestMs = answeredMs - askedMs
      offsetMs = databaseMs - (askedMs + answeredMs) / 2
    }
    this.#offsetMs = offsetMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
