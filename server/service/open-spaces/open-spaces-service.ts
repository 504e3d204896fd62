// Open Spaces put together: who enters, what is said, and reading it.
import { randomUUID } from 'node:crypto'
import { isUri } from '../../../protocol/identifier.ts'
import { invariant, ok } from '../../../protocol/result.ts'
import { isStorable } from '../../authority/storable-text.ts'
import type { Clock, LogEntry, NodeRecord, OpenSpaceStore, SpaceLog, SpaceRecord } from '../ports.ts'
import type { SpaceTails } from '../space-tails.ts'
import { NodeFeeds, SpaceFeed } from './feeds.ts'
import { KnownIdentifiers } from './known-identifiers.ts'
import type { SenderQuota } from './limits.ts'
import { defaultSenderQuota, maximumDescriptionLength, maximumMembers, maximumNameLength, maximumPage, maximumPageBytes, maximumSpacesEntered, maximumTagLength, maximumTags } from './limits.ts'
import { decodeMessage } from './message-json.ts'
import { MessageReads } from './message-reads.ts'
import { MessageWriter } from './message-writer.ts'
import type { NodeNeeds } from './node-registry.ts'
import { infoOf, NodeRegistry } from './node-registry.ts'
import { RecentMap } from '../../recent-map.ts'
import { refuse } from './refusal.ts'
import type { MessageDraft, MessageFeed, MessageFilter, NodeFeed, OpenSpaces, Refusable, SpaceInfo, SpaceMember, SpaceMessage, SpaceOverview, SpaceQuery, Window } from './types.ts'

interface Needs extends Omit<NodeNeeds, 'store'> {
  readonly store: OpenSpaceStore
  readonly log: SpaceLog
  readonly tails: SpaceTails
  readonly clock: Clock
  /** Of each sender; as usual where it is not given. */
  readonly quota?: SenderQuota
  /** After commit, in order and before the senders are answered. */
  readonly onCommitted: (spaceId: string, entries: readonly LogEntry[]) => void
  readonly onFault: (fault: unknown) => void
}

/** Steps upwards that one question may take. */
const maximumDepth = 1_000
const rememberedParents = 50_000

export class OpenSpacesService implements OpenSpaces {
  readonly nodes: NodeRegistry
  readonly #needs: Needs
  readonly #known: KnownIdentifiers
  readonly #writer: MessageWriter
  readonly #reads: MessageReads
  readonly #nodeFeeds: NodeFeeds
  /** First parent of a Message; empty where it has none. */
  readonly #firstParents = new RecentMap<string, string>(rememberedParents)
  readonly #unsubscribe: () => void

  constructor(needs: Needs) {
    const { store, log, clock, tails, quota = defaultSenderQuota, onCommitted, onFault } = needs
    this.#needs = needs
    this.nodes = new NodeRegistry(needs)
    this.#known = new KnownIdentifiers(store)
    this.#writer = new MessageWriter({ store, known: this.#known, clock, quota, onCommitted })
    this.#reads = new MessageReads({ store, log, known: this.#known })
    this.#nodeFeeds = new NodeFeeds(store, onFault)
    this.#unsubscribe = tails.onGrowth(() => this.#nodeFeeds.grown())
  }

