'use client'

import { useRef, useState, type KeyboardEvent } from 'react'
import type { ParticipantView } from '../trpc.tsx'
import { completeMention, findMentionQuery, matchingNames } from './mention-query.ts'

/** State of a text field in which `@` offers people; the mentions chosen are kept beside the text. */
export function useMentionField<P extends ParticipantView>(people: readonly P[]) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const [caret, setCaret] = useState(0)
  const [mentions, setMentions] = useState<readonly P[]>([])
  const [active, setActive] = useState(0)
  const [isClosed, setClosed] = useState(false)
  const query = isClosed ? undefined : findMentionQuery(text, caret)
  const offered = query ? matchingNames(people, query.query) : []

  const change = (next: string, at: number) => {
    setText(next)
    setCaret(at)
    setActive(0)
    setClosed(false)
  }
  const choose = (who: P) => {
    if (!query) return
    const completed = completeMention(text, caret, query, who.name)
    change(completed.text, completed.caret)
    setMentions((known) => (known.some(({ id }) => id === who.id) ? known : [...known, who]))
    // The caret can only be set once the new text is in the field.
    requestAnimationFrame(() => field.current?.setSelectionRange(completed.caret, completed.caret))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (offered.length === 0) return
    if (event.key === 'ArrowDown') setActive((active + 1) % offered.length)
    else if (event.key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length)
    else if (event.key === 'Escape') setClosed(true)
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey) choose(offered[active]!)
    else return
    event.preventDefault()
  }
  return {
    field, text, mentions, offered, active, choose, onKeyDown,
    onChange: (element: HTMLTextAreaElement) => change(element.value, element.selectionStart),
    onSelect: (element: HTMLTextAreaElement) => setCaret(element.selectionStart),
    removeMention: (id: string) => setMentions((known) => known.filter((who) => who.id !== id)),
    clear: () => {
      change('', 0)
      setMentions([])
    },
  }
}
