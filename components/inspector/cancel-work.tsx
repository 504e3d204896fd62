'use client'

import { DecisionDialog } from '../mission/decision-dialog.tsx'
import type { BoardItem } from '../trpc.tsx'
import { visibleText } from '../ui/visible-text.ts'

/** Ends one WorkItem for good, with a reason, signed by the owner of the Mission. */
export function CancelWorkDialog({ item, onClose }: { readonly item: BoardItem; readonly onClose: () => void }) {
  const { workItemId, revision, goal } = item
  return (
    <DecisionDialog
      title="Cancel this work"
      description="You end it in your name. Nobody goes on with it, what it has not used goes back to the budget, and the coordinator plans around it. It cannot be taken up again."
      keep="Let it go on"
      isDangerous
      reasonHint="Signed with it; everybody in the mission reads it."
      draft={(reason) => ({ kind: 'work.cancel', workItemId, expectedRevision: revision, payload: { workItemId, reason } })}
      names={{ [workItemId]: goal }}
      onClose={onClose}
    >
      <p className="font-medium"><bdi>{visibleText(goal)}</bdi></p>
    </DecisionDialog>
  )
}
