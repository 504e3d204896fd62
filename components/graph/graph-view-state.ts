import type { Box } from './geometry.ts'
import { boxOf, LANE_WIDTH, NODE_WIDTH, ROW_HEIGHT } from './geometry.ts'
import { firstIndex, type LaneLayout, type Place } from './layout.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** A viewport as React Flow states it: offset in screen pixels, then zoom. */
export interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

/** Room for lane titles above the first row and for the last row to breathe. */
const MARGIN_TOP = 56
const MARGIN_BOTTOM = 24
/** Where the newest row ends: below it there is room for what comes next, and above the fold of a small window it is seen at once. */
const END_OF_NEWEST = 0.6
/** How much of a screen one step back shows anew; the rest keeps the reader's place. */
const STEP_BACK = 0.8
/** Smaller, and the words of a node cannot be read. */
const LEAST_OPENING_ZOOM = 0.8

/** The part of the graph that a viewport shows, in graph pixels. */
export const areaOf = (view: View, size: Size): Box => ({
  x: -view.x / view.zoom,
  y: -view.y / view.zoom,
  width: size.width / view.zoom,
  height: size.height / view.zoom,
})

/** As large as it can be with every lane in view, within reason. */
const openingZoom = ({ lanes }: LaneLayout, { width }: Size): number => Math.max(LEAST_OPENING_ZOOM, Math.min(1, width / (lanes.length * LANE_WIDTH)))

/**
 * The viewport that opens a graph: its newest rows, with room for more below them, or all of it at the top when it fits, and
 * as far to the right as the newest entry's lane asks for.
 */
export function endView(layout: LaneLayout, size: Size, zoom = openingZoom(layout, size)): View {
  const newest = layout.places.at(-1)
  const top = (layout.places[0]?.row ?? 0) * ROW_HEIGHT
  const bottom = ((newest?.row ?? 0) + 1) * ROW_HEIGHT
  const height = (bottom - top) * zoom
  const fits = height + MARGIN_TOP + MARGIN_BOTTOM <= size.height
  const end = height <= size.height ? size.height - MARGIN_BOTTOM : size.height * END_OF_NEWEST
  const x = Math.min(0, size.width - ((newest?.lane ?? 0) + 1) * LANE_WIDTH * zoom)
  return { x, y: fits ? MARGIN_TOP - top * zoom : end - bottom * zoom, zoom }
}

/** The viewport with a place in its middle. */
export function centredOn(place: Place, size: Size, zoom: number): View {
  const x = place.lane * LANE_WIDTH + LANE_WIDTH / 2
  const y = place.row * ROW_HEIGHT + ROW_HEIGHT / 2
  return { x: size.width / 2 - x * zoom, y: size.height / 2 - y * zoom, zoom }
}

/** Whether a place stands wholly in view, clear of the lane titles. */
export function isInView(place: Place, view: View, size: Size): boolean {
  const box = boxOf(place, 'message')
  const [left, top] = [box.x * view.zoom + view.x, box.y * view.zoom + view.y]
  return left >= 0 && left + NODE_WIDTH * view.zoom <= size.width && top >= MARGIN_TOP / 2 && top + box.height * view.zoom <= size.height
}

/** How many of the entries placed end above the view, under the lane titles included. */
export const entriesAbove = ({ places }: LaneLayout, view: View): number => firstIndex(places, (place) => (place.row + 1) * ROW_HEIGHT * view.zoom + view.y > MARGIN_TOP / 2)

/** The viewport one step further back, never beyond the first row that is placed. */
export function earlierView({ places }: LaneLayout, view: View, size: Size): View {
  const atFirst = MARGIN_TOP - (places[0]?.row ?? 0) * ROW_HEIGHT * view.zoom
  return { ...view, y: Math.max(view.y, Math.min(atFirst, view.y + size.height * STEP_BACK)) }
}
