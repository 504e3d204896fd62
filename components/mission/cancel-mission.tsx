'use client'

import { DecisionDialog } from './decision-dialog.tsx'

/** Ends a Mission for good, with a reason, signed. */
export function CancelDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <DecisionDialog
      title="Cancel this mission"
      description="All unfinished work stops, and a cancelled mission never opens again. Everything that happened stays in the log."
      keep="Keep it"
      isDangerous
      reasonHint="Signed with the cancellation; everybody in the mission reads it."
      kind="mission.cancel"
      payload={{}}
      onClose={onClose}
    />
  )
}
