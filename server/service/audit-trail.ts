// Why something was refused, for auditors alone.
import type { Log } from '../log.ts'
import type { Clock, Directory } from './ports.ts'

const maximumPending = 64
const maximumSenders = 10_000
/** Entries that one sender may add, at once and then with time. */
const ofOneSender = { burst: 60, perSecond: 0.1 }
/** The same for all whose signature was not verified, however many they claim to be. */
const ofStrangers = { burst: 300, perSecond: 1 }

export interface AuditedRefusal {
  readonly stage: string
  readonly reason: string
  readonly door: string
  /** The Principal that signed or, unverified, whoever the door takes the sender for. It is not written. */
  readonly sender: string
  readonly isVerified: boolean
  readonly spaceId?: string
  readonly detail: Record<string, unknown>
}

/** Writes in the background. A flood of refusals loses its surplus here rather than the database its time and room; entries say how many were lost. */
export class AuditTrail {
  readonly #directory: Pick<Directory, 'addAuditEntry'>
  readonly #clock: Clock
  readonly #log: Log
  readonly #pending = new Set<Promise<void>>()
  readonly #senders = new Map<string, Allowance>()
  readonly #strangers = new Allowance(ofStrangers)
  #lost = 0

  constructor(directory: Pick<Directory, 'addAuditEntry'>, clock: Clock, log: Log) {
    this.#directory = directory
    this.#clock = clock
    this.#log = log
  }

  record({ sender, isVerified, ...refusal }: AuditedRefusal): void {
    this.#log.debug(refusal, 'refused')
    if (this.#pending.size >= maximumPending || !this.#hasRoomFor(sender, isVerified)) {
      this.#lost++
      return
    }
    const at = this.#clock.now()
    const writing = this.#directory
      .addAuditEntry({ ...refusal, at, ...(this.#lost > 0 && { detail: { ...refusal.detail, entriesLostBefore: this.#lost } }) })
      .catch((fault: unknown) => this.#log.error({ err: fault }, 'the audit trail could not be written'))
      .finally(() => this.#pending.delete(writing))
    this.#lost = 0
    this.#pending.add(writing)
  }

  /** Resolves when everything recorded so far is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending)
  }

  #hasRoomFor(sender: string, isVerified: boolean): boolean {
    const nowMs = this.#clock.nowMs()
    const own = this.#senders.get(sender) ?? new Allowance(ofOneSender)
    this.#senders.delete(sender)
    this.#senders.set(sender, own)
    // Whoever has been quiet longest is forgotten.
    const quietest = this.#senders.size > maximumSenders ? this.#senders.keys().next().value : undefined
    if (quietest !== undefined) this.#senders.delete(quietest)
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
