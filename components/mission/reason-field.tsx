'use client'

import { Field, TextArea } from '../ui/field.tsx'

const MAX_REASON_LENGTH = 4_000

const lengthOf = (reason: string): number => [...reason.trim()].length

/** Whether a Command may carry this text as its reason. */
export const isReason = (reason: string): boolean => lengthOf(reason) > 0 && lengthOf(reason) <= MAX_REASON_LENGTH

/** Why somebody does what is about to be signed. */
export function ReasonField({ hint, value, onChange }: { readonly hint: string; readonly value: string; readonly onChange: (reason: string) => void }) {
  return (
    <Field label="Reason" hint={hint} error={lengthOf(value) > MAX_REASON_LENGTH ? `At most ${MAX_REASON_LENGTH} characters.` : undefined}>
      {(control) => <TextArea {...control} value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  )
}
