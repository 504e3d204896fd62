'use client'

import { useState } from 'react'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useMission } from './mission-context.tsx'
import { isReason, ReasonField } from './reason-field.tsx'

/** Ends a Mission for good, with a reason, signed. */
export function CancelDialog({ onClose }: { readonly onClose: () => void }) {
  const { missionId, groupId, title, revision, me } = useMission()
  const { run, phase, isBusy } = useCommand()
  const [reason, setReason] = useState('')
  const cancel = async () => {
    const outcome = await run(
      { kind: 'mission.cancel', groupId, membershipEpoch: me.membershipEpoch, expectedRevision: revision, payload: { reason: reason.trim() } },
      { [missionId]: title, [groupId]: title },
    )
    if (outcome.ok) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title="Cancel this mission"
      description="All unfinished work stops, and a cancelled mission never opens again. Everything that happened stays in the log."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>Keep it</Button>
          <Button variant="danger" busy={isBusy} disabled={!isReason(reason)} onClick={() => void cancel()}>Review and sign</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <ReasonField hint="Signed with the cancellation; everybody in the mission reads it." value={reason} onChange={setReason} />
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
