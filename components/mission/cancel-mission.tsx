'use client'

import { DecisionDialog } from './decision-dialog.tsx'
import { useMission } from './mission-context.tsx'

/** Ends a Mission for good, with a reason, signed. */
export function CancelDialog({ onClose }: { readonly onClose: () => void }) {
  const { revision } = useMission()
  return (
    <DecisionDialog
      title="Cancel this mission"
      description="You end the mission in your name. All unfinished work stops, and a cancelled mission never opens again. Everything that happened stays in the log."
      keep="Keep it"
      isDangerous
      reasonHint="Signed with the cancellation; everybody in the mission reads it."
      draft={(reason) => ({ kind: 'mission.cancel', expectedRevision: revision, payload: { reason } })}
      onClose={onClose}
    />
  )
}
