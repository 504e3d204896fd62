import { SequenceLink } from '../mission/sequence-link.tsx'
import type { ApprovalView } from '../trpc.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { stateWord } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { ChangeTag } from './artifact-review.tsx'

/** What is different from the set that this person signed last, and what they said then. */
export function ChangesSince({ view }: { readonly view: ApprovalView }) {
  const last = view.decisions[0]
  if (!last) return <p className="py-3">You have not decided on this mission before, so everything below is new to you.</p>
  const { approval } = last
  const rows = [
    ...view.artifacts.map((artifact) => ({ key: artifact.contentHash + artifact.workItemId, name: artifact.name, change: artifact.change })),
    ...view.removed.map((artifact) => ({ key: artifact.contentHash, name: artifact.name, change: 'removed' as const })),
  ]
  return (
    <div className="grid gap-3 py-3">
      <p>
        {stateWord(approval.decision)} by you on revision {approval.missionRevision}, <RelativeTime at={approval.occurredAt} /> (<SequenceLink sequence={last.sequence} />).
      </p>
      {approval.comments !== '' && <blockquote className="border-l-2 pl-3"><PeerText text={approval.comments} /></blockquote>}
      <ul className="grid gap-1.5">
        {rows.map(({ key, name, change }) => <li key={key} className="flex min-w-0 items-center gap-3"><span className="w-24 shrink-0"><ChangeTag change={change} /></span><bdi className="min-w-0 truncate">{visibleText(name)}</bdi></li>)}
      </ul>
    </div>
  )
}
