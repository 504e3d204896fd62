import type { ReactNode } from 'react'
import { Check, CircleDashed, LoaderCircle } from 'lucide-react'
import { Notice } from '../ui/notice.tsx'
import { Seal } from '../ui/seal.tsx'
import type { CommandPhase, CommandRefusal } from './use-command.ts'

const STEPS = ['Signed here', 'Accepted by the authority', 'Verified here'] as const
const DONE: Record<CommandPhase['step'], number> = { idle: 0, signing: 0, signed: 1, accepted: 2, verified: 3, refused: 0 }

/** How far a Command has come: three states that are never merged. Green only once the authority's Event is verified here. */
export function CommandProgress({ phase }: { readonly phase: CommandPhase }) {
  if (phase.step === 'refused') return <RefusalNotice refusal={phase.refusal} />
  if (phase.step === 'idle') return null
  const done = DONE[phase.step]
  return (
    <ol aria-live="polite" className="flex flex-wrap gap-x-6 gap-y-1 text-13">
      {STEPS.map((words, at) => (
        <li key={words} className={at < done ? 'inline-flex items-center gap-1.5' : 'inline-flex items-center gap-1.5 text-past'}>
          <StepMark isDone={at < done} isNext={at === done} isLast={at === STEPS.length - 1} />
          {!(at < done && at === STEPS.length - 1) && words}
        </li>
      ))}
    </ol>
  )
}

function StepMark({ isDone, isNext, isLast }: { readonly isDone: boolean; readonly isNext: boolean; readonly isLast: boolean }) {
  if (isDone && isLast) return <Seal state="verified" />
  if (isDone) return <Check aria-hidden className="size-4" />
  if (isNext) return <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" />
  return <CircleDashed aria-hidden className="size-4" />
}

/** A refusal in words, its code small behind them. Closing the dialog is no failure and is not shown as one. */
export function RefusalNotice({ refusal, action }: { readonly refusal: CommandRefusal; readonly action?: ReactNode }) {
  if (refusal.code === 'CANCELLED') return <Notice title={refusal.happened}>{refusal.next}</Notice>
  return (
    <Notice tone={refusal.isKept && refusal.code !== 'UNVERIFIED' ? 'wait' : 'fail'} title={refusal.happened} code={refusal.code} action={action}>
      {refusal.next}
      {refusal.stage !== undefined && ` The check that failed: ${refusal.stage}.`}
    </Notice>
  )
}
