'use client'

import { useId, type ReactNode } from 'react'
import { CornerDownRight, Send, X } from 'lucide-react'
import type { ParticipantView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { Quote } from './answered.tsx'
import { MentionList, optionId } from './mention-list.tsx'
import { useMentionField } from './use-mention-field.ts'
import type { MessageDraft } from './use-post-message.ts'

export interface ComposerProps<P extends ParticipantView> {
  readonly people: readonly P[]
  readonly replyTargets: readonly Quote[]
  readonly onDropReply: (messageId: string) => void
  /** Why the last Message was not posted. */
  readonly problem: ReactNode
  readonly isBusy: boolean
  /** Resolves true once the Message is in the log; the text is kept until then. */
  readonly onPost: (draft: MessageDraft<P>) => Promise<boolean>
}

/** Writes a Message: answers to any number of Messages, mentions by `@`. */
export function Composer<P extends ParticipantView>({ people, replyTargets, onDropReply, problem, isBusy, onPost }: ComposerProps<P>) {
  const listId = useId()
  const { field, text, mentions, offered, active, choose, onKeyDown, onChange, onSelect, removeMention, clear } = useMentionField(people)
  const canPost = text.trim() !== '' && !isBusy
  const post = async () => {
    if (!canPost) return
    const isPosted = await onPost({ text: text.trim(), mentions, references: replyTargets.map((target) => target.messageId) })
    if (isPosted) clear()
    field.current?.focus()
  }
  return (
    <form
      className="relative grid gap-2 border-t pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        void post()
      }}
    >
      {offered.length > 0 && <MentionList id={listId} people={offered} active={active} onChoose={choose} />}
      {replyTargets.length > 0 && (
        <ul aria-label="Messages you answer" className="flex flex-wrap gap-2">
          {replyTargets.map((target) => (
            <Chip key={target.messageId} label={`Stop answering message ${target.sequence}`} onRemove={() => onDropReply(target.messageId)}>
              <CornerDownRight aria-hidden className="size-3.5 shrink-0" />
              <span className="truncate"><bdi className="font-medium">{visibleText(target.authorName)}</bdi> #{target.sequence}: <bdi>{visibleText(target.words)}</bdi></span>
            </Chip>
          ))}
        </ul>
      )}
      <TextArea
        ref={field}
        rows={3}
        aria-label="Message"
        aria-controls={offered.length > 0 ? listId : undefined}
        aria-activedescendant={offered.length > 0 ? optionId(listId, active) : undefined}
        placeholder="Write to this conversation. @ mentions somebody."
        value={text}
        onChange={(event) => onChange(event.currentTarget)}
        onSelect={(event) => onSelect(event.currentTarget)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            void post()
          } else onKeyDown(event)
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        <ul aria-label="Mentions" className="flex min-w-0 flex-1 flex-wrap gap-2">
          {mentions.map((who) => <Chip key={who.id} label={`Do not mention ${visibleText(who.name)}`} onRemove={() => removeMention(who.id)}>@<bdi className="truncate">{visibleText(who.name)}</bdi></Chip>)}
        </ul>
        <span className="text-12 text-muted max-sm:hidden">Ctrl + Enter posts. Talk asks; it assigns nothing.</span>
        <Button type="submit" variant="primary" busy={isBusy} disabled={!canPost && !isBusy} icon={<Send aria-hidden className="size-4" />}>Post</Button>
      </div>
      {problem}
    </form>
  )
}

function Chip({ label, onRemove, children }: { readonly label: string; readonly onRemove: () => void; readonly children: ReactNode }) {
  return (
    <li className="inline-flex max-w-80 min-w-0 items-center gap-1 rounded-full bg-talk py-0.5 pr-1 pl-2 text-12">
      {children}
      <button type="button" aria-label={label} title={label} onClick={onRemove} className="rounded-full p-0.5 text-muted hover:text-ink"><X aria-hidden className="size-3.5" /></button>
    </li>
  )
}
