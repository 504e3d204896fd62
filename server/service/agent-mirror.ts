// What a decision needs to know about Agents: their cards and their Session Epochs, kept in memory and fed by the Organization's Space.
import type { AgentCard, EventDocument, EventPayloads } from '../../protocol/generated/types.ts'
import { AGENT_CARD_REGISTERED, SESSION_OPENED } from '../../protocol/kinds.ts'
import type { Directory } from './ports.ts'

type EpochListener = (agentId: string, sessionEpoch: number) => void

export class AgentMirror {
  readonly #cards = new Map<string, AgentCard>()
  readonly #epochs: Map<string, number>
  /** With which key the newest sessions were opened, as far as their Events were read here. */
  readonly #openings = new Map<string, { readonly sessionEpoch: number; readonly keyId: string }>()
  readonly #listeners = new Set<EpochListener>()

  private constructor(cards: readonly AgentCard[], epochs: ReadonlyMap<string, number>) {
    for (const card of cards) this.#putCard(card)
    this.#epochs = new Map(epochs)
  }

  static async load(directory: Pick<Directory, 'listCards' | 'sessionEpochs'>): Promise<AgentMirror> {
    return new AgentMirror(await directory.listCards(), await directory.sessionEpochs())
  }

  cardOf(agentId: string): AgentCard | undefined {
    return this.#cards.get(agentId)
  }

  cards(): readonly AgentCard[] {
    return [...this.#cards.values()]
  }

  /** 0 for an Agent that never had a session. */
  sessionEpochOf(agentId: string): number {
    return this.#epochs.get(agentId) ?? 0
  }

  /** The key that opened the Agent's current session; undefined where that is not known here. */
  sessionKeyOf(agentId: string): string | undefined {
    const opening = this.#openings.get(agentId)
    return opening?.sessionEpoch === this.sessionEpochOf(agentId) ? opening.keyId : undefined
  }

  /** Fences every session of the Agent below this epoch. */
  raiseEpoch(agentId: string, sessionEpoch: number): void {
    if (sessionEpoch <= this.sessionEpochOf(agentId)) return
    this.#epochs.set(agentId, sessionEpoch)
    for (const listener of [...this.#listeners]) listener(agentId, sessionEpoch)
  }

  onEpoch(listener: EpochListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** An Event of the Organization's Space, by whichever node; the same one twice changes nothing. */
  apply(event: EventDocument): void {
    if (event.kind === AGENT_CARD_REGISTERED) this.#putCard((event.payload as unknown as EventPayloads[typeof AGENT_CARD_REGISTERED]).card)
    if (event.kind === SESSION_OPENED) {
      const { agentId, sessionEpoch, keyId } = event.payload as unknown as EventPayloads[typeof SESSION_OPENED]
      if (sessionEpoch > (this.#openings.get(agentId)?.sessionEpoch ?? 0)) this.#openings.set(agentId, { sessionEpoch, keyId })
      this.raiseEpoch(agentId, sessionEpoch)
    }
  }

  #putCard(card: AgentCard): void {
    const known = this.#cards.get(card.agentId)
    if (known === undefined || known.cardVersion < card.cardVersion) this.#cards.set(card.agentId, card)
  }
}
