import type { LoadedGraph } from './graph-store.ts'
import { firstIndex } from './layout.ts'
import { PROVENANCE_RANK } from './provenance.ts'

export type Direction = 'parent' | 'child' | 'previous' | 'next'

/**
 * Where an arrow key leads from an entry: to its best-ranked parent, its first child, or the entry before or after it in
 * the log. Undefined at the end of what is loaded.
 */
export function neighbour(graph: LoadedGraph, sequence: number, direction: Direction): number | undefined {
  const links = graph.index.get(sequence) ?? []
  if (direction === 'parent') {
    const above = links.filter((edge) => edge.child === sequence && graph.bySequence.has(edge.parent))
    return above.sort((a, b) => PROVENANCE_RANK.indexOf(a.provenance) - PROVENANCE_RANK.indexOf(b.provenance) || b.parent - a.parent)[0]?.parent
  }
  if (direction === 'child') {
    const below = links.filter((edge) => edge.parent === sequence && graph.bySequence.has(edge.child)).map((edge) => edge.child)
    return below.length === 0 ? undefined : Math.min(...below)
  }
  const { nodes } = graph
  const at = direction === 'previous' ? firstIndex(nodes, (node) => node.sequence >= sequence) - 1 : firstIndex(nodes, (node) => node.sequence > sequence)
  return nodes[at]?.sequence
}
