// Writing about refusals in the background. A flood of them loses its surplus here rather than the database its time and room.
import type { Log } from '../log.ts'
import { RecentMap } from '../recent-map.ts'
import type { Clock } from './ports.ts'

const maximumPending = 64
const maximumSenders = 10_000
/** Entries that one sender may add, at once and then with time. */
const ofOneSender = { burst: 60, perSecond: 0.1 }
/** The same for all whose signature was not verified, however many they claim to be. */
const ofStrangers = { burst: 300, perSecond: 1 }

export interface Sender {
  /** The Principal that signed or, unverified, whoever the door takes the sender for. */
  readonly sender: string
  readonly isVerified: boolean
}

export class BoundedWrites {
  readonly #clock: Clock
  readonly #log: Log
  readonly #pending = new Set<Promise<void>>()
  readonly #senders = new RecentMap<string, Allowance>(maximumSenders)
  readonly #strangers = new Allowance(ofStrangers)
  #lost = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Begins to write, told how many entries were lost since the last one, or loses this one as well. */
  offer(from: Sender, write: (lostBefore: number) => Promise<void>): void {
    if (this.#pending.size >= maximumPending || !this.#hasRoomFor(from)) {
      this.#lost++
      return
    }
    const writing = write(this.#lost)
      .catch((fault: unknown) => this.#log.error({ err: fault }, 'a refusal could not be written down'))
      .finally(() => this.#pending.delete(writing))
    this.#lost = 0
    this.#pending.add(writing)
  }

  /** Resolves when everything that was begun is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending)
  }

  #hasRoomFor({ sender, isVerified }: Sender): boolean {
    const nowMs = this.#clock.nowMs()
    const own = this.#senders.get(sender) ?? new Allowance(ofOneSender)
    this.#senders.set(sender, own)
    return own.take(nowMs) && (isVerified || this.#strangers.take(nowMs))
  }
}

class Allowance {
  readonly #rate: { readonly burst: number; readonly perSecond: number }
  #left: number
  #atMs = 0

  constructor(rate: { readonly burst: number; readonly perSecond: number }) {
    this.#rate = rate
    this.#left = rate.burst
  }

  take(nowMs: number): boolean {
    const { burst, perSecond } = this.#rate
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
