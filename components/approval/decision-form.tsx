'use client'

import { CircleX, PenLine, Plus, RotateCcw, TriangleAlert, X } from 'lucide-react'
import { Button, IconButton } from '../ui/button.tsx'
import { Field, Input, TextArea } from '../ui/field.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { Decision } from './act-sentence.ts'
import { ACT_TEMPLATE, actSentence, actWords } from './act-sentence.ts'
import { obstaclesTo, remarksFor, warningsFor } from './readiness.ts'
import type { Review } from './use-review.ts'

/** The person's words: a comment for either decision, conditions for an approval. */
export function DecisionWords({ review }: { readonly review: Review }) {
  const { comment, setComment, conditions, setConditions } = review
  return (
    <div className="grid gap-4 py-3">
      <Field label="Comment" hint="Signed with your decision. To request changes you must say what has to change.">
        {(control) => <TextArea {...control} rows={4} value={comment} onChange={(event) => setComment(event.target.value)} />}
      </Field>
      <div className="grid gap-2">
        {conditions.map((condition, at) => (
          <div key={at} className="flex items-end gap-2">
            <Field label={`Condition ${at + 1} of an approval`} className="flex-1">
              {(control) => <Input {...control} value={condition} onChange={(event) => setConditions(conditions.map((known, index) => (index === at ? event.target.value : known)))} />}
            </Field>
            <IconButton label={`Remove condition ${at + 1}`} onClick={() => setConditions(conditions.filter((_, index) => index !== at))}><X aria-hidden className="size-4" /></IconButton>
          </div>
        ))}
        <Button className="justify-self-start" icon={<Plus aria-hidden className="size-4" />} onClick={() => setConditions([...conditions, ''])}>Add a condition</Button>
      </div>
    </div>
  )
}

/** The decisions side by side, of equal weight, each with the sentence it would sign and every reason why it cannot. */
export function DecisionButtons({ review }: { readonly review: Review }) {
  return (
    <div className="grid gap-4 py-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <DecisionChoice review={review} decision="approved" label="Approve" icon={<PenLine aria-hidden className="size-4" />} />
        <DecisionChoice review={review} decision="changes_requested" label="Request changes" icon={<RotateCcw aria-hidden className="size-4" />} />
      </div>
      <p className="text-12 text-muted">
        Both are signed with your authority key in one gesture; a dialog first shows the exact bytes. {actWords(review.state.view)}, <HashText value={ACT_TEMPLATE.hash} label="Hash of the template" copyable={false} />.
      </p>
    </div>
  )
}

interface ChoiceProps {
  readonly review: Review
  readonly decision: Decision
  readonly label: string
  readonly icon: React.ReactNode
}

function DecisionChoice({ review, decision, label, icon }: ChoiceProps) {
  const { state, command, decide } = review
  const obstacles = obstaclesTo(decision, state)
  const warnings = warningsFor(decision, state)
  const remarks = remarksFor(decision, state)
  return (
    <section className="flex flex-col gap-3 rounded-md border bg-raised p-4">
      <p className="flex-1"><bdi>{visibleText(actSentence(state.view, decision))}</bdi></p>
      {remarks.length > 0 && (
        <div className="border-l-2 pl-3 text-13">
          <p className="font-medium">Added to your signed comment</p>
          <ul className="mt-1 grid gap-1">{remarks.map((remark) => <li key={remark}><PeerText text={remark} /></li>)}</ul>
        </div>
      )}
      {warnings.length > 0 && (
        <ul className="grid gap-1 text-13">
          {warnings.map((warning) => <li key={warning} className="flex items-start gap-1.5"><TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" /><bdi>{visibleText(warning)}</bdi></li>)}
        </ul>
      )}
      {obstacles.length > 0 && (
        <ul aria-label={`Why “${label}” is off`} className="grid gap-1 text-13">
          {obstacles.map(({ code, sentence, contentHash }) => <li key={code + (contentHash ?? '')} data-obstacle={code} className="flex items-start gap-1.5 break-words"><CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-fail" /><bdi className="min-w-0">{visibleText(sentence)}</bdi></li>)}
        </ul>
      )}
      <Button size="lg" icon={icon} disabled={obstacles.length > 0} busy={command.isBusy} onClick={(event) => event.nativeEvent.isTrusted && void decide(decision)}>{label}</Button>
    </section>
  )
}
