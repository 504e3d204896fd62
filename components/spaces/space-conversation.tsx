'use client'

import { useCallback, useMemo, useState } from 'react'
import { Composer } from '../conversation/composer.tsx'
import { entryElementId, StreamScroller } from '../conversation/stream-scroller.tsx'
import { useSelection } from '../mission/use-selection.ts'
import type { Answering } from '../patterns/checkpoint-card.tsx'
import { indexReplies } from '../patterns/replies.ts'
import type { SpaceMessageView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { EnterPanel, Refused } from './enter-space.tsx'
import { quoteOf } from './quote-of.ts'
import { useSpace } from './space-context.tsx'
import { SpaceMessage } from './space-message.tsx'
import { useSpaceMessages } from './use-space-log.ts'
import { useSpacePosts } from './use-space-posts.ts'

/** All Messages of the Space in log order, and where to write. */
export function SpaceConversation() {
  const { isMember, members, myNodeId } = useSpace()
  const run = useSpaceMessages()
  const { post, answer, isPosting, error } = useSpacePosts()
  const { targets, toggle, clear } = useReplyTargets()
  const answering = useMemo<Answering>(() => ({ myNodeId, answer, ...(!isMember && { obstacle: 'Enter this Space to answer.' }) }), [myNodeId, answer, isMember])
  return (
    <section aria-label="Conversation" className="grid min-w-0 gap-3 pt-3">
      <Stream run={run} answering={answering} targets={targets} {...(isMember && { onToggleReply: toggle })} />
      {isMember ? (
        <Composer
          people={members.filter(({ nodeId }) => nodeId !== myNodeId)}
          replyTargets={targets.map(quoteOf)}
          onDropReply={(messageId) => toggle(targets.find((target) => target.messageId === messageId)!)}
          problem={<Refused error={error} />}
          isBusy={isPosting}
          onPost={async (draft) => {
            const isPosted = await post(draft)
            if (isPosted) clear()
            return isPosted
          }}
        />
      ) : (
        <EnterPanel />
      )}
    </section>
  )
}

/** Messages that the next one answers, in the order in which they were chosen. */
function useReplyTargets() {
  const [targets, setTargets] = useState<readonly SpaceMessageView[]>([])
  const toggle = useCallback((message: SpaceMessageView) => {
    setTargets((known) => (known.some(({ messageId }) => messageId === message.messageId) ? known.filter(({ messageId }) => messageId !== message.messageId) : [...known, message]))
  }, [])
  const clear = useCallback(() => setTargets([]), [])
  return { targets, toggle, clear }
}

interface StreamProps {
  readonly run: ReturnType<typeof useSpaceMessages>
  readonly answering: Answering
  readonly targets: readonly SpaceMessageView[]
  readonly onToggleReply?: (message: SpaceMessageView) => void
}

function Stream({ run, answering, targets, onToggleReply }: StreamProps) {
  const { spaceId } = useSpace()
  const { selected } = useSelection()
  const { entries } = run.held
  const byNumber = useMemo(() => new Map(entries.map((message) => [message.sequence, message])), [entries])
  const replies = useMemo(() => indexReplies(entries), [entries])
  return (
    <StreamScroller
      label="Messages"
      className="h-[calc(100dvh-29rem)] sm:h-[calc(100dvh-23rem)]"
      extent={{ threadKey: spaceId, first: entries[0]?.sequence, lastKey: String(entries.at(-1)?.sequence), count: entries.length }}
    >
      <StreamState run={run} />
      <ol className="grid gap-3">
        {entries.map((message) => (
          <li key={message.sequence} id={entryElementId(message.sequence)} className="min-w-0">
            <SpaceMessage
              message={message}
              byNumber={byNumber}
              replies={replies}
              answering={answering}
              isSelected={selected === String(message.sequence)}
              isReplyTarget={targets.some(({ messageId }) => messageId === message.messageId)}
              {...(onToggleReply && { onToggleReply })}
            />
          </li>
        ))}
      </ol>
    </StreamScroller>
  )
}

function StreamState({ run }: Pick<StreamProps, 'run'>) {
  if (run.isLoading) return <SkeletonRows rows={6} label="Loading the conversation" />
  const { entries, hasOlder } = run.held
  return (
    <>
      {run.error && <Notice tone="fail" title="The conversation could not be read further" action={<Button onClick={run.retry}>Try again</Button>}>What is shown stays as it was.</Notice>}
      {hasOlder && <Button busy={run.isLoadingOlder} onClick={() => void run.loadOlder()} className="justify-self-center">Load older messages</Button>}
      {entries.length === 0 && !run.error && <EmptyState title="Nobody has said anything here yet">Ask a question or say what is to be done. Agents that entered this Space hear it at once.</EmptyState>}
    </>
  )
}
