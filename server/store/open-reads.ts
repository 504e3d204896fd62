// Reads over the Messages of open Spaces. Each is a walk along an index that stops at its limit; what is looked up for each row
// stands in a lateral subquery with a limit of its own, which no plan can turn into a scan of the table.
import type { Cut, KnownIds, MessageIndex, MessageList, MessagePlace, OpenSpaceStore, PlacedEntry } from '../service/ports.ts'
import type { Sql } from './connect.ts'

type Reads = Pick<OpenSpaceStore, 'lookUp' | 'page' | 'concernedAfter' | 'lastPosition' | 'parentsAbove' | 'descendants' | 'repliesAfter' | 'indexAfter'>
type Parameter = string | number | readonly (string | number)[]

/** More than a Message may refer to. */
const MAX_PARENTS = 2_000

/** More than a Message may name. */
const MAX_NODES = 2_000

const PLACE = 'm.space_id, m.sequence, m.position'

export function createOpenReads(sql: Sql): Reads {
  const query = <Row extends object>(text: string, parameters: readonly Parameter[]) => sql.unsafe<Row[]>(text, parameters as never[], { prepare: true })
  return {
    async lookUp({ spaces, nodes, messages }) {
      const rows = await query<{ kind: string; id: string; space_id: string; sequence: number; position: number; messages: number; bytes: number }>(LOOK_UP, [spaces, nodes, messages])
      const ofKind = (kind: string) => rows.filter((row) => row.kind === kind)
      return {
        spaces: ofKind('space').map((row) => row.id),
        nodes: ofKind('node').map(({ id: nodeId, messages, bytes }) => ({ nodeId, volume: { messages, bytes } })),
        messages: ofKind('message').map(({ id, space_id: spaceId, sequence, position }): MessagePlace => ({ messageId: id, spaceId, sequence, position })),
      } satisfies KnownIds
    },
    async page(list, cut) {
      const { text, parameters } = pageQuery(list, cut)
      const rows = await query<{ space_id: string; sequence: number; position: number; event_id: string; bytes: Uint8Array }>(text, parameters)
      return rows.map(({ space_id: spaceId, sequence, position, event_id: eventId, bytes }): PlacedEntry => ({ spaceId, sequence, position, eventId, kind: 'open.message', bytes }))
    },
    async concernedAfter(position, nodeIds, limit) {
      const rows = await query<{ position: number; node_id: string | null }>(CONCERNED_AFTER, [position, limit, nodeIds])
      return { position: rows[0]?.position ?? position, nodeIds: rows.flatMap((row) => row.node_id ?? []) }
    },
    async lastPosition() {
      const [row] = await query<{ position: number }>('SELECT position FROM open_head WHERE id = 1', [])
      return row?.position ?? 0
    },
    async parentsAbove(spaceId, sequences, limit) {
      const rows = await query<{ child: number; parent: number | null }>(PARENTS_ABOVE, [spaceId, sequences, limit])
      const parents = new Map<number, number[]>()
      for (const { child, parent } of rows) {
        const known = parents.get(child) ?? []
        if (known.length === 0) parents.set(child, known)
        if (parent !== null) known.push(parent)
      }
      return parents
    },
    async descendants(spaceId, sequence, limit) {
      const rows = await query<{ sequence: number }>(DESCENDANTS, [spaceId, sequence, limit + 1])
      // The Message itself comes first.
      return rows.length > limit ? undefined : rows.slice(1).map((row) => row.sequence)
    },
    async repliesAfter(spaceId, child, limit) {
      const rows = await query<{ child: number; parent: number }>(REPLIES_AFTER, [spaceId, child, limit])
      if (rows.length < limit) return rows
      // The last child may have more.
      const last = rows.at(-1)!.child
      return rows.filter((row) => row.child < last)
    },
    async indexAfter(spaceId, after, limit) {
      const rows = await query<{ sequence: number; position: number; sender_id: string; is_broadcast: boolean; content_type: string | null; nodes: string[] }>(INDEX_AFTER, [spaceId, after, limit])
      return rows.map((row): MessageIndex => ({
        sequence: row.sequence,
        position: row.position,
        senderId: row.sender_id,
        isBroadcast: row.is_broadcast,
        nodes: [...row.nodes].sort(),
        ...(row.content_type !== null && { contentType: row.content_type }),
      }))
    },
  }
}

