import { describe, expect, it } from 'vitest'
import type { GraphNode } from './graph-store.ts'
import { treeKey } from './tree-keys.ts'
import type { TreeRow } from './tree-rows.ts'

const row = (sequence: number, parent: number | undefined, children: number, isExpanded: boolean): TreeRow =>
  ({ node: { sequence } as GraphNode, level: parent === undefined ? 1 : 2, parent, children, isExpanded, links: [] })
// 1 ─ 2, 3;  4 (folded)
const rows = [row(1, undefined, 2, true), row(2, 1, 0, false), row(3, 1, 0, false), row(4, undefined, 5, false)]

describe('keys of the tree-grid', () => {
  it.each([
    ['ArrowDown', 0, { type: 'move', row: 1 }],
    ['ArrowDown', 3, { type: 'move', row: 3 }],
    ['ArrowUp', 0, { type: 'move', row: 0 }],
    ['Home', 2, { type: 'move', row: 0 }],
    ['End', 0, { type: 'move', row: 3 }],
    ['PageDown', 0, { type: 'move', row: 3 }],
    ['ArrowRight', 0, { type: 'move', row: 1 }],
    ['ArrowRight', 3, { type: 'fold', sequence: 4, isExpanded: true }],
    ['ArrowRight', 1, undefined],
    ['ArrowLeft', 2, { type: 'move', row: 0 }],
    ['ArrowLeft', 0, { type: 'fold', sequence: 1, isExpanded: false }],
    ['ArrowLeft', 3, undefined],
    ['Enter', 1, { type: 'select', sequence: 2 }],
    ['x', 1, undefined],
  ])('%s on row %d', (key, at, step) => {
    expect(treeKey(key, rows, at)).toEqual(step)
  })

  it('does nothing in an empty tree', () => {
    expect(treeKey('ArrowDown', [], 0)).toBeUndefined()
  })
})
