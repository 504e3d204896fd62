import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Seal, type SealProps } from './seal.tsx'

export interface LedgerRowProps {
  readonly sequence?: number
  readonly seal?: SealProps['state']
  /** For a broken seal: the stage that failed. */
  readonly stage?: string
  /** "Licence worker submitted 1 artifact": the verb of authority. */
  readonly children: ReactNode
  /** Time or figures at the far end. */
  readonly aside?: ReactNode
  readonly selected?: boolean
  readonly onSelect?: () => void
  readonly className?: string
}

/** Voice of authority: a row with a left rule, its sequence number and a seal. */
export function LedgerRow({ sequence, seal = 'signed', stage, children, aside, selected = false, onSelect, className }: LedgerRowProps) {
  const content = (
    <>
      <Seal state={seal} compact {...(stage === undefined ? {} : { stage })} />
      {sequence !== undefined && <span className="w-10 shrink-0 sm:w-12 text-left text-13 text-muted">#{sequence}</span>}
      <span className="line-clamp-1 min-w-0 flex-1 text-left max-sm:line-clamp-2">{children}</span>
      {aside !== undefined && <span className="shrink-0 text-12 text-muted">{aside}</span>}
    </>
  )
  const look = classNames('row w-full gap-2 border-l-2 pr-2 pl-3', selected ? 'border-action bg-action-wash' : 'border-ink', className)
  if (onSelect === undefined) return <div className={look}>{content}</div>
  return (
    <button type="button" aria-pressed={selected} onClick={onSelect} className={classNames(look, !selected && 'hover:bg-sunk')}>
      {content}
    </button>
  )
}
