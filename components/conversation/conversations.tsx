'use client'

import { useSearchParams } from 'next/navigation'
import { Lock } from 'lucide-react'
import { useMission } from '../mission/mission-context.tsx'
import type { MissionView } from '../trpc.tsx'
import { classNames } from '../ui/class-names.ts'
import { Field, Select } from '../ui/field.tsx'
import { stateWord } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Conversation } from './conversation.tsx'
import { OpenConversation } from './open-conversation.tsx'

type ConversationView = MissionView['conversations'][number]

/** The planning Conversation and one per WorkItem; the address holds which is open. */
export function Conversations() {
  const { conversations } = useMission()
  const wanted = useSearchParams().get('in')
  const open = conversations.find(({ conversationId }) => conversationId === wanted) ?? conversations[0]
  if (!open) return null
  return (
    <div className="grid gap-4 pt-4 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div className="grid content-start gap-2">
        <ConversationSelect conversations={conversations} open={open} />
        <ConversationList conversations={conversations} open={open} />
        <OpenConversation onOpened={openConversation} />
      </div>
      <Conversation key={open.conversationId} conversation={open} />
    </div>
  )
}

interface ChoiceProps {
  readonly conversations: readonly ConversationView[]
  readonly open: ConversationView
}

function openConversation(conversationId: string): void {
  const url = new URL(window.location.href)
  url.searchParams.set('in', conversationId)
  window.history.replaceState(null, '', url.pathname + url.search)
}

function ConversationList({ conversations, open }: ChoiceProps) {
  const { work } = useMission()
  return (
    <nav aria-label="Conversations" className="max-lg:hidden">
      <ul className="grid gap-0.5">
        {conversations.map((conversation) => {
          const item = work.find(({ workItemId }) => workItemId === conversation.workItemId)
          const isOpen = conversation.conversationId === open.conversationId
          return (
            <li key={conversation.conversationId}>
              <button
                type="button"
                aria-current={isOpen ? 'true' : undefined}
                onClick={() => openConversation(conversation.conversationId)}
                className={classNames('w-full rounded-md px-2 py-1.5 text-left', isOpen ? 'bg-action-wash font-medium' : 'hover:bg-sunk')}
              >
                <span className="flex items-start gap-1">
                  {conversation.isRestricted && <Lock role="img" aria-label="Restricted" className="mt-1 size-3.5 shrink-0" />}
                  <bdi className="line-clamp-2 break-words">{visibleText(titleOf(conversation))}</bdi>
                </span>
                <span className="text-12 font-normal text-muted">{item ? `${stateWord(item.state)}, ` : ''}{messagesIn(conversation)}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function ConversationSelect({ conversations, open }: ChoiceProps) {
  return (
    <Field label="Conversation" className="lg:hidden">
      {(control) => (
        <Select {...control} value={open.conversationId} onChange={(event) => openConversation(event.target.value)}>
          {conversations.map((conversation) => <option key={conversation.conversationId} value={conversation.conversationId}>{conversation.isRestricted ? 'Restricted: ' : ''}{visibleText(titleOf(conversation))}, {messagesIn(conversation)}</option>)}
        </Select>
      )}
    </Field>
  )
}

/** The Group's own Conversation is where the Mission is planned; its title would only repeat the Mission's. */
const titleOf = ({ title, type }: ConversationView): string => (type === 'group' ? 'Planning' : title)

const messagesIn = ({ messages }: ConversationView): string => (messages === 0 ? 'no messages' : `${messages} message${messages === 1 ? '' : 's'}`)
