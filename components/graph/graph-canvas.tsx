'use client'

import '@xyflow/react/dist/base.css'
import { useCallback, useId, useMemo, useState, type KeyboardEvent } from 'react'
import { ReactFlow, ReactFlowProvider, useReactFlow, type Viewport } from '@xyflow/react'
import { ArrowDown, ArrowUp, LocateFixed } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { Point } from './edge-path.ts'
import { flowNodes } from './flow-nodes.ts'
import { cellsIn, coarse } from './geometry.ts'
import { LinkCanvas, LinkWords } from './graph-links.tsx'
import { nodeTypes } from './graph-nodes.tsx'
import { GraphOverview, OVERVIEW_WIDTH } from './graph-overview.tsx'
import type { LoadedGraph } from './graph-store.ts'
import { areaOf, centredOn, earlierView, endView, entriesAbove, isInView, type Size } from './graph-view-state.ts'
import { takeWindow } from './graph-window.ts'
import { LaneTitles } from './lane-titles.tsx'
import { placeOf } from './layout.ts'
import { lineAt, linkLines, type LinkLine } from './link-lines.ts'
import { neighbour, type Direction } from './neighbours.ts'

export interface GraphCanvasProps {
  readonly graph: LoadedGraph
  /** What it is the graph of, in a word. */
  readonly of: string
  readonly size: Size
  readonly selected: number | undefined
  readonly onSelect: (sequence: number) => void
  readonly isLoadingOlder: boolean
  readonly onLoadOlder: () => void
}

const MOVE_MS = 120
/** How close a pointer must come to a line, in screen pixels. */
const POINTER_REACH = 6
/** A narrower graph keeps its width for itself. */
const OVERVIEW_FROM_WIDTH = 640
/** With fewer entries above the view, the page before them is loaded while it moves. */
const LOAD_FROM_ABOVE = 100
const ARROWS: Readonly<Record<string, Direction>> = { ArrowUp: 'parent', ArrowDown: 'child', ArrowLeft: 'previous', ArrowRight: 'next' }

/** The graph in its lanes. Only a gesture moves the view: growth and selection never do. */
export function GraphCanvas({ size, ...rest }: GraphCanvasProps) {
  const hasOverview = size.width >= OVERVIEW_FROM_WIDTH
  const room = hasOverview ? { width: size.width - OVERVIEW_WIDTH, height: size.height } : size
  return (
    <ReactFlowProvider>
      <Canvas {...rest} size={room} hasOverview={hasOverview} />
    </ReactFlowProvider>
  )
}

function Canvas({ graph, of, size, selected, onSelect, isLoadingOlder, onLoadOlder, hasOverview }: GraphCanvasProps & { readonly hasOverview: boolean }) {
  const { layout } = graph
  const hintId = useId()
  const [opening] = useState(() => openingView(graph, size, selected))
  const [view, setView] = useState<Viewport>(opening)
  const { nodes, lines, undrawn } = useWindow(graph, size, view, selected)
  const [hovered, setHovered] = useState<LinkLine>()
  const { show, toEnd, toEarlier, centre, pointIn } = useMoves(graph, size)
  const unseen = useUnseen(graph, size, view)
  const above = entriesAbove(layout, view)
  const earlier = above + (graph.hasOlder ? graph.total - graph.nodes.length : 0)
  const selectedPlace = selected === undefined ? undefined : placeOf(layout, selected)

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = ARROWS[event.key]
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const from = selectedPlace?.sequence
    const next = from === undefined ? graph.nodes.at(-1)?.sequence : neighbour(graph, from, direction)
    if (next === undefined) return
    onSelect(next)
    show(next)
  }
  const goEarlier = () => {
    toEarlier()
    if (graph.hasOlder && above < LOAD_FROM_ABOVE) onLoadOlder()
  }
  return (
    <div role="application" tabIndex={0} aria-label={`Graph of this ${of}`} aria-describedby={hintId} onKeyDown={onKeyDown} className="absolute inset-0 focus-visible:-outline-offset-2">
      <p id={hintId} className="sr-only">Arrow up and down follow links to parent and child, left and right the order of the log. Press g for the same content as a table.</p>
      <div style={size} className="absolute inset-0 overflow-hidden">
        <LinkCanvas lines={lines} selected={selected} hovered={hovered} size={size} />
        <ReactFlow
          nodes={nodes}
          nodeTypes={nodeTypes}
          defaultViewport={opening}
          onViewportChange={setView}
          onNodeClick={(_, node) => onSelect(Number(node.id))}
          onPaneMouseMove={({ clientX, clientY }) => setHovered(lineAt(lines, pointIn(clientX, clientY), POINTER_REACH / view.zoom))}
          onPaneMouseLeave={() => setHovered(undefined)}
          minZoom={0.3}
          maxZoom={1.5}
          panOnScroll
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          elevateNodesOnSelect={false}
          attributionPosition="bottom-right"
          className="[--xy-attribution-background-color:transparent] [&_.react-flow__attribution_a]:text-muted!"
        >
          <LinkWords lines={lines} selected={selected} hovered={hovered} />
        </ReactFlow>
        <LaneTitles lanes={layout.lanes} titles={graph.laneTitles} width={size.width} />
      </div>
      {hasOverview && <GraphOverview graph={graph} size={size} selected={selected} onCentre={centre} />}
      <div className="pointer-events-none absolute bottom-3 left-3 z-[7] flex flex-wrap gap-2 *:pointer-events-auto">
        {earlier > 0 && <Button icon={<ArrowUp aria-hidden className="size-4" />} busy={above === 0 && isLoadingOlder} onClick={goEarlier}>{earlier} earlier</Button>}
        {unseen > 0 && <Button icon={<ArrowDown aria-hidden className="size-4" />} onClick={toEnd}>{unseen} new</Button>}
        {selectedPlace && !isInView(selectedPlace, view, size) && (
          <Button icon={<LocateFixed aria-hidden className="size-4" />} onClick={() => show(selectedPlace.sequence)}>Go to #{selectedPlace.sequence}</Button>
        )}
      </div>
      {undrawn > 0 && <p role="status" className="absolute top-10 left-3 z-[7] rounded-md border bg-raised px-2 py-1 text-12">{undrawn} links here are not drawn; the table (g) lists them all.</p>}
      <p aria-live="polite" className="sr-only">{selected === undefined ? '' : visibleText(graph.bySequence.get(selected)?.title ?? '')}</p>
    </div>
  )
}

