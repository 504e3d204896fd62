'use client'

import { memo, useState } from 'react'
import { EdgeLabelRenderer, type Edge, type EdgeProps } from '@xyflow/react'
import type { Point } from './edge-path.ts'
import { roundedPath, wordPoint } from './edge-path.ts'
import type { EdgeProvenance } from './provenance.ts'
import { PROVENANCE } from './provenance.ts'

export type LinkEdge = Edge<{ readonly points: readonly Point[]; readonly provenance: EdgeProvenance; readonly parent: number; readonly child: number; readonly far: 'parent' | 'child' | undefined }, 'link'>

/** A link in the line style of its provenance; its word stands at it on hover and beside the selected entry. */
export const LinkLine = memo(function LinkLine({ data }: EdgeProps<LinkEdge>) {
  const [isHovered, setHovered] = useState(false)
  if (!data) return null
  const { points, provenance, parent, child, far } = data
  const isNear = far !== undefined
  const look = PROVENANCE[provenance]
  const path = roundedPath(points)
  return (
    <>
      <g onPointerEnter={() => setHovered(true)} onPointerLeave={() => setHovered(false)}>
        <path d={path} fill="none" stroke="transparent" strokeWidth={12} style={{ pointerEvents: 'stroke' }} />
        <path
          d={path}
          fill="none"
          className={isNear || isHovered ? 'stroke-action' : 'stroke-edge'}
          strokeWidth={isNear || isHovered ? look.width + 0.75 : look.width}
          strokeDasharray={look.dash}
          strokeLinecap="round"
        />
      </g>
      {(isHovered || isNear) && <LinkWord at={wordPoint(points, far)} words={isHovered ? `#${child} ${look.words} #${parent}` : look.words} />}
    </>
  )
})

function LinkWord({ at: [x, y], words }: { readonly at: Point; readonly words: string }) {
  return (
    <EdgeLabelRenderer>
      <span style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }} className="pointer-events-none absolute z-[1000] rounded-sm border bg-raised px-1 text-12 whitespace-nowrap">
        {words}
      </span>
    </EdgeLabelRenderer>
  )
}

export const edgeTypes = { link: LinkLine }
