// Messages on their way to agents: in the store before they count as sent, and until the agent is known to have them.
import type { AgentId } from '../../../protocol/iap/types.ts'
import type { Log } from '../../log.ts'
import type { IapStore, KeptIapMessage } from './store-port.ts'
import type { PeerLink } from './types.ts'

const pageSize = 64

interface Needs {
  readonly store: Pick<IapStore, 'waiting' | 'delivered'>
  readonly diagnostics: Log
}

interface Box {
  readonly link: PeerLink
  /** The newest entry that was handed to the link. */
  sent: number
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
    const box = { link, sent: 0, isCaughtUp: false, isReading: false }
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

  /** The agent has everything up to the entry: it is kept no longer. */
  async confirmed(agentId: AgentId, entry: number): Promise<void> {
    try {
      await this.#needs.store.delivered(agentId, entry)
    } catch (fault) {
      this.#needs.diagnostics.warn({ err: fault }, 'delivered messages are kept for another time')
    }
  }

  #offer(message: KeptIapMessage): void {
    const box = this.#boxes.get(message.agentId)
    if (box === undefined) return
    // While a page is read, only the next page keeps the order.
    if (box.isReading || !box.isCaughtUp || box.link.isFull) {
      box.isCaughtUp = false
      void this.#read(message.agentId, box)
    } else this.#hand(box, [message])
  }

  #hand(box: Box, messages: readonly KeptIapMessage[]): void {
    const fresh = messages.filter(({ entry }) => entry > box.sent)
    for (const { message } of fresh) box.link.send(message)
    const last = fresh.at(-1)
    if (last === undefined) return
    box.sent = last.entry
    box.link.confirm(last.entry)
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
    // What is committed from here on asks for another page.
    box.isCaughtUp = true
    const page = await this.#needs.store.waiting(agentId, box.sent, pageSize)
    if (page.length === pageSize) box.isCaughtUp = false
    this.#hand(box, page)
  }
}
