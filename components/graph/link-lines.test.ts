import { describe, expect, it } from 'vitest'
import type { GraphEdge, GraphNode } from './graph-store.ts'
import { EMPTY_GRAPH, joinPage } from './graph-store.ts'
import { takeWindow } from './graph-window.ts'
import { segmentsIn } from './draw-links.ts'
import { lineAt, linkLines } from './link-lines.ts'

const nodes = [1, 2, 3, 4, 5, 6].map((sequence) => ({ sequence, lane: 'mission', nodeKind: 'message' }) as GraphNode)
const edges: GraphEdge[] = [{ child: 2, parent: 1, provenance: 'reply' }, { child: 6, parent: 1, provenance: 'cause' }]
const graph = joinPage(EMPTY_GRAPH, { nodes, edges, lanes: [], head: 6, total: 6, hasOlder: false })
const window = takeWindow(graph.layout, graph.index, { firstRow: 0, lastRow: 6, firstLane: 0, lastLane: 0 })

describe('links as lines', () => {
  it('draws each link of the window and keeps its line while its ends stay', () => {
    const lines = linkLines(graph, window)
    expect(lines.map((line) => line.edge)).toEqual(edges)
    expect(linkLines(graph, window)[0]).toBe(lines[0])
  })

  it('draws only links that touch the view, those that cross it from outside included', () => {
    const lines = linkLines(graph, window)
    expect(segmentsIn({ x: 0, y: 200, width: 288, height: 50 }, lines).map(({ line }) => line.edge.child)).toEqual([6])
    expect(segmentsIn({ x: 500, y: 0, width: 100, height: 500 }, lines)).toEqual([])
  })

  it('finds the nearest link under a pointer, and none in the open', () => {
    const lines = linkLines(graph, window)
    const [straight, side] = lines
    const [x, y] = straight!.points[0]!
    expect(lineAt(lines, [x + 3, y + 4], 6)).toBe(straight)
    const [gutter, top] = side!.points[1]!
    expect(lineAt(lines, [gutter + 2, top + 150], 6)).toBe(side)
    expect(lineAt(lines, [gutter + 40, top + 150], 6)).toBeUndefined()
  })
})
