// Links as polylines: made once per link and place, found again under a pointer.
import type { EdgeEnd, Point } from './edge-path.ts'
import { routeEdge } from './edge-path.ts'
import { boxOf } from './geometry.ts'
import type { GraphEdge, LoadedGraph } from './graph-store.ts'
import type { GraphWindow } from './graph-window.ts'
import type { Place } from './layout.ts'
import { PROVENANCES } from './provenance.ts'

export interface LinkLine {
  readonly edge: GraphEdge
  readonly points: readonly Point[]
}

const made = new WeakMap<GraphEdge, { readonly parent: Place; readonly child: Place; readonly line: LinkLine }>()

/** The lines of a window's links. */
export function linkLines(graph: LoadedGraph, window: GraphWindow<GraphEdge>): readonly LinkLine[] {
  const places = new Map(window.places.map((place) => [place.sequence, place]))
  return window.edges.flatMap((edge) => {
    const [parent, child] = [endOf(graph, places.get(edge.parent)), endOf(graph, places.get(edge.child))]
    return parent && child ? [lineOf(edge, parent, child)] : []
  })
}

/** The line nearest to a point, if one passes within `reach`; all three in graph pixels. */
export function lineAt(lines: readonly LinkLine[], [x, y]: Point, reach: number): LinkLine | undefined {
  let nearest: LinkLine | undefined
  let least = reach
  for (const line of lines) {
    for (let at = 1; at < line.points.length; at++) {
      const distance = distanceToSegment(x, y, line.points[at - 1]!, line.points[at]!)
      if (distance <= least) {
        least = distance
        nearest = line
      }
    }
  }
  return nearest
}

function lineOf(edge: GraphEdge, parent: EdgeEnd, child: EdgeEnd): LinkLine {
  const known = made.get(edge)
  if (known?.parent === parent.place && known.child === child.place) return known.line
  const line = { edge, points: routeEdge(parent, child, PROVENANCES.indexOf(edge.provenance)) }
  made.set(edge, { parent: parent.place, child: child.place, line })
  return line
}

function endOf(graph: LoadedGraph, place: Place | undefined): EdgeEnd | undefined {
  const entry = place && graph.bySequence.get(place.sequence)
  return entry && { place, box: boxOf(place, entry.nodeKind) }
}

function distanceToSegment(x: number, y: number, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length))
  return Math.hypot(x - ax - share * dx, y - ay - share * dy)
}
