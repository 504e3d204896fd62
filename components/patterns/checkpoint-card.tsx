'use client'

import { useState } from 'react'
import { Check, MilestoneIcon } from 'lucide-react'
import { SequenceLink } from '../mission/sequence-link.tsx'
import type { SpaceMessageView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Field, TextArea } from '../ui/field.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Card, CardFacts } from './card.tsx'
import { LongText } from './long-text.tsx'
import type { Checkpoint } from './read-pattern.ts'
import { latestAnswers, type GivenAnswer } from './replies.ts'

const SHOWN_OPTIONS = 12
const SHOWN_ANSWERS = 8

/** How the reader answers a checkpoint. */
export interface Answering {
  readonly myNodeId: string
  /** Why the reader cannot answer here; absent where they can. */
  readonly obstacle?: string
  /** Resolves true once the answer is in the log. */
  readonly answer: (checkpoint: SpaceMessageView, option: string, feedback: string | undefined) => Promise<boolean>
}

export interface CheckpointCardProps {
  readonly message: SpaceMessageView
  readonly checkpoint: Checkpoint
  readonly replies: readonly SpaceMessageView[]
  readonly answering: Answering
}

/** A sender that stops until somebody answers: one click is the answer. */
export function CheckpointCard({ message, checkpoint, replies, answering }: CheckpointCardProps) {
  const { title, kind, status, body, target } = checkpoint
  const answers = latestAnswers(replies)
  const facts = [...(kind === undefined ? [] : [['Kind', <bdi key="kind">{visibleText(kind)}</bdi>] as const]), ...(target === undefined ? [] : [['About', <PeerText key="target" text={target} />] as const])]
  return (
    <Card Icon={MilestoneIcon} label="Checkpoint" state={answers.length === 0 ? <span className="text-wait">Waits for an answer</span> : <span>Answered</span>}>
      <div className="flex flex-wrap items-center gap-2">
        <p className="font-semibold"><bdi>{visibleText(title)}</bdi></p>
        {status !== undefined && <Status status={status} />}
      </div>
      <CardFacts facts={facts} />
      {body !== undefined && <LongText text={body} />}
      <Options message={message} checkpoint={checkpoint} mine={answers.find(({ message: { author } }) => author.nodeId === answering.myNodeId)} answering={answering} />
      <Answers answers={answers} myNodeId={answering.myNodeId} />
    </Card>
  )
}

const KNOWN: ReadonlySet<string> = new Set(['confirmed', 'not_confirmed', 'info', 'inconclusive'])

/** A sender who writes "approved" does not borrow the mark of that state. */
function Status({ status }: { readonly status: string }) {
  return KNOWN.has(status) ? <StateTag state={status} /> : <span className="text-13 text-muted">status as written: <bdi>{visibleText(status)}</bdi></span>
}

interface OptionsProps extends Pick<CheckpointCardProps, 'message' | 'checkpoint' | 'answering'> {
  readonly mine: GivenAnswer | undefined
}

function Options({ message, checkpoint: { options }, mine, answering: { obstacle, answer } }: OptionsProps) {
  const [feedback, setFeedback] = useState('')
  const [sending, setSending] = useState<string>()
  const send = async (option: string) => {
    setSending(option)
    const isPosted = await answer(message, option, feedback.trim() === '' ? undefined : feedback.trim())
    setSending(undefined)
    if (isPosted) setFeedback('')
  }
  return (
    <div className="grid gap-2">
      <div role="group" aria-label={`Answers to message ${message.sequence}`} className="flex flex-wrap gap-2">
        {options.slice(0, SHOWN_OPTIONS).map((option) => (
          <Button
            key={option}
            aria-pressed={mine?.answer.option === option}
            disabled={obstacle !== undefined || (sending !== undefined && sending !== option)}
            busy={sending === option}
            onClick={() => void send(option)}
            icon={mine?.answer.option === option && <Check aria-hidden className="size-4" />}
            className="h-auto! min-h-8 max-w-full py-1 text-left whitespace-normal!"
          >
            <bdi className="break-words">{visibleText(option)}</bdi>
          </Button>
        ))}
      </div>
      {options.length > SHOWN_OPTIONS && <p className="text-12 text-muted">{options.length - SHOWN_OPTIONS} more options are in the message; reply to it to choose one.</p>}
      {obstacle === undefined && (
        <details className="text-13">
          <summary className="text-action">Add a word to the answer</summary>
          <Field label="Goes along with the option that you click" className="pt-1">{(control) => <TextArea {...control} rows={2} value={feedback} onChange={(event) => setFeedback(event.target.value)} />}</Field>
        </details>
      )}
      <p className="text-12 text-muted">{obstacle ?? 'A click posts your answer as a message. It is no approval: nothing is signed by it.'}</p>
    </div>
  )
}

function Answers({ answers, myNodeId }: { readonly answers: readonly GivenAnswer[]; readonly myNodeId: string }) {
  if (answers.length === 0) return null
  return (
    <ul aria-label="Answers" className="grid gap-1 border-t pt-2 text-13">
      {answers.length > SHOWN_ANSWERS && <li className="text-muted">Showing the newest {SHOWN_ANSWERS} of {answers.length}.</li>}
      {answers.slice(-SHOWN_ANSWERS).map(({ message: { sequence, author, at }, answer: { option, feedback } }) => (
        <li key={sequence} className="break-words">
          <bdi className="font-medium">{author.nodeId === myNodeId ? 'You' : visibleText(author.name)}</bdi> answered <bdi className="font-semibold">{visibleText(option)}</bdi>
          {feedback !== undefined && <>: <bdi>{visibleText(feedback)}</bdi></>} <span className="text-12 text-muted"><RelativeTime at={at} /> <SequenceLink sequence={sequence} /></span>
        </li>
      ))}
    </ul>
  )
}
