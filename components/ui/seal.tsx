import { classNames } from './class-names.ts'

/** `signed`: a signature is there. `verified`: it was checked on this machine. `failed`: the check failed. */
export type SealState = 'signed' | 'verified' | 'failed'

const WORDS: Record<SealState, string> = { signed: 'Signed', verified: 'Verified here', failed: 'Not verified' }
const TONES: Record<SealState, string> = { signed: 'text-muted', verified: 'text-seal', failed: 'text-fail' }

// A disc with twelve scallops, as wax leaves it; the broken one is cracked from edge to edge.
const WAX =
  'M8 .9l1.5 1.3 1.9-.6.8 1.8 2 .4-.1 2 1.6 1.2-1 1.8.7 1.9-1.8.9-.3 2-2 .1-1.1 1.7-1.9-.8-1.8.8-1.2-1.7-2-.1-.3-2-1.8-.9.7-1.9L.8 7l1.6-1.2-.1-2 2-.4.8-1.8 1.9.6z'

export interface SealProps {
  readonly state: SealState
  /** For a failed check: the stage that failed, in words. */
  readonly stage?: string
  /** Keeps the words for assistive technology and the tooltip. */
  readonly compact?: boolean
  readonly className?: string
}

/** The mark of authority. Green stands only on a signature that was verified on this machine. */
export function Seal({ state, stage, compact = false, className }: SealProps) {
  const words = stage === undefined ? WORDS[state] : `${WORDS[state]}: ${stage}`
  return (
    <span
      data-seal={state}
      title={compact ? words : undefined}
      className={classNames('inline-flex shrink-0 items-center gap-1 text-12 font-medium', TONES[state], className)}
    >
      <svg aria-hidden viewBox="0 0 16 16" className="size-4 shrink-0">
        <path d={WAX} fill={state === 'verified' ? 'currentColor' : 'none'} stroke="currentColor" strokeWidth={1.1} strokeLinejoin="round" />
        {state === 'verified' && <path d="M5 8.2l2.1 2.1L11 6.2" fill="none" className="stroke-paper" strokeWidth={1.6} strokeLinecap="round" strokeLinejoin="round" />}
        {state === 'failed' && <path d="M9.6 1.6L7 6.4l2.4 1.8L6.6 14.4" fill="none" stroke="currentColor" strokeWidth={1.4} strokeLinejoin="round" />}
      </svg>
      <span className={compact ? 'sr-only' : undefined}>{words}</span>
    </span>
  )
}
