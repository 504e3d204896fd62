import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { FailureQuota } from '../../service/failure-quota.ts'
import { isCostly } from '../../service/failure-quota.ts'
import type { AgentSession, AuthorityService, SubmitOutcome } from '../../service/service.ts'
import { internalError } from '../../service/refusals.ts'
import { eventFrame } from './frames.ts'
import type { MwpLimits } from './limits.ts'
import type { Outbox } from './outbox.ts'
import type { ReceivedCommand, Related } from './read-frame.ts'
import type { Subscriptions } from './subscriptions.ts'

const RETRY_AFTER_MS = 250

export interface CommandIntakeHost {
  readonly service: AuthorityService
  readonly limits: MwpLimits
  readonly session: AgentSession
  /** By Agent, so that a new connection is no new start. */
  readonly failures: FailureQuota
  readonly outbox: Outbox
  readonly subscriptions: Subscriptions
  sendError(rejection: Rejection, related: Related, onFlushed?: () => void): void
  onFault(fault: unknown): void
}

/**
 * The COMMANDs of one connection. They are decided side by side, but the answers of one Group leave in the order in
 * which its Commands came. A Command counts as in flight until its answer has left the process, so a peer that does
 * not read soon cannot send either.
 */
export class CommandIntake {
  readonly #host: CommandIntakeHost
  /** The last answer of each Group that has one under way. */
  readonly #answers = new Map<string, Promise<void>>()
  #inFlight = 0

  constructor(host: CommandIntakeHost) {
    this.#host = host
  }

  receive({ command, related }: ReceivedCommand): void {
    const { limits, outbox, service, session, failures, sendError } = this.#host
    if (this.#inFlight >= limits.maxCommandsInFlight || outbox.isFull) {
      const busy = reject('BACKPRESSURE', 'too many Commands are unanswered', { retryAfterMs: RETRY_AFTER_MS })
      sendError(busy, related)
      return
    }
    const retryAfterMs = failures.waitMs(session.agentId)
    if (retryAfterMs > 0) {
      sendError(reject('RATE_LIMITED', 'too many Commands of this Agent failed', { retryAfterMs }), related)
      return
    }
    this.#inFlight++
    const key = related.groupId ?? ''
    const earlier = this.#answers.get(key) ?? Promise.resolve()
    const answer = this.#answer(service.submitCommand(command, { door: 'mwp', session }), earlier, related)
    this.#answers.set(key, answer)
    void answer.then(() => {
      if (this.#answers.get(key) === answer) this.#answers.delete(key)
    })
  }

  /** Resolves once the answer is in the outbox. */
  async #answer(decided: Promise<SubmitOutcome>, earlier: Promise<void>, related: Related): Promise<void> {
    const outcome = await decided.catch((fault: unknown) => this.#faulted(fault))
    await earlier
    const isFlushed = () => void this.#inFlight--
    if (!outcome.ok) {
      const { rejection, actionId, groupId } = outcome
      if (isCostly(rejection)) this.#host.failures.take(this.#host.session.agentId)
      const named = { ...related, ...(actionId && { relatedActionId: actionId }), ...(groupId && { groupId }) }
      this.#host.sendError(rejection, named, isFlushed)
      return
    }
    const { outbox, subscriptions } = this.#host
    const subscription = subscriptions.find(outcome.spaceId)
    if (subscription === undefined) outbox.send(eventFrame(outcome.eventBytes), isFlushed)
    else await subscription.sendReceipt(outcome, isFlushed)
  }

  #faulted(fault: unknown): SubmitOutcome {
    this.#host.onFault(fault)
    return { ok: false, rejection: internalError() }
  }
}
