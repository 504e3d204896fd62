'use client'

import { useState } from 'react'
import { MessageCircle } from 'lucide-react'
import { payloadOf } from '../conversation/use-post-message.ts'
import { newUrn } from '../signing/command.ts'
import { Button } from '../ui/button.tsx'
import { Field, TextArea } from '../ui/field.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { DecisionDialog } from './decision-dialog.tsx'
import { isOver } from './is-over.ts'
import { useMission } from './mission-context.tsx'

/** Asks the Coordinator, in the planning Conversation, for what only it decides. `words` are what the person starts from. */
export function AskCoordinator({ words, children }: { readonly words: string; readonly children: string }) {
  const mission = useMission()
  const [isOpen, setOpen] = useState(false)
  const planning = mission.conversations.find(({ type }) => type === 'group')
  if (isOver(mission) || !planning?.takesPart) return null
  return (
    <>
      <Button icon={<MessageCircle aria-hidden className="size-4" />} onClick={() => setOpen(true)}>{children}</Button>
      {isOpen && <AskDialog conversationId={planning.conversationId} words={words} onClose={() => setOpen(false)} />}
    </>
  )
}

function AskDialog({ conversationId, words, onClose }: { readonly conversationId: string; readonly words: string; readonly onClose: () => void }) {
  const { coordinator } = useMission()
  const [messageId] = useState(newUrn)
  const [text, setText] = useState(() => visibleText(words))
  const message = { messageId, text: text.trim(), mentions: [coordinator], references: [] }
  return (
    <DecisionDialog
      title={`Ask ${visibleText(coordinator.name)}`}
      description="A message in the planning conversation, which everybody in the mission reads. It binds nobody: the coordinator answers there, or signs what you asked for, and then it shows on the board and in the log."
      keep="Do not ask"
      confirm="Post"
      draft={() => (message.text === '' ? undefined : { kind: 'message.post', conversationId, payload: payloadOf(message) })}
      onClose={onClose}
    >
      <Field label="Message">{(control) => <TextArea {...control} value={text} onChange={(event) => setText(event.target.value)} />}</Field>
    </DecisionDialog>
  )
}
