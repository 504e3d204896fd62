// Open Spaces, their Nodes and Messages in Maps, on the log of the in-memory store.
import { invariant } from '../../protocol/result.ts'
import type { Cut, Directory, MessageList, NewMessage, NodeIdentity, NodeKey, NodeRecord, OpenSpaceStore, Place, PlacedEntry, PrincipalRecord, SpaceEntry, SpaceRecord, Volume, WrittenPlace } from '../service/ports.ts'
import type { Tables } from './memory-spaces.ts'
import { Space } from './memory-spaces.ts'

type Row = NewMessage & Place

interface OpenSpace { readonly spaceId: string; readonly name: string; tags: readonly string[]; readonly members: Map<string, string> }

class OpenTables {
  readonly spaces = new Map<string, OpenSpace>()
  readonly nodes = new Map<string, NodeRecord>()
  /** In the order of commit. */
  readonly rows: Row[] = []
}

export function createMemoryOpenSpaces(log: Tables, directory: Pick<Directory, 'register'>): OpenSpaceStore {
  const tables = new OpenTables()
  return { ...createMessages(log, tables), ...createSpaces(log, tables), ...createNodes(tables, directory) }
}

type Messages = Pick<OpenSpaceStore, 'append' | 'lookUp' | 'page' | 'concernedAfter' | 'lastPosition' | 'parentsAbove' | 'descendants' | 'repliesAfter' | 'indexAfter'>

function createMessages(log: Tables, tables: OpenTables): Messages {
  const { rows, nodes, spaces } = tables
  const inSpace = (spaceId: string) => rows.filter((row) => row.spaceId === spaceId)
  const volumeOf = (nodeId: string): Volume => {
    const own = rows.filter((row) => row.senderId === nodeId)
    return { messages: own.length, bytes: own.reduce((sum, { bytes }) => sum + bytes.length, 0) }
  }
  const edgesIn = (spaceId: string) => [...(log.spaces.get(spaceId)?.edges.values() ?? [])]
  return {
    append: async (messages) => {
      const places = messages.map((message) => append(log, tables, message))
      return places.map((place, index): WrittenPlace => ({ ...place, volume: volumeOf(messages[index]!.senderId) }))
    },
    async lookUp(ids) {
      return {
        spaces: ids.spaces.filter((id) => spaces.has(id)),
        nodes: ids.nodes.filter((id) => nodes.has(id)).map((nodeId) => ({ nodeId, volume: volumeOf(nodeId) })),
        messages: rows.filter((row) => ids.messages.includes(row.messageId)),
      }
    },
    page: async (list, cut) => cutOut(rows.filter(belongsTo(list, tables, log)), cut).map(entryOf),
    async concernedAfter(position, nodeIds, limit) {
      const news = rows.filter((row) => row.position > position).slice(0, limit)
      const isConcerned = (nodeId: string) => news.some(belongsTo({ of: 'node', nodeId }, tables, log))
      return { position: news.at(-1)?.position ?? position, nodeIds: nodeIds.filter(isConcerned) }
    },
    lastPosition: async () => rows.length,
    async parentsAbove(spaceId, sequences, limit) {
      const looked = new Map<number, readonly number[]>()
      const edges = edgesIn(spaceId)
      for (const sequence of walk(sequences, (from) => edges.filter((edge) => edge.child === from).map((edge) => edge.parent))) {
        if (looked.size < limit) looked.set(sequence, edges.filter((edge) => edge.child === sequence).map((edge) => edge.parent))
      }
      return looked
    },
    async descendants(spaceId, sequence, limit) {
      const edges = edgesIn(spaceId)
      const below = [...walk([sequence], (from) => edges.filter((edge) => edge.parent === from).map((edge) => edge.child))].slice(1)
      return below.length < limit ? below : undefined
    },
    async repliesAfter(spaceId, child, limit) {
      const page = edgesIn(spaceId).filter((edge) => edge.child > child).sort((a, b) => a.child - b.child || a.parent - b.parent).slice(0, limit)
      return page.length < limit ? page : page.filter((edge) => edge.child < page.at(-1)!.child)
    },
    indexAfter: async (spaceId, after, limit) => inSpace(spaceId).filter((row) => row.sequence > after).slice(0, limit).map((row) => ({ ...row, nodes: [...row.nodes].sort() })),
  }
}

/** Everything that can be reached, each once, nearest first. */
function walk(from: readonly number[], next: (sequence: number) => readonly number[]): ReadonlySet<number> {
  const reached = new Set(from)
  for (const sequence of reached) for (const other of next(sequence)) reached.add(other)
  return reached
}

