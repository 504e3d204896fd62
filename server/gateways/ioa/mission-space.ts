// Mission Spaces at this door: to a member every Event is a Message, to everybody else they do not exist.
import { randomUUID } from 'node:crypto'
import type { ErrorCode, Rejection } from '../../../protocol/error-codes.ts'
import type { Actor, ContentPart } from '../../../protocol/generated/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { JsonObject } from '../../../protocol/strict-json.ts'
import { decodeEntry } from '../../service/event-bytes.ts'
import type { MessageDraft, MessageFeed, Refusable, SpaceInfo, SpaceMessage, SpaceQuery, SpaceRefusal, Window } from '../../service/open-spaces/types.ts'
import type { DecodedEntry } from '../../service/ports.ts'
import type { GroupFeed } from '../../service/service.ts'
import type { Caller, IoaService } from './exchange.ts'
import { lostNumber } from './kept-numbers.ts'
import { ioaMessageSchema, missionMessage, talkOf } from './mission-message.ts'
import type { NodeIds } from './node-ids.ts'
import type { Space } from './space.ts'

/** Events that are looked up, and bytes of them that are read, at a time. */
const chunk = { sequences: 1_000, bytes: 4 * 1024 * 1024 }

type Group = NonNullable<Awaited<ReturnType<IoaService['reads']['groupFor']>>>
type ListQuery = Exclude<SpaceQuery, { mode: 'related' }>
type Range = { readonly after: number; readonly limit: number } | { readonly before: number; readonly limit: number }

export class MissionSpaces {
  readonly #service: IoaService
  readonly #nodeIds: NodeIds

  constructor(service: IoaService, nodeIds: NodeIds) {
    this.#service = service
    this.#nodeIds = nodeIds
  }

