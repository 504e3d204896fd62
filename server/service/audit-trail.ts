// Why something was refused, for auditors alone.
import type { Log } from '../log.ts'
import type { Sender } from './bounded-writes.ts'
import { BoundedWrites } from './bounded-writes.ts'
import type { Clock, Directory } from './ports.ts'

/** The sender is not written. */
export interface AuditedRefusal extends Sender {
  readonly stage: string
  readonly reason: string
  readonly door: string
  readonly spaceId?: string
  readonly detail: Record<string, unknown>
}

export class AuditTrail {
  readonly #directory: Pick<Directory, 'addAuditEntry'>
  readonly #clock: Clock
  readonly #log: Log
  readonly #writes: BoundedWrites

  constructor(directory: Pick<Directory, 'addAuditEntry'>, clock: Clock, log: Log) {
    this.#directory = directory
    this.#clock = clock
    this.#log = log
    this.#writes = new BoundedWrites(clock, log)
  }

  record({ sender, isVerified, ...refusal }: AuditedRefusal): void {
    this.#log.debug(refusal, 'refused')
    const at = this.#clock.now()
    this.#writes.offer({ sender, isVerified }, (lostBefore) =>
      this.#directory.addAuditEntry({ ...refusal, at, ...(lostBefore > 0 && { detail: { ...refusal.detail, entriesLostBefore: lostBefore } }) }),
    )
  }

  /** Resolves when everything recorded so far is written. */
  settled(): Promise<void> {
    return this.#writes.settled()
  }
}
