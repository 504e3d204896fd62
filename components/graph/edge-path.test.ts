import { describe, expect, it } from 'vitest'
import type { EdgeEnd, Point } from './edge-path.ts'
import { routeEdge, wordPoint } from './edge-path.ts'
import { boxOf } from './geometry.ts'

const end = (row: number, lane: number): EdgeEnd => {
  const place = { sequence: row + 1, row, lane }
  return { place, box: boxOf(place, 'message') }
}

const crosses = (points: readonly Point[], { box }: EdgeEnd): boolean =>
  points.slice(1).some(([x, y], index) => {
    const [fromX, fromY] = points[index]!
    const [left, right] = [Math.min(x, fromX), Math.max(x, fromX)]
    const [top, bottom] = [Math.min(y, fromY), Math.max(y, fromY)]
    return right > box.x && left < box.x + box.width && bottom > box.y && top < box.y + box.height
  })

describe('edge routing', () => {
  const cases: readonly [string, EdgeEnd, EdgeEnd][] = [
    ['same lane, next row', end(0, 0), end(1, 0)],
    ['same lane, far below', end(0, 0), end(9, 0)],
    ['next lane, next row', end(0, 0), end(1, 1)],
    ['lanes to the right, far below', end(0, 0), end(9, 4)],
    ['lanes to the left, far below', end(0, 4), end(9, 0)],
  ]

  it.each(cases)('%s: crosses no node in between', (_, parent, child) => {
    const between = Array.from({ length: 10 }, (__, row) => Array.from({ length: 5 }, (___, lane) => end(row, lane))).flat()
      .filter(({ place }) => ![parent, child].some((at) => at.place.row === place.row && at.place.lane === place.lane))
    for (const slot of [0, 3, 6]) {
      const points = routeEdge(parent, child, slot)
      expect(between.filter((node) => crosses(points, node)).map((node) => node.place)).toEqual([])
    }
  })

  it('keeps links of different provenance apart in a shared gutter', () => {
    const [one, other] = [routeEdge(end(0, 0), end(9, 0), 0), routeEdge(end(0, 0), end(9, 0), 1)]
    expect(one[1]).not.toEqual(other[1])
  })

  it('writes the word at the end away from the selected entry, in the middle of a link that stands alone', () => {
    const points = routeEdge(end(0, 0), end(9, 4), 3)
    const [nearParent, nearChild] = [wordPoint(points, 'parent'), wordPoint(points, 'child')]
    expect(nearParent[1]).toBeLessThan(2 * 88)
    expect(nearChild[1]).toBeGreaterThan(8 * 88)
    expect(wordPoint([[0, 0], [0, 20]], 'parent')).toEqual([0, 10])
    expect(wordPoint([[0, 0], [10, 0], [10, 50], [0, 50]], undefined)).toEqual([10, 25])
  })
})
