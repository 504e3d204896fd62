// Commands out, receipts back: unchanged over every reconnection, and signed again only when that is safe.
import type { Command, CommandPayloads, EventDocument, ProtocolError } from '../protocol/generated/types.ts'
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

/** Refused before anything was decided on, for what time has made of a Command: also one that is too old looks unverifiable from outside. */
const OUTLIVED_CODES = new Set(['AUTH_STALE_SESSION', 'AUTH_INVALID_SIGNATURE'])

/** A Command that waits for its answer. */
export interface OutboxEntry extends SignedCommand {
  /** A later run may sign it again for its own Session: it means the same there, and nobody else knows its Action ID. */
  readonly isResumable: boolean
}

/** Where sent Commands are kept until they are answered, over a restart of the process. */
export interface CommandOutbox {
  /** What an earlier run left behind, in the order in which it was first sent. */
  unanswered(): readonly OutboxEntry[]
  sent(entry: OutboxEntry): void
  /** The Command of this Action ID is signed anew under another one, which takes its place; both or neither. */
  replaced(actionId: string, entry: OutboxEntry): void
  answered(actionId: string): void
}

/** The answer to a Command that an earlier run of this Agent has sent; `command` is as it was signed last. */
export interface ResumedCommand {
  readonly command: Command
  readonly receipt: Receipt
}

export interface CommandSenderHost {
  readonly identity: Identity
  readonly backoff: BackoffOptions
  readonly outbox?: CommandOutbox | undefined
  readonly onResumed?: ((resumed: ResumedCommand) => void) | undefined
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
    for (const entry of host.outbox?.unanswered() ?? []) void this.#resume(entry).catch(() => undefined)
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
      const receipt = await this.#submitOnce({ ...signed, isResumable: target.actionId === undefined && outlivesSession(signed.command) })
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
  async #submitOnce(signed: OutboxEntry): Promise<Receipt> {
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

  /**
   * What an earlier run sent gets its Event if it was accepted. If not, the new Session has fenced it, or it has grown too old;
   * what means the same today is then a new Command under a new Action ID, in the epochs that it was meant for.
   */
  async #resume(entry: OutboxEntry): Promise<void> {
    let current = entry
    let receipt = await this.#answerTo(current)
    while (current.isResumable && !receipt.ok && OUTLIVED_CODES.has(receipt.error.code)) {
      const { sessionEpoch } = await this.#host.epochs(undefined, false)
      // Signed in this very Session it was refused for another reason.
      if (current !== entry && current.command.sessionEpoch === sessionEpoch) break
      const next = await signedAgain(this.#host.identity, current.command, sessionEpoch)
      this.#host.outbox?.replaced(current.command.actionId, next)
      current = next
      receipt = await this.#answerTo(current)
    }
    this.#host.outbox?.answered(current.command.actionId)
    this.#host.onResumed?.({ command: current.command, receipt })
  }

  /** The answer to exactly these bytes; until it is here the outbox holds them. */
  async #deliver(signed: OutboxEntry): Promise<Receipt> {
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

/** About an execution: it died with the Session that executed. Anything else means the same in the next one. */
const outlivesSession = ({ kind, payload }: Command): boolean => kind !== 'work.start' && !('executionLeaseId' in payload)

/** The same content in this Session, for a run that knows of the Command from its outbox alone. */
async function signedAgain(identity: Identity, command: Command, sessionEpoch: number | undefined): Promise<OutboxEntry> {
  const { kind, payload, protocolVersion: _version, actionId: _action, actor: _actor, issuedAt: _issued, signature: _signature, ...context } = command
  const target = { ...context, ...(sessionEpoch !== undefined && { sessionEpoch }) }
  return { ...(await buildCommand(identity, kind as CommandKind, payload as CommandPayloads[CommandKind], target)), isResumable: true }
}

const isSame = (a: CommandEpochs, b: CommandEpochs): boolean =>
  a.sessionEpoch === b.sessionEpoch &&
  a.membershipEpoch === b.membershipEpoch &&
  a.coordinatorEpoch === b.coordinatorEpoch
