// Messages on their way to agents: in the store before they count as sent, and until the agent is known to have them.
import type { AgentId } from '../../../protocol/iap/types.ts'
import type { Log } from '../../log.ts'
import type { IapStore, KeptIapMessage } from './store-port.ts'
import type { PeerLink } from './types.ts'

/** Messages may be as long as a context: so many are held in memory for one agent at most. */
const pageSize = 16

interface Needs {
  readonly store: Pick<IapStore, 'waiting' | 'delivered'>
  readonly diagnostics: Log
}

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

  constructor(needs: Needs) {
    this.#needs = needs
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
    for (const message of messages) this.#offer(message)
  }

  /** The agent has the first so many messages that this link was handed: they, and no others, are kept no longer. */
  async confirmed(agentId: AgentId, link: PeerLink, count: number): Promise<void> {
    const box = this.#boxes.get(agentId)
    if (box?.link !== link || count <= box.confirmedCount) return
    const entries = [...box.handed].slice(box.leavingCount, box.leavingCount + count - box.confirmedCount)
    box.confirmedCount += entries.length
    box.leavingCount += entries.length
    try {
      await this.#needs.store.delivered(agentId, entries)
    } catch (fault) {
      this.#needs.diagnostics.warn({ err: fault }, 'delivered messages are kept for another time')
    }
    // Not before: a page that is read meanwhile still holds them.
    for (const entry of entries) box.handed.delete(entry)
    box.leavingCount -= entries.length
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
