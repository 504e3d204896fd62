'use client'

import { useMemo, useState } from 'react'
import { Lock } from 'lucide-react'
import { LedgerEntry } from '../log/ledger-entry.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { CommandProgress } from '../signing/command-progress.tsx'
import type { CommandPhase } from '../signing/use-command.ts'
import type { MessageView, MissionView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { TalkBubble } from '../ui/talk-bubble.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Composer } from './composer.tsx'
import { MessageBubble, quoteOf } from './message-bubble.tsx'
import { entryElementId, StreamScroller } from './stream-scroller.tsx'
import type { StreamItem } from './stream.ts'
import { useConversation } from './use-conversation.ts'
import { usePostMessage, type PendingMessage } from './use-post-message.ts'

type ConversationView = MissionView['conversations'][number]

/** One Conversation: Messages as bubbles, the Events of its thread as ledger rows between them, and where to answer. */
export function Conversation({ conversation }: { readonly conversation: ConversationView }) {
  const { conversationId, workItemId } = conversation
  const { me, people, state } = useMission()
  const stream = useConversation(conversationId, workItemId)
  const { post, pending, phase, isBusy } = usePostMessage(conversationId)
  const byId = useMemo(() => new Map(stream.messages.map((message) => [message.messageId, message])), [stream.messages])
  const [answered, setAnswered] = useState<readonly string[]>([])
  const toggle = (messageId: string) => setAnswered((known) => (known.includes(messageId) ? known.filter((id) => id !== messageId) : [...known, messageId]))
  const waiting = pending && !byId.has(pending.messageId) ? pending : undefined
  const canPost = state === 'active' || state === 'awaiting_approval'
  return (
    <section aria-label={visibleText(conversation.title)} className="grid min-w-0 flex-1 gap-3">
      <Participants conversation={conversation} />
      <Stream stream={stream} threadKey={conversationId} byId={byId} myId={me.principalId} answered={answered} onToggleReply={toggle} waiting={waiting} phase={phase} />
      {canPost && conversation.takesPart ? (
        <Composer
          people={people.filter((who) => who.id !== me.principalId && who.membershipState !== 'ended')}
          replyTargets={answered.flatMap((id) => byId.get(id) ?? []).map(quoteOf)}
          onDropReply={toggle}
          problem={phase.step === 'refused' && <CommandProgress phase={phase} />}
          isBusy={isBusy}
          onPost={async (draft) => {
            const isPosted = await post(draft)
            if (isPosted) setAnswered([])
            return isPosted
          }}
        />
      ) : (
        <p className="border-t pt-3 text-13 text-muted">{canPost ? 'Only its participants post here.' : 'This mission is over. Its conversations stay readable.'}</p>
      )}
    </section>
  )
}

/** Who takes part, where that is not everybody. */
function Participants({ conversation: { participants, isRestricted } }: { readonly conversation: ConversationView }) {
  if (participants === undefined) return null
  const names = participants.map((who, at) => <span key={who.id}>{at > 0 && ', '}<bdi>{visibleText(who.name)}</bdi></span>)
  return <p className="flex items-start gap-1 text-13 text-muted">{isRestricted && <Lock aria-hidden className="mt-0.5 size-3.5 shrink-0" />}<span>{isRestricted ? 'Only these read and post here: ' : 'Everybody in the mission reads this; these post: '}{names}</span></p>
}

interface StreamProps {
  readonly stream: ReturnType<typeof useConversation>
  readonly threadKey: string
  readonly byId: ReadonlyMap<string, MessageView>
  readonly myId: string
  readonly answered: readonly string[]
  readonly onToggleReply: (messageId: string) => void
  readonly waiting: PendingMessage | undefined
  readonly phase: CommandPhase
}

function Stream({ stream, threadKey, byId, myId, answered, onToggleReply, waiting, phase }: StreamProps) {
  const { items } = stream
  const itemView = (item: StreamItem) => {
    if (item.type === 'event') return <LedgerEntry entry={item.node} />
    if (item.type === 'events-missing') return <Button variant="quiet" onClick={() => void stream.loadOlderEvents()}>Events between these messages are not loaded. Load them</Button>
    const { message } = item
    return <MessageBubble message={message} myId={myId} byId={byId} isReplyTarget={answered.includes(message.messageId)} onToggleReply={() => onToggleReply(message.messageId)} />
  }
  return (
    <StreamScroller
      label="Messages and events"
      className="h-[calc(100dvh-30rem)]"
      extent={{ threadKey, first: items[0]?.sequence, lastKey: waiting?.messageId ?? String(items.at(-1)?.sequence), count: items.length + (waiting ? 1 : 0) }}
    >
      <StreamState stream={stream} />
      <ol className="grid gap-3">
        {items.map((item) => <li key={item.sequence} id={entryElementId(item.sequence)} className="min-w-0">{itemView(item)}</li>)}
      </ol>
      {waiting && (
        <TalkBubble author={{ id: myId, name: 'You' }} verb="say" time="on its way" className="opacity-80" footer={<div className="mt-1"><CommandProgress phase={phase} /></div>}>
          <PeerText text={waiting.text} />
        </TalkBubble>
      )}
    </StreamScroller>
  )
}

function StreamState({ stream }: { readonly stream: ReturnType<typeof useConversation> }) {
  if (stream.isLoading) return <SkeletonRows rows={6} label="Loading the conversation" />
  return (
    <>
      {stream.error && <Notice tone="fail" title="The conversation could not be read further" action={<Button onClick={stream.retry}>Try again</Button>}>What is shown stays as it was.</Notice>}
      {stream.areEventsLost && <Notice title="Events could not be loaded; talk is complete">The log tab may still show them.</Notice>}
      {stream.hasOlder && <Button busy={stream.isLoadingOlder} onClick={() => void stream.loadOlder()} className="justify-self-center">Load older messages</Button>}
      {stream.items.length === 0 && !stream.error && (
        <EmptyState title="Nobody has said anything here yet">Ask a question or say what matters to you. Agents read this conversation; a message never assigns work, it can only lead to a signed command.</EmptyState>
      )}
    </>
  )
}
