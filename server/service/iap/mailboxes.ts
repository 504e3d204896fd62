// Messages on their way to agents: in the store before they count as sent, and until the agent is known to have them.
import type { AgentId } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import { deriveUrn } from '../../../protocol/digest.ts'
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import { instantFromEpochMs } from '../../../protocol/timestamp.ts'
import type { Log } from '../../log.ts'
import type { Clock } from '../ports.ts'
import type { IapAmount, IapOutboxRow, IapStore, KeptIapMessage } from './store-port.ts'
import type { IapLimits, PeerLink } from './types.ts'

/** Messages may be as long as a context: so many are held in memory for one agent at most. */
const pageSize = 16

interface Needs {
  readonly store: Pick<IapStore, 'waiting' | 'delivered' | 'backlogs' | 'expire'>
  readonly limits: Pick<IapLimits, 'maxWaiting' | 'messagesKeptMs'>
  readonly clock: Clock
  /** More may wait for the agent again, after it had no room for a while. */
  readonly onRoom: (agentId: AgentId) => void
  readonly diagnostics: Log
}

const nothing: IapAmount = { count: 0, bytes: 0 }

interface Box {
  readonly link: PeerLink
  /** Entries that were handed to the link and may still be in the store, in the order of handing over. */
  readonly handed: Set<number>
  /** So many of them are confirmed and on their way out of the store. */
  leavingCount: number
  confirmedCount: number
  handedCount: number
  /** The store is read on after this entry. */
  readTo: number
  /** What was committed during a read may be older than what the read has found: it is read again from here. */
  readAgainFrom: number
  /** Whether all that the store holds was handed over. */
  isCaughtUp: boolean
  isReading: boolean
}

export class Mailboxes {
  readonly #needs: Needs
  readonly #boxes = new Map<AgentId, Box>()
  /** What the store holds for each agent for whom something waits. */
  readonly #backlogs = new Map<AgentId, IapAmount>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Reads how much waits for whom. */
  async load(): Promise<void> {
    for (const [agentId, backlog] of await this.#needs.store.backlogs()) this.#backlogs.set(agentId, backlog)
  }

  /** Whether more may wait for the agent, besides what is about to be committed for it. */
  hasRoom(agentId: AgentId, drafted = nothing): boolean {
    const { count, bytes } = this.#needs.limits.maxWaiting
    const backlog = this.#backlogs.get(agentId) ?? nothing
    return backlog.count + drafted.count < count && backlog.bytes + drafted.bytes < bytes
  }

  /** Gives up what has waited too long. The agent finds a notice in its place; what was said of a task stands in its Space. */
  async expire(): Promise<void> {
    const { store, limits: { messagesKeptMs }, clock, diagnostics } = this.#needs
    const before = instantFromEpochMs(clock.nowMs() - messagesKeptMs)
    for (const agentId of [...this.#backlogs.keys()]) {
      const { gone, added } = await store.expire(noticeFor(agentId, messagesKeptMs, clock), before)
      if (gone.count > 0) diagnostics.warn({ agentId, ...gone, before }, 'messages for an agent that did not come for them are not kept any more')
      this.#count(agentId, gone, -1)
      this.deliver(added)
    }
  }

  /** From now on the agent's messages go to this link, beginning with everything that it may not have. */
  open(agentId: AgentId, link: PeerLink): void {
    const box: Box = { link, handed: new Set(), leavingCount: 0, confirmedCount: 0, handedCount: 0, readTo: 0, readAgainFrom: Infinity, isCaughtUp: false, isReading: false }
    this.#boxes.set(agentId, box)
    void this.#read(agentId, box)
  }

  close(agentId: AgentId, link: PeerLink): void {
    if (this.#boxes.get(agentId)?.link === link) this.#boxes.delete(agentId)
  }

  /** Hands over what was committed just now; agents that are away find it when they are back. */
  deliver(messages: readonly KeptIapMessage[]): void {
    for (const message of messages) {
      this.#count(message.agentId, amountOf(message), 1)
      this.#offer(message)
    }
  }

  /** The agent has the first so many messages that this link was handed: they, and no others, are kept no longer. */
  async confirmed(agentId: AgentId, link: PeerLink, count: number): Promise<void> {
    const box = this.#boxes.get(agentId)
    if (box?.link !== link || count <= box.confirmedCount) return
    const entries = [...box.handed].slice(box.leavingCount, box.leavingCount + count - box.confirmedCount)
    box.confirmedCount += entries.length
    box.leavingCount += entries.length
    try {
      this.#count(agentId, await this.#needs.store.delivered(agentId, entries), -1)
    } catch (fault) {
      this.#needs.diagnostics.warn({ err: fault }, 'delivered messages are kept for another time')
    }
    // Not before: a page that is read meanwhile still holds them.
    for (const entry of entries) box.handed.delete(entry)
    box.leavingCount -= entries.length
  }

  #count(agentId: AgentId, { count, bytes }: IapAmount, sign: 1 | -1): void {
    const hadRoom = this.hasRoom(agentId)
    const before = this.#backlogs.get(agentId) ?? nothing
    const after = { count: before.count + sign * count, bytes: before.bytes + sign * bytes }
    // Below nothing for a moment, where a message was read, confirmed and deleted before its commit was told of.
    if (after.count === 0) this.#backlogs.delete(agentId)
    else this.#backlogs.set(agentId, after)
    if (!hadRoom && this.hasRoom(agentId)) this.#needs.onRoom(agentId)
  }

  #offer(message: KeptIapMessage): void {
    const box = this.#boxes.get(message.agentId)
    if (box === undefined) return
    // While a page is read, only the next page keeps the order.
    if (box.isReading || !box.isCaughtUp || box.link.isFull) {
      box.isCaughtUp = false
      box.readAgainFrom = Math.min(box.readAgainFrom, message.entry - 1)
      void this.#read(message.agentId, box)
    } else {
      this.#hand(box, message)
      box.link.confirm(box.handedCount)
    }
  }

  #hand(box: Box, { entry, message }: KeptIapMessage): void {
    if (box.handed.has(entry)) return
    box.link.send(message)
    box.handed.add(entry)
    box.handedCount++
    box.readTo = Math.max(box.readTo, entry)
  }

