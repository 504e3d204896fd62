import type { EntryNode } from './graph-nodes.tsx'
import { boxOf } from './geometry.ts'
import type { GraphEdge, GraphNode, LoadedGraph } from './graph-store.ts'
import type { GraphWindow } from './graph-window.ts'
import type { Place } from './layout.ts'

// React Flow compares nodes by identity, so panning re-renders nothing that stays in view.
const made = new WeakMap<GraphNode, { readonly place: Place; readonly node: EntryNode }>()

/** What React Flow is given for a window: its nodes, the selected one marked. */
export function flowNodes(graph: LoadedGraph, window: GraphWindow<GraphEdge>, selected: number | undefined): EntryNode[] {
  return window.places.flatMap((place) => {
    const entry = graph.bySequence.get(place.sequence)
    if (!entry) return []
    const node = nodeOf(entry, place)
    return [place.sequence === selected ? { ...node, selected: true } : node]
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
