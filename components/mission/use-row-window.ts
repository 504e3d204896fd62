'use client'

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

export interface RowWindow {
  readonly scroller: RefObject<HTMLDivElement | null>
  /** Rows to render: `from` inclusive, `to` exclusive. */
  readonly from: number
  readonly to: number
  readonly isAtEnd: boolean
  readonly onScroll: () => void
  /** Brings a row into view without centring it when it is there already. */
  readonly reveal: (row: number) => void
  readonly scrollToEnd: () => void
}

const OVERSCAN = 12

/**
 * The rows of a long list that are in view, all of one height. `origin` is the absolute number of the first row: when
 * older rows are added above, it falls, and the view stays where it was. A view at the end follows growth there.
 */
export function useRowWindow({ count, rowHeight, origin, followsEnd }: { readonly count: number; readonly rowHeight: number; readonly origin: number; readonly followsEnd: boolean }): RowWindow {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 0 })
  const isAtEnd = view.top + view.height >= count * rowHeight - rowHeight / 2

  const measure = useCallback(() => {
    const element = scroller.current
    if (element) setView((last) => (last.top === element.scrollTop && last.height === element.clientHeight ? last : { top: element.scrollTop, height: element.clientHeight }))
  }, [])
  const scrollTo = useCallback((top: number) => {
    if (scroller.current) scroller.current.scrollTop = top
    measure()
  }, [measure])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [measure])

  const shown = useRef({ origin, count: 0, wasAtEnd: true })
  useLayoutEffect(() => {
    const { origin: before, count: known, wasAtEnd } = shown.current
    const element = scroller.current
    if (element && count > 0) {
      if (followsEnd && (known === 0 || (wasAtEnd && count > known))) scrollTo(element.scrollHeight)
      else if (origin < before && known > 0) scrollTo(element.scrollTop + (before - origin) * rowHeight)
    }
    shown.current = { ...shown.current, origin, count }
  }, [origin, count, rowHeight, followsEnd, scrollTo])
  useEffect(() => {
    shown.current = { ...shown.current, wasAtEnd: isAtEnd }
  }, [isAtEnd])

  const reveal = useCallback((row: number) => {
    const element = scroller.current
    if (!element || row < 0) return
    const top = row * rowHeight
    if (top < element.scrollTop) scrollTo(top)
    else if (top + rowHeight > element.scrollTop + element.clientHeight) scrollTo(top + rowHeight - element.clientHeight)
  }, [rowHeight, scrollTo])

  return {
    scroller,
    from: Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN),
    to: Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN),
    isAtEnd,
    onScroll: measure,
    reveal,
    scrollToEnd: () => scrollTo(count * rowHeight),
  }
}
