import { describe, expect, it } from 'vitest'
import type { LaneEdge, LaneLayout, LaneNode } from './layout.ts'
import { EMPTY_LAYOUT, extendLayout, placeOf } from './layout.ts'

const node = (sequence: number, lane: string): LaneNode => ({ sequence, lane })
const edge = (child: number, parent: number): LaneEdge => ({ child, parent })
const lay = (nodes: readonly LaneNode[], edges: readonly LaneEdge[]): LaneLayout => extendLayout(EMPTY_LAYOUT, nodes, edges)
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Rows ascend with time, no two entries overlap, and every edge points downward. */
function expectSound(layout: LaneLayout, edges: readonly LaneEdge[]): void {
  const cells = new Set(layout.places.map((place) => `${place.row}/${place.lane}`))
  expect(cells.size).toBe(layout.places.length)
  const rows = layout.places.map((place) => place.row)
  expect(rows).toEqual([...rows].sort((a, b) => a - b))
  const upward = edges.filter(({ child, parent }) => {
    const [below, above] = [placeOf(layout, child), placeOf(layout, parent)]
    return below && above && below.row <= above.row
  })
  expect(upward).toEqual([])
}

const shapes: Record<string, (size: number) => { nodes: LaneNode[]; edges: LaneEdge[] }> = {
  chain: (size) => ({
    nodes: range(1, size).map((sequence) => node(sequence, 'mission')),
    edges: range(2, size).map((sequence) => edge(sequence, sequence - 1)),
  }),
  'wide fan-out': (size) => ({
    nodes: range(1, size).map((sequence) => node(sequence, sequence === 1 ? 'mission' : `work-${sequence % 50}`)),
    edges: range(2, size).map((sequence) => edge(sequence, 1)),
  }),
  'dense merge': (size) => ({
    nodes: range(1, size).map((sequence) => node(sequence, sequence % 20 === 0 ? 'mission' : `work-${sequence % 20}`)),
    edges: range(1, size).filter((sequence) => sequence % 20 === 0)
      .flatMap((sequence) => range(sequence - 19, sequence - 1).map((parent) => edge(sequence, parent))),
  }),
  'many heads': (size) => ({ nodes: range(1, size).map((sequence) => node(sequence, `work-${sequence % 97}`)), edges: [] }),
}

describe('lane layout', () => {
  it.each(Object.keys(shapes))('%s: 10,000 entries are sound and take under 100 ms', (shape) => {
    const { nodes, edges } = shapes[shape]!(10_000)
    const layout = lay(nodes, edges)
    expect(layout.places).toHaveLength(10_000)
    expectSound(layout, edges)
    // The best of five, so that a busy machine does not decide.
    const elapsedMs = range(1, 5).map(() => {
      const started = performance.now()
      lay(nodes, edges)
      return performance.now() - started
    })
    expect(Math.min(...elapsedMs)).toBeLessThan(100)
  })

  it('gives a chain one row per entry and parallel lanes a shared row', () => {
    const chain = lay([node(1, 'a'), node(2, 'a')], [edge(2, 1)])
    expect(chain.places.map((place) => place.row)).toEqual([0, 1])
    const parallel = lay([node(1, 'a'), node(2, 'b'), node(3, 'c')], [])
    expect(parallel.places.map((place) => place.row)).toEqual([0, 0, 0])
  })

  it('moves a child below its parent although its lane is free', () => {
    const layout = lay([node(1, 'a'), node(2, 'b')], [edge(2, 1)])
    expect(layout.places.map((place) => place.row)).toEqual([0, 1])
  })

  it.each(Object.keys(shapes))('%s: growth at both ends moves no entry already placed', (shape) => {
    const { nodes, edges } = shapes[shape]!(600)
    const middle = lay(nodes.slice(200, 400), edges)
    const grown = extendLayout(extendLayout(middle, nodes.slice(400), edges), nodes.slice(0, 200), edges)
    expect(middle.places.map((place) => placeOf(grown, place.sequence))).toEqual(middle.places)
    expect(grown.places).toHaveLength(600)
    expectSound(grown, edges)
  })

  it('keeps a lane for its thread, whatever order the pages arrive in', () => {
    const first = lay([node(5, 'b'), node(6, 'a')], [])
    const older = extendLayout(first, [node(1, 'c'), node(2, 'a')], [])
    expect(older.lanes).toEqual(['b', 'a', 'c'])
    expect(placeOf(older, 2)?.lane).toBe(placeOf(older, 6)?.lane)
  })

  it('ignores entries it already holds', () => {
    const layout = lay([node(1, 'a'), node(2, 'a')], [])
    expect(extendLayout(layout, [node(2, 'a')], [])).toBe(layout)
  })
})
