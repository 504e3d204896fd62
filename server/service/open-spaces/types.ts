// Open Spaces as the doors see them: IOA's Space, Node, Message and Ref over the one log. Every door that takes part in open
// Spaces (IOA, MCP, I.A.P., the console) goes through this; none of them sees the store.
import type { JsonObject } from '../../../protocol/strict-json.ts'
import type { Result } from '../../../protocol/result.ts'

/** IOA's categories of refusal; each door has its own status for them. `reason` is for people. */
export interface SpaceRefusal {
  readonly category: 'not_found' | 'invalid_input' | 'forbidden' | 'conflict' | 'too_large' | 'quota_exceeded' | 'busy'
  readonly reason: string
}
export type Refusable<T> = Promise<Result<T, SpaceRefusal>>

/** Who a Node is in a system elsewhere. Namespace and subject are trimmed and not blank; a pair leads to one Node, server-wide. */
export interface IdentityBinding { readonly namespace: string; readonly subject: string; readonly claims?: JsonObject }

/** The namespace of agent ids of the Inter-Agent Protocol. That door alone gives them: nobody may claim one elsewhere. */
export const agentIdNamespace = 'iap'

/** Content types of the Events of mission Spaces, at the doors that show them as Messages; no Message of an open Space has one. */
export const eventTypePrefix = 'mwp/'

/** A participant as IOA names it. */
export interface NodeInfo {
  readonly nodeId: string
  readonly principalId: string
  readonly name: string
  /** Of its own; what it declared in a Space is in that Space's members. */
  readonly description: string
  readonly meta: JsonObject
  readonly identities: readonly IdentityBinding[]
}

export interface SpaceMember { readonly node: NodeInfo; readonly description: string }
export interface SpaceInfo {
  readonly spaceId: string
  readonly name: string
  readonly tags: readonly string[]
  /** By name, then by id. */
  readonly members: readonly SpaceMember[]
  readonly messageCount: number
}

/** A Space as one Node sees it from outside. */
export interface SpaceOverview extends Omit<SpaceInfo, 'members'> {
  readonly memberCount: number
  /** Whether the Node has entered it. */
  readonly isMember: boolean
}

/** A Message before it has an id. JSON texts are kept as they came, so that no number loses a digit. */
export interface MessageDraft {
  /** Text of an object. */
  readonly content: string
  readonly contentType?: string
  /** Ids of Messages of the same Space; repeats are kept. */
  readonly messages: readonly string[]
  /** Ids of Nodes; repeats are kept. */
  readonly nodes: readonly string[]
  readonly meta?: string
  /** Text of a JSON Schema. It is compiled to see that it is one, kept, and applied to nothing. */
  readonly contentSchema?: string
}

/** A Message in the log. */
export interface SpaceMessage {
  readonly spaceId: string
  readonly sequence: number
  readonly messageId: string
  readonly senderId: string
  readonly contentType?: string
  /** Whether it names no Message and no Node. */
  readonly isBroadcast: boolean
  readonly nodes: readonly string[]
  readonly messages: readonly string[]
  /** UTF-8 JSON, the same at every door: `id, space_id, sender, created_at, content_type?, content, refs, meta?, content_schema?`. */
  readonly bytes: Uint8Array
}

/**
 * Results are ascending. `limit` without `after` gives the newest, with it the next ones; without either the door's maximum cuts.
 * `null` stands before the first Message, so that a door can read everything page by page. With `maximumBytes` a window is given
 * from its beginning and ends with the Message that brings it to so many bytes; reading on after that one gives the rest.
 */
export interface Window { readonly after?: string | null; readonly limit?: number; readonly maximumBytes?: number }

export type Direction = 'upstream' | 'downstream' | 'both'
export type SpaceQuery =
  | { readonly mode: 'all' }
  /** Named in `refs.nodes`, or broadcast, and not the caller's own. */
  | { readonly mode: 'caller'; readonly nodeId: string }
  | { readonly mode: 'roots' }
  /** The Message with its ancestors, its descendants or both. */
  | { readonly mode: 'related'; readonly messageId: string; readonly direction: Direction }

/** All that are given must hold. `nodeId` is sender or named. */
export interface MessageFilter {
  readonly spaceId?: string
  readonly messageId?: string
  readonly nodeId?: string
  readonly senderId?: string
  readonly refMessage?: string
  readonly refNode?: string
}

/** Messages of one Space in order, replay first and then live, without a gap; pulled by the reader, so that a slow one holds nothing up. */
export interface MessageFeed {
  /** The sequence that it begins after. */
  readonly startsAfter: number
  /** At least one, waiting for it if need be; `ended` once the feed was closed. */
  next(limit: number): Promise<readonly SpaceMessage[] | 'ended'>
  close(): void
}

export interface NodeRegistration {
  readonly name: string
  readonly description?: string
  readonly meta?: JsonObject
  /** 32 hex digits of either case, chosen by the client. */
  readonly nodeId?: string
  readonly identities?: readonly IdentityBinding[]
  /** The access key that was shown; another key's Node is `forbidden`. */
  readonly accessKeyId?: string
  /** The Principal whose token was shown: it may renew what is its own and nobody else's. */
  readonly callerId?: string
}

