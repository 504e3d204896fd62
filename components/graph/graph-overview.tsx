'use client'

import { useEffect, useRef, type PointerEvent } from 'react'
import { useStoreApi, useViewport } from '@xyflow/react'
import { LANE_WIDTH, ROW_HEIGHT } from './geometry.ts'
import type { LoadedGraph } from './graph-store.ts'
import type { Size } from './graph-view-state.ts'

/** Width of the strip at the right of the graph, in screen pixels. */
export const OVERVIEW_WIDTH = 120
const INSET = 6

export interface OverviewProps {
  readonly graph: LoadedGraph
  readonly size: Size
  readonly selected: number | undefined
  /** Moves the view's centre to this point of the graph. */
  readonly onCentre: (x: number, y: number) => void
}

/** Everything that is loaded, at a glance: one mark per entry on a canvas, the view as a frame. A pointer moves the view. */
export function GraphOverview({ graph, size, selected, onCentre }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const store = useStoreApi()
  const scale = scaleOf(graph, size.height)
  useEffect(() => {
    const element = canvas.current
    if (element) draw(element, graph, scale, selected)
  })
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons === 0 || !store.getState().domNode) return
    const box = event.currentTarget.getBoundingClientRect()
    onCentre((event.clientX - box.left - INSET) / scale.perPixelX, (event.clientY - box.top - INSET) / scale.perPixelY + scale.top)
  }
  return (
    <div
      aria-hidden
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        move(event)
      }}
      onPointerMove={move}
      style={{ width: OVERVIEW_WIDTH }}
      className="absolute inset-y-0 right-0 z-[6] cursor-pointer touch-none overflow-hidden border-l bg-paper"
    >
      <canvas ref={canvas} width={OVERVIEW_WIDTH} height={size.height} className="text-ink" />
      <ViewFrame scale={scale} size={size} />
    </div>
  )
}

interface Scale {
  readonly perPixelX: number
  readonly perPixelY: number
  /** Graph pixels of the first row. */
  readonly top: number
}

function scaleOf({ layout }: LoadedGraph, height: number): Scale {
  const firstRow = layout.places[0]?.row ?? 0
  const rows = (layout.places.at(-1)?.row ?? 0) - firstRow + 1
  const inner = height - 2 * INSET
  return {
    perPixelX: Math.min(20, (OVERVIEW_WIDTH - 2 * INSET) / Math.max(1, layout.lanes.length)) / LANE_WIDTH,
    perPixelY: Math.min(12, inner / rows) / ROW_HEIGHT,
    top: firstRow * ROW_HEIGHT,
  }
}

function ViewFrame({ scale, size }: { readonly scale: Scale; readonly size: Size }) {
  const { x, y, zoom } = useViewport()
  const left = (-x / zoom) * scale.perPixelX + INSET
  const top = (-y / zoom - scale.top) * scale.perPixelY + INSET
  const style = { transform: `translate(${left}px, ${top}px)`, width: (size.width / zoom) * scale.perPixelX, height: Math.max(4, (size.height / zoom) * scale.perPixelY) }
  return <div style={style} className="pointer-events-none absolute top-0 left-0 rounded-sm border border-action bg-action/10" />
}

/** Talk in a lighter tone than authority, artifacts as small squares; the selected entry stands out by size. */
function draw(element: HTMLCanvasElement, graph: LoadedGraph, scale: Scale, selected: number | undefined): void {
  const pen = element.getContext('2d')
  if (!pen) return
  pen.clearRect(0, 0, element.width, element.height)
  pen.fillStyle = getComputedStyle(element).color
  const laneWidth = LANE_WIDTH * scale.perPixelX
  const rowHeight = Math.max(1, ROW_HEIGHT * scale.perPixelY)
  for (const place of graph.layout.places) {
    const kind = graph.bySequence.get(place.sequence)?.nodeKind
    const isSelected = place.sequence === selected
    const [width, height] = kind === 'artifact' ? [Math.min(4, laneWidth), Math.min(4, rowHeight)] : [Math.max(1, laneWidth - 3), Math.max(1, Math.min(rowHeight - 1, kind === 'message' ? 5 : 2))]
    pen.globalAlpha = isSelected ? 1 : kind === 'message' ? 0.3 : 0.75
    const y = INSET + (place.row * ROW_HEIGHT - scale.top) * scale.perPixelY
    pen.fillRect(INSET + place.lane * laneWidth, y, isSelected ? laneWidth : width, isSelected ? Math.max(4, height) : height)
  }
}
