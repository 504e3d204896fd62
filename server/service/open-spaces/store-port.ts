// What open Spaces need from the store. Texts that are asked for or written hold no U+0000; the service sees to that.
import type { GraphEdgeRow } from '../../authority/read-models.ts'
import type { LogEntry, PrincipalRecord } from '../ports.ts'
import type { MessageFilter } from './types.ts'

/** A Message to be written; the store gives it its place. */
export interface NewMessage {
  readonly spaceId: string
  readonly messageId: string
  readonly senderId: string
  readonly contentType?: string
  readonly isBroadcast: boolean
  /** Nodes that it names, each once. */
  readonly nodes: readonly string[]
  /** Sequences of the Messages that it refers to, each once. */
  readonly parents: readonly number[]
  readonly bytes: Uint8Array
}

/** Where a Message stands: in its Space, without a gap, and among those of all open Spaces, in the order of commit. */
export interface Place { readonly sequence: number; readonly position: number }
export interface MessagePlace extends Place { readonly messageId: string; readonly spaceId: string }
export type PlacedEntry = LogEntry & Place

/** How much a Node has written to open Spaces, all of them together. */
export interface Volume { readonly messages: number; readonly bytes: number }
/** A place that was given out, and what its sender has written with it. */
export interface WrittenPlace extends Place { readonly volume: Volume }

/** Ids that were looked up and exist. */
export interface KnownIds {
  readonly spaces: readonly string[]
  readonly nodes: readonly { readonly nodeId: string; readonly volume: Volume }[]
  readonly messages: readonly MessagePlace[]
}

/** Which Messages, in the order of commit. */
export type MessageList =
  | { readonly of: 'space'; readonly spaceId: string }
  | { readonly of: 'roots'; readonly spaceId: string }
  /** Naming the Node or broadcast, and not its own. */
  | { readonly of: 'caller'; readonly spaceId: string; readonly nodeId: string }
  /** The same over all Spaces that the Node has entered. */
  | { readonly of: 'inbox'; readonly nodeId: string }
  /** Naming the Node, in whatever Space, and others' broadcasts in those that it has entered. */
  | { readonly of: 'node'; readonly nodeId: string }
  /** These of one Space, whatever the cut says of places. */
  | { readonly of: 'these'; readonly spaceId: string; readonly sequences: readonly number[] }
  | { readonly of: 'search'; readonly filter: Omit<MessageFilter, 'refMessage' | 'messageId'>; readonly parent?: MessagePlace }

/**
 * The first ones after the place or, without one, the newest. Where the place names its Space, its sequence says nothing of others.
 * With `maximumBytes` they end with the one that brings them to so many.
 */
export interface Cut { readonly after?: Place & Partial<Pick<MessagePlace, 'spaceId'>>; readonly limit: number; readonly maximumBytes?: number }

/** What is kept of one Message, for comparing it with its bytes. */
export interface MessageIndex {
  readonly sequence: number
  readonly position: number
  readonly senderId: string
  readonly isBroadcast: boolean
  readonly contentType?: string
  /** Ascending. */
  readonly nodes: readonly string[]
}

export interface NodeIdentity {
  readonly namespace: string
  readonly subject: string
  /** JSON text of an object. */
  readonly claims?: string
}
export interface NodeRecord {
  readonly nodeId: string
  readonly principalId: string
  readonly name: string
  /** The name, where the Node was registered by it alone. */
  readonly claimedName?: string
  readonly description: string
  /** JSON text of an object. */
  readonly meta: string
  readonly accessKeyId?: string
  readonly createdAt: string
  /** By namespace, then by subject. */
  readonly identities: readonly NodeIdentity[]
}
export type NodeKey =
  | { readonly nodeIds: readonly string[] }
  | { readonly principalId: string }
  | { readonly claimedName: string }
  | { readonly identities: readonly Pick<NodeIdentity, 'namespace' | 'subject'>[] }
export type NodeChange = Partial<Pick<NodeRecord, 'name' | 'description' | 'meta' | 'identities'>>

