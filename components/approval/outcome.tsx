'use client'

import Link from 'next/link'
import { FileDown } from 'lucide-react'
import { missionPath, receiptPath } from '../mission/mission-paths.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { CommandProgress } from '../signing/command-progress.tsx'
import type { CommandPhase } from '../signing/use-command.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/strict-json.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'

export interface DecisionOutcomeProps {
  readonly phase: CommandPhase
  readonly missionId: string
  /** What the coordinator has submitted since. */
  readonly next?: { readonly revision: number; readonly onOpen: () => void }
}

/** How far a decision has come: signed here, accepted, verified. Only the last may say that the mission is approved. */
export function DecisionOutcome({ phase, missionId, next }: DecisionOutcomeProps) {
  if (phase.step === 'idle' || phase.step === 'signing') return null
  // What moved is told where the review is, with the way on.
  if (phase.step === 'refused' && phase.refusal.code === 'MOVED') return null
  return (
    <section aria-label="Your decision" aria-live="polite" className="mt-4 grid gap-3 rounded-md border px-4 py-4">
      <CommandProgress phase={phase} />
      {phase.step === 'verified' && <Verified event={phase.event} missionId={missionId} next={next} />}
    </section>
  )
}

interface VerifiedProps {
  readonly event: Extract<CommandPhase, { step: 'verified' }>['event']
  readonly missionId: string
  readonly next: DecisionOutcomeProps['next'] | undefined
}

function Verified({ event, missionId, next }: VerifiedProps) {
  if (event.kind === 'ext.countersign.mission.root_decided') return <DecidedAtRoot event={event} missionId={missionId} />
  const isApproved = event.kind === 'mission.approved'
  const onwards = next ? `The coordinator has submitted revision ${next.revision}.` : 'The mission is active again; the coordinator reads your comment and submits anew.'
  return (
    <>
      <p className="text-16 font-semibold">
        {isApproved ? 'Approved and verified' : 'Changes requested and verified'}
        {event.sequence !== undefined && <span className="ml-2 font-normal"><SequenceLink sequence={event.sequence} /></span>}
      </p>
      <p>{isApproved ? 'The mission is closed for good. The receipt verifies offline, without an account here.' : onwards}</p>
      <div className="flex flex-wrap gap-2">
        {isApproved && <a href={receiptPath(missionId)} download className={buttonClass()}><FileDown aria-hidden className="size-4" />Download the receipt</a>}
        {next && <Button variant="primary" onClick={next.onOpen}>Review revision {next.revision}</Button>}
        <Link href={missionPath(missionId)} className={buttonClass()}>Back to the board</Link>
      </div>
    </>
  )
}

/** The human at the root has signed about a child Mission; its owner, the Coordinator of the Mission above, goes on from there. */
function DecidedAtRoot({ event, missionId }: Pick<VerifiedProps, 'event' | 'missionId'>) {
  const approval = event.payload['approval']
  const isApproved = isJsonObject(approval as JsonValue) && (approval as JsonObject)['decision'] === 'approved'
  return (
    <>
      <p className="text-16 font-semibold">
        {isApproved ? 'Your approval is verified' : 'Your request for changes is verified'}
        {event.sequence !== undefined && <span className="ml-2 font-normal"><SequenceLink sequence={event.sequence} /></span>}
      </p>
      <p>{isApproved ? 'The coordinator of the mission above approves next and takes the result up. Nothing more is asked of you.' : 'This submission cannot be approved any more. The coordinator of the mission above sends it back with what you asked for.'}</p>
      <Link href={missionPath(missionId)} className={classNames(buttonClass(), 'justify-self-start')}>Back to the board</Link>
    </>
  )
}
