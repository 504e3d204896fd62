import { describe, expect, it } from 'vitest'
import type { GraphPage } from '../trpc.tsx'
import type { GraphEdge, GraphNode } from './graph-store.ts'
import { EMPTY_GRAPH, joinPage } from './graph-store.ts'
import { growForest, treeRows } from './tree-rows.ts'

const actor = { id: 'urn:uuid:00000000-0000-4000-8000-000000000001', type: 'agent', name: 'Inventory worker' } as const
const node = (sequence: number, lane = 'mission'): GraphNode => ({
  id: `urn:x:${sequence}`, sequence, nodeKind: 'message', eventKind: 'message.posted', title: `entry ${sequence}`, actor, at: '2026-11-29T10:00:00Z', lane,
})
const page = (sequences: readonly number[], edges: GraphEdge[], hasOlder: boolean): GraphPage => ({
  nodes: sequences.map((sequence) => node(sequence)), edges, lanes: [{ id: 'mission', title: 'Planning' }], head: 9, total: 9, hasOlder,
})
const reply = (child: number, parent: number): GraphEdge => ({ child, parent, provenance: 'reply' })

describe('joining graph pages', () => {
  it('grows at both ends, holds every entry and link once, and knows whether older ones exist', () => {
    const newest = joinPage(EMPTY_GRAPH, page([4, 5, 6], [reply(6, 2)], true))
    const older = joinPage(newest, page([1, 2, 3], [reply(6, 2), reply(3, 1)], false))
    const grown = joinPage(older, page([6, 7], [reply(7, 6)], true))
    expect(grown.nodes.map((entry) => entry.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(grown.edges).toHaveLength(3)
    expect(grown.hasOlder).toBe(false)
    expect(grown.layout.places).toHaveLength(7)
  })

  it('starts over rather than hide a gap', () => {
    const joined = joinPage(joinPage(EMPTY_GRAPH, page([1, 2], [], false)), page([8, 9], [], true))
    expect(joined.nodes.map((entry) => entry.sequence)).toEqual([8, 9])
    expect(joined.hasOlder).toBe(true)
  })
})

describe('tree of the same content', () => {
  const nodes = [1, 2, 3, 4, 5].map((sequence) => node(sequence))
  const edges: GraphEdge[] = [reply(3, 1), { child: 4, parent: 1, provenance: 'mention' }, reply(4, 3), reply(4, 2)]

  it('shows every entry exactly once, under its newest best-ranked parent', () => {
    const rows = treeRows(growForest(nodes, edges), new Set())
    expect(rows.map((row) => [row.node.sequence, row.level])).toEqual([[1, 1], [3, 2], [4, 3], [2, 1], [5, 1]])
    expect(rows[2]?.links).toHaveLength(3)
  })

  it('hides what stands under a collapsed row and says how many children it has', () => {
    const rows = treeRows(growForest(nodes, edges), new Set([1]))
    expect(rows.map((row) => row.node.sequence)).toEqual([1, 2, 5])
    expect(rows[0]).toMatchObject({ children: 1, isExpanded: false })
  })

  it('survives a reply chain 10,000 deep', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => node(index + 1))
    const rows = treeRows(growForest(chain, chain.slice(1).map((entry) => reply(entry.sequence, entry.sequence - 1))), new Set())
    expect(rows.at(-1)?.level).toBe(10_000)
  })

  it('makes a root of an entry whose parent is not loaded', () => {
    expect(treeRows(growForest([node(8)], [reply(8, 2)]), new Set())).toMatchObject([{ level: 1, parent: undefined }])
  })
})
