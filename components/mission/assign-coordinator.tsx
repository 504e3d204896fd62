'use client'

import { useState } from 'react'
import { CoordinatorPicker, useAgents } from '../missions/coordinator-picker.tsx'
import { USUAL_LEASE_SECONDS } from '../missions/mission-draft.ts'
import { DecisionDialog } from './decision-dialog.tsx'
import { useMission } from './mission-context.tsx'

/** Puts an Agent in charge of coordination, signed by the owner: another one, or the same again once its lease has run out. */
export function AssignCoordinatorDialog({ onClose }: { readonly onClose: () => void }) {
  const { revision } = useMission()
  const agents = useAgents().data?.agents ?? []
  const [coordinatorAgentId, setCoordinator] = useState('')
  return (
    <DecisionDialog
      title="Put an agent in charge"
      description="It coordinates from now on. What the former coordinator still sends counts no more; work under way goes on with its workers."
      keep="Leave it as it is"
      reasonHint="Signed with the assignment; everybody in the mission reads it."
      draft={(reason) => (coordinatorAgentId === '' ? undefined : { kind: 'mission.assign_coordinator', expectedRevision: revision, payload: { coordinatorAgentId, leaseSeconds: USUAL_LEASE_SECONDS, reason } })}
      names={Object.fromEntries(agents.map(({ agentId, name }) => [agentId, name]))}
      onClose={onClose}
    >
      <CoordinatorPicker value={coordinatorAgentId} onChange={setCoordinator} fault={undefined} />
    </DecisionDialog>
  )
}