  async find(caller: Caller, spaceId: string): Promise<Space | undefined> {
    const { groups } = await this.#service.reads.memberships(caller.principalId)
    return groups.some((group) => group.spaceId === spaceId && group.state !== 'ended') ? new MissionSpace(this.#service, this.#nodeIds, { caller, spaceId }) : undefined
  }

  /** Those of the caller. Their name is the id of the Group, which is an absolute URI as no other Space's name is. */
  async list(caller: Caller): Promise<readonly Space[]> {
    const { groups } = await this.#service.reads.memberships(caller.principalId)
    return groups.filter(({ state }) => state !== 'ended').map(({ spaceId }) => new MissionSpace(this.#service, this.#nodeIds, { caller, spaceId }))
  }
}

/** Messages up to their limit, and no more after the one that brings them to their bytes. */
class Page {
  readonly messages: SpaceMessage[] = []
  readonly #limit: number
  readonly #maximumBytes: number
  #bytes = 0

  constructor(limit: number, maximumBytes: number) {
    this.#limit = limit
    this.#maximumBytes = maximumBytes
  }

  get isFull(): boolean {
    return this.messages.length >= this.#limit || this.#bytes >= this.#maximumBytes
  }

  /** Whether the page is full now. */
  add(messages: readonly SpaceMessage[]): boolean {
    for (const message of messages) {
      if (this.isFull) return true
      this.messages.push(message)
      this.#bytes += message.bytes.length
    }
    return this.isFull
  }
}

class MissionSpace implements Space {
  readonly spaceId: string
  readonly #service: IoaService
  readonly #nodeIds: NodeIds
  readonly #callerId: string

  constructor(service: IoaService, nodeIds: NodeIds, { caller, spaceId }: { readonly caller: Caller; readonly spaceId: string }) {
    this.spaceId = spaceId
    this.#service = service
    this.#nodeIds = nodeIds
    this.#callerId = caller.principalId
  }

  async info(): Promise<SpaceInfo | undefined> {
    const group = await this.#group()
    if (group === undefined) return undefined
    const { state, membership } = group
    if (membership.state === 'provisional') return this.#candidateInfo(group)
    const present = [...state.memberships.values()].filter((member) => member.state !== 'ended')
    const nodes = await Promise.all(present.map(async ({ member, role }) => ({ node: await this.#service.openSpaces.nodes.ofPrincipal(member.id), description: role })))
    const members = nodes.flatMap(({ node, description }) => (node === undefined ? [] : [{ node, description }]))
    return { spaceId: this.spaceId, name: this.spaceId, tags: [], members: members.toSorted(byName), messageCount: this.#countIn(group) }
  }

  /** A candidate knows of itself and of what it was sent, and of nobody else. */
  async #candidateInfo(group: Group): Promise<SpaceInfo> {
    const node = await this.#service.openSpaces.nodes.ofPrincipal(this.#callerId)
    return { spaceId: this.spaceId, name: this.spaceId, tags: [], members: node === undefined ? [] : [{ node, description: '' }], messageCount: this.#countIn(group) }
  }

  #countIn(group: Group): number {
    return Math.max(0, this.#endOf(group) - group.membership.visibilityStartSequence + 1)
  }

  /** Sequence of the last Event that the caller may see. */
  #endOf({ state }: Group): number {
    return state.candidacies.get(this.#callerId)?.through ?? state.sequence
  }

  /** Speaks with the key that the server holds for the caller; what the authority refuses is refused for its reason. */
  async send(draft: MessageDraft): Refusable<SpaceMessage> {
    const group = await this.#group()
    if (group === undefined) return absent()
    const { custody } = this.#service.doors
    if (!custody.holds(this.#callerId)) return refuse('forbidden', 'this Principal holds its own key: it speaks in mission Spaces by the door that takes its signature')
    const payload = await this.#payloadOf(draft, group)
    if (!payload.ok) return payload
    const outcome = await custody.submit(this.#callerId, { kind: 'message.post', groupId: this.spaceId, payload: payload.value })
    if (!outcome.ok) return err(refusalOf(outcome.rejection))
    const [posted] = await this.#messages(await this.#service.reads.entries(this.#callerId, this.spaceId, [outcome.sequence]))
    return posted === undefined ? absent() : ok(posted)
  }

  async read(query: SpaceQuery, { after, limit = Infinity, maximumBytes = Infinity }: Window): Refusable<readonly SpaceMessage[]> {
    const group = await this.#group()
    if (group === undefined) return absent()
    const from = typeof after === 'string' ? placeOf(after, group) : 0
    if (from === undefined) return refuse('invalid_input', 'after names no Message of this Space')
    const isNewest = after === undefined && limit !== Infinity
    if (query.mode !== 'related') return ok(isNewest ? await this.#newest(query, group, { limit, maximumBytes }) : await this.#next(query, group, { after: from, limit, maximumBytes }))
    const at = placeOf(query.messageId, group)
    if (at === undefined) return refuse('not_found', 'there is no such Message in this Space')
    const related = (await this.#service.reads.related(this.#callerId, this.spaceId, at, query.direction))?.filter((sequence) => sequence > from)
    if (related === undefined) return refuse('too_large', 'too much is said in this Space to find what is related')
    return ok(await this.#listed(isNewest ? related.slice(-limit) : related.slice(0, limit), maximumBytes))
  }

  async follow(after?: number): Refusable<MessageFeed> {
    const group = await this.#group()
    if (group === undefined) return absent()
    const start = after ?? group.state.sequence
    if (start > group.state.sequence) return refuse('conflict', 'this place is not written yet')
    const feed = await this.#service.feeds.open(this.#callerId, this.spaceId, start)
    return feed.ok ? ok(this.#feedOf(feed.value, start)) : err(refusalOf(feed.error))
  }

  async sequenceOf(messageId: string): Promise<number | undefined> {
    const group = await this.#group()
    return group && placeOf(messageId, group)
  }

  async isWithin(messageId: string, ancestorId: string, depth: number): Promise<boolean> {
    let current: string | undefined = messageId
    for (let step = 0; step < depth && current !== undefined; step++) {
      const sequence: number | undefined = await this.sequenceOf(current)
      const [message]: readonly SpaceMessage[] = sequence === undefined ? [] : await this.#messages(await this.#service.reads.entries(this.#callerId, this.spaceId, [sequence]))
      current = message?.messages[0]
      if (current === ancestorId) return true
    }
    return false
  }

  #group(): Promise<Group | undefined> {
    return this.#service.reads.groupFor(this.#callerId, this.spaceId)
  }

  #feedOf(feed: GroupFeed, startsAfter: number): MessageFeed {
    return {
      startsAfter,
      next: async (limit) => {
        const entries = await feed.next(limit)
        return entries === 'ended' ? entries : this.#messages(entries.map(decodeEntry))
      },
      close: () => feed.close(),
    }
  }

  /** What the caller may not see is not referred to. */
  async #messages(entries: readonly DecodedEntry[]): Promise<readonly SpaceMessage[]> {
    const group = await this.#group()
    if (group === undefined) return []
    const eventIdOf = (id: string) => group.state.eventIds[(placeOf(id, group) ?? 0) - 1]
    return Promise.all(entries.map((entry) => this.#message(entry, eventIdOf)))
  }

  async #message(entry: DecodedEntry, eventIdOf: (id: string) => string | undefined): Promise<SpaceMessage> {
    const { references, mentions } = talkOf(entry)
    const nodes = await Promise.all(mentions.map((id) => this.#nodeIds.of(id)))
    const senderId = (await this.#nodeIds.of(entry.event.actor.id)) ?? entry.event.actor.id
    return missionMessage(entry, senderId, { messages: references.map(eventIdOf).filter(isKnown), nodes: nodes.filter(isKnown) })
  }

  async #next(query: ListQuery, group: Group, { after, limit, maximumBytes }: { readonly after: number; readonly limit: number; readonly maximumBytes: number }): Promise<readonly SpaceMessage[]> {
    const page = new Page(limit, maximumBytes)
    for (let from = after; !page.isFull; ) {
      const sequences = await this.#candidates(query, group, { after: from, limit: Math.min(limit, chunk.sequences) })
      const last = sequences.at(-1)
      if (last === undefined) break
      for await (const messages of this.#read(sequences)) if (page.add(messages.filter(isMeantBy(query)))) break
      from = last
    }
    return page.messages
  }

  /** Which ones they are is found first, from the end; what they say is given from the first of them on. */
  async #newest(query: ListQuery, group: Group, { limit, maximumBytes }: { readonly limit: number; readonly maximumBytes: number }): Promise<readonly SpaceMessage[]> {
    let places: readonly number[] = []
    for (let before = this.#endOf(group) + 1; places.length < limit; ) {
      const sequences = await this.#candidates(query, group, { before, limit: Math.min(limit, chunk.sequences) })
      const [first] = sequences
      if (first === undefined) break
      places = [...(await this.#placesOf(query, sequences)), ...places]
      before = first
    }
    return this.#listed(places.slice(-limit), maximumBytes)
  }

  async #listed(sequences: readonly number[], maximumBytes: number): Promise<readonly SpaceMessage[]> {
    const page = new Page(sequences.length, maximumBytes)
    for await (const messages of this.#read(sequences)) if (page.add(messages)) break
    return page.messages
  }

  /** Those of what was found by the index that are meant indeed. */
  async #placesOf(query: ListQuery, sequences: readonly number[]): Promise<readonly number[]> {
    if (query.mode === 'all') return sequences
    const places: number[] = []
    for await (const messages of this.#read(sequences)) places.push(...messages.filter(isMeantBy(query)).map(({ sequence }) => sequence))
    return places
  }

  /** Sequences, ascending, among which those are that the query means: the next ones, or the last ones before. */
  async #candidates({ mode }: ListQuery, group: Group, range: Range): Promise<readonly number[]> {
    if (mode === 'caller') return this.#service.reads.concerning(this.#callerId, this.spaceId, range)
    const start = group.membership.visibilityStartSequence
    const first = 'after' in range ? Math.max(start, range.after + 1) : Math.max(start, range.before - range.limit)
    const last = Math.min(this.#endOf(group), 'after' in range ? first + range.limit - 1 : range.before - 1)
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  }

  /** All of them, so many bytes at a time. */
  async *#read(sequences: readonly number[]): AsyncGenerator<readonly SpaceMessage[]> {
    for (let left = sequences; left.length > 0; ) {
      const entries = await this.#service.reads.entries(this.#callerId, this.spaceId, left, chunk.bytes)
      const last = entries.at(-1)?.sequence
      if (last === undefined) return
      yield await this.#messages(entries)
      left = left.filter((sequence) => sequence > last)
    }
  }

  async #payloadOf({ content, contentType, messages, nodes, meta, contentSchema }: MessageDraft, group: Group): Promise<Result<Readonly<Record<string, unknown>>, SpaceRefusal>> {
    const places = messages.map((id) => placeOf(id, group))
    if (!places.every(isKnown)) return refuse('invalid_input', 'refs.messages names no Message of this Space')
    const named = await Promise.all(nodes.map(async (id) => group.state.memberships.get((await this.#service.openSpaces.nodes.byId(id))?.principalId ?? '')?.member))
    if (!named.every(isKnown)) return refuse('invalid_input', 'refs.nodes names no member of this Space')
    const lost = [content, meta, contentSchema].map((text) => (text === undefined ? undefined : lostNumber(text))).find(isKnown)
    if (lost !== undefined) return refuse('invalid_input', `the number ${lost.slice(0, 40)} would be signed as another one: a mission Space keeps numbers of binary64 (RFC 8785); send it as text`)
    const value = JSON.parse(content) as JsonObject | null
    if (value === null) return refuse('invalid_input', 'content must be an object')
    const extra = { ...(contentType !== undefined && { content_type: contentType }), ...parsed('meta', meta), ...parsed('content_schema', contentSchema) }
    const unique: readonly Actor[] = [...new Map(named.map((actor) => [actor.id, actor])).values()]
    return ok({
      messageId: `urn:uuid:${randomUUID()}`,
      content: [partOf(value, extra)],
      ...(messages.length > 0 && { references: [...new Set(messages)] }),
      ...(unique.length > 0 && { mentions: unique }),
    })
  }
}

/** Plain words stay plain words for people; everything else is kept as data. */
function partOf(content: JsonObject, extra: object): ContentPart {
  const isWords = typeof content['text'] === 'string' && content['text'] !== '' && Object.keys(content).length === 1 && Object.keys(extra).length === 0
  return isWords ? { type: 'text', text: content['text'] as string } : { type: 'data_ref', schema: ioaMessageSchema, data: { ...extra, content } }
}

const parsed = (name: string, text: string | undefined) => (text === undefined ? {} : { [name]: JSON.parse(text) as unknown })

function isMeantBy(query: ListQuery): (message: SpaceMessage) => boolean {
  if (query.mode === 'all') return () => true
  if (query.mode === 'roots') return ({ isBroadcast }) => isBroadcast
  return ({ senderId, nodes, isBroadcast }) => senderId !== query.nodeId && (isBroadcast || nodes.includes(query.nodeId))
}

/** Sequence of what this id names in the log, as far as the member may see it. */
function placeOf(id: string, { state, membership }: Group): number | undefined {
  const sequence = state.sequenceOf.get(id)
  return sequence !== undefined && sequence >= membership.visibilityStartSequence ? sequence : undefined
}

const isKnown = <T>(value: T | undefined): value is T => value !== undefined
const byName = (a: SpaceInfo['members'][number], b: SpaceInfo['members'][number]) => compare(a.node.name, b.node.name) || compare(a.node.nodeId, b.node.nodeId)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const refuse = (category: SpaceRefusal['category'], reason: string) => err<SpaceRefusal>({ category, reason })
const absent = () => refuse('not_found', 'there is no such Space')

const categories: Partial<Record<ErrorCode, SpaceRefusal['category']>> = {
  GROUP_NOT_FOUND: 'not_found',
  AUTH_REQUIRED: 'forbidden',
  AUTH_FORBIDDEN: 'forbidden',
  AUTH_INVALID_SIGNATURE: 'forbidden',
  AUTH_STALE_SESSION: 'conflict',
  AUTH_STALE_COORDINATOR: 'forbidden',
  MEMBERSHIP_REQUIRED: 'forbidden',
  MEMBERSHIP_STALE: 'conflict',
  APPROVAL_REQUIRED: 'forbidden',
  INVALID_STATE_TRANSITION: 'conflict',
  REVISION_CONFLICT: 'conflict',
  ACTION_ID_COLLISION: 'conflict',
  BUDGET_EXCEEDED: 'conflict',
  CURSOR_TOO_OLD: 'conflict',
  RATE_LIMITED: 'busy',
  BACKPRESSURE: 'busy',
  INTERNAL_ERROR: 'busy',
}

const refusalOf = ({ code, message }: Rejection): SpaceRefusal => ({ category: categories[code] ?? 'invalid_input', reason: message })
