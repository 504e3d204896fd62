'use client'

import { RefreshCw } from 'lucide-react'
import { counted } from '../mission/counted.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import type { ApprovalView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page-header.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { TalkBubble } from '../ui/talk-bubble.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { actSentence, signedSentence } from './act-sentence.ts'
import { ArtifactReview } from './artifact-review.tsx'
import { ChangesSince } from './changes-since.tsx'
import { DecisionButtons, DecisionWords } from './decision-form.tsx'
import { EvidenceMatrix } from './evidence-matrix.tsx'
import { OpenPoints } from './open-points.tsx'
import { DecisionOutcome } from './outcome.tsx'
import { SigningKeyFacts } from './signing-key.tsx'
import type { Review } from './use-review.ts'
import { useReview } from './use-review.ts'

export interface ReviewColumnProps {
  /** The submission as it was opened: all that can be signed here. */
  readonly opened: ApprovalView
  readonly now: ApprovalView
  readonly onStartAgain: () => void
}

/** One column from the act to the buttons; nothing that must be read is folded away. */
export function ReviewColumn({ opened, now, onStartAgain }: ReviewColumnProps) {
  const review = useReview(opened, now)
  const { mission, pending } = opened
  const isOpen = !review.isDone && !opened.signed
  const next = review.isDone && now.pending && now.pending.missionRevision !== pending?.missionRevision ? now.pending.missionRevision : undefined
  const openNext = () => {
    onStartAgain()
    window.scrollTo({ top: 0 })
  }
  const artifacts = [...new Map(opened.artifacts.map((view) => [view.contentHash, view])).values()]
  return (
    <div className="pt-8 pb-16">
      <h2 className="pb-4 text-20 font-semibold tracking-tight text-balance sm:text-28"><bdi>{visibleText(opened.signed ? signedSentence(opened, opened.signed) : actSentence(opened, 'undecided'))}</bdi></h2>
      <Moved review={review} onStartAgain={onStartAgain} />
      {pending && <Submission pending={pending} coordinator={mission.coordinator} />}
      {!opened.signed && <Section title="What changed since your last signature"><ChangesSince view={opened} /></Section>}
      <Section title={counted(artifacts.length, 'artifact')}>
        <ul>{artifacts.map((view) => <ArtifactReview key={view.contentHash} view={view} review={review} />)}</ul>
      </Section>
      <Section title="Evidence by criterion"><EvidenceMatrix criteria={opened.criteria} people={mission.people} /></Section>
      {pending && <Section title="Open risks and dropped work"><OpenPoints pending={pending} /></Section>}
      {isOpen && <Section title="Your comment and conditions"><DecisionWords review={review} /></Section>}
      {isOpen && <Section title="Your key"><SigningKeyFacts state={review.signingKey} /></Section>}
      <Section title="Your decision">
        {opened.signed && <Signed signed={opened.signed} decider={opened.decider} />}
        {isOpen && <DecisionButtons review={review} />}
        <Moved review={review} onStartAgain={onStartAgain} />
        <DecisionOutcome phase={review.command.phase} missionId={mission.missionId} {...(next !== undefined && { next: { revision: next, onOpen: openNext } })} />
      </Section>
    </div>
  )
}

/** What this person signed about the very submission that is shown, which now waits for somebody else. */
function Signed({ signed, decider }: { readonly signed: NonNullable<ApprovalView['signed']>; readonly decider: ApprovalView['decider'] }) {
  const { approval, sequence } = signed
  return (
    <div className="grid gap-2 py-4">
      <p className="flex flex-wrap items-center gap-3">
        <StateTag state={approval.decision} />
        <span>signed by you, <RelativeTime at={approval.occurredAt} /></span>
        <SequenceLink sequence={sequence} />
      </p>
      {approval.comments !== '' && <PeerText text={approval.comments} />}
      <p className="text-muted"><bdi>{visibleText(decider.name)}</bdi> decides next. Nothing more is asked of you.</p>
    </div>
  )
}

/** What moved while the page was being read. There is no way to sign anyway. */
function Moved({ review, onStartAgain }: { readonly review: Review; readonly onStartAgain: () => void }) {
  const { delta } = review.state
  if (review.hasReadFailed && delta.length === 0) {
    return <div className="pb-4"><Notice tone="fail" title="The mission could not be read again just before signing">Nothing was signed. Check the connection and press again.</Notice></div>
  }
  if (delta.length === 0) return null
  return (
    <div className="pb-4">
      <Notice tone="wait" title={delta[0]} action={<Button icon={<RefreshCw aria-hidden className="size-4" />} onClick={onStartAgain}>See what changed</Button>}>
        {delta.slice(1).map((sentence) => <p key={sentence}>{sentence}</p>)}
        <p>Nothing was signed. What you ticked and opened starts again; there is no way to sign the older one.</p>
      </Notice>
    </div>
  )
}

/** The Coordinator's own words, set apart as talk from the facts around them. */
function Submission({ pending, coordinator }: { readonly pending: NonNullable<ApprovalView['pending']>; readonly coordinator: ApprovalView['mission']['coordinator'] }) {
  return (
    <div className="grid gap-2 pb-8">
      <p>
        Submission {pending.submissionNumber} (<SequenceLink sequence={pending.sequence} />), <RelativeTime at={pending.submittedAt} />.
      </p>
      <TalkBubble author={{ id: coordinator.id, name: coordinator.name, note: coordinator.type }}><PeerText text={pending.summary} /></TalkBubble>
    </div>
  )
}
