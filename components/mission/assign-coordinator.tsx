'use client'

import { useState } from 'react'
import { CoordinatorPicker, useAgents } from '../missions/coordinator-picker.tsx'
import { USUAL_LEASE_SECONDS } from '../missions/mission-draft.ts'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useMission } from './mission-context.tsx'
import { isReason, ReasonField } from './reason-field.tsx'

/** Puts an Agent in charge of coordination, signed by the owner: another one, or the same again once its lease has run out. */
export function AssignCoordinatorDialog({ onClose }: { readonly onClose: () => void }) {
  const { missionId, groupId, title, revision, me } = useMission()
  const { run, phase, isBusy } = useCommand()
  const agents = useAgents().data?.agents ?? []
  const [coordinatorAgentId, setCoordinator] = useState('')
  const [reason, setReason] = useState('')
  const assign = async () => {
    const outcome = await run(
      { kind: 'mission.assign_coordinator', groupId, membershipEpoch: me.membershipEpoch, expectedRevision: revision, payload: { coordinatorAgentId, leaseSeconds: USUAL_LEASE_SECONDS, reason: reason.trim() } },
      { [missionId]: title, [groupId]: title, ...Object.fromEntries(agents.map(({ agentId, name }) => [agentId, name])) },
    )
    if (outcome.ok) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title="Put an agent in charge"
      description="It coordinates from now on. What the former coordinator still sends counts no more; work under way goes on with its workers."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>Leave it as it is</Button>
          <Button variant="primary" busy={isBusy} disabled={coordinatorAgentId === '' || !isReason(reason)} onClick={() => void assign()}>Review and sign</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <CoordinatorPicker value={coordinatorAgentId} onChange={setCoordinator} fault={undefined} />
        <ReasonField hint="Signed with the assignment; everybody in the mission reads it." value={reason} onChange={setReason} />
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
