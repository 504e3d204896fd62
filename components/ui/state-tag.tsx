import {
  Archive,
  Ban,
  Check,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CirclePlay,
  CircleX,
  Flag,
  Hourglass,
  Inbox,
  PenLine,
  RotateCcw,
  Send,
  type LucideIcon,
} from 'lucide-react'
import { classNames } from './class-names.ts'

export type StateTone = 'ink' | 'wait' | 'fail' | 'past'

interface StateLook {
  readonly word: string
  readonly Icon: LucideIcon
  readonly tone: StateTone
}

const look = (word: string, Icon: LucideIcon, tone: StateTone): StateLook => ({ word, Icon, tone })

/** States of Missions, WorkItems, proposals, Memberships, decisions and derived health. Green is no tone: it belongs to verified signatures. */
const STATES: Readonly<Record<string, StateLook>> = {
  active: look('Active', CirclePlay, 'ink'),
  running: look('Running', CirclePlay, 'ink'),
  awaiting_approval: look('Awaiting approval', PenLine, 'wait'),
  approved: look('Approved', CircleCheck, 'ink'),
  failed: look('Failed', CircleX, 'fail'),
  cancelled: look('Cancelled', Ban, 'past'),
  open: look('Open', CircleDashed, 'ink'),
  offered: look('Offered', Send, 'ink'),
  queued: look('Queued', Inbox, 'ink'),
  blocked: look('Blocked', CirclePause, 'fail'),
  submitted: look('Submitted', Flag, 'ink'),
  verified: look('Verified', Check, 'ink'),
  healthy: look('Healthy', CircleCheck, 'ink'),
  'waiting-on-person': look('Waiting on a person', Hourglass, 'wait'),
  failing: look('Failing', CircleX, 'fail'),
  finished: look('Finished', Archive, 'past'),
  changes_requested: look('Changes requested', RotateCcw, 'wait'),
  denied: look('Denied', Ban, 'fail'),
  revoked: look('Revoked', Ban, 'fail'),
  provisional: look('Provisional', CircleDashed, 'ink'),
  authorized: look('Authorized', Check, 'ink'),
  deprecated: look('Deprecated', Archive, 'past'),
  ended: look('Ended', Archive, 'past'),
  confirmed: look('Confirmed', Check, 'ink'),
  not_confirmed: look('Not confirmed', CircleX, 'ink'),
  info: look('For information', CircleDot, 'ink'),
  inconclusive: look('Inconclusive', CircleDashed, 'ink'),
  online: look('Online', CircleDot, 'ink'),
  offline: look('Offline', CircleDashed, 'past'),
}

const TONES: Record<StateTone, string> = {
  ink: 'border-line text-ink',
  wait: 'border-wait/40 bg-wait-wash text-wait',
  fail: 'border-fail/40 bg-fail-wash text-fail',
  past: 'border-line text-past',
}

/** The word for a state; a state unknown here is shown as it is written. */
export const stateWord = (state: string): string => STATES[state]?.word ?? state

/** A state as icon and word; the colour only repeats them. */
export function StateTag({ state, word, className }: { readonly state: string; readonly word?: string; readonly className?: string }) {
  const { Icon, tone, word: known } = STATES[state] ?? look(state, CircleDot, 'ink')
  return (
    <span
      data-state={state}
      className={classNames(
        'inline-flex h-6 shrink-0 items-center gap-1 rounded-full border px-2 text-12 font-medium whitespace-nowrap',
        TONES[tone],
        className,
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {word ?? known}
    </span>
  )
}
