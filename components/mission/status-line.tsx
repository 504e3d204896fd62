import { CircleCheck, CirclePause, CircleX, Archive, Hourglass, type LucideIcon } from 'lucide-react'
import type { MissionView } from '../trpc.tsx'
import { classNames } from '../ui/class-names.ts'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { Countdown } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { SequenceLink } from './sequence-link.tsx'

type Status = MissionView['status']

const LOOKS: Readonly<Record<Status['health'], { readonly word: string; readonly Icon: LucideIcon; readonly className: string }>> = {
  healthy: { word: 'Healthy', Icon: CircleCheck, className: 'text-ink' },
  'waiting-on-person': { word: 'Waiting', Icon: Hourglass, className: 'text-wait' },
  blocked: { word: 'Blocked', Icon: CirclePause, className: 'text-fail' },
  failing: { word: 'Failing', Icon: CircleX, className: 'text-fail' },
  finished: { word: 'Finished', Icon: Archive, className: 'text-past' },
}

/** One line: how is it, why, until when, who must act. */
export function StatusSentence({ status, myId }: { readonly status: Status; readonly myId: string }) {
  const { word, Icon, className } = LOOKS[status.health]
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className={classNames('inline-flex items-center gap-1.5 font-semibold', className)}>
        <Icon aria-hidden className="size-4" />
        {word}
      </span>
      <bdi className="font-medium">{visibleText(status.sentence)}</bdi>
      {status.sequence !== undefined && <SequenceLink sequence={status.sequence} className="text-13" />}
      <bdi className="text-muted">{visibleText(status.because)}</bdi>
      {status.until !== undefined && (
        <span className="text-13 text-muted">
          deadline in <Countdown until={status.until} label="Deadline" />
        </span>
      )}
      {status.actor && (
        <span className="inline-flex items-center gap-1.5 text-13 text-muted">
          acts next: <PrincipalName id={status.actor.id} name={status.actor.name} note={status.actor.id === myId ? 'you' : status.actor.type} />
        </span>
      )}
    </p>
  )
}
