// React Flow processes every node it is given, on screen or not. It gets the neighbourhood of the viewport and no more.
import type { CellRange } from './geometry.ts'
import type { LaneLayout, Place } from './layout.ts'
import { firstIndex, placeOf } from './layout.ts'

/** What one window may hold. A dense merge is bounded by its edges, not by its nodes. */
export const WINDOW_LIMITS = { nodes: 400, edges: 1200 } as const

export interface GraphWindow<E> {
  readonly places: readonly Place[]
  readonly edges: readonly E[]
  /** Links of the entries shown that are not drawn because the window is full; said in words, never silently. */
  readonly undrawnEdges: number
}

/** Links by the entry at either end. */
export type EdgeIndex<E> = ReadonlyMap<number, readonly E[]>

/** Indexes links by both ends. */
export function indexEdges<E extends { child: number; parent: number }>(edges: readonly E[]): EdgeIndex<E> {
  const index = new Map<number, E[]>()
  for (const edge of edges) {
    for (const end of new Set([edge.child, edge.parent])) {
      const known = index.get(end)
      if (known) known.push(edge)
      else index.set(end, [edge])
    }
  }
  return index
}

/**
 * Entries in the given cells and one screen around them, nearest first until three quarters of the node limit, with
 * their links. The rest of the limit goes to the far ends of those links, so that a line leaves the screen in the
 * right direction. Selected entries always belong.
 */
export function takeWindow<E extends { child: number; parent: number }>(
  layout: LaneLayout,
  index: EdgeIndex<E>,
  view: CellRange & { readonly selected?: number | undefined },
): GraphWindow<E> {
  const shown = new Map(nearest(layout, view).map((place) => [place.sequence, place]))
  const selected = view.selected === undefined ? undefined : placeOf(layout, view.selected)
  if (selected) shown.set(selected.sequence, selected)

  const inside = [...shown.keys()]
  const edges = new Set<E>()
  const undrawn = new Set<E>()
  for (const sequence of inside) {
    for (const edge of index.get(sequence) ?? []) {
      if (edges.has(edge)) continue
      const far = farEnd(layout, shown, edge)
      if (far === 'unknown') continue
      const isRoomLeft = edges.size < WINDOW_LIMITS.edges && (far === undefined || shown.size < WINDOW_LIMITS.nodes)
      if (!isRoomLeft) undrawn.add(edge)
      else {
        if (far) shown.set(far.sequence, far)
        edges.add(edge)
      }
    }
  }
  const places = [...shown.values()].sort((a, b) => a.sequence - b.sequence)
  return { places, edges: [...edges], undrawnEdges: undrawn.size }
}

/** The end that is not shown yet; `unknown` when that entry is not loaded. */
function farEnd(layout: LaneLayout, shown: ReadonlyMap<number, Place>, edge: { child: number; parent: number }): Place | 'unknown' | undefined {
  const missing = [edge.child, edge.parent].filter((end) => !shown.has(end))
  if (missing.length === 0) return undefined
  return placeOf(layout, missing[0]!) ?? 'unknown'
}

function nearest(layout: LaneLayout, view: CellRange): Place[] {
  const height = Math.max(1, view.lastRow - view.firstRow)
  const from = firstIndex(layout.places, (place) => place.row >= view.firstRow - height)
  const to = firstIndex(layout.places, (place) => place.row > view.lastRow + height)
  const around = layout.places.slice(from, to).filter((place) => place.lane >= view.firstLane - 1 && place.lane <= view.lastLane + 1)
  const room = Math.floor(WINDOW_LIMITS.nodes * 0.75)
  if (around.length <= room) return around
  const middle = (view.firstRow + view.lastRow) / 2
  return around.sort((a, b) => Math.abs(a.row - middle) - Math.abs(b.row - middle)).slice(0, room)
}
