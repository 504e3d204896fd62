'use client'

import { useEffect, type ReactNode } from 'react'
import { ArrowDown } from 'lucide-react'
import { useSelection } from '../mission/use-selection.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { useStreamScroll, type StreamExtent } from './use-stream-scroll.ts'

export interface StreamScrollerProps {
  readonly label: string
  readonly extent: StreamExtent
  /** Its height. */
  readonly className: string
  readonly children: ReactNode
}

/** The id of the element that shows this entry of the log. */
export const entryElementId = (sequence: number): string => `entry-${sequence}`

/** A box in which a stream of entries is read: it opens at its end and says what arrives while the reader is further up. */
export function StreamScroller({ label, extent, className, children }: StreamScrollerProps) {
  const { scroller, onScroll, unseen, toEnd } = useStreamScroll(extent)
  useRevealSelected(extent.count > 0)
  return (
    <div className="relative">
      <div ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label={label} className={classNames('min-h-72 overflow-y-auto [overflow-anchor:none]', className)}>
        <div className="grid min-h-full content-end gap-3 py-2 pr-2">{children}</div>
      </div>
      {unseen > 0 && (
        <Button icon={<ArrowDown aria-hidden className="size-4" />} onClick={toEnd} className="absolute right-4 bottom-4 shadow-float">{unseen} new</Button>
      )}
    </div>
  )
}

/** Brings an entry that was selected elsewhere into view, once it is there. */
function useRevealSelected(isLoaded: boolean): void {
  const { selection } = useSelection()
  const sequence = selection?.type === 'entry' ? selection.sequence : undefined
  useEffect(() => {
    if (isLoaded && sequence !== undefined) document.getElementById(entryElementId(sequence))?.scrollIntoView({ block: 'nearest' })
  }, [isLoaded, sequence])
}
