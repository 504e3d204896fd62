'use client'

import { useEffect, useState } from 'react'
import { Check, Copy } from 'lucide-react'
import { IconButton } from './button.tsx'

const SHOWN_MS = 1500

/** Copies `value`; the outcome is shown in the button and spoken. */
export function CopyButton({ value, label = 'Copy', className }: { readonly value: string; readonly label?: string; readonly className?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  // Outside a secure context there is no clipboard; reading the property must not throw.
  const copy = () => void Promise.resolve(navigator.clipboard?.writeText(value) ?? Promise.reject()).then(
    () => setOutcome('copied'),
    () => setOutcome('refused'),
  )
  return (
    <IconButton label={outcome === 'refused' ? 'The browser refused; select the text instead' : label} onClick={copy} className={className}>
      {outcome === 'copied' ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
      <span role="status" className="sr-only">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </IconButton>
  )
}

/** A command or file to take away, on one line or several. */
export function Snippet({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="flex min-w-0 items-start gap-1 rounded-md border bg-raised py-1 pr-1 pl-3">
      <pre aria-label={label} tabIndex={0} className="min-w-0 flex-1 overflow-x-auto py-1.5 font-mono text-13">
        {text}
      </pre>
      <CopyButton value={text} label={`Copy ${label}`} />
    </div>
  )
}
