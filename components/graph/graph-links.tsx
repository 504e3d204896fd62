'use client'

import { useEffect, useRef, type ReactNode } from 'react'
import { useViewport, ViewportPortal } from '@xyflow/react'
import { drawLinks } from './draw-links.ts'
import { wordPoint, type Point } from './edge-path.ts'
import type { Size } from './graph-view-state.ts'
import type { LinkLine } from './link-lines.ts'
import { PROVENANCE } from './provenance.ts'

export interface GraphLinksProps {
  readonly lines: readonly LinkLine[]
  readonly selected: number | undefined
  readonly hovered: LinkLine | undefined
}

/** With more links than this at one entry, words would cover each other; the inspector and the pointer still tell them. */
const MAX_WORDS = 12

/**
 * Links in the line style of their provenance, on a canvas of the size of the view: a thousand dashed lines as elements
 * cost a second per frame without a graphics card, drawn they cost milliseconds. The table says them all in words.
 */
export function LinkCanvas({ lines, selected, hovered, size }: GraphLinksProps & { readonly size: Size }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const view = useViewport()
  useEffect(() => {
    if (canvas.current) drawLinks(canvas.current, { lines, isMarked: (line) => line === hovered || isAt(line, selected), view, size })
  })
  // The mark colour cannot be read from the canvas itself, whose own colour is that of the plain lines.
  return <canvas ref={canvas} aria-hidden className="absolute inset-0 text-edge accent-action" />
}

/** The words of the links at the selected entry, and the whole sentence of the one under the pointer. */
export function LinkWords({ lines, selected, hovered }: GraphLinksProps) {
  const near = lines.filter((line) => isAt(line, selected))
  return (
    <ViewportPortal>
      {near.length <= MAX_WORDS && near.map((line) => line !== hovered && (
        <Word key={keyOf(line)} at={wordPoint(line.points, line.edge.child === selected ? 'parent' : 'child')}>{PROVENANCE[line.edge.provenance].words}</Word>
      ))}
      {hovered && <Word at={wordPoint(hovered.points, undefined)}>#{hovered.edge.child} {PROVENANCE[hovered.edge.provenance].words} #{hovered.edge.parent}</Word>}
    </ViewportPortal>
  )
}

function Word({ at: [x, y], children }: { readonly at: Point; readonly children: ReactNode }) {
  return (
    <span style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }} className="pointer-events-none absolute z-[2000] rounded-sm border bg-raised px-1 text-12 whitespace-nowrap">
      {children}
    </span>
  )
}

const isAt = ({ edge }: LinkLine, sequence: number | undefined): boolean => edge.child === sequence || edge.parent === sequence

const keyOf = ({ edge }: LinkLine): string => `${edge.child} ${edge.parent} ${edge.provenance}`
