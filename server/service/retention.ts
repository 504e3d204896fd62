// What may be forgotten: invitations and console sessions that expired, tokens and access keys that ended long ago, old audit entries
// and old refusals. The logs stay for ever.
import type { Log } from '../log.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import type { Clock, CredentialStore, Directory, RulingStore } from './ports.ts'

const day = 24 * 60 * 60
/** A while longer than they are good, so that whoever comes late is told that they expired. */
const expiredSeconds = 7 * day
const auditSeconds = 90 * day
/** Tokens and access keys: as long as the audit trail may speak of them, the list that administrators see says what they were. */
const endedSeconds = auditSeconds
/** Of the Policy Log: no Event rests on a refusal. */
const refusalSeconds = 366 * day
const sweepEveryMs = 60 * 60 * 1000

interface Forgetful {
  readonly directory: Pick<Directory, 'forget'>
  readonly rulings: Pick<RulingStore, 'forgetRefusals'>
  readonly credentials: Pick<CredentialStore, 'forgetEnded'>
}

export class Retention {
  readonly #stores: Forgetful
  readonly #clock: Clock
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> = Promise.resolve()

  constructor(stores: Forgetful, clock: Clock, log: Log) {
    this.#stores = stores
    this.#clock = clock
    this.#log = log
  }

  /** Sweeps now and every hour. */
  start(): void {
    const sweep = () => {
      this.#sweeping = this.#sweeping.then(() => this.sweep())
    }
    sweep()
    this.#timer = setInterval(sweep, sweepEveryMs).unref()
  }

  /** Resolves when the last sweep is over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sweeping
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now()
    try {
      await this.#stores.directory.forget({ expiredBefore: addSeconds(now, -expiredSeconds), auditedBefore: addSeconds(now, -auditSeconds) })
      await this.#stores.credentials.forgetEnded(addSeconds(now, -endedSeconds))
      await this.#stores.rulings.forgetRefusals(addSeconds(now, -refusalSeconds))
    } catch (fault) {
      this.#log.warn({ err: fault }, 'what is out of date could not be deleted yet')
    }
  }
}
