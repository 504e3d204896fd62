import { describe, expect, it } from 'vitest'
import { indexEdges, takeWindow, WINDOW_LIMITS } from './graph-window.ts'
import { EMPTY_LAYOUT, extendLayout } from './layout.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const cells = (firstRow: number, lastRow: number) => ({ firstRow, lastRow, firstLane: 0, lastLane: 3 })

const chain = (size: number) => {
  const edges = range(2, size).map((child) => ({ child, parent: child - 1 }))
  const layout = extendLayout(EMPTY_LAYOUT, range(1, size).map((sequence) => ({ sequence, lane: 'mission' })), edges)
  return { layout, edges, index: indexEdges(edges) }
}

describe('graph window', () => {
  it('takes the rows in view and one screen around them out of 50,000', () => {
    const { layout, index } = chain(50_000)
    const window = takeWindow(layout, index, cells(30_000, 30_010))
    const inner = window.places.filter((place) => place.row >= 29_990 && place.row <= 30_020)
    expect(inner).toHaveLength(31)
    // The link at either border leads to an entry outside, which is given too.
    expect(window.places).toHaveLength(33)
    expect(window.edges).toHaveLength(32)
    expect(window.undrawnEdges).toBe(0)
  })

  it('never exceeds its limits on a dense merge and counts the links left out', () => {
    const size = 300
    const edges = range(151, size).flatMap((child) => range(1, 150).map((parent) => ({ child, parent })))
    const nodes = range(1, size).map((sequence) => ({ sequence, lane: `lane-${sequence % 3}` }))
    const layout = extendLayout(EMPTY_LAYOUT, nodes, edges)
    const window = takeWindow(layout, indexEdges(edges), cells(0, 200))
    expect(window.places.length).toBeLessThanOrEqual(WINDOW_LIMITS.nodes)
    expect(window.edges).toHaveLength(WINDOW_LIMITS.edges)
    expect(window.edges.length + window.undrawnEdges).toBe(edges.length)
  })

  it('never exceeds its node limit on a wide fan-out seen from its root', () => {
    const size = 5_000
    const edges = range(2, size).map((child) => ({ child, parent: 1 }))
    const nodes = range(1, size).map((sequence) => ({ sequence, lane: sequence === 1 ? 'mission' : `lane-${sequence % 4}` }))
    const layout = extendLayout(EMPTY_LAYOUT, nodes, edges)
    const window = takeWindow(layout, indexEdges(edges), cells(0, 10))
    expect(window.places.length).toBeLessThanOrEqual(WINDOW_LIMITS.nodes)
    expect(window.edges.length + window.undrawnEdges).toBe(edges.length)
  })

  it('keeps the selected entry although the viewport is far away', () => {
    const { layout, index } = chain(1_000)
    const window = takeWindow(layout, index, { ...cells(900, 910), selected: 3 })
    expect(window.places[0]?.sequence).toBeLessThanOrEqual(3)
    expect(window.places.map((place) => place.sequence)).toContain(3)
  })

  it('draws no link whose other end is not loaded', () => {
    const edges = [{ child: 10, parent: 2 }]
    const layout = extendLayout(EMPTY_LAYOUT, [{ sequence: 10, lane: 'mission' }], edges)
    expect(takeWindow(layout, indexEdges(edges), cells(0, 1)).edges).toEqual([])
  })
})
