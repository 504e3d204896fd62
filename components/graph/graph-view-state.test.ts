import { describe, expect, it } from 'vitest'
import type { GraphEdge, GraphNode } from './graph-store.ts'
import { EMPTY_GRAPH, joinPage } from './graph-store.ts'
import { areaOf, centredOn, earlierView, endView, entriesAbove, isInView } from './graph-view-state.ts'
import { EMPTY_LAYOUT, extendLayout, placeOf } from './layout.ts'
import { neighbour } from './neighbours.ts'

const chain = (size: number) => extendLayout(EMPTY_LAYOUT, Array.from({ length: size }, (_, index) => ({ sequence: index + 1, lane: 'mission' })), [])
const size = { width: 1000, height: 600 }

describe('viewport of the graph', () => {
  it('opens a long graph at its newest entry and a short one at its first', () => {
    const long = chain(100)
    expect(isInView(placeOf(long, 100)!, endView(long, size), size)).toBe(true)
    expect(isInView(placeOf(long, 1)!, endView(long, size), size)).toBe(false)
    const short = chain(3)
    expect([1, 2, 3].every((sequence) => isInView(placeOf(short, sequence)!, endView(short, size), size))).toBe(true)
  })

  it('leaves room below the newest entry for what comes next, and shrinks to show the lanes as long as words stay readable', () => {
    const opened = endView(chain(100), size)
    expect(areaOf(opened, size).y + areaOf(opened, size).height).toBeGreaterThan(102 * 88)
    const lanes = (count: number) => extendLayout(EMPTY_LAYOUT, Array.from({ length: count }, (_, index) => ({ sequence: index + 1, lane: `lane-${index}` })), [])
    expect([1, 4, 20].map((count) => endView(lanes(count), size).zoom)).toEqual([1, 1000 / (4 * 288), 0.8])
  })

  it('opens far enough to the right to show the newest entry', () => {
    const wide = extendLayout(EMPTY_LAYOUT, Array.from({ length: 9 }, (_, index) => ({ sequence: index + 1, lane: `lane-${index}` })), [])
    expect(isInView(placeOf(wide, 9)!, endView(wide, size), size)).toBe(true)
    expect(endView(chain(3), size).x).toBe(0)
  })

  it('counts what stands above the view, and goes back to the first entry in steps that keep part of the screen', () => {
    const layout = chain(100)
    const views = [endView(layout, size)]
    while (entriesAbove(layout, views.at(-1)!) > 0) views.push(earlierView(layout, views.at(-1)!, size))
    const above = views.map((view) => entriesAbove(layout, view))
    expect(above[0]).toBe(100 - 4)
    expect(above.slice(1).every((count, at) => count < above[at]! && above[at]! - count <= 6)).toBe(true)
    expect(isInView(placeOf(layout, 1)!, views.at(-1)!, size)).toBe(true)
    expect(earlierView(layout, views.at(-1)!, size)).toEqual(views.at(-1))
  })

  it.each([0.4, 1, 1.5])('centres a place at zoom %d', (zoom) => {
    const place = placeOf(chain(100), 40)!
    const view = centredOn(place, size, zoom)
    expect(isInView(place, view, size)).toBe(true)
    const area = areaOf(view, size)
    expect(area.y + area.height / 2).toBeCloseTo(39.5 * 88)
  })
})

describe('arrow keys', () => {
  const nodes = [1, 2, 3, 4].map((sequence) => ({ sequence, lane: 'mission' }) as GraphNode)
  const edges: GraphEdge[] = [
    { child: 4, parent: 1, provenance: 'mention' }, { child: 4, parent: 2, provenance: 'reply' }, { child: 3, parent: 2, provenance: 'cause' }, { child: 2, parent: -5, provenance: 'reply' },
  ]
  const graph = joinPage(EMPTY_GRAPH, { nodes, edges, lanes: [], head: 4, total: 4, hasOlder: false })

  it.each([
    [4, 'parent', 2], [2, 'child', 3], [1, 'child', 4], [2, 'previous', 1], [2, 'next', 3],
    [2, 'parent', undefined], [4, 'child', undefined], [1, 'previous', undefined], [4, 'next', undefined],
  ] as const)('from #%d to its %s', (from, direction, to) => {
    expect(neighbour(graph, from, direction)).toBe(to)
  })
})
