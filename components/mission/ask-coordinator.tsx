'use client'

import { useState } from 'react'
import { MessageCircle } from 'lucide-react'
import { usePostMessage } from '../conversation/use-post-message.ts'
import { CommandProgress } from '../signing/command-progress.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextArea } from '../ui/field.tsx'
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
  const { post, phase, isBusy } = usePostMessage(conversationId)
  const [text, setText] = useState(words)
  const ask = async () => {
    if (await post({ text: text.trim(), mentions: [coordinator], references: [] })) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title={`Ask ${coordinator.name}`}
      description="A message in the planning conversation, which everybody in the mission reads. It binds nobody: the coordinator answers there, or signs what you asked for, and then it shows on the board and in the log."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>Do not ask</Button>
          <Button variant="primary" busy={isBusy} disabled={text.trim() === ''} onClick={() => void ask()}>Post</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <Field label="Message">{(control) => <TextArea {...control} value={text} onChange={(event) => setText(event.target.value)} />}</Field>
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
