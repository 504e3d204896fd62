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
import { ioaMessageSchema, missionMessage, talkOf } from './mission-message.ts'
import type { NodeIds } from './node-ids.ts'
import type { Space } from './space.ts'

/** Events that are looked through at a time. */
const chunk = 200

type Group = NonNullable<Awaited<ReturnType<IoaService['reads']['groupFor']>>>
type IsMeant = (message: SpaceMessage) => boolean

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
    if (membership.state === 'provisional') return this.#candidateInfo()
    const present = [...state.memberships.values()].filter((member) => member.state !== 'ended')
    const nodes = await Promise.all(present.map(async ({ member, role }) => ({ node: await this.#service.openSpaces.nodes.ofPrincipal(member.id), description: role })))
    const members = nodes.flatMap(({ node, description }) => (node === undefined ? [] : [{ node, description }]))
    return { spaceId: this.spaceId, name: this.spaceId, tags: [], members: members.toSorted(byName), messageCount: Math.max(0, state.sequence - membership.visibilityStartSequence + 1) }
  }

  /** A candidate knows of itself and of what it was sent, and of nobody else. */
  async #candidateInfo(): Promise<SpaceInfo> {
    const [node, entries] = await Promise.all([this.#service.openSpaces.nodes.ofPrincipal(this.#callerId), this.#service.reads.range(this.#callerId, this.spaceId, 0, chunk)])
    return { spaceId: this.spaceId, name: this.spaceId, tags: [], members: node === undefined ? [] : [{ node, description: '' }], messageCount: entries.length }
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

  async read(query: SpaceQuery, { after, limit }: Window): Refusable<readonly SpaceMessage[]> {
    const group = await this.#group()
    if (group === undefined) return absent()
    const from = typeof after === 'string' ? placeOf(after, group) : 0
    if (from === undefined) return refuse('invalid_input', 'after names no Message of this Space')
    if (query.mode === 'related' && placeOf(query.messageId, group) === undefined) return refuse('not_found', 'there is no such Message in this Space')
    const isMeant = query.mode === 'related' ? await this.#related(query, group) : chosenBy(query)
    return ok(after === undefined && limit !== undefined ? await this.#newest(isMeant, group, limit) : await this.#next(isMeant, from, limit ?? Infinity))
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
    const parents = new Set(entries.flatMap((entry) => talkOf(entry).references.map((id) => placeOf(id, group)).filter((sequence) => sequence !== undefined)))
    const found = await this.#service.reads.entries(this.#callerId, this.spaceId, [...parents])
    const eventIds = new Map(found.map(({ sequence, eventId }) => [sequence, eventId]))
    return Promise.all(entries.map((entry) => this.#message(entry, (id) => eventIds.get(placeOf(id, group) ?? 0))))
  }

  async #message(entry: DecodedEntry, eventIdOf: (id: string) => string | undefined): Promise<SpaceMessage> {
    const { references, mentions } = talkOf(entry)
    const nodes = await Promise.all(mentions.map((id) => this.#nodeIds.of(id)))
    const senderId = (await this.#nodeIds.of(entry.event.actor.id)) ?? entry.event.actor.id
    return missionMessage(entry, senderId, { messages: references.map(eventIdOf).filter(isKnown), nodes: nodes.filter(isKnown) })
  }

  async #next(isMeant: IsMeant, after: number, limit: number): Promise<readonly SpaceMessage[]> {
    const found: SpaceMessage[] = []
    for await (const messages of this.#ascending(after)) {
      found.push(...messages.filter(isMeant))
      if (found.length >= limit) return found.slice(0, limit)
    }
    return found
  }

  async #newest(isMeant: IsMeant, { state, membership }: Group, limit: number): Promise<readonly SpaceMessage[]> {
    let found: SpaceMessage[] = []
    for (let end = state.sequence; end >= membership.visibilityStartSequence && found.length < limit; end -= chunk) {
      found = [...(await this.#between(Math.max(0, end - chunk), end)).filter(isMeant), ...found]
    }
    return found.slice(-limit)
  }

  async *#ascending(after: number): AsyncGenerator<readonly SpaceMessage[]> {
    for (let from = after; ; ) {
      const entries = await this.#service.reads.range(this.#callerId, this.spaceId, from, chunk)
      if (entries.length === 0) return
      yield this.#messages(entries)
      from = entries.at(-1)!.sequence
    }
  }

  async #between(after: number, end: number): Promise<readonly SpaceMessage[]> {
    const entries = await this.#service.reads.range(this.#callerId, this.spaceId, after, end - after)
    return this.#messages(entries.filter(({ sequence }) => sequence <= end))
  }

  /** References only lead back, so one pass up and one down meet all that is related. */
  async #related({ messageId, direction }: Extract<SpaceQuery, { mode: 'related' }>, group: Group): Promise<IsMeant> {
    const at = placeOf(messageId, group)!
    const [own] = await this.#between(at - 1, at)
    const [above, below] = [new Set([own?.messageId]), new Set([own?.messageId])]
    for (let end = at; direction !== 'downstream' && end >= group.membership.visibilityStartSequence; end -= chunk) {
      for (const { messageId: id, messages } of (await this.#between(Math.max(0, end - chunk), end)).toReversed()) if (above.has(id)) for (const parent of messages) above.add(parent)
    }
    if (direction === 'upstream') return ({ messageId: id }) => above.has(id)
    for await (const page of this.#ascending(at)) for (const { messageId: id, messages } of page) if (messages.some((parent) => below.has(parent))) below.add(id)
    return ({ messageId: id }) => above.has(id) || below.has(id)
  }

  async #payloadOf({ content, contentType, messages, nodes, meta, contentSchema }: MessageDraft, group: Group): Promise<Result<Readonly<Record<string, unknown>>, SpaceRefusal>> {
    const places = messages.map((id) => placeOf(id, group))
    if (!places.every(isKnown)) return refuse('invalid_input', 'refs.messages names no Message of this Space')
    const named = await Promise.all(nodes.map(async (id) => group.state.memberships.get((await this.#service.openSpaces.nodes.byId(id))?.principalId ?? '')?.member))
    if (!named.every(isKnown)) return refuse('invalid_input', 'refs.nodes names no member of this Space')
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

function chosenBy(query: Exclude<SpaceQuery, { mode: 'related' }>): IsMeant {
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