export interface SpaceRecord {
  readonly spaceId: string
  readonly name: string
  readonly tags: readonly string[]
  /** Sequence of the newest Message, and so their number. */
  readonly head: number
}
export interface SpaceEntry {
  /** Of the Space, should it not be there yet. */
  readonly spaceId: string
  readonly name: string
  readonly tags: readonly string[]
  readonly maximumTags: number
  /** That the Node may have entered, this one included. */
  readonly maximumSpaces: number
  readonly nodeId: string
  readonly description: string
  readonly at: string
}

export interface OpenSpaceStore {
  /** Writes them in this order, all or none, in one statement and one commit. Their Spaces exist. */
  append(messages: readonly NewMessage[]): Promise<readonly WrittenPlace[]>
  /** Which of these exist; one query. */
  lookUp(ids: { readonly spaces: readonly string[]; readonly nodes: readonly string[]; readonly messages: readonly string[] }): Promise<KnownIds>
  /** Ascending by position. */
  page(list: MessageList, cut: Cut): Promise<readonly PlacedEntry[]>
  /** Which of these Nodes the next `limit` Messages after the position concern, as the list `node` has it, and the last one's position. */
  concernedAfter(position: number, nodeIds: readonly string[], limit: number): Promise<{ readonly position: number; readonly nodeIds: readonly string[] }>
  /** Position of the newest Message; 0 before there was one. */
  lastPosition(): Promise<number>
  /**
   * Parents of some Messages and of those above them, nearest first: `limit` Messages are looked at, and each that was has an
   * entry. Of those asked for at least one was.
   */
  parentsAbove(spaceId: string, sequences: readonly number[], limit: number): Promise<ReadonlyMap<number, readonly number[]>>
  /** All that lie below a Message, in any order; undefined when they are `limit` or more. */
  descendants(spaceId: string, sequence: number, limit: number): Promise<readonly number[] | undefined>
  /** Replies after this Message, ascending by child; those of one child come together. `limit` is at least the number of references that a Message may have. */
  repliesAfter(spaceId: string, child: number, limit: number): Promise<readonly Pick<GraphEdgeRow, 'child' | 'parent'>[]>
  /** Rows of the index with `sequence > after`, ascending. */
  indexAfter(spaceId: string, after: number, limit: number): Promise<readonly MessageIndex[]>

  /** Makes the Space or finds it, adds the tags that it lacks, and lets the Node enter. Nothing happens when the tags, or the Spaces of the Node, get too many. */
  enter(entry: SpaceEntry): Promise<{ readonly spaceId: string } | 'too-many-tags' | 'too-many-spaces'>
  findSpace(by: { readonly spaceId: string } | { readonly name: string }): Promise<SpaceRecord | undefined>
  /** By name, those after it: all, or those that a Node has entered. */
  listSpaces(page: { readonly after?: string; readonly limit: number; readonly nodeId?: string }): Promise<readonly SpaceRecord[]>
  /** Of these Spaces in order; by name, then by id. At most `limit` of all together, and none after the one that brings them to so many bytes; `isCut` where there are more. */
  members(spaceIds: readonly string[], bounds: { readonly limit: number; readonly maximumBytes: number }): Promise<{ readonly members: readonly { readonly spaceId: string; readonly node: NodeRecord; readonly description: string }[]; readonly isCut: boolean }>
  /** How many Nodes have entered each Space, and whether this one has. Spaces that nobody has entered are left out. */
  memberCounts(spaceIds: readonly string[], nodeId: string): Promise<readonly { readonly spaceId: string; readonly count: number; readonly hasEntered: boolean }[]>

  findNodes(key: NodeKey): Promise<readonly NodeRecord[]>
  /** By name, then by id; those after this Node. They end with the one that brings them to so many bytes. */
  listNodes(page: { readonly after?: string; readonly limit: number; readonly maximumBytes: number }): Promise<readonly NodeRecord[]>
  /** With its Principal where that is new. `taken` when the id, the claimed name, a pair or the Principal has a Node already; nothing was written then. */
  addNode(node: NodeRecord, principal?: PrincipalRecord): Promise<'added' | 'taken'>
  /** Pairs are added or get new claims. `taken` when one leads to another Node; nothing was written then. */
  changeNode(nodeId: string, change: NodeChange): Promise<'changed' | 'taken'>
  removeIdentity(nodeId: string, pair: Pick<NodeIdentity, 'namespace' | 'subject'>): Promise<void>
}
