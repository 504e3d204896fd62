'use client'

import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react'

export interface StreamScroll {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  /** Entries that arrived below while the reader was further up. */
  readonly unseen: number
  readonly toEnd: () => void
}

interface Shown { readonly first: number | undefined; readonly count: number; readonly height: number; readonly isAtEnd: boolean }

const NEAR_END_PX = 48

export interface StreamExtent {
  /** Names the stream; another one opens at its end. */
  readonly threadKey: string
  readonly first: number | undefined
  /** Changes whenever the last entry becomes another one, as a Message on its way becomes a Message. */
  readonly lastKey: string
  readonly count: number
}

/**
 * Keeps the reader's place in a stream of entries of any height: what is added above pushes nothing, what arrives below
 * is followed only by a reader who is at the end.
 */
export function useStreamScroll({ threadKey, first, lastKey, count }: StreamExtent): StreamScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const shown = useRef<Shown>({ first: undefined, count: 0, height: 0, isAtEnd: true })
  const thread = useRef(threadKey)
  const [unseen, setUnseen] = useState(0)

  const toEnd = useCallback(() => {
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
    setUnseen(0)
  }, [])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const last = thread.current === threadKey ? shown.current : { first: undefined, count: 0, height: 0, isAtEnd: true }
    thread.current = threadKey
    const isOlderAdded = last.first !== undefined && first !== undefined && first < last.first
    if (isOlderAdded) element.scrollTop += element.scrollHeight - last.height
    else if (last.isAtEnd) toEnd()
    else if (count > last.count) setUnseen((before) => before + count - last.count)
    shown.current = { first, count, height: element.scrollHeight, isAtEnd: isNearEnd(element) }
  }, [threadKey, first, lastKey, count, toEnd])

  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const isAtEnd = isNearEnd(element)
    shown.current = { ...shown.current, height: element.scrollHeight, isAtEnd }
    if (isAtEnd) setUnseen(0)
  }, [])
  return { scroller, onScroll, unseen, toEnd }
}

const isNearEnd = (element: HTMLElement): boolean => element.scrollTop + element.clientHeight >= element.scrollHeight - NEAR_END_PX