const LOOK_UP = `
SELECT 'space' AS kind, s.space_id AS id, s.space_id, 0::bigint AS sequence, 0::bigint AS position, 0::bigint AS messages, 0::bigint AS bytes
FROM unnest($1::text[]) AS wanted(id) CROSS JOIN LATERAL (SELECT space_id FROM open_spaces WHERE space_id = wanted.id LIMIT 1) AS s
UNION ALL
SELECT 'node', n.node_id, '', 0, 0, coalesce(v.messages, 0), coalesce(v.bytes, 0)
FROM unnest($2::text[]) AS wanted(id) CROSS JOIN LATERAL (SELECT node_id FROM nodes WHERE node_id = wanted.id LIMIT 1) AS n
LEFT JOIN LATERAL (SELECT messages, bytes FROM open_volumes WHERE node_id = n.node_id LIMIT 1) AS v ON true
UNION ALL
SELECT 'message', l.event_id, l.space_id, l.sequence, m.position, 0, 0
FROM unnest($3::text[]) AS wanted(id)
CROSS JOIN LATERAL (SELECT event_id, space_id, sequence FROM log WHERE event_id = wanted.id LIMIT 1) AS l
CROSS JOIN LATERAL (SELECT position FROM open_messages WHERE space_id = l.space_id AND sequence = l.sequence LIMIT 1) AS m`

const CONCERNED_AFTER = `
WITH news AS MATERIALIZED (
  SELECT position, space_id, sequence, sender_id, is_broadcast FROM open_messages WHERE position > $1 ORDER BY position LIMIT $2
),
last AS (SELECT max(position) AS position FROM news),
concerned AS (
  SELECT n.node_id FROM news CROSS JOIN LATERAL (SELECT node_id FROM open_message_nodes WHERE space_id = news.space_id AND sequence = news.sequence LIMIT ${MAX_NODES}) AS n WHERE n.node_id = ANY ($3::text[])
  UNION
  SELECT e.node_id FROM news JOIN space_nodes AS e ON e.space_id = news.space_id WHERE news.is_broadcast AND e.node_id <> news.sender_id AND e.node_id = ANY ($3::text[])
)
SELECT last.position, concerned.node_id FROM last LEFT JOIN concerned ON true WHERE last.position IS NOT NULL`

const INDEX_AFTER = `
SELECT m.sequence, m.position, m.sender_id, m.is_broadcast, m.content_type,
  ARRAY(SELECT node_id FROM open_message_nodes AS n WHERE n.space_id = m.space_id AND n.sequence = m.sequence) AS nodes
FROM open_messages AS m WHERE m.space_id = $1 AND m.sequence > $2 ORDER BY m.sequence LIMIT $3`

/** The walk goes on only as far as its rows are asked for. */
const PARENTS_ABOVE = `
WITH RECURSIVE above(sequence) AS (
  SELECT unnest($2::bigint[])
  UNION
  SELECT e.parent FROM above CROSS JOIN LATERAL (SELECT parent FROM graph_edges WHERE space_id = $1 AND child = above.sequence LIMIT ${MAX_PARENTS}) AS e
),
looked AS (SELECT sequence FROM above LIMIT $3)
SELECT looked.sequence AS child, e.parent
FROM looked LEFT JOIN LATERAL (SELECT parent FROM graph_edges WHERE space_id = $1 AND child = looked.sequence LIMIT ${MAX_PARENTS}) AS e ON true`

const DESCENDANTS = `
WITH RECURSIVE below(sequence) AS (
  SELECT $2::bigint
  UNION
  SELECT e.child FROM below CROSS JOIN LATERAL (SELECT child FROM graph_edges WHERE space_id = $1 AND parent = below.sequence LIMIT $3) AS e
)
SELECT sequence FROM below LIMIT $3`

const REPLIES_AFTER = `SELECT child, parent FROM graph_edges WHERE space_id = $1 AND child > $2 ORDER BY space_id, child, parent LIMIT $3`

/** Collects parameters while the text of a query is put together. */
class Parameters {
  readonly values: Parameter[] = []
  add(value: Parameter): string {
    return `$${this.values.push(value)}`
  }
}

interface Walk { readonly parameters: Parameters; readonly cut: Cut }

function pageQuery(list: MessageList, cut: Cut): { text: string; parameters: readonly Parameter[] } {
  const walk: Walk = { parameters: new Parameters(), cut }
  const places = placesOf(list, walk)
  const text = `
SELECT space_id, sequence, position, event_id, bytes FROM (
  SELECT ${PLACE}, l.event_id, l.bytes, sum(octet_length(l.bytes)) OVER (ORDER BY m.position ROWS UNBOUNDED PRECEDING) - octet_length(l.bytes) AS bytes_before FROM (${places}) AS m
  CROSS JOIN LATERAL (SELECT event_id, bytes FROM log WHERE space_id = m.space_id AND sequence = m.sequence LIMIT 1) AS l
) AS page WHERE bytes_before < ${walk.parameters.add(cut.maximumBytes ?? Number.MAX_SAFE_INTEGER)} ORDER BY position`
  return { text, parameters: walk.parameters.values }
}

