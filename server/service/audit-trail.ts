// Why something was refused, for auditors alone.
import type { Log } from '../log.ts'
import type { Clock, Directory } from './ports.ts'

const maximumPending = 64

export interface AuditedRefusal {
  readonly stage: string
  readonly reason: string
  readonly door: string
  readonly spaceId?: string
  readonly detail: Record<string, unknown>
}

/** Writes in the background; a flood of refusals loses its surplus here rather than the database its time. */
export class AuditTrail {
  readonly #directory: Pick<Directory, 'addAuditEntry'>
  readonly #clock: Clock
  readonly #log: Log
  readonly #pending = new Set<Promise<void>>()
  #lost = 0

  constructor(directory: Pick<Directory, 'addAuditEntry'>, clock: Clock, log: Log) {
    this.#directory = directory
    this.#clock = clock
    this.#log = log
  }

  record(refusal: AuditedRefusal): void {
    this.#log.debug(refusal, 'refused')
    if (this.#pending.size >= maximumPending) {
      if (this.#lost++ === 0) this.#log.warn('more refusals than the audit trail can keep')
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
}
