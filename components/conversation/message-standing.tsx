'use client'

import { SequenceLink } from '../mission/sequence-link.tsx'
import type { MessageView } from '../trpc.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Part } from './message-part.tsx'

type Step = MessageView['chain'][number]

const STEP_WORDS = { message: 'said', correction: 'corrected it', retraction: 'took it back', redaction: 'redacted it' } as const

/** What stands in place of the words of a Message that says nothing any more, or nothing to this reader. */
export function Standing({ message: { form, chain } }: { readonly message: MessageView }) {
  if (form === 'posted' || form === 'corrected') return null
  if (form === 'restricted') return <p className="text-muted italic">Only the participants of this conversation can read this.</p>
  const last = chain.findLast(({ kind }) => kind === (form === 'redacted' ? 'redaction' : 'retraction'))
  return (
    <p className="text-muted italic">
      {form === 'redacted' ? 'Redacted' : 'Retracted'} by <bdi>{visibleText(last?.author.name ?? 'its author')}</bdi>
      {last?.reason !== undefined && <>: <bdi>{visibleText(last.reason)}</bdi></>}
    </p>
  )
}

/** Everything that was said about the Message, from its first text on, for whoever wants to know. */
export function Chain({ message: { form, chain } }: { readonly message: MessageView }) {
  if (chain.length === 0 || form === 'restricted') return null
  return (
    <details className="mt-1 text-12">
      <summary className="text-action">{form === 'corrected' ? 'Corrected; show what was said before' : 'Show what was said and done'}</summary>
      <ol className="mt-1 grid gap-2 border-l pl-3">
        {chain.map((step) => <li key={step.sequence}><StepView step={step} /></li>)}
      </ol>
    </details>
  )
}

function StepView({ step }: { readonly step: Step }) {
  return (
    <>
      <p className="text-muted"><bdi>{visibleText(step.author.name)}</bdi> {STEP_WORDS[step.kind]} <RelativeTime at={step.at} /> <SequenceLink sequence={step.sequence} /></p>
      {step.isWithheld && <p className="italic">The text was redacted.</p>}
      {step.parts.map((part, at) => <Part key={at} part={part} />)}
      {step.reason !== undefined && <p>Reason: <bdi>{visibleText(step.reason)}</bdi></p>}
    </>
  )
}