/** One walk along an index: from the cursor upwards or, without one, from the end downwards. */
interface Path {
  readonly from: string
  readonly where?: readonly string[]
  /** The first columns of the index, each with what it is bound to. */
  readonly bound: readonly Binding[]
  /** A column between these and the last one whose binding is to leave it in the order. */
  readonly within?: Binding
  /** The last column, and which part of the cursor it is compared with. */
  readonly last: string
  readonly by: 'sequence' | 'position'
}
type Binding = readonly [column: string, value: string]

/**
 * Sorting by a column that equals something sorts by nothing, so that the planner would be free to walk another index and to throw
 * away what does not match, as long as that takes. The first column is therefore bound as one of a list, and `within` by a range.
 */
function along({ parameters, cut }: Walk, { from, where = [], bound: [first, ...others], within, last, by }: Path): string {
  const start = cut.after ? parameters.add(cut.after[by]) : '0'
  const conditions = [
    ...(first ? [`${first[0]} = ANY (ARRAY[${first[1]}])`] : []),
    ...others.map(([column, value]) => `${column} = ${value}`),
    ...(within ? [`${within[0]} <= ${within[1]}`, `${within[0]} >= ${within[1]}`, `(${within[0]}, ${last}) > (${within[1]}, ${start})`] : [`${last} > ${start}`]),
    ...where,
  ]
  const columns = [...(first ? [first[0]] : []), ...(within ? [within[0]] : []), last]
  const order = columns.map((column) => `${column}${cut.after ? '' : ' DESC'}`).join(', ')
  return `(SELECT ${PLACE} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${parameters.add(cut.limit)})`
}

/** Several walks cut as one; a Message that two of them come to counts once. */
function merged({ parameters, cut }: Walk, walks: readonly string[]): string {
  return `SELECT ${PLACE} FROM (${walks.join(' UNION ')}) AS m ORDER BY m.position${cut.after ? '' : ' DESC'} LIMIT ${parameters.add(cut.limit)}`
}

function placesOf(list: MessageList, walk: Walk): string {
  const { parameters } = walk
  switch (list.of) {
    case 'space':
      return allIn(walk, list.spaceId)
    case 'roots':
      return broadcastsIn(walk, parameters.add(list.spaceId))
    case 'caller': {
      const [spaceId, nodeId] = [parameters.add(list.spaceId), parameters.add(list.nodeId)]
      return merged(walk, [namedIn(walk, nodeId, spaceId, [notSentBy(nodeId)]), broadcastsIn(walk, spaceId, nodeId)])
    }
    case 'inbox':
    case 'node': {
      const nodeId = parameters.add(list.nodeId)
      const addressed = namedIn(walk, nodeId, undefined, list.of === 'inbox' ? [enteredBy(nodeId), notSentBy(nodeId)] : [])
      const broadcasts = `(SELECT ${PLACE} FROM space_nodes AS e CROSS JOIN LATERAL ${broadcastsIn(walk, 'e.space_id', nodeId)} AS m WHERE e.node_id = ${nodeId})`
      return merged(walk, [addressed, broadcasts])
    }
    case 'these':
      return these(list.spaceId, list.sequences, walk)
    case 'search':
      return search(list, walk)
  }
}

// Each a look-up by primary key for one row. As EXISTS the planner would be free to join, and to scan for it.
const SENDER = '(SELECT o.sender_id FROM open_messages AS o WHERE o.space_id = m.space_id AND o.sequence = m.sequence)'
const notSentBy = (nodeId: string) => `${SENDER} <> ${nodeId}`
const sentBy = (nodeId: string) => `${SENDER} = ${nodeId}`
const naming = (nodeId: string) => `(SELECT true FROM open_message_nodes AS n WHERE n.space_id = m.space_id AND n.sequence = m.sequence AND n.node_id = ${nodeId})`
const enteredBy = (nodeId: string) => `(SELECT true FROM space_nodes AS e WHERE e.space_id = m.space_id AND e.node_id = ${nodeId})`

const inSpace = (spaceId: string | undefined) => (spaceId === undefined ? [] : [['m.space_id', spaceId] as const])

