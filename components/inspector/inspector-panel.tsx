'use client'

import { useEffect, type ReactNode } from 'react'
import { X } from 'lucide-react'
import type { Selection } from '../mission/selection.ts'
import { useSelection } from '../mission/use-selection.ts'
import { IconButton } from '../ui/button.tsx'

export interface InspectorPanelProps {
  /** What each kind of selection is. */
  readonly titles: Readonly<Record<Selection['type'], string>>
  readonly children: (selection: Selection) => ReactNode
}

/** The panel of what is selected: beside the view where there is room, over it where there is not. */
export function InspectorPanel({ titles, children }: InspectorPanelProps) {
  const { selection, select } = useSelection()
  const isOpen = selection !== undefined
  useEffect(() => {
    if (!isOpen) return
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isTyping(event.target)) select(undefined)
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [isOpen, select])
  if (!selection) return null
  return (
    <aside
      aria-label="Inspector"
      className="fixed inset-x-0 bottom-14 z-20 max-h-[70dvh] overflow-y-auto rounded-t-lg border bg-raised shadow-float md:inset-y-12 md:right-0 md:bottom-0 md:left-auto md:max-h-none md:w-96 md:rounded-none xl:sticky xl:top-12 xl:z-0 xl:h-[calc(100dvh-3rem)] xl:shrink-0 xl:self-start xl:border-y-0 xl:border-r-0 xl:bg-paper xl:shadow-none"
    >
      <div className="sticky top-0 z-10 flex items-center justify-between border-b bg-inherit px-4 py-1">
        <h2 className="text-13 font-semibold text-muted">{titles[selection.type]}</h2>
        <IconButton label="Close the inspector (Escape)" onClick={() => select(undefined)}><X aria-hidden className="size-4" /></IconButton>
      </div>
      <div className="grid gap-4 p-4">{children(selection)}</div>
    </aside>
  )
}

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest('input, textarea, select, [role="dialog"]') !== null
