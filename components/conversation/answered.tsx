'use client'

import { CornerDownRight } from 'lucide-react'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import { visibleText } from '../ui/visible-text.ts'

/** A Message as chips and quotes name it. */
export interface Quote {
  readonly messageId: string
  readonly sequence: number
  readonly authorName: string
  readonly words: string
}

/** A loaded Message is quoted; anything else that is answered is named by its place in the log. */
export function Answered({ quote, sequence }: { readonly quote: Quote | undefined; readonly sequence: number | undefined }) {
  const { select } = useSelection()
  if (!quote) return <p className="flex items-center gap-1 text-12 text-muted"><CornerDownRight aria-hidden className="size-3.5 shrink-0" />{sequence === undefined ? 'answers something that is not shown here' : <>answers <SequenceLink sequence={sequence} /></>}</p>
  return (
    <button type="button" onClick={() => select(quote.sequence)} className="flex w-full min-w-0 items-center gap-1 text-left text-12 text-muted hover:text-ink">
      <CornerDownRight aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate">answers <bdi className="font-medium">{visibleText(quote.authorName)}</bdi> #{quote.sequence}: <bdi>{visibleText(quote.words)}</bdi></span>
    </button>
  )
}