function append(log: Tables, { rows }: OpenTables, message: NewMessage): Place {
  const { spaceId, messageId, bytes, parents } = message
  const space = log.spaces.get(spaceId)
  invariant(space?.kind === 'open', 'a Message was written to a Space that is not open')
  invariant(!log.ids.has(messageId), 'a Message has an id of its own')
  const place = { sequence: space.entries.length + 1, position: rows.length + 1 }
  log.ids.add(messageId)
  space.entries.push({ spaceId, sequence: place.sequence, eventId: messageId, kind: 'open.message', bytes })
  space.nodes.set(place.sequence, { sequence: place.sequence, kind: 'open.message' })
  for (const parent of parents) space.edges.set(`${place.sequence}:${parent}`, { child: place.sequence, parent, provenance: 'reply' })
  rows.push({ ...message, ...place })
  return place
}

const entryOf = ({ spaceId, sequence, position, messageId, bytes }: Row): PlacedEntry => ({ spaceId, sequence, position, eventId: messageId, kind: 'open.message', bytes })

function cutOut(rows: readonly Row[], { after, limit, maximumBytes = Infinity }: Cut): readonly Row[] {
  const found = after ? rows.filter((row) => row.position > after.position).slice(0, limit) : rows.slice(Math.max(0, rows.length - limit))
  return within(found, maximumBytes, ({ bytes }) => bytes.length)
}

/** Those up to the one that brings them to so many bytes. */
function within<T>(rows: readonly T[], maximumBytes: number, sizeOf: (row: T) => number): readonly T[] {
  let before = 0
  return rows.filter((row) => (before += sizeOf(row)) - sizeOf(row) < maximumBytes)
}

function belongsTo(list: MessageList, { spaces }: OpenTables, log: Tables): (row: Row) => boolean {
  const hasEntered = (row: Row, nodeId: string) => spaces.get(row.spaceId)?.members.has(nodeId) === true
  const concerns = (row: Row, nodeId: string) => row.senderId !== nodeId && (row.isBroadcast || row.nodes.includes(nodeId))
  switch (list.of) {
    case 'space':
      return (row) => row.spaceId === list.spaceId
    case 'roots':
      return (row) => row.spaceId === list.spaceId && row.isBroadcast
    case 'caller':
      return (row) => row.spaceId === list.spaceId && concerns(row, list.nodeId)
    case 'inbox':
      return (row) => hasEntered(row, list.nodeId) && concerns(row, list.nodeId)
    case 'node':
      return (row) => row.nodes.includes(list.nodeId) || (hasEntered(row, list.nodeId) && concerns(row, list.nodeId))
    case 'these': {
      const wanted = new Set(list.sequences)
      return (row) => row.spaceId === list.spaceId && wanted.has(row.sequence)
    }
    case 'search': {
      const { filter: { spaceId, nodeId, senderId, refNode }, parent } = list
      return (row) =>
        (spaceId === undefined || row.spaceId === spaceId) &&
        (senderId === undefined || row.senderId === senderId) &&
        (refNode === undefined || row.nodes.includes(refNode)) &&
        (nodeId === undefined || row.senderId === nodeId || row.nodes.includes(nodeId)) &&
        (parent === undefined || (row.spaceId === parent.spaceId && log.spaces.get(parent.spaceId)!.edges.has(`${row.sequence}:${parent.sequence}`)))
    }
  }
}

const byName = (a: { name: string; nodeId?: string }, b: { name: string; nodeId?: string }) => (a.name < b.name || (a.name === b.name && a.nodeId! < b.nodeId!) ? -1 : 1)

type Spaces = Pick<OpenSpaceStore, 'enter' | 'findSpace' | 'listSpaces' | 'members' | 'memberCounts'>