/** A link to an entry opens at that entry, everything else at the newest. */
function openingView(graph: LoadedGraph, size: Size, selected: number | undefined): Viewport {
  const place = selected === undefined ? undefined : placeOf(graph.layout, selected)
  return place ? centredOn(place, size, 1) : endView(graph.layout, size)
}

/** What is drawn: it changes when the view has moved by half a screen, not with every pixel. */
function useWindow(graph: LoadedGraph, size: Size, view: Viewport, selected: number | undefined) {
  const { firstRow, lastRow, firstLane, lastLane } = coarse(cellsIn(areaOf(view, size)))
  return useMemo(() => {
    const window = takeWindow(graph.layout, graph.index, { firstRow, lastRow, firstLane, lastLane, selected })
    return { nodes: flowNodes(graph, window, selected), lines: linkLines(graph, window), undrawn: window.undrawnEdges }
  }, [graph, firstRow, lastRow, firstLane, lastLane, selected])
}

function useMoves({ layout }: LoadedGraph, size: Size) {
  const flow = useReactFlow()
  const show = useCallback((sequence: number) => {
    const place = placeOf(layout, sequence)
    const view = flow.getViewport()
    if (place && !isInView(place, view, size)) void flow.setViewport(centredOn(place, size, view.zoom), { duration: moveMs() })
  }, [flow, layout, size])
  const toEnd = useCallback(() => void flow.setViewport({ ...endView(layout, size, flow.getZoom()), x: flow.getViewport().x }, { duration: moveMs() }), [flow, layout, size])
  const toEarlier = useCallback(() => void flow.setViewport(earlierView(layout, flow.getViewport(), size), { duration: moveMs() }), [flow, layout, size])
  const centre = useCallback((x: number, y: number) => void flow.setCenter(x, y, { zoom: flow.getZoom() }), [flow])
  const pointIn = useCallback((x: number, y: number): Point => {
    const at = flow.screenToFlowPosition({ x, y })
    return [at.x, at.y]
  }, [flow])
  return { show, toEnd, toEarlier, centre, pointIn }
}

const moveMs = (): number => (window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : MOVE_MS)

/** Entries below what the view has ever reached. */
function useUnseen({ layout, nodes }: LoadedGraph, size: Size, view: Viewport): number {
  const [seen, setSeen] = useState(() => nodes.at(-1)?.sequence ?? 0)
  const last = layout.places.at(-1)
  const { lastRow } = cellsIn(areaOf(view, size))
  if (last && lastRow >= last.row && seen < last.sequence) setSeen(last.sequence)
  return last ? Math.max(0, last.sequence - seen) : 0
}
