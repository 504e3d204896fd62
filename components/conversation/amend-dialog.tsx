'use client'

import { useState } from 'react'
import { isReason, ReasonField } from '../mission/reason-field.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import type { MessageView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
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
  const { groupId, title, me } = useMission()
  const { run, phase, isBusy } = useCommand()
  const [text, setText] = useState(() => textOf(message))
  const [reason, setReason] = useState('')
  const words = WORDS[act]
  const isReady = isReason(reason) && (act !== 'correct' || (text.trim() !== '' && text !== textOf(message)))
  const amend = async () => {
    const draft = amendmentDraft(act, message, { text, reason: reason.trim() })
    const outcome = await run({ ...draft, groupId, membershipEpoch: me.membershipEpoch }, { [message.messageId]: `message #${message.sequence}`, [groupId]: title })
    if (outcome.ok) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title={words.title}
      description={words.description}
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>Leave it</Button>
          <Button variant={act === 'redact' ? 'danger' : 'primary'} busy={isBusy} disabled={!isReady} onClick={() => void amend()}>{words.button}</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        {act === 'correct' && (
          <Field label="Message">{(control) => <TextArea {...control} rows={5} value={text} onChange={(event) => setText(event.target.value)} />}</Field>
        )}
        <ReasonField hint={words.hint} value={reason} onChange={setReason} />
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
