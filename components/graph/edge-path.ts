// Links run in the gutters between lanes and the gaps between rows, never across a node that they do not concern.
import type { Box } from './geometry.ts'
import { LANE_WIDTH, ROW_HEIGHT } from './geometry.ts'
import type { Place } from './layout.ts'

export interface EdgeEnd {
  readonly place: Place
  readonly box: Box
}

export type Point = readonly [x: number, y: number]

const SLOT = 3
const WORD_OFFSET = 18

/**
 * Corner points of a link from an older entry to a newer one. `slot` (0, 1, 2 …) shifts links of different
 * provenance apart where they share a gutter.
 */
export function routeEdge(parent: EdgeEnd, child: EdgeEnd, slot: number): readonly Point[] {
  const start: Point = [parent.box.x + parent.box.width / 2, parent.box.y + parent.box.height]
  const end: Point = [child.box.x + child.box.width / 2, child.box.y]
  const rows = child.place.row - parent.place.row
  const isSameLane = child.place.lane === parent.place.lane
  if (rows < 1 || (isSameLane && rows === 1)) return [start, end]

  const shift = (slot - 3) * SLOT
  if (isSameLane) {
    const gutter = child.place.lane * LANE_WIDTH + 12 + shift
    const [from, to] = [middleOf(parent.box), middleOf(child.box)]
    return [[parent.box.x, from], [gutter, from], [gutter, to], [child.box.x, to]]
  }
  const leaving = (parent.place.row + 1) * ROW_HEIGHT + shift / 2
  if (rows === 1) return [start, [start[0], leaving], [end[0], leaving], end]
  const arriving = child.place.row * ROW_HEIGHT + shift / 2
  const isFromLeft = parent.place.lane < child.place.lane
  const gutter = (child.place.lane + (isFromLeft ? 0 : 1)) * LANE_WIDTH + shift
  return [start, [start[0], leaving], [gutter, leaving], [gutter, arriving], [end[0], arriving], end]
}

/**
 * Where the word of a link stands: at its end away from the selected entry, so that the words of one entry's links do
 * not pile up; in the middle when neither end is selected.
 */
export function wordPoint(points: readonly Point[], far: 'parent' | 'child' | undefined): Point {
  if (points.length === 2 || far === undefined) {
    const [a, b] = [points[Math.ceil(points.length / 2) - 1]!, points[Math.ceil(points.length / 2)]!]
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
  }
  const [corner, next] = far === 'parent' ? [points[1]!, points[2]!] : [points.at(-2)!, points.at(-3)!]
  const share = Math.min(0.5, WORD_OFFSET / Math.hypot(next[0] - corner[0], next[1] - corner[1]))
  return [corner[0] + (next[0] - corner[0]) * share, corner[1] + (next[1] - corner[1]) * share]
}

const middleOf = (box: Box): number => box.y + box.height / 2
