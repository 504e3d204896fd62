'use client'

import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'next/navigation'
import type { Selection } from './selection.ts'
import { parseSelection, withSelection } from './selection.ts'

export interface SelectionControl {
  readonly selection: Selection | undefined
  /** The parameter as it stands in the address. */
  readonly selected: string | undefined
  /** A sequence, a content hash or an id; undefined clears. The address changes, the history does not grow. */
  readonly select: (target: string | number | undefined) => void
}

/** The one selection of the page; the address holds it, so every tab and every shared link shows the same. */
export function useSelection(): SelectionControl {
  const selected = useSearchParams().get('sel') ?? undefined
  const selection = useMemo(() => parseSelection(selected ?? null), [selected])
  const select = useCallback((target: string | number | undefined) => {
    window.history.replaceState(null, '', withSelection(window.location.href, target === undefined ? undefined : String(target)))
  }, [])
  return { selection, selected, select }
}
