// What a set of read-model rows amounts to: one row per key, and one text to compare a replay with the database by.
import { canonicalText } from '../../protocol/canonical-json.ts'
import type { ReadModelRows } from './read-models.ts'
import { storableText } from './storable-text.ts'

/** Rows of several batches in log order, as one batch. */
export function joinRows(batches: readonly ReadModelRows[]): ReadModelRows {
  const mission = batches.findLast((batch) => batch.mission !== undefined)?.mission
  return {
    ...(mission && { mission }),
    memberships: batches.flatMap((batch) => batch.memberships),
    nodes: batches.flatMap((batch) => batch.nodes),
    edges: batches.flatMap((batch) => batch.edges),
    artifacts: batches.flatMap((batch) => batch.artifacts),
    executions: batches.flatMap((batch) => batch.executions),
  }
}

/** The rows as they are stored: of those that replace one another only the last. */
export function latestRows(rows: ReadModelRows): ReadModelRows {
  const { mission } = rows
  return {
    ...rows,
    ...(mission && { mission: { ...mission, title: storableText(mission.title) } }),
    memberships: lastByKey(rows.memberships, (row) => row.memberId),
    executions: lastByKey(rows.executions, (row) => row.workItemId),
  }
}

/** Canonical JSON of a Space's stored rows in key order: equal texts, equal read models. */
export function encodeRows(rows: ReadModelRows): string {
  return canonicalText({
    mission: rows.mission ?? null,
    memberships: inOrder(rows.memberships, (row) => [row.memberId]),
    nodes: inOrder(rows.nodes, (row) => [row.sequence]),
    edges: inOrder(rows.edges, (row) => [row.child, row.parent, row.provenance]),
    artifacts: inOrder(rows.artifacts, (row) => [row.sequence, row.artifactId]),
    executions: inOrder(rows.executions, (row) => [row.workItemId]),
  })
}

function lastByKey<T>(rows: readonly T[], keyOf: (row: T) => string): readonly T[] {
  return rows.length < 2 ? rows : [...new Map(rows.map((row) => [keyOf(row), row])).values()]
}

type Key = readonly (string | number)[]

function inOrder<T>(rows: readonly T[], keyOf: (row: T) => Key): readonly T[] {
  return [...rows].sort((a, b) => compareKeys(keyOf(a), keyOf(b)))
}

function compareKeys(a: Key, b: Key): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? part
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}
