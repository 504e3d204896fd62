'use client'

import { useState } from 'react'
import { MarkdownView } from '../artifacts/markdown-view.tsx'
import { PeerText } from '../ui/peer-text.tsx'

const SHOWN = 4_000

export interface LongTextProps {
  readonly text: string
  readonly form?: 'markdown' | 'plain'
}

/** A peer's text; of a very long one the beginning, and how much more there is. */
export function LongText({ text, form = 'markdown' }: LongTextProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole || text.length <= SHOWN ? text : text.slice(0, SHOWN)
  return (
    <>
      {form === 'markdown' ? <MarkdownView text={shown} /> : <PeerText text={shown} />}
      {shown.length < text.length && (
        <button type="button" onClick={() => setWhole(true)} className="mt-1 block text-12 text-action">Showing {SHOWN} of {text.length} characters. Show all</button>
      )}
    </>
  )
}