function createSpaces(log: Tables, { spaces, nodes }: OpenTables): Spaces {
  const recordOf = ({ spaceId, name, tags }: OpenSpace): SpaceRecord => ({ spaceId, name, tags, head: log.spaces.get(spaceId)!.entries.length })
  const find = (by: Parameters<Spaces['findSpace']>[0]) => ('spaceId' in by ? spaces.get(by.spaceId) : [...spaces.values()].find((space) => space.name === by.name))
  return {
    async enter({ spaceId, name, tags, maximumTags, maximumSpaces, nodeId, description }: SpaceEntry) {
      if ([...spaces.values()].filter((space) => space.name !== name && space.members.has(nodeId)).length >= maximumSpaces) return 'too-many-spaces'
      const space = find({ name }) ?? { spaceId, name, tags: [], members: new Map() }
      const merged = [...new Set([...space.tags, ...tags])]
      if (merged.length > space.tags.length && merged.length > maximumTags) return 'too-many-tags'
      space.tags = merged
      space.members.set(nodeId, description)
      if (!spaces.has(space.spaceId)) log.spaces.set(space.spaceId, new Space(space.spaceId, 'open'))
      spaces.set(space.spaceId, space)
      return { spaceId: space.spaceId }
    },
    async findSpace(by) {
      const space = find(by)
      return space && recordOf(space)
    },
    listSpaces: async ({ after = '', limit, nodeId }) => [...spaces.values()].filter((space) => space.name > after && (nodeId === undefined || space.members.has(nodeId))).sort(byName).slice(0, limit).map(recordOf),
    async memberCounts(spaceIds, nodeId) {
      const entered = spaceIds.map((spaceId) => ({ spaceId, members: spaces.get(spaceId)?.members ?? new Map<string, string>() })).filter(({ members }) => members.size > 0)
      return entered.map(({ spaceId, members }) => ({ spaceId, count: members.size, hasEntered: members.has(nodeId) }))
    },
    async members(spaceIds, { limit, maximumBytes }) {
      const all = spaceIds.flatMap((spaceId) => {
        const members = [...(spaces.get(spaceId)?.members ?? [])].map(([nodeId, description]) => ({ spaceId, node: nodes.get(nodeId)!, description }))
        return members.sort((a, b) => byName(a.node, b.node))
      })
      const members = within(all.slice(0, limit), maximumBytes, ({ node, description }) => JSON.stringify([node, description]).length)
      return { members, isCut: members.length < all.length }
    },
  }
}

type Nodes = Pick<OpenSpaceStore, 'findNodes' | 'listNodes' | 'addNode' | 'changeNode' | 'removeIdentity'>

const isSame = (a: Pick<NodeIdentity, 'namespace' | 'subject'>, b: Pick<NodeIdentity, 'namespace' | 'subject'>) => a.namespace === b.namespace && a.subject === b.subject

function createNodes({ nodes }: OpenTables, directory: Pick<Directory, 'register'>): Nodes {
  const isTaken = (nodeId: string, identities: readonly NodeIdentity[]) => some((node) => node.nodeId !== nodeId && node.identities.some((own) => identities.some((pair) => isSame(own, pair))))
  const some = (matches: (node: NodeRecord) => boolean) => [...nodes.values()].some(matches)
  return {
    findNodes: async (key) => [...nodes.values()].filter(matching(key)),
    async listNodes({ after, limit, maximumBytes }) {
      const sorted = [...nodes.values()].sort(byName)
      const from = after === undefined ? 0 : sorted.findIndex((node) => node.nodeId === after) + 1
      return after !== undefined && from === 0 ? [] : within(sorted.slice(from, from + limit), maximumBytes, (node) => JSON.stringify(node).length)
    },
    async addNode(node, principal?: PrincipalRecord) {
      const clashes = (other: NodeRecord) => other.nodeId === node.nodeId || other.principalId === node.principalId || (node.claimedName !== undefined && other.claimedName === node.claimedName)
      if (some(clashes) || isTaken(node.nodeId, node.identities)) return 'taken'
      nodes.set(node.nodeId, withIdentities(node, []))
      if (principal) await directory.register({ principal, keys: [] })
      return 'added'
    },
    async changeNode(nodeId, { identities = [], ...change }) {
      if (isTaken(nodeId, identities)) return 'taken'
      nodes.set(nodeId, withIdentities({ ...nodes.get(nodeId)!, ...change }, identities))
      return 'changed'
    },
    async removeIdentity(nodeId, pair) {
      const node = nodes.get(nodeId)
      if (node) nodes.set(nodeId, { ...node, identities: node.identities.filter((own) => !isSame(own, pair)) })
    },
  }
}

function withIdentities(node: NodeRecord, added: readonly NodeIdentity[]): NodeRecord {
  const kept = node.identities.filter((own) => !added.some((pair) => isSame(own, pair)))
  const key = ({ namespace, subject }: NodeIdentity) => `${namespace}\n${subject}`
  return { ...node, identities: [...kept, ...added].sort((a, b) => (key(a) < key(b) ? -1 : 1)) }
}

function matching(key: NodeKey): (node: NodeRecord) => boolean {
  if ('nodeIds' in key) return (node) => key.nodeIds.includes(node.nodeId)
  if ('principalId' in key) return (node) => node.principalId === key.principalId
  if ('claimedName' in key) return (node) => node.claimedName === key.claimedName
  return (node) => node.identities.some((own) => key.identities.some((pair) => isSame(own, pair)))
}