export interface Nodes {
  /**
   * Finds the Node by its bindings if any are given, else by id, and by name only when neither is given; else makes it, with an
   * Agent Principal of its own. What is found takes over name, description, meta and bindings. Bindings that lead to different
   * Nodes: `conflict`. At once or never: of simultaneous registrations of one name or pair, all get the one Node.
   */
  register(registration: NodeRegistration): Refusable<{ readonly node: NodeInfo; readonly isNew: boolean }>
  /** Changes what a Node says of itself; what is absent stays, and bindings are added. A binding that leads to another Node: `conflict`. */
  describe(nodeId: string, change: Partial<Pick<NodeRegistration, 'name' | 'description' | 'meta' | 'identities'>>): Refusable<NodeInfo>
  byId(nodeId: string): Promise<NodeInfo | undefined>
  /** Whether this access key enrolled the Node, and so may act for it where a token is not asked for. */
  isEnrolledBy(nodeId: string, accessKeyId: string): Promise<boolean>
  /** The Node of a Principal, made when it has none yet: id and name are then the Principal's. `undefined` for an unknown Principal. */
  ofPrincipal(principalId: string): Promise<NodeInfo | undefined>
  /** By name, then by id; those after the given id. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly NodeInfo[]>
  resolve(namespace: string, subject: string): Refusable<NodeInfo>
  /** Adds the pair or replaces its claims; `conflict` where it leads to another Node. */
  bind(nodeId: string, binding: IdentityBinding): Refusable<NodeInfo>
  /** An absent pair is no error. */
  unbind(nodeId: string, namespace: string, subject: string): Refusable<NodeInfo>
}

export interface OpenSpaces {
  readonly nodes: Nodes
  /**
   * Creates the Space of this name, or joins it; tags are merged in first-seen order, the description replaced. A blank one falls
   * back to the Node's own. Names that are absolute URIs are those of mission Spaces: `invalid_input`.
   */
  enter(nodeId: string, input: { readonly name: string; readonly description: string; readonly tags?: readonly string[] }): Refusable<SpaceInfo>
  /** Without members and counts, by name; those after the given name. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly Pick<SpaceInfo, 'spaceId' | 'name' | 'tags'>[]>
  /** As `list`, with members and counts; a fixed number of queries for a whole page, which is shorter where there are many members. */
  listInfos(page: { readonly after?: string; readonly limit: number }): Promise<readonly SpaceInfo[]>
  /** As `listInfos`, with the number of members in place of them, however many they are. */
  overviews(nodeId: string, page: { readonly after?: string; readonly limit: number }): Promise<readonly SpaceOverview[]>
  /** One of them, with its first members by name, then by id: at most `limit`. */
  overview(nodeId: string, spaceId: string, limit: number): Promise<(SpaceOverview & Pick<SpaceInfo, 'members'>) | undefined>
  /** As `list`, of those that the Node has entered. */
  entered(nodeId: string, page: { readonly after?: string; readonly limit: number }): Promise<readonly Pick<SpaceInfo, 'spaceId' | 'name' | 'tags'>[]>
  find(spaceId: string): Promise<SpaceInfo | undefined>
  /** Whether this is known to be an open Space, from memory alone: one in which something was said on this node just now is. */
  isOpen(spaceId: string): boolean
  named(name: string): Promise<SpaceInfo | undefined>
  /** Durable when it resolves. Checks in order: Space, sender, content, every Message, every Node, the schema, the sender's quota. */
  send(nodeId: string, spaceId: string, draft: MessageDraft): Refusable<SpaceMessage>
  /** Whether the sender's quota has room for a further Message, however short. */
  mayWrite(nodeId: string): Promise<boolean>
  /** Checks in order: Space, cursor (`invalid_input`), Message (`not_found`). */
  read(spaceId: string, query: SpaceQuery, window: Window): Refusable<readonly SpaceMessage[]>
  /** The mode `caller` over all Spaces that the Node has entered, in the order of commit. */
  inbox(nodeId: string, window: Window): Refusable<readonly SpaceMessage[]>
  /** Over all open Spaces, in the order of commit. Unknown `refMessage` or cursor: `invalid_input`, other unknown values: `not_found`. */
  search(filter: MessageFilter, window: Window): Refusable<readonly SpaceMessage[]>
  /** Whether `ancestorId` is within `depth` steps above the Message, by first parents only: the parent is one step. */
  isWithin(spaceId: string, messageId: string, ancestorId: string, depth: number): Promise<boolean>
  /** Starts after this sequence, or after the newest Message; one that is not written yet is a `conflict`. */
  follow(spaceId: string, after?: number): Refusable<MessageFeed>
  /** Messages of all open Spaces that name this Node or, in a Space that it has entered, are broadcast by others; by position in the order of commit. An `after` that is not given out yet is a `conflict`. */
  followNode(nodeId: string, after?: number): Refusable<NodeFeed>
  /** The sequence of a Message, for a door's cursor. */
  sequenceOf(spaceId: string, messageId: string): Promise<number | undefined>
  /** The position of a Message in the order of commit, over all open Spaces. */
  positionOf(messageId: string): Promise<number | undefined>
}

export interface NodeFeed {
  /** The position that it begins after. */
  readonly startsAfter: number
  next(limit: number): Promise<readonly { readonly position: number; readonly message: SpaceMessage }[] | 'ended'>
  close(): void
}
