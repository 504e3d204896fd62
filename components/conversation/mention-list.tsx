'use client'

import type { ParticipantView } from '../trpc.tsx'
import { classNames } from '../ui/class-names.ts'
import { PrincipalName } from '../ui/principal-mark.tsx'

export interface MentionListProps<P extends ParticipantView> {
  readonly id: string
  readonly people: readonly P[]
  readonly active: number
  readonly onChoose: (who: P) => void
}

export const optionId = (listId: string, at: number): string => `${listId}-${at}`

/** Who can be mentioned; the text field keeps the focus and names the active choice. */
export function MentionList<P extends ParticipantView>({ id, people, active, onChoose }: MentionListProps<P>) {
  return (
    <ul id={id} role="listbox" aria-label="Mention" className="absolute bottom-full left-0 z-10 mb-1 max-h-56 w-72 max-w-full overflow-y-auto rounded-md border bg-raised p-1 shadow-float">
      {people.map((who, at) => (
        <li
          key={who.id}
          id={optionId(id, at)}
          role="option"
          aria-selected={at === active}
          onPointerDown={(event) => {
            event.preventDefault()
            onChoose(who)
          }}
          className={classNames('row cursor-pointer rounded-sm px-2', at === active && 'bg-action-wash')}
        >
          <PrincipalName id={who.id} name={who.name} note={who.role?.replaceAll('_', ' ') ?? who.type} />
        </li>
      ))}
    </ul>
  )
}
