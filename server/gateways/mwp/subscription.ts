// One Group on one connection: replay, then live, pulled from the feed as fast as the peer reads.
import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { GroupSubscription } from '../../../protocol/generated/types.ts'
import type { LogEntry } from '../../service/ports.ts'
import type { AuthorityService, GroupFeed, SubmitOutcome } from '../../service/service.ts'
import { passesAttention } from './attention.ts'
import { eventFrame } from './frames.ts'
import type { MwpLimits } from './limits.ts'
import type { Lane } from './outbox.ts'

/** What a subscription needs of its connection. */
export interface SubscriptionHost {
  readonly service: AuthorityService
  readonly limits: MwpLimits
  readonly agentId: string
  /** Tells the peer about this Group; the connection stays. */
  sendError(rejection: Rejection): void
  onFault(fault: unknown): void
}

type Receipt = Pick<Extract<SubmitOutcome, { ok: true }>, 'sequence' | 'eventBytes' | 'isDuplicate'>

interface PendingReceipt extends Receipt {
  readonly onFlushed: () => void
  readonly onSent: () => void
}

export class Subscription {
  readonly #request: GroupSubscription
  readonly #host: SubscriptionHost
  readonly #lane: Lane
  #feed: GroupFeed | undefined
  #isClosed = false
  /** The feed begins behind this sequence. */
  #start: number
  /** Highest sequence taken from the feed. */
  #position: number
  /** Up to here history is replayed in full; a filter narrows only what comes later. */
  #replayUntil = 0
  /** In ascending order of sequence. */
  #receipts: PendingReceipt[] = []

  constructor(request: GroupSubscription, lane: Lane, host: SubscriptionHost) {
    this.#request = request
    this.#lane = lane
    this.#host = host
    this.#start = this.#position = request.afterSequence
  }

  /** Runs until the subscription is closed, the Membership ends or the feed fails. */
  async run(): Promise<void> {
    try {
      const rejection = (await this.#open()) ?? (await this.#pump())
      if (rejection !== undefined) this.#host.sendError(rejection)
    } catch (fault) {
      this.#host.onFault(fault)
      this.#host.sendError(reject('INTERNAL_ERROR', 'the subscription failed; subscribe again'))
    } finally {
      this.close()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#feed?.close()
    this.#sendReceiptsUpTo(Infinity)
  }

  /**
   * Answers a Command of this connection; resolves once the answer is in the outbox. The receipt takes its place in the
   * feed, so that the EVENTs of a subscribed Group never overtake one another: it waits while the feed is behind it, is
   * sent even where the filter would drop the Event, and is not sent twice unless the Command was a retry.
   */
  async sendReceipt(receipt: Receipt, onFlushed: () => void): Promise<void> {
    if (!receipt.isDuplicate && this.#hasSent(receipt.sequence)) return onFlushed()
    await new Promise<void>((onSent) => {
      this.#receipts.push({ ...receipt, onFlushed, onSent })
      this.#receipts.sort((a, b) => a.sequence - b.sequence)
      this.#sendReceiptsUpTo(this.#isClosed ? Infinity : this.#position)
    })
  }

  /** The reason why nothing can be delivered, or undefined when the feed is open. */
  async #open(): Promise<Rejection | undefined> {
    const { service, agentId } = this.#host
    const { groupId, afterSequence } = this.#request
    const opened = await service.feeds.open(agentId, groupId, afterSequence)
    if (!opened.ok) return this.#isClosed ? undefined : opened.error
    this.#feed = opened.value
    const group = await service.reads.groupFor(agentId, groupId)
    if (this.#isClosed) opened.value.close()
    if (group === undefined) return undefined
    this.#start = this.#position = Math.max(afterSequence, group.membership.visibilityStartSequence - 1)
    this.#replayUntil = group.state.sequence
    this.#sendReceiptsUpTo(this.#position)
    return undefined
  }

  async #pump(): Promise<Rejection | undefined> {
    const { limits } = this.#host
    while (!this.#isClosed) {
      const entries = await this.#feed?.next(limits.feedBatch)
      if (this.#isClosed || entries === undefined) return undefined
      if (entries === 'ended') return reject('MEMBERSHIP_REQUIRED', 'the Membership in this Group has ended')
      for (const entry of entries) {
        if (this.#lane.isFull) await this.#waitForRoom()
        if (this.#isClosed) return undefined
        this.#deliver(entry)
      }
    }
    return undefined
  }

  #deliver(entry: LogEntry): void {
    const { sequence } = entry
    this.#position = sequence
    this.#sendReceiptsUpTo(sequence - 1)
    if (this.#receipts[0]?.sequence === sequence) this.#sendReceiptsUpTo(sequence)
    else if (this.#isReplayed(sequence) || passesAttention(this.#request.attention ?? {}, entry, this.#host.agentId)) {
      this.#lane.send(eventFrame(entry.bytes))
    }
  }

  #isReplayed(sequence: number): boolean {
    return this.#request.attention === undefined || sequence <= this.#replayUntil
  }

  #hasSent(sequence: number): boolean {
    return sequence > this.#start && sequence <= this.#position && this.#isReplayed(sequence)
  }

  #sendReceiptsUpTo(sequence: number): void {
    for (let next = this.#receipts[0]; next !== undefined && next.sequence <= sequence; next = this.#receipts[0]) {
      this.#receipts.shift()
      this.#lane.send(eventFrame(next.eventBytes), next.onFlushed)
      next.onSent()
    }
  }

  /** The feed rests while the peer catches up; a peer that takes long is told once per pause. */
  async #waitForRoom(): Promise<void> {
    const { backpressureAfterMs } = this.#host.limits
    const warning = setTimeout(() => {
      this.#host.sendError(
        reject('BACKPRESSURE', 'this Group is paused until the connection drains', { retryAfterMs: backpressureAfterMs }),
      )
    }, backpressureAfterMs)
    await this.#lane.drained()
    clearTimeout(warning)
  }
}
