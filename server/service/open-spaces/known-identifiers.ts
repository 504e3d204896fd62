// Which Spaces, Nodes and Messages exist, remembered where they were met: none of them ever goes away. Absence is always asked for.
import { isStorable } from '../../authority/storable-text.ts'
import type { MessagePlace, OpenSpaceStore, Volume } from '../ports.ts'
import { RecentMap } from '../../recent-map.ts'

interface Ids { readonly spaces?: readonly string[]; readonly nodes?: readonly string[]; readonly messages?: readonly string[] }

const maximumSpaces = 10_000
const maximumNodes = 50_000
const maximumMessages = 50_000

export class KnownIdentifiers {
  readonly #store: Pick<OpenSpaceStore, 'lookUp'>
  readonly #spaces = new RecentMap<string, true>(maximumSpaces)
  /** With what each has written, as far as this node of the server has heard. */
  readonly #nodes = new RecentMap<string, Volume>(maximumNodes)
  readonly #messages = new RecentMap<string, MessagePlace>(maximumMessages)

  constructor(store: Pick<OpenSpaceStore, 'lookUp'>) {
    this.#store = store
  }

  /** Asks, once for all, about those that are not remembered. */
  async find({ spaces = [], nodes = [], messages = [] }: Ids): Promise<void> {
    const wanted = {
      spaces: unknown(spaces, (id) => this.hasSpace(id)),
      nodes: unknown(nodes, (id) => this.hasNode(id)),
      messages: unknown(messages, (id) => this.message(id) !== undefined),
    }
    if (wanted.spaces.length + wanted.nodes.length + wanted.messages.length === 0) return
    const found = await this.#store.lookUp(wanted)
    for (const spaceId of found.spaces) this.#spaces.set(spaceId, true)
    for (const { nodeId, volume } of found.nodes) this.#nodes.set(nodeId, volume)
    for (const message of found.messages) this.written(message)
  }

  hasSpace(spaceId: string): boolean {
    return this.#spaces.get(spaceId) === true
  }

  hasNode(nodeId: string): boolean {
    return this.#nodes.get(nodeId) !== undefined
  }

  volumeOf(nodeId: string): Volume {
    return this.#nodes.get(nodeId) ?? { messages: 0, bytes: 0 }
  }

  message(messageId: string): MessagePlace | undefined {
    return this.#messages.get(messageId)
  }

  async spaceExists(spaceId: string): Promise<boolean> {
    await this.find({ spaces: [spaceId] })
    return this.hasSpace(spaceId)
  }

  async nodeExists(nodeId: string): Promise<boolean> {
    await this.find({ nodes: [nodeId] })
    return this.hasNode(nodeId)
  }

  async placeOf(messageId: string): Promise<MessagePlace | undefined> {
    await this.find({ messages: [messageId] })
    return this.message(messageId)
  }

  written({ messageId, spaceId, sequence, position }: MessagePlace): void {
    this.#messages.set(messageId, { messageId, spaceId, sequence, position })
  }

  hasWritten(nodeId: string, volume: Volume): void {
    this.#nodes.set(nodeId, volume)
  }
}

/** A database holds no id with U+0000, and refuses to be asked for one. */
const unknown = (ids: readonly string[], isKnown: (id: string) => boolean) => [...new Set(ids)].filter((id) => isStorable(id) && !isKnown(id))