function allIn(walk: Walk, spaceId: string): string {
  const { after } = walk.cut
  const bound = [['m.space_id', walk.parameters.add(spaceId)] as const]
  if (after === undefined || after.spaceId === undefined || after.spaceId === spaceId) return along(walk, { from: 'open_messages AS m', bound, last: 'm.sequence', by: 'sequence' })
  // A cursor from another Space says nothing of where to begin in this one.
  const { position } = after
  const where = [`m.position > ${walk.parameters.add(position)}`]
  return along({ ...walk, cut: { ...walk.cut, after: { sequence: 0, position } } }, { from: 'open_messages AS m', where, bound, last: 'm.sequence', by: 'sequence' })
}

function these(spaceId: string, sequences: readonly number[], { parameters }: Walk): string {
  return `SELECT ${PLACE} FROM unnest(${parameters.add(sequences)}::bigint[]) AS wanted(sequence)
    CROSS JOIN LATERAL (SELECT space_id, sequence, position FROM open_messages WHERE space_id = ${parameters.add(spaceId)} AND sequence = wanted.sequence LIMIT 1) AS m`
}

function broadcastsIn(walk: Walk, spaceId: string, besides?: string): string {
  const where = ['m.is_broadcast', ...(besides === undefined ? [] : [`m.sender_id <> ${besides}`])]
  return along(walk, { from: 'open_messages AS m', where, bound: inSpace(spaceId), last: 'm.position', by: 'position' })
}

function sentIn(walk: Walk, senderId: string, spaceId: string | undefined, where: readonly string[] = []): string {
  return along(walk, { from: 'open_messages AS m', where, bound: [...inSpace(spaceId), ['m.sender_id', senderId]], last: 'm.position', by: 'position' })
}

function namedIn(walk: Walk, nodeId: string, spaceId: string | undefined, where: readonly string[] = []): string {
  return along(walk, { from: 'open_message_nodes AS m', where, bound: [...inSpace(spaceId), ['m.node_id', nodeId]], last: 'm.position', by: 'position' })
}

/** The narrowest filter says which index is walked; the others are asked of each row. */
function search({ filter, parent }: Extract<MessageList, { of: 'search' }>, walk: Walk): string {
  const { parameters } = walk
  const given = (id: string | undefined) => (id === undefined ? undefined : parameters.add(id))
  const [sender, named, node] = [given(filter.senderId), given(filter.refNode), given(filter.nodeId)]
  if (parent === undefined && sender === undefined && named === undefined && node === undefined && filter.spaceId !== undefined) return allIn(walk, filter.spaceId)
  const spaceId = given(filter.spaceId)
  const takesPart = node === undefined ? [] : [`(${sentBy(node)} OR ${naming(node)})`]
  const bySender = sender === undefined ? [] : [sentBy(sender)]
  if (parent) return repliesTo(parent, walk, [...inSpace(spaceId).map(([column, value]) => `${column} = ${value}`), ...takesPart, ...bySender, ...(named === undefined ? [] : [naming(named)])])
  if (named !== undefined) return namedIn(walk, named, spaceId, [...takesPart, ...bySender])
  if (sender !== undefined) return sentIn(walk, sender, spaceId, takesPart)
  if (node !== undefined) return merged(walk, [sentIn(walk, node, spaceId), namedIn(walk, node, spaceId)])
  return along(walk, { from: 'open_messages AS m', bound: [], last: 'm.position', by: 'position' })
}

function repliesTo({ spaceId, sequence }: MessagePlace, walk: Walk, where: readonly string[]): string {
  const { parameters, cut } = walk
  const [space, parent] = [parameters.add(spaceId), parameters.add(sequence)]
  const replies = `(SELECT o.space_id, o.sequence, o.position, g.space_id AS graph_space, g.parent, g.child FROM graph_edges AS g
    CROSS JOIN LATERAL (SELECT space_id, sequence, position FROM open_messages WHERE space_id = g.space_id AND sequence = g.child LIMIT 1) AS o
    WHERE g.provenance = 'reply') AS m`
  const behind = cut.after ? [`m.position > ${parameters.add(cut.after.position)}`] : []
  const from = cut.after && cut.after.spaceId !== undefined && cut.after.spaceId !== spaceId ? { ...cut, after: { ...cut.after, sequence: 0 } } : cut
  return along({ parameters, cut: from }, { from: replies, where: [...behind, ...where], bound: [['m.graph_space', space]], within: ['m.parent', parent], last: 'm.child', by: 'sequence' })
}
