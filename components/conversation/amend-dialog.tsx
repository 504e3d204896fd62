'use client'

import { useState } from 'react'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import type { MessageView } from '../trpc.tsx'
import { Field, TextArea } from '../ui/field.tsx'
import { amendmentDraft, textOf, type AmendAct } from './amendment.ts'

const WORDS: Readonly<Record<AmendAct, { readonly title: string; readonly description: string; readonly hint: string; readonly button: string }>> = {
  correct: {
    title: 'Correct this message',
    description: 'Everybody sees the new text. What you said first stays in the log and can be looked up.',
    hint: 'Shown with the correction.',
    button: 'Correct it',
  },
  retract: {
    title: 'Take this message back',
    description: 'It is shown as retracted and you cannot correct it any more. What you said stays in the log and can be looked up.',
    hint: 'Shown in place of the message.',
    button: 'Take it back',
  },
  redact: {
    title: 'Redact this message',
    description: 'From now on only the owner of the mission and the operators can read its text, or that of its corrections. Copies that somebody has already received stay with them. This cannot be undone.',
    hint: 'The reason of policy. Everybody who reads the conversation sees it, so do not repeat the text.',
    button: 'Review and sign',
  },
}

/** What is to be said about a Message that was posted, with a reason. */
export function AmendDialog({ act, message, onClose }: { readonly act: AmendAct; readonly message: MessageView; readonly onClose: () => void }) {
  const [text, setText] = useState(() => textOf(message))
  const { title, description, hint, button } = WORDS[act]
  const isTextReady = act !== 'correct' || (text.trim() !== '' && text !== textOf(message))
  return (
    <DecisionDialog
      title={title}
      description={description}
      keep="Leave it"
      confirm={button}
      isDangerous={act === 'redact'}
      reasonHint={hint}
      draft={(reason) => (isTextReady ? amendmentDraft(act, message, { text, reason }) : undefined)}
      names={{ [message.messageId]: `message #${message.sequence}` }}
      onClose={onClose}
    >
      {act === 'correct' && (
        <Field label="Message">{(control) => <TextArea {...control} rows={5} value={text} onChange={(event) => setText(event.target.value)} />}</Field>
      )}
    </DecisionDialog>
  )
}
