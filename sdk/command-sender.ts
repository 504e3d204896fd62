// Commands out, receipts back: unchanged over every reconnection, and signed again only when that is safe.
import type { CommandPayloads, EventDocument, ProtocolError } from '../protocol/generated/types.ts'
import { ok } from '../protocol/result.ts'
import type { BackoffOptions } from './backoff.ts'
import { backoffMs, delay } from './backoff.ts'
import type { CommandEpochs, CommandKind, CommandTarget, SignedCommand } from './build-command.ts'
import { buildCommand } from './build-command.ts'
import type { Identity } from './identity.ts'
import type { MwpConnection } from './mwp-connection.ts'
import { isReceiptOf, PendingCommands } from './pending-commands.ts'
import type { Receipt } from './refusal.ts'

const MAX_ATTEMPTS = 6
/** May be sent again as they are, after a while. */
const PASSING_CODES = new Set(['BACKPRESSURE', 'RATE_LIMITED', 'INTERNAL_ERROR'])
/** Signed under an epoch that has passed; nothing was accepted. */
const STALE_CODES = new Set(['AUTH_STALE_SESSION', 'MEMBERSHIP_STALE', 'AUTH_STALE_COORDINATOR'])

/** Where sent Commands are kept until they are answered, over a restart of the process. */
export interface CommandOutbox {
  /** What an earlier run left behind, in the order in which it was first sent. */
  unanswered(): readonly SignedCommand[]
  sent(signed: SignedCommand): void
  answered(actionId: string): void
}

export interface CommandSenderHost {
  readonly identity: Identity
  readonly backoff: BackoffOptions
  readonly outbox?: CommandOutbox | undefined
  /** Epochs to sign under now; `isFresh` asks the authority instead of relying on what has been seen. */
  epochs(groupId: string | undefined, isFresh: boolean): Promise<CommandEpochs>
  /** Resolves once every Event up to the Group's present head has arrived, as far as the Group is being followed. */
  caughtUp(groupId: string | undefined): Promise<void>
}

export class CommandSender {
  readonly #host: CommandSenderHost
  readonly #pending = new PendingCommands()
  readonly #watchers = new Set<(event: EventDocument) => void>()
  #connection: MwpConnection | undefined
  #over: Error | undefined

  constructor(host: CommandSenderHost) {
    this.#host = host
    // The first session sends them, the same bytes; a stop before the answer leaves them for the next run.
    for (const signed of host.outbox?.unanswered() ?? []) void this.#deliver(signed).catch(() => undefined)
  }

  /** Whatever is unanswered goes out again, the same bytes: the authority answers with the first receipt. */
  onOpened(connection: MwpConnection): void {
    this.#connection = connection
    for (const bytes of this.#pending.unanswered()) connection.sendCommand(bytes)
  }

  onEvent(event: EventDocument): void {
    this.#pending.observe(event)
    for (const watch of this.#watchers) watch(event)
  }

  onError(error: ProtocolError): void {
    this.#pending.refused(error)
  }

  onOver(reason: Error): void {
    this.#over = reason
    this.#pending.fail(reason)
  }

  /**
   * Signs and sends. A Command that was refused under passed epochs is signed again under a new Action ID, unless the
   * caller chose the Action ID or the epochs are the same as before.
   */
  async submit<K extends CommandKind>(kind: K, payload: CommandPayloads[K], target: CommandTarget): Promise<Receipt> {
    const { identity, epochs } = this.#host
    let current = await epochs(target.groupId, false)
    for (;;) {
      const signed = await buildCommand(identity, kind, payload, { ...target, ...current })
      const receipt = await this.#submitOnce(signed)
      if (receipt.ok || !STALE_CODES.has(receipt.error.code) || target.actionId !== undefined) return receipt
      const fresh = await epochs(target.groupId, true)
      if (isSame(fresh, current)) return receipt
      current = fresh
    }
  }

  /**
   * The answer to one signed Command. An authority that fences before it looks for receipts may call a Command stale
   * that it has accepted; the Group's history tells, as far as this client follows it.
   */
  async #submitOnce(signed: SignedCommand): Promise<Receipt> {
    const { command } = signed
    let found: EventDocument | undefined
    // From before it is sent: the Event may come in the same breath as the refusal.
    const watch = (event: EventDocument) => {
      if (isReceiptOf(event, command)) found = event
    }
    this.#watchers.add(watch)
    try {
      const receipt = await this.#deliver(signed)
      if (receipt.ok || !STALE_CODES.has(receipt.error.code)) return receipt
      await this.#host.caughtUp(command.groupId)
      return found === undefined ? receipt : ok(found)
    } finally {
      this.#watchers.delete(watch)
    }
  }

  /** The answer to exactly these bytes; until it is here the outbox holds them. */
  async #deliver(signed: SignedCommand): Promise<Receipt> {
    this.#host.outbox?.sent(signed)
    const receipt = await this.#answerTo(signed)
    this.#host.outbox?.answered(signed.command.actionId)
    return receipt
  }

  async #answerTo(signed: SignedCommand): Promise<Receipt> {
    for (let attempt = 1; ; attempt++) {
      if (this.#over !== undefined) throw this.#over
      const answer = this.#pending.add(signed)
      this.#connection?.sendCommand(signed.bytes)
      const receipt = await answer
      if (receipt.ok || !PASSING_CODES.has(receipt.error.code) || attempt === MAX_ATTEMPTS) return receipt
      await delay(receipt.error.retryAfterMs ?? backoffMs(attempt, this.#host.backoff))
    }
  }
}

const isSame = (a: CommandEpochs, b: CommandEpochs): boolean =>
  a.sessionEpoch === b.sessionEpoch &&
  a.membershipEpoch === b.membershipEpoch &&
  a.coordinatorEpoch === b.coordinatorEpoch
