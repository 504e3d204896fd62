'use client'

import { useState } from 'react'
import { Ban, Ellipsis } from 'lucide-react'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextArea } from '../ui/field.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { useMission } from './mission-context.tsx'

const MAX_REASON_LENGTH = 4_000

/** What only the owner of a Mission may do besides deciding on its result: end it for good, with a reason, signed. */
export function OwnerMenu() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Menu trigger={<IconButton label="More about this mission"><Ellipsis aria-hidden className="size-4" /></IconButton>}>
        <MenuItem onSelect={() => setOpen(true)}><Ban aria-hidden className="size-4" />Cancel this mission</MenuItem>
      </Menu>
      {isOpen && <CancelDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function CancelDialog({ onClose }: { readonly onClose: () => void }) {
  const { missionId, groupId, title, revision, me } = useMission()
  const { run, phase, isBusy } = useCommand()
  const [reason, setReason] = useState('')
  const isTooLong = [...reason.trim()].length > MAX_REASON_LENGTH
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
          <Button variant="danger" busy={isBusy} disabled={reason.trim() === '' || isTooLong} onClick={() => void cancel()}>Review and sign</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <Field label="Reason" hint="Signed with the cancellation; everybody in the mission reads it." error={isTooLong ? `At most ${MAX_REASON_LENGTH} characters.` : undefined}>
          {(control) => <TextArea {...control} value={reason} onChange={(event) => setReason(event.target.value)} />}
        </Field>
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
