import { TriangleAlert } from 'lucide-react'
import type { ApprovalView } from '../trpc.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { visibleText } from '../ui/visible-text.ts'

type Pending = NonNullable<ApprovalView['pending']>

/** What the Coordinator submitted as still open, and the work it leaves out, each with its reason. */
export function OpenPoints({ pending }: { readonly pending: Pending }) {
  return (
    <div className="grid gap-4 py-3">
      {pending.openRisks.length === 0 ? <p>The coordinator states no open risk.</p> : (
        <ul className="grid gap-2">
          {pending.openRisks.map((risk) => <li key={risk} className="flex items-start gap-2"><TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" /><PeerText text={risk} /></li>)}
        </ul>
      )}
      {pending.dropped.length === 0 ? <p>No work was dropped.</p> : (
        <div className="grid gap-2">
          <h3 className="font-medium">Dropped work</h3>
          <ul className="grid gap-2">
            {pending.dropped.map(({ workItemId, goal, reason }) => (
              <li key={workItemId}><bdi className="font-medium">{visibleText(goal)}</bdi>: <PeerText text={reason} /></li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
