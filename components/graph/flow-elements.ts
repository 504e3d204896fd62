// Turns a window of the graph into what React Flow draws. Node objects are reused, so that panning re-renders none.
import type { LinkEdge } from './graph-edge.tsx'
import type { EntryNode } from './graph-nodes.tsx'
import { routeEdge } from './edge-path.ts'
import { boxOf } from './geometry.ts'
import type { GraphEdge, GraphNode, LoadedGraph } from './graph-store.ts'
import type { GraphWindow } from './graph-window.ts'
import type { Place } from './layout.ts'
import { PROVENANCES } from './provenance.ts'

const made = new WeakMap<GraphNode, { readonly place: Place; readonly node: EntryNode }>()

/** Nodes of a window, the selected one marked. */
export function flowNodes(graph: LoadedGraph, window: GraphWindow<GraphEdge>, selected: number | undefined): EntryNode[] {
  return window.places.flatMap((place) => {
    const entry = graph.bySequence.get(place.sequence)
    if (!entry) return []
    const node = nodeOf(entry, place)
    return [place.sequence === selected ? { ...node, selected: true } : node]
  })
}

/** Edges of a window with their corner points; those at the selected entry know their far end. */
export function flowEdges(graph: LoadedGraph, window: GraphWindow<GraphEdge>, selected: number | undefined): LinkEdge[] {
  const places = new Map(window.places.map((place) => [place.sequence, place]))
  return window.edges.flatMap((edge) => {
    const [parent, child] = [endOf(graph, places.get(edge.parent)), endOf(graph, places.get(edge.child))]
    if (!parent || !child) return []
    const far = edge.child === selected ? 'parent' : edge.parent === selected ? 'child' : undefined
    return [{
      id: `${edge.child} ${edge.parent} ${edge.provenance}`,
      type: 'link',
      source: String(edge.parent),
      target: String(edge.child),
      data: { points: routeEdge(parent, child, PROVENANCES.indexOf(edge.provenance)), provenance: edge.provenance, parent: edge.parent, child: edge.child, far },
      ...(far && { zIndex: 1 }),
    }]
  })
}

function nodeOf(entry: GraphNode, place: Place): EntryNode {
  const known = made.get(entry)
  if (known?.place === place) return known.node
  const { x, y, width, height } = boxOf(place, entry.nodeKind)
  const node: EntryNode = { id: String(entry.sequence), type: entry.nodeKind, position: { x, y }, width, height, data: { entry } }
  made.set(entry, { place, node })
  return node
}

function endOf(graph: LoadedGraph, place: Place | undefined) {
  const entry = place && graph.bySequence.get(place.sequence)
  return entry && { place, box: boxOf(place, entry.nodeKind) }
}
