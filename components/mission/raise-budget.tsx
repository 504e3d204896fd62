'use client'

import { useState } from 'react'
import { Field, Input } from '../ui/field.tsx'
import { draftOf, limitsIn, raisedBudget, raiseFault } from './budget-raise.ts'
import { DecisionDialog } from './decision-dialog.tsx'
import { useMission } from './mission-context.tsx'

/** Gives the Mission more to work with, signed by the owner. */
export function RaiseBudgetDialog({ onClose }: { readonly onClose: () => void }) {
  const { limits, revision } = useMission()
  const [draft, setDraft] = useState(() => draftOf(limits))
  const budget = raisedBudget(limits, draft)
  return (
    <DecisionDialog
      title="Raise the budget"
      description="You sign how much the mission may use in all. The coordinator hands out what is new to the work."
      keep="Leave it as it is"
      reasonHint="Signed with the new budget; everybody in the mission reads it."
      draft={(reason) => budget && { kind: 'ext.countersign.mission.budget_raise', expectedRevision: revision, payload: { budget, reason } }}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {limitsIn(limits).map(({ member, label }) => (
          <Field key={member} label={label} error={raiseFault(limits, member, draft[member] ?? '')}>
            {(control) => <Input {...control} inputMode="decimal" value={draft[member] ?? ''} onChange={(event) => setDraft({ ...draft, [member]: event.target.value })} />}
          </Field>
        ))}
      </div>
    </DecisionDialog>
  )
}
