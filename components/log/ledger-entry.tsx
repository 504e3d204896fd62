'use client'

import { useEffect, useState } from 'react'
import { useSelection } from '../mission/use-selection.ts'
import { LedgerRow } from '../ui/ledger-row.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { useEntry } from './use-entry.ts'

export interface LedgerEntryProps {
  readonly entry: { readonly sequence: number; readonly title: string; readonly at: string }
  /** Small words before the time. */
  readonly note?: string
}

/**
 * One entry of the log as a ledger row. It asks for its bytes once it has stayed in view for a moment, so that scrolling
 * past costs nothing; its seal is filled only after they were verified here.
 */
export function LedgerEntry({ entry, note }: LedgerEntryProps) {
  const { selected, select } = useSelection()
  const hasStayed = useHasStayed()
  const { check } = useEntry(entry.sequence, hasStayed)
  return (
    <LedgerRow
      sequence={entry.sequence}
      seal={check?.state ?? 'signed'}
      {...(check?.state === 'failed' && { stage: check.stage })}
      selected={selected === String(entry.sequence)}
      onSelect={() => select(entry.sequence)}
      className="h-8 max-sm:h-13"
      aside={<>{note !== undefined && <span className="mr-4 max-md:hidden">{note}</span>}<RelativeTime at={entry.at} className="max-sm:hidden" /></>}
    >
      <bdi>{visibleText(entry.title)}</bdi>
    </LedgerRow>
  )
}

const STAYED_MS = 150

function useHasStayed(): boolean {
  const [hasStayed, setHasStayed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setHasStayed(true), STAYED_MS)
    return () => clearTimeout(timer)
  }, [])
  return hasStayed
}