  async #read(agentId: AgentId, box: Box): Promise<void> {
    if (box.isReading) return
    box.isReading = true
    try {
      while (!box.isCaughtUp && this.#boxes.get(agentId) === box) await this.#readPage(agentId, box)
    } catch (fault) {
      this.#needs.diagnostics.error({ err: fault }, 'messages for an agent could not be read')
      box.link.end('failed')
    } finally {
      box.isReading = false
    }
  }

  async #readPage(agentId: AgentId, box: Box): Promise<void> {
    await box.link.drained()
    box.readTo = Math.min(box.readTo, box.readAgainFrom)
    // What is committed from here on asks for another page.
    box.readAgainFrom = Infinity
    box.isCaughtUp = true
    const page = await this.#needs.store.waiting(agentId, box.readTo, pageSize)
    if (page.length === pageSize) box.isCaughtUp = false
    for (const message of page) {
      if (box.link.isFull) await this.#drain(box)
      if (this.#boxes.get(agentId) !== box) return
      this.#hand(box, message)
      box.readTo = Math.max(box.readTo, message.entry)
    }
    if (page.length > 0) box.link.confirm(box.handedCount)
  }

  /** More than the link has room for would be taken for a peer that never reads. */
  async #drain(box: Box): Promise<void> {
    box.link.confirm(box.handedCount)
    await box.link.drained()
  }
}

/** What a message counts for among those that wait. */
export const amountOf = ({ message }: Pick<IapOutboxRow, 'message'>): IapAmount => ({ count: 1, bytes: Buffer.byteLength(message) })

/**
 * One for each agent in each period, however often something was given up. What is posted after a notice is lost a whole period later at
 * the earliest, so an agent that has heard the notice hears the next one under another id.
 */
function noticeFor(agentId: AgentId, messagesKeptMs: number, clock: Clock): IapOutboxRow {
  const [at, period] = [clock.now(), Math.floor(clock.nowMs() / messagesKeptMs)]
  const payload = errorPayload('VALIDATION_ERROR', 'messages that waited for too long were not kept; the Spaces of their tasks have what they said', { details: { reason: 'messages_expired', messagesKeptMs } })
  const message = composeMessage('ERROR', { messageId: deriveUrn('iap-expired', agentId, String(messagesKeptMs), String(period)), from: ROUTER, to: agentId, timestamp: at }, payload)
  return { agentId, messageId: message.messageId, message: JSON.stringify(message), createdAt: at }
}
