import type { ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'
import { PrincipalName } from '../ui/principal-mark.tsx'

export interface PrincipalChoiceProps {
  /** One of several, or as many as one likes. */
  readonly type: 'radio' | 'checkbox'
  /** The group that a radio belongs to. */
  readonly name: string
  readonly who: { readonly id: string; readonly name: string }
  readonly note: string
  readonly isChosen: boolean
  readonly onChange: (isChosen: boolean) => void
  /** Why this one cannot be chosen, in a sentence. */
  readonly whyNot?: string | undefined
  readonly aside?: ReactNode
}

/** A Principal as a row to choose. */
export function PrincipalChoice({ type, name, who, note, isChosen, onChange, whyNot, aside }: PrincipalChoiceProps) {
  const isOff = whyNot !== undefined
  return (
    <label
      className={classNames(
        'row gap-3 rounded-md border px-3 py-1 has-focus-visible:outline-2 has-focus-visible:outline-action',
        isOff ? 'cursor-not-allowed' : 'cursor-pointer',
        isChosen ? 'border-action bg-action-wash' : !isOff && 'hover:bg-sunk',
      )}
    >
      <input type={type} name={name} value={who.id} checked={isChosen} disabled={isOff} onChange={(event) => onChange(event.target.checked)} className="shrink-0 accent-action" />
      <span className="min-w-0 flex-1">
        <PrincipalName id={who.id} name={who.name} note={note} />
        {isOff && <span className="block text-12 text-muted">{whyNot}</span>}
      </span>
      {aside}
    </label>
  )
}
