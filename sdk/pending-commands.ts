// Commands that have been sent and not yet answered.
import type { Command, EventDocument, ProtocolError } from '../protocol/generated/types.ts'
import { PRIMARY_EVENT_OF } from '../protocol/kinds.ts'
import { err, ok } from '../protocol/result.ts'
import type { SignedCommand } from './build-command.ts'
import type { Deferred } from './deferred.ts'
import { deferred } from './deferred.ts'
import type { Receipt } from './refusal.ts'

interface Pending extends SignedCommand {
  readonly answer: Deferred<Receipt>
}

export class PendingCommands {
  readonly #byAction = new Map<string, Pending>()

  /** Registers a Command before it is sent; the promise settles with its answer, over whichever connection it comes. */
  add(signed: SignedCommand): Promise<Receipt> {
    const answer = deferred<Receipt>()
    this.#byAction.set(signed.command.actionId, { ...signed, answer })
    return answer.promise
  }

  /** The receipt may come by itself, in live delivery or in a replay; each proves acceptance. */
  observe(event: EventDocument): void {
    const pending = this.#byAction.get(event.cause.id)
    if (pending !== undefined && isReceiptOf(event, pending.command)) this.#settle(pending, ok(event))
  }

  refused(error: ProtocolError): void {
    const pending = this.#byAction.get(error.relatedActionId ?? '')
    if (pending !== undefined) this.#settle(pending, err(error))
  }

  /** The exact bytes of everything unanswered, in the order in which it was first sent. */
  unanswered(): readonly Uint8Array[] {
    return [...this.#byAction.values()].map(({ bytes }) => bytes)
  }

  fail(reason: Error): void {
    for (const { answer } of this.#byAction.values()) answer.reject(reason)
    this.#byAction.clear()
  }

  #settle({ command, answer }: Pending, receipt: Receipt): void {
    this.#byAction.delete(command.actionId)
    answer.resolve(receipt)
  }
}

/** Action IDs are unique per actor only, and one Command may cause further Events beside its primary one. */
export function isReceiptOf({ cause, actor, kind }: EventDocument, command: Command): boolean {
  const primary = (PRIMARY_EVENT_OF as Readonly<Record<string, string>>)[command.kind]
  return (
    cause.type === 'command' &&
    cause.id === command.actionId &&
    actor.id === command.actor.id &&
    (primary === undefined || kind === primary)
  )
}
