'use client'

import { classNames } from '../ui/class-names.ts'
import { visibleText } from '../ui/visible-text.ts'
import { useSelection } from './use-selection.ts'

/** `#128`: selects that entry of the log, whichever tab is open. */
export function SequenceLink({ sequence, className }: { readonly sequence: number; readonly className?: string }) {
  const { select, selected } = useSelection()
  return (
    <button
      type="button"
      aria-pressed={selected === String(sequence)}
      aria-label={`Entry ${sequence} of the log`}
      onClick={() => select(sequence)}
      className={classNames('rounded-sm text-action underline-offset-2 hover:underline', className)}
    >
      #{sequence}
    </button>
  )
}

/** A derived sentence that may end in the entry it rests on: "Waits for “inventory” (#41)". The number becomes a link. */
export function LinkedSentence({ sentence, sequence }: { readonly sentence: string; readonly sequence?: number | undefined }) {
  const ending = sequence === undefined ? undefined : ` (#${sequence})`
  const words = ending !== undefined && sentence.endsWith(ending) ? sentence.slice(0, -ending.length) : sentence
  return (
    <>
      <bdi>{visibleText(words)}</bdi>
      {sequence !== undefined && (
        <>
          {' '}
          <SequenceLink sequence={sequence} />
        </>
      )}
    </>
  )
}
