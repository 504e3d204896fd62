'use client'

import { useEffect } from 'react'
import { X } from 'lucide-react'
import { useMission } from '../mission/mission-context.tsx'
import type { Selection } from '../mission/selection.ts'
import { useSelection } from '../mission/use-selection.ts'
import { IconButton } from '../ui/button.tsx'
import { ArtifactInspector } from './artifact-inspector.tsx'
import { EntryInspector } from './entry-inspector.tsx'
import { PersonInspector } from './person-inspector.tsx'
import { WorkInspector } from './work-inspector.tsx'

/** What is selected, in every tab the same panel: beside the view where there is room, over it where there is not. */
export function Inspector() {
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
        <h2 className="text-13 font-semibold text-muted">{TITLES[selection.type]}</h2>
        <IconButton label="Close the inspector (Escape)" onClick={() => select(undefined)}><X aria-hidden className="size-4" /></IconButton>
      </div>
      <div className="grid gap-4 p-4"><Selected selection={selection} /></div>
    </aside>
  )
}

const TITLES: Readonly<Record<Selection['type'], string>> = { entry: 'Entry of the log', artifact: 'Artifact', id: 'Selected' }

function Selected({ selection }: { readonly selection: Selection }) {
  const mission = useMission()
  if (selection.type === 'entry') return <EntryInspector key={selection.sequence} sequence={selection.sequence} />
  if (selection.type === 'artifact') return <ArtifactInspector contentHash={selection.contentHash} />
  const item = mission.work.find((work) => work.workItemId === selection.id)
  if (item) return <WorkInspector item={item} />
  const person = [mission.owner, mission.coordinator, ...mission.people].find((who) => who.id === selection.id)
  if (person) return <PersonInspector who={person} />
  return <p className="text-13 text-muted">Nothing in this mission has this id. It may belong to another mission.</p>
}

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest('input, textarea, select, [role="dialog"]') !== null
