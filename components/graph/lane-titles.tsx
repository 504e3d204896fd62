'use client'

import { useViewport } from '@xyflow/react'
import { visibleText } from '../ui/visible-text.ts'
import { LANE_WIDTH } from './geometry.ts'

/** Titles of the lanes in view, standing still while the graph moves below them, and the hairlines between lanes. */
export function LaneTitles({ lanes, titles, width }: { readonly lanes: readonly string[]; readonly titles: ReadonlyMap<string, string>; readonly width: number }) {
  const { x, zoom } = useViewport()
  const laneWidth = LANE_WIDTH * zoom
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0 z-[5] overflow-hidden">
      {lanes.map((lane, at) => {
        const left = at * laneWidth + x
        if (left + laneWidth < 0 || left > width) return null
        const title = titles.get(lane) ?? lane
        return (
          <div key={lane} style={{ transform: `translateX(${left}px)`, width: laneWidth }} className="absolute inset-y-0 left-0 border-r border-line">
            <p title={visibleText(title)} style={{ paddingLeft: Math.max(0, -left) + 12 }} className="truncate border-b bg-paper py-1.5 pr-3 text-12 font-semibold text-muted"><bdi>{visibleText(title)}</bdi></p>
          </div>
        )
      })}
    </div>
  )
}
