// Pixels of the graph at zoom 1. Every node has a fixed size, so that nothing is measured before it is placed.
import type { GraphPage } from '../trpc.tsx'
import type { Place } from './layout.ts'

export type NodeKind = GraphPage['nodes'][number]['nodeKind']

export const LANE_WIDTH = 288
export const ROW_HEIGHT = 88
export const NODE_WIDTH = 240

const NODE_HEIGHTS: Readonly<Record<NodeKind, number>> = { message: 72, event: 40, artifact: 56 }

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The box of a node: centred in its cell, sized by what it is. */
export function boxOf(place: Place, kind: NodeKind): Box {
  const height = NODE_HEIGHTS[kind]
  return {
    x: place.lane * LANE_WIDTH + (LANE_WIDTH - NODE_WIDTH) / 2,
    y: place.row * ROW_HEIGHT + (ROW_HEIGHT - height) / 2,
    width: NODE_WIDTH,
    height,
  }
}

/** A rectangle of whole cells, bounds included. */
export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstLane: number
  readonly lastLane: number
}

/** The cells that a rectangle in graph pixels touches. */
export function cellsIn(area: Box): CellRange {
  return {
    firstRow: Math.floor(area.y / ROW_HEIGHT),
    lastRow: Math.floor((area.y + area.height) / ROW_HEIGHT),
    firstLane: Math.floor(area.x / LANE_WIDTH),
    lastLane: Math.floor((area.x + area.width) / LANE_WIDTH),
  }
}

/** The range widened to steps of half its height, so that it stays the same while the view moves a little. */
export function coarse(range: CellRange): CellRange {
  const step = Math.max(1, Math.floor((range.lastRow - range.firstRow) / 2))
  return { ...range, firstRow: Math.floor(range.firstRow / step) * step, lastRow: Math.ceil(range.lastRow / step) * step }
}
