// The part of a Space's graph that this page holds: one gapless run of the log, grown at either end.
import type { GraphPage } from '../trpc.tsx'
import type { EdgeIndex } from './graph-window.ts'
import { indexEdges } from './graph-window.ts'
import type { LaneLayout } from './layout.ts'
import { EMPTY_LAYOUT, extendLayout } from './layout.ts'

export type GraphNode = GraphPage['nodes'][number]
export type GraphEdge = GraphPage['edges'][number]

export interface LoadedGraph {
  /** Ascending by sequence. */
  readonly nodes: readonly GraphNode[]
  readonly bySequence: ReadonlyMap<number, GraphNode>
  readonly edges: readonly GraphEdge[]
  readonly index: EdgeIndex<GraphEdge>
  readonly laneTitles: ReadonlyMap<string, string>
  readonly layout: LaneLayout
  readonly total: number
  readonly hasOlder: boolean
}

export const EMPTY_GRAPH: LoadedGraph = {
  nodes: [], bySequence: new Map(), edges: [], index: new Map(), laneTitles: new Map(), layout: EMPTY_LAYOUT, total: 0, hasOlder: false,
}

/**
 * Joins a page to what is loaded. Pages may overlap. A page that leaves a gap above what is loaded replaces it, so
 * that an entry is never shown as if nothing stood between it and its neighbour.
 */
export function joinPage(graph: LoadedGraph, page: GraphPage): LoadedGraph {
  const base = leavesGap(graph, page) ? EMPTY_GRAPH : graph
  const fresh = page.nodes.filter((node) => !base.bySequence.has(node.sequence))
  const freshEdges = page.edges.filter((edge) => !hasEdge(base.index, edge))
  const nodes = [...base.nodes, ...fresh].sort((a, b) => a.sequence - b.sequence)
  const edges = [...base.edges, ...freshEdges]
  const reachesFurtherBack = (page.nodes[0]?.sequence ?? Infinity) <= (base.nodes[0]?.sequence ?? Infinity)
  return {
    nodes,
    bySequence: new Map(nodes.map((node) => [node.sequence, node])),
    edges,
    index: indexEdges(edges),
    laneTitles: new Map([...base.laneTitles, ...page.lanes.map(({ id, title }) => [id, title] as const)]),
    layout: extendLayout(base.layout, fresh, edges),
    total: Math.max(base.total, page.total),
    hasOlder: reachesFurtherBack ? page.hasOlder : base.hasOlder,
  }
}

function leavesGap(graph: LoadedGraph, page: GraphPage): boolean {
  const first = page.nodes[0]?.sequence
  const last = graph.nodes.at(-1)?.sequence
  return first !== undefined && last !== undefined && first > last + 1
}

const hasEdge = (index: EdgeIndex<GraphEdge>, edge: GraphEdge): boolean =>
  index.get(edge.child)?.some((known) => known.parent === edge.parent && known.child === edge.child && known.provenance === edge.provenance) === true
