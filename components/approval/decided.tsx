import Link from 'next/link'
import { FileDown } from 'lucide-react'
import { missionPath, receiptPath } from '../mission/mission-paths.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import type { ApprovalView } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Section } from '../ui/page-header.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'

/** What stands here while nothing waits for a decision: the decisions so far, and the receipt once there is one. */
export function NothingToDecide({ view }: { readonly view: ApprovalView }) {
  const { mission, decisions } = view
  const isApproved = mission.state === 'approved'
  return (
    <div className="grid gap-6 py-8">
      <EmptyState
        title={isApproved ? 'This mission is approved' : 'Nothing waits for a decision'}
        action={
          <div className="flex flex-wrap gap-2">
            {isApproved && <a href={receiptPath(mission.missionId)} download className={buttonClass()}><FileDown aria-hidden className="size-4" />Download the receipt</a>}
            <Link href={missionPath(mission.missionId)} className={buttonClass()}>Open the board</Link>
          </div>
        }
      >
        {isApproved ? 'An approval is never edited or taken back. A correction is a new mission that follows this one.' : 'The coordinator submits the mission when its work is done. It then stands here and under Approvals.'}
      </EmptyState>
      {decisions.length > 0 && (
        <Section title="Your decisions">
          <ul className="divide-y">
            {decisions.map(({ approval, sequence }) => (
              <li key={approval.approvalId} className="grid gap-2 py-4">
                <p className="flex flex-wrap items-center gap-3">
                  <StateTag state={approval.decision} />
                  <span>revision {approval.missionRevision}, {approval.artifactHashes.length} artifacts</span>
                  <time dateTime={approval.occurredAt}>{absoluteTime(approval.occurredAt)}</time>
                  <SequenceLink sequence={sequence} />
                </p>
                {approval.comments !== '' && <PeerText text={approval.comments} />}
                {approval.conditions.map((condition) => <p key={condition}>Condition: <PeerText text={condition} /></p>)}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  )
}
