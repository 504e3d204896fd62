// A place that one node of many has: an advisory lock of PostgreSQL, which ends with the connection that holds it.
import type { Log } from '../log.ts'
import type { Seat, SeatHolder } from '../service/ports.ts'
import type { Sql } from './connect.ts'

const lockName = 'countersign.iap'
/** How often the lock is tried or, by whoever has it, looked after. */
const checkEveryMs = 1_000
/** A database that does not answer for so long may have given the lock to another node. */
const answerWithinMs = 10_000

/** Where there is one node: it has the seat whenever it asks. */
export class OnlySeat implements Seat {
  hold(holder: SeatHolder): Promise<void> {
    return holder.taken()
  }

  async leave(): Promise<void> {}
}

export class LockedSeat implements Seat {
  readonly #connect: () => Sql
  readonly #log: Log | undefined
  #sql: Sql | undefined
  /** The session that has the lock for us. */
  #session: number | undefined
  #holder: SeatHolder | undefined
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> = Promise.resolve()
  #isReachable = true

  /** `connect` opens a connection that is used for nothing else and never replaced while it works. */
  constructor(connect: () => Sql, log: Log | undefined) {
    this.#connect = connect
    this.#log = log
  }

  async hold(holder: SeatHolder): Promise<void> {
    this.#holder = holder
    await this.#next()
  }

  async leave(): Promise<void> {
    this.#holder = undefined
    clearTimeout(this.#timer)
    await this.#checking
    // The end of the connection frees it too, but not before the database has noticed.
    if (this.#session !== undefined) await within(answerWithinMs, this.#sql!`SELECT pg_advisory_unlock_all()`).catch(() => undefined)
    await this.#disconnect()
  }

  #next(): Promise<void> {
    this.#checking = this.#check().then(() => {
      if (this.#holder) this.#timer = setTimeout(() => void this.#next(), checkEveryMs).unref()
    })
    return this.#checking
  }

  /** Never rejects. A session tries a lock that it has already with success, so one statement asks both questions. */
  async #check(): Promise<void> {
    try {
      const sql = (this.#sql ??= this.#connect())
      const asked = sql<{ session: number; has: boolean }[]>`SELECT pg_backend_pid() AS session, pg_try_advisory_lock(hashtextextended(${lockName}, 0)) AS has`
      const [answer] = await within(answerWithinMs, asked)
      await this.#hasNow(answer!.has ? answer!.session : undefined)
      this.#isReachable = true
    } catch (fault) {
      if (this.#isReachable) this.#log?.warn({ err: fault }, 'this node cannot serve the Inter-Agent Protocol for now')
      this.#isReachable = false
      await this.#hasNow(undefined)
      await this.#disconnect()
    }
  }

  /** Another session than before means that the lock was free in between. */
  async #hasNow(session: number | undefined): Promise<void> {
    if (this.#session === session) return
    if (this.#session !== undefined) {
      this.#session = undefined
      await this.#holder?.lost().catch((fault: unknown) => this.#log?.error({ err: fault }, 'the router of the Inter-Agent Protocol did not end in order'))
    }
    if (session === undefined || this.#holder === undefined) return
    await this.#holder.taken()
    this.#session = session
  }

  async #disconnect(): Promise<void> {
    const sql = this.#sql
    this.#sql = undefined
    this.#session = undefined
    await sql?.end({ timeout: 0 })
  }
}

async function within<T>(ms: number, answer: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => (timer = setTimeout(() => reject(new Error(`the database did not answer within ${ms} ms`)), ms)))
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
