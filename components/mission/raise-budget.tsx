'use client'

import { useState } from 'react'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/field.tsx'
import { draftOf, limitsIn, raisedBudget, raiseFault } from './budget-raise.ts'
import { useMission } from './mission-context.tsx'
import { isReason, ReasonField } from './reason-field.tsx'

/** Gives the Mission more to work with, signed by the owner. */
export function RaiseBudgetDialog({ onClose }: { readonly onClose: () => void }) {
  const { missionId, groupId, title, revision, limits, me } = useMission()
  const { run, phase, isBusy } = useCommand()
  const [draft, setDraft] = useState(() => draftOf(limits))
  const [reason, setReason] = useState('')
  const budget = raisedBudget(limits, draft)
  const raise = async () => {
    if (budget === undefined) return
    const outcome = await run(
      { kind: 'ext.countersign.mission.budget_raise', groupId, membershipEpoch: me.membershipEpoch, expectedRevision: revision, payload: { budget, reason: reason.trim() } },
      { [missionId]: title, [groupId]: title },
    )
    if (outcome.ok) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title="Raise the budget"
      description="The mission may use this much in all. The coordinator hands it out to the work."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>Leave it as it is</Button>
          <Button variant="primary" busy={isBusy} disabled={budget === undefined || !isReason(reason)} onClick={() => void raise()}>Review and sign</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          {limitsIn(limits).map(({ member, label }) => (
            <Field key={member} label={label} error={raiseFault(limits, member, draft[member] ?? '')}>
              {(control) => <Input {...control} inputMode="decimal" value={draft[member] ?? ''} onChange={(event) => setDraft({ ...draft, [member]: event.target.value })} />}
            </Field>
          ))}
        </div>
        <ReasonField hint="Signed with the new budget; everybody in the mission reads it." value={reason} onChange={setReason} />
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
