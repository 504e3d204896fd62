import type { TreeRow } from './tree-rows.ts'

export type TreeStep =
  | { readonly type: 'move'; readonly row: number }
  | { readonly type: 'fold'; readonly sequence: number; readonly isExpanded: boolean }
  | { readonly type: 'select'; readonly sequence: number }

const PAGE_ROWS = 12

/** What a key does in the tree-grid, by the keyboard pattern for tree-grids; undefined for keys that are not its own. */
export function treeKey(key: string, rows: readonly TreeRow[], at: number): TreeStep | undefined {
  const row = rows[at]
  if (!row) return undefined
  const move = (to: number): TreeStep => ({ type: 'move', row: Math.min(rows.length - 1, Math.max(0, to)) })
  switch (key) {
    case 'ArrowDown':
      return move(at + 1)
    case 'ArrowUp':
      return move(at - 1)
    case 'PageDown':
      return move(at + PAGE_ROWS)
    case 'PageUp':
      return move(at - PAGE_ROWS)
    case 'Home':
      return move(0)
    case 'End':
      return move(rows.length - 1)
    case 'ArrowRight':
      if (row.children === 0) return undefined
      return row.isExpanded ? move(at + 1) : { type: 'fold', sequence: row.node.sequence, isExpanded: true }
    case 'ArrowLeft':
      if (row.isExpanded) return { type: 'fold', sequence: row.node.sequence, isExpanded: false }
      return row.parent === undefined ? undefined : move(rows.findIndex((candidate) => candidate.node.sequence === row.parent))
    case 'Enter':
    case ' ':
      return { type: 'select', sequence: row.node.sequence }
    default:
      return undefined
  }
}
