// Reading open Spaces: windows over lists in the order of commit, and the graph around one Message.
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { Cut, MessageList, MessagePlace, OpenSpaceStore, SpaceLog } from '../ports.ts'
import type { KnownIdentifiers } from './known-identifiers.ts'
import { maximumPage } from './limits.ts'
import { messageOf } from './message-json.ts'
import { refuse } from './refusal.ts'
import { maximumRelated, Relations } from './relations.ts'
import type { Direction, MessageFilter, OpenSpaces, SpaceMessage, SpaceQuery, SpaceRefusal, Window } from './types.ts'

interface Needs {
  readonly store: Pick<OpenSpaceStore, 'page' | 'parentsAbove' | 'descendants' | 'repliesAfter'>
  readonly log: Pick<SpaceLog, 'readAt'>
  readonly known: KnownIdentifiers
}

type Found = Result<readonly SpaceMessage[], SpaceRefusal>

const noSuchSpace = () => refuse('not_found', 'there is no such Space')

export class MessageReads implements Pick<OpenSpaces, 'read' | 'inbox' | 'search' | 'sequenceOf' | 'positionOf'> {
  readonly #needs: Needs
  readonly #relations: Relations

  constructor(needs: Needs) {
    this.#needs = needs
    this.#relations = new Relations(needs.store)
  }

  async read(spaceId: string, query: SpaceQuery, window: Window): Promise<Found> {
    const { known } = this.#needs
    if (!(await known.spaceExists(spaceId))) return noSuchSpace()
    const cut = await this.#cutOf(window, spaceId)
    if (!cut.ok) return cut
    if (query.mode === 'all') return this.#page({ of: 'space', spaceId }, cut.value)
    if (query.mode === 'roots') return this.#page({ of: 'roots', spaceId }, cut.value)
    if (query.mode === 'caller') return this.#page({ of: 'caller', spaceId, nodeId: query.nodeId }, cut.value)
    const message = await known.placeOf(query.messageId)
    if (message?.spaceId !== spaceId) return refuse('not_found', 'there is no such Message in this Space')
    return this.#related(message, query.direction, cut.value)
  }

  async inbox(nodeId: string, window: Window): Promise<Found> {
    if (!(await this.#needs.known.nodeExists(nodeId))) return refuse('not_found', 'there is no such Node')
    const cut = await this.#cutOf(window)
    return cut.ok ? this.#page({ of: 'inbox', nodeId }, cut.value) : cut
  }

  async search(filter: MessageFilter, window: Window): Promise<Found> {
    const { known } = this.#needs
    const { spaceId, messageId, refMessage, ...others } = filter
    if (spaceId !== undefined && !(await known.spaceExists(spaceId))) return noSuchSpace()
    for (const nodeId of [filter.nodeId, filter.senderId, filter.refNode]) {
      if (nodeId !== undefined && !(await known.nodeExists(nodeId))) return refuse('not_found', 'there is no such Node')
    }
    const message = messageId === undefined ? undefined : await known.placeOf(messageId)
    if (messageId !== undefined && message === undefined) return refuse('not_found', 'there is no such Message')
    const parent = refMessage === undefined ? undefined : await known.placeOf(refMessage)
    if (refMessage !== undefined && parent === undefined) return refuse('invalid_input', 'ref_message names no Message')
    const cut = await this.#cutOf(window)
    if (!cut.ok) return cut
    if (message) return this.#only(message, filter, cut.value)
    return this.#page({ of: 'search', filter: { ...(spaceId !== undefined && { spaceId }), ...others }, ...(parent && { parent }) }, cut.value)
  }

  async sequenceOf(spaceId: string, messageId: string): Promise<number | undefined> {
    const place = await this.#needs.known.placeOf(messageId)
    return place?.spaceId === spaceId ? place.sequence : undefined
  }

  async positionOf(messageId: string): Promise<number | undefined> {
    return (await this.#needs.known.placeOf(messageId))?.position
  }

  /** Where a list is to be cut; a cursor of a Space must be one of its Messages, but need not belong to the list. */
  async #cutOf({ after, limit = maximumPage, maximumBytes }: Window, spaceId?: string): Promise<Result<Cut, SpaceRefusal>> {
    if (!Number.isSafeInteger(limit) || limit < 1) return refuse('invalid_input', 'limit must be a positive whole number')
    const cut = { limit: Math.min(limit, maximumPage), ...(maximumBytes !== undefined && { maximumBytes }) }
    if (after === undefined) return ok(cut)
    if (after === null) return ok({ ...cut, after: { sequence: 0, position: 0 } })
    const place = await this.#needs.known.placeOf(after)
    if (place === undefined || (spaceId !== undefined && place.spaceId !== spaceId)) return refuse('invalid_input', 'after names no Message here')
    return ok({ ...cut, after: place })
  }

  async #page(list: MessageList, cut: Cut): Promise<Found> {
    return ok((await this.#needs.store.page(list, cut)).map(messageOf))
  }

  /** One Message, if all else holds for it too. */
  async #only(place: MessagePlace, { spaceId, nodeId, senderId, refMessage, refNode }: MessageFilter, { after }: Cut): Promise<Found> {
    const [entry] = await this.#needs.log.readAt(place.spaceId, [place.sequence])
    const message = messageOf(entry!)
    const holds =
      (spaceId === undefined || spaceId === message.spaceId) &&
      (senderId === undefined || senderId === message.senderId) &&
      (nodeId === undefined || nodeId === message.senderId || message.nodes.includes(nodeId)) &&
      (refNode === undefined || message.nodes.includes(refNode)) &&
      (refMessage === undefined || message.messages.includes(refMessage)) &&
      (after === undefined || place.position > after.position)
    return ok(holds ? [message] : [])
  }

  /**
   * All that is above is older than the Message and all that is below is newer, so that the three lists follow one another.
   * Newest ancestors are found by as many steps as they are; pages after a cursor walk up to it once.
   */
  async #related({ spaceId, sequence }: MessagePlace, direction: Direction, cut: Cut): Promise<Found> {
    const { after, limit } = cut
    const below = direction === 'upstream' ? [] : await this.#relations.descendants(spaceId, sequence)
    if (below === undefined) return tooManyRelated()
    const newer = [sequence, ...below]
    const from = after?.sequence ?? 0
    const isAboveWanted = direction !== 'downstream' && (after ? from < sequence : newer.length < limit)
    const above = isAboveWanted ? await this.#relations.ancestors(spaceId, sequence, after ? { after: from } : { newest: limit - newer.length }) : []
    if (above === undefined) return tooManyRelated()
    const related = [...above, ...newer].filter((each) => each > from)
    const sequences = after ? related.slice(0, limit) : related.slice(-limit)
    return this.#page({ of: 'these', spaceId, sequences }, cut)
  }
}

const tooManyRelated = () => err<SpaceRefusal>({ category: 'too_large', reason: `more than ${maximumRelated} Messages lie above or below this one` })