  async enter(nodeId: string, { name, description, tags = [] }: Parameters<OpenSpaces['enter']>[1]): Refusable<SpaceInfo> {
    const wanted = [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
    const fault = faultOfEntry(name, description, wanted)
    if (fault !== undefined) return refuse('invalid_input', fault)
    const node = await this.nodes.byId(nodeId)
    if (!node) return refuse('invalid_input', 'only a registered Node enters a Space')
    const declared = description.trim() === '' ? node.description : description
    if (declared.trim() === '') return refuse('invalid_input', 'a description is needed')
    const { store, clock } = this.#needs
    const entered = await store.enter({ spaceId: `urn:uuid:${randomUUID()}`, name, tags: wanted, maximumTags, maximumSpaces: maximumSpacesEntered, nodeId, description: declared, at: clock.now() })
    if (entered === 'too-many-tags') return refuse('invalid_input', `a Space has at most ${maximumTags} tags`)
    if (entered === 'too-many-spaces') return refuse('quota_exceeded', `a Node enters at most ${maximumSpacesEntered} Spaces`)
    const space = await this.find(entered.spaceId)
    invariant(space, 'a Space that was entered is there')
    return ok(space)
  }

  async list(page: Parameters<OpenSpaces['list']>[0]): ReturnType<OpenSpaces['list']> {
    return (await this.#page(page)).map(withoutHead)
  }

  async listInfos(page: Parameters<OpenSpaces['listInfos']>[0]): Promise<readonly SpaceInfo[]> {
    return this.#infosOf(await this.#page(page))
  }

  async overviews(nodeId: string, page: Parameters<OpenSpaces['overviews']>[1]): ReturnType<OpenSpaces['overviews']> {
    return this.#overviewsOf(await this.#page(page), nodeId)
  }

  async overview(nodeId: string, spaceId: string, limit: number): ReturnType<OpenSpaces['overview']> {
    const { store } = this.#needs
    const space = isStorable(spaceId) ? await store.findSpace({ spaceId }) : undefined
    if (!space) return undefined
    const [[overview], { members }] = await Promise.all([this.#overviewsOf([space], nodeId), store.members([spaceId], { limit: Math.min(limit, maximumMembers), maximumBytes: maximumPageBytes })])
    return { ...overview!, members: members.map(memberOf) }
  }

  async entered(nodeId: string, page: Parameters<OpenSpaces['entered']>[1]): ReturnType<OpenSpaces['entered']> {
    return isStorable(nodeId) ? (await this.#page({ ...page, nodeId })).map(withoutHead) : []
  }

  async find(spaceId: string): Promise<SpaceInfo | undefined> {
    return isStorable(spaceId) ? this.#infoOf(await this.#needs.store.findSpace({ spaceId })) : undefined
  }

  async named(name: string): Promise<SpaceInfo | undefined> {
    return isStorable(name) ? this.#infoOf(await this.#needs.store.findSpace({ name })) : undefined
  }

  send(nodeId: string, spaceId: string, draft: MessageDraft): Refusable<SpaceMessage> {
    return this.#writer.send(nodeId, spaceId, draft)
  }

  mayWrite(nodeId: string): Promise<boolean> {
    return this.#writer.mayWrite(nodeId)
  }

  /** A record of the I.A.P. router's; nobody else may send what passes for one. */
  sendRecord(nodeId: string, spaceId: string, draft: MessageDraft): Refusable<SpaceMessage> {
    return this.#writer.send(nodeId, spaceId, draft, { isRecord: true })
  }

  read(spaceId: string, query: SpaceQuery, window: Window): Refusable<readonly SpaceMessage[]> {
    return this.#reads.read(spaceId, query, window)
  }

  inbox(nodeId: string, window: Window): Refusable<readonly SpaceMessage[]> {
    return this.#reads.inbox(nodeId, window)
  }

  search(filter: MessageFilter, window: Window): Refusable<readonly SpaceMessage[]> {
    return this.#reads.search(filter, window)
  }

  sequenceOf(spaceId: string, messageId: string): Promise<number | undefined> {
    return this.#reads.sequenceOf(spaceId, messageId)
  }

  positionOf(messageId: string): Promise<number | undefined> {
    return this.#reads.positionOf(messageId)
  }

  async isWithin(spaceId: string, messageId: string, ancestorId: string, depth: number): Promise<boolean> {
    let current: string | undefined = messageId
    for (let step = 0; step < Math.min(depth, maximumDepth); step++) {
      current = await this.#firstParentOf(spaceId, current)
      if (current === undefined) return false
      if (current === ancestorId) return true
    }
    return false
  }

  async follow(spaceId: string, after?: number): Refusable<MessageFeed> {
    if (!(await this.#known.spaceExists(spaceId))) return refuse('not_found', 'there is no such Space')
    const feed = await SpaceFeed.open(this.#needs.tails, spaceId, after)
    return feed ? ok(feed) : notWritten()
  }

  async followNode(nodeId: string, after?: number): Refusable<NodeFeed> {
    if (!(await this.#known.nodeExists(nodeId))) return refuse('not_found', 'there is no such Node')
    const feed = await this.#nodeFeeds.open(nodeId, after)
    return feed ? ok(feed) : notWritten()
  }

  /** Whether this is an open Space. */
  exists(spaceId: string): Promise<boolean> {
    return this.#known.spaceExists(spaceId)
  }

  /** Whether this is known to be an open Space, from memory alone. */
  isOpen(spaceId: string): boolean {
    return this.#known.hasSpace(spaceId)
  }

  /** News from other nodes may have been missed. */
  catchUp(): void {
    this.nodes.forget()
    this.#nodeFeeds.grown()
  }

  /** Resolves when everything that was sent has been answered. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#writer.drained()
  }

  async #infoOf(space: SpaceRecord | undefined): Promise<SpaceInfo | undefined> {
    return space && (await this.#infosOf([space]))[0]
  }

  async #infosOf(spaces: readonly SpaceRecord[]): Promise<readonly SpaceInfo[]> {
    if (spaces.length === 0) return []
    const members = new Map<string, SpaceMember[]>(spaces.map(({ spaceId }) => [spaceId, []]))
    const found = await this.#needs.store.members([...members.keys()], { limit: maximumMembers, maximumBytes: maximumPageBytes })
    for (const { spaceId, node, description } of found.members) members.get(spaceId)!.push(memberOf({ node, description }))
    // Of the last one there may be more; it comes whole with the next page, unless it alone is too much.
    const last = found.isCut ? spaces.findIndex(({ spaceId }) => spaceId === found.members.at(-1)?.spaceId) : spaces.length
    return spaces.slice(0, Math.max(1, last)).map(({ head, ...space }) => ({ ...space, messageCount: head, members: members.get(space.spaceId)! }))
  }

  async #overviewsOf(spaces: readonly SpaceRecord[], nodeId: string): Promise<readonly SpaceOverview[]> {
    if (spaces.length === 0) return []
    const counts = new Map((await this.#needs.store.memberCounts(spaces.map(({ spaceId }) => spaceId), nodeId)).map((each) => [each.spaceId, each]))
    return spaces.map(({ head, ...space }) => {
      const { count = 0, hasEntered = false } = counts.get(space.spaceId) ?? {}
      return { ...space, messageCount: head, memberCount: count, isMember: hasEntered }
    })
  }

  async #page({ after, limit, nodeId }: { readonly after?: string; readonly limit: number; readonly nodeId?: string }): Promise<readonly SpaceRecord[]> {
    if (after !== undefined && !isStorable(after)) return []
    return this.#needs.store.listSpaces({ limit: Math.min(limit, maximumPage), ...(after !== undefined && { after }), ...(nodeId !== undefined && { nodeId }) })
  }

  async #firstParentOf(spaceId: string, messageId: string): Promise<string | undefined> {
    const known = this.#firstParents.get(messageId)
    if (known !== undefined) return known === '' ? undefined : known
    const place = await this.#known.placeOf(messageId)
    if (place?.spaceId !== spaceId) return undefined
    const [entry] = await this.#needs.log.readAt(spaceId, [place.sequence])
    const [parent = ''] = decodeMessage(entry!.bytes).messages
    this.#firstParents.set(messageId, parent)
    return parent === '' ? undefined : parent
  }
}

const memberOf = ({ node, description }: { readonly node: NodeRecord; readonly description: string }): SpaceMember => ({ node: infoOf(node), description })
const withoutHead = ({ spaceId, name, tags }: SpaceRecord) => ({ spaceId, name, tags })
const notWritten = () => refuse('conflict', 'nothing was written there yet')

function faultOfEntry(name: string, description: string, tags: readonly string[]): string | undefined {
  if (name.trim() === '' || name.length > maximumNameLength) return `the name of a Space has 1 to ${maximumNameLength} characters`
  if (isUri(name)) return 'a name that is an absolute URI is that of a mission Space'
  if (description.length > maximumDescriptionLength) return `a description has at most ${maximumDescriptionLength} characters`
  if (tags.length > maximumTags || tags.some((tag) => tag.length > maximumTagLength)) return `a Space has at most ${maximumTags} tags of ${maximumTagLength} characters`
  return isStorable([name, description, ...tags]) ? undefined : 'a text holds U+0000 or half a character'
}
