// The graph as a tree-grid: every entry once, under the link that best explains it; its other links are said in words.
import type { GraphEdge, GraphNode } from './graph-store.ts'
import { PROVENANCE_RANK } from './provenance.ts'

export interface TreeRow {
  readonly node: GraphNode
  /** 1 at the root, as in aria-level. */
  readonly level: number
  readonly parent: number | undefined
  readonly children: number
  readonly isExpanded: boolean
  /** Links to older entries, the one that places the row first. */
  readonly links: readonly GraphEdge[]
}

export interface Forest {
  readonly roots: readonly GraphNode[]
  readonly children: ReadonlyMap<number, readonly GraphNode[]>
  readonly links: ReadonlyMap<number, readonly GraphEdge[]>
}

/** Places every node under its best-ranked loaded parent. `nodes` ascend by sequence; so do roots and siblings. */
export function growForest(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Forest {
  const known = new Set(nodes.map((node) => node.sequence))
  const links = new Map<number, GraphEdge[]>()
  for (const edge of edges) {
    const siblings = links.get(edge.child)
    if (siblings) siblings.push(edge)
    else links.set(edge.child, [edge])
  }
  const roots: GraphNode[] = []
  const children = new Map<number, GraphNode[]>()
  for (const node of nodes) {
    const ranked = links.get(node.sequence)?.sort(byRank) ?? []
    const placing = ranked.find((edge) => known.has(edge.parent) && edge.parent < node.sequence)
    if (!placing) {
      roots.push(node)
      continue
    }
    const siblings = children.get(placing.parent)
    if (siblings) siblings.push(node)
    else children.set(placing.parent, [node])
  }
  return { roots, children, links }
}

/** Rows in display order, without those under a collapsed row. Iterative, because a reply chain may be any depth. */
export function treeRows(forest: Forest, collapsed: ReadonlySet<number>): TreeRow[] {
  const rows: TreeRow[] = []
  const stack = [...forest.roots].reverse().map((node) => ({ node, level: 1, parent: undefined as number | undefined }))
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, level, parent } = next
    const children = forest.children.get(node.sequence) ?? []
    const isExpanded = children.length > 0 && !collapsed.has(node.sequence)
    rows.push({ node, level, parent, children: children.length, isExpanded, links: forest.links.get(node.sequence) ?? [] })
    if (isExpanded) for (const child of [...children].reverse()) stack.push({ node: child, level: level + 1, parent: node.sequence })
  }
  return rows
}

const byRank = (a: GraphEdge, b: GraphEdge): number =>
  PROVENANCE_RANK.indexOf(a.provenance) - PROVENANCE_RANK.indexOf(b.provenance) || b.parent - a.parent
