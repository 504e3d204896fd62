// Commit-graph lanes. A lane belongs to its thread and a row to its moment, so growth at either end moves nothing.

/** What the layout needs of a node: its place in the log and the thread it belongs to. */
export interface LaneNode {
  readonly sequence: number
  readonly lane: string
}

/** A directed link between two entries of the log, older parent and newer child. */
export interface LaneEdge {
  readonly child: number
  readonly parent: number
}

/** Where an entry stands. Rows never decrease with the sequence; they are negative above the first page. */
export interface Place {
  readonly sequence: number
  readonly row: number
  readonly lane: number
}

/** `places` ascend by sequence, hence by row. `lanes` only grows at its end. */
export interface LaneLayout {
  readonly places: readonly Place[]
  readonly lanes: readonly string[]
}

export const EMPTY_LAYOUT: LaneLayout = { places: [], lanes: [] }

/**
 * Adds entries that are all older or all newer than those already placed; entries inside the known span are known
 * and ignored. An entry takes the current row unless its lane is taken there or one of its parents stands in it, so
 * that parallel work shares rows and every edge points downward. Linear in nodes and edges.
 */
export function extendLayout(layout: LaneLayout, nodes: readonly LaneNode[], edges: readonly LaneEdge[]): LaneLayout {
  const first = layout.places[0]
  const last = layout.places.at(-1)
  const ascending = [...nodes].sort((a, b) => a.sequence - b.sequence)
  const older = first ? ascending.filter((node) => node.sequence < first.sequence) : []
  const newer = last ? ascending.filter((node) => node.sequence > last.sequence) : ascending
  if (older.length + newer.length === 0) return layout

  const laneOf = laneIndex(layout.lanes)
  const parents = parentsByChild(edges)
  const above = placeRun(older, parents, laneOf)
  const below = placeRun(newer, parents, laneOf)
  const heightAbove = (above.at(-1)?.row ?? -1) + 1
  const nextRow = (last?.row ?? -1) + 1
  return {
    places: [
      ...above.map((place) => ({ ...place, row: place.row + (first?.row ?? 0) - heightAbove })),
      ...layout.places,
      ...below.map((place) => ({ ...place, row: place.row + nextRow })),
    ],
    lanes: laneOf.lanes,
  }
}

/** The place of an entry, or undefined when it is not loaded. Logarithmic. */
export function placeOf(layout: LaneLayout, sequence: number): Place | undefined {
  const place = layout.places[firstIndex(layout.places, (candidate) => candidate.sequence >= sequence)]
  return place?.sequence === sequence ? place : undefined
}

/** Index of the first element for which `reached` holds, given that it holds for all after it. */
export function firstIndex<T>(items: readonly T[], reached: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (reached(items[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

function placeRun(run: readonly LaneNode[], parents: ReadonlyMap<number, readonly number[]>, laneOf: LaneIndex): Place[] {
  const places: Place[] = []
  const lanesInRow = new Set<number>()
  const entriesInRow = new Set<number>()
  let row = 0
  for (const node of run) {
    const lane = laneOf.of(node.lane)
    const meetsParent = parents.get(node.sequence)?.some((parent) => entriesInRow.has(parent)) === true
    if (lanesInRow.has(lane) || meetsParent) {
      row++
      lanesInRow.clear()
      entriesInRow.clear()
    }
    lanesInRow.add(lane)
    entriesInRow.add(node.sequence)
    places.push({ sequence: node.sequence, row, lane })
  }
  return places
}

interface LaneIndex {
  readonly lanes: string[]
  of(lane: string): number
}

function laneIndex(known: readonly string[]): LaneIndex {
  const lanes = [...known]
  const indexes = new Map(lanes.map((lane, index) => [lane, index]))
  return {
    lanes,
    of(lane) {
      const found = indexes.get(lane)
      if (found !== undefined) return found
      indexes.set(lane, lanes.length)
      return lanes.push(lane) - 1
    },
  }
}

function parentsByChild(edges: readonly LaneEdge[]): Map<number, number[]> {
  const parents = new Map<number, number[]>()
  for (const { child, parent } of edges) {
    const known = parents.get(child)
    if (known) known.push(parent)
    else parents.set(child, [parent])
  }
  return parents
}
