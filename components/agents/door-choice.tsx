'use client'

import { classNames } from '../ui/class-names.ts'
import { DOORS, type AgentDoor } from './doors.ts'

/** One of the doors, each with what it is for. */
export function DoorChoice({ value, onChange }: { readonly value: AgentDoor; readonly onChange: (door: AgentDoor) => void }) {
  return (
    <fieldset className="grid gap-2">
      <legend className="pb-1 text-13 font-medium">How it connects</legend>
      {DOORS.map(({ door, name, isFor }) => (
        <label key={door} className={classNames('flex cursor-pointer items-start gap-3 rounded-md border px-3 py-2', value === door ? 'border-action bg-action-wash' : 'border-line bg-raised hover:bg-sunk')}>
          <input type="radio" name="door" value={door} checked={value === door} onChange={() => onChange(door)} className="mt-1 size-4 shrink-0 accent-action" />
          <span className="min-w-0">
            <span className="block font-medium">{name}</span>
            <span className="block text-13 text-muted">{isFor}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
