// One statement that writes Messages to open Spaces: the order of commit, each Space's head, the log and its indexes.
import postgres from 'postgres'
import { setTimeout as pause } from 'node:timers/promises'
import { invariant } from '../../protocol/result.ts'
import type { NewMessage, WrittenPlace } from '../service/ports.ts'
import type { Sql } from './connect.ts'
import { documentSlice, documentsText } from './documents-text.ts'

/** serialization_failure and deadlock_detected: the server undid the statement and asks for another try. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01'])
const MAX_ATTEMPTS = 5

/**
 * `ordered` locks its row before any Space is touched, so that no two of these statements wait for each other, and until the
 * commit, so that positions become visible in order. What a Space's head was is read from the row as the last writer left it.
 */
const APPEND = `
WITH ordered AS (
  UPDATE open_head SET position = position + cardinality($3::text[]) WHERE id = 1 RETURNING position - cardinality($3::text[]) AS before
),
moved AS (
  UPDATE spaces AS s SET head = s.head + w.added
  FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS w(space_id, added, place), ordered
  WHERE s.space_id = w.space_id AND s.kind = 'open' RETURNING s.space_id, w.place, s.head - w.added AS before
),
placed AS MATERIALIZED (
  SELECT moved.space_id, moved.before + u.nth AS sequence, ordered.before + u.ordinal AS position, u.ordinal,
    u.message_id, u.sender_id, u.is_broadcast = 1 AS is_broadcast, u.content_type, ${documentSlice('$11', 'u.start', 'u.size')} AS bytes
  FROM unnest($3::text[], $4::integer[], $5::integer[], $6::text[], $7::integer[], $8::text[], $9::integer[], $10::integer[])
    WITH ORDINALITY AS u(message_id, place, nth, sender_id, is_broadcast, content_type, start, size, ordinal)
  JOIN moved ON moved.place = u.place CROSS JOIN ordered
),
logged AS (INSERT INTO log (space_id, sequence, event_id, kind, bytes) SELECT space_id, sequence, message_id, 'open.message', bytes FROM placed),
indexed AS (
  INSERT INTO open_messages (space_id, sequence, position, sender_id, is_broadcast, content_type)
  SELECT space_id, sequence, position, sender_id, is_broadcast, content_type FROM placed
),
named AS (
  INSERT INTO open_message_nodes (space_id, sequence, node_id, position)
  SELECT p.space_id, p.sequence, n.node_id, p.position FROM unnest($12::integer[], $13::text[]) AS n(ordinal, node_id) JOIN placed AS p USING (ordinal)
),
linked AS (
  INSERT INTO graph_edges (space_id, child, parent, provenance)
  SELECT p.space_id, p.sequence, e.parent, 'reply' FROM unnest($14::integer[], $15::bigint[]) AS e(ordinal, parent) JOIN placed AS p USING (ordinal)
),
counted AS (
  INSERT INTO open_volumes AS v (node_id, messages, bytes) SELECT sender_id, count(*), sum(octet_length(bytes)) FROM placed GROUP BY sender_id
  ON CONFLICT (node_id) DO UPDATE SET messages = v.messages + excluded.messages, bytes = v.bytes + excluded.bytes
  RETURNING v.node_id, v.messages, v.bytes
)
SELECT p.sequence, p.position, counted.messages, counted.bytes FROM placed AS p JOIN counted ON counted.node_id = p.sender_id ORDER BY p.ordinal`

interface Row { readonly sequence: number; readonly position: number; readonly messages: number; readonly bytes: number }

/** Writes all of them or none; resolves after the commit. After a lost connection the outcome is unknown. */
export async function appendMessages(sql: Sql, messages: readonly NewMessage[]): Promise<readonly WrittenPlace[]> {
  if (messages.length === 0) return []
  const parameters = parametersOf(messages)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const rows = await sql.unsafe<Row[]>(APPEND, parameters as never[], { prepare: true })
      invariant(rows.length === messages.length, 'a Message was written to a Space that is not open')
      return rows.map(({ sequence, position, ...volume }) => ({ sequence, position, volume }))
    } catch (error) {
      if (!(error instanceof postgres.PostgresError) || !TRANSIENT.has(error.code) || attempt === MAX_ATTEMPTS) throw error
      await pause(attempt * 10 * Math.random())
    }
  }
}

function parametersOf(messages: readonly NewMessage[]) {
  const counts = new Map<string, number>()
  const nth = messages.map(({ spaceId }) => {
    const count = (counts.get(spaceId) ?? 0) + 1
    counts.set(spaceId, count)
    return count
  })
  const places = new Map([...counts.keys()].map((spaceId, index) => [spaceId, index + 1]))
  let end = 1
  const starts = messages.map(({ bytes }) => (end += bytes.byteLength) - bytes.byteLength)
  const names = messages.flatMap(({ nodes }, index) => nodes.map((nodeId) => [index + 1, nodeId] as const))
  const edges = messages.flatMap(({ parents }, index) => parents.map((parent) => [index + 1, parent] as const))
  return [
    [...counts.keys()],
    [...counts.values()],
    messages.map(({ messageId }) => messageId),
    messages.map(({ spaceId }) => places.get(spaceId)!),
    nth,
    messages.map(({ senderId }) => senderId),
    messages.map(({ isBroadcast }) => (isBroadcast ? 1 : 0)),
    messages.map(({ contentType }) => contentType ?? null),
    starts,
    messages.map(({ bytes }) => bytes.byteLength),
    documentsText(messages.map(({ bytes }) => bytes)),
    names.map(([ordinal]) => ordinal),
    names.map(([, nodeId]) => nodeId),
    edges.map(([ordinal]) => ordinal),
    edges.map(([, parent]) => parent),
  ]
}
