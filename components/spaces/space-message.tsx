'use client'

import { memo } from 'react'
import { Reply } from 'lucide-react'
import { Answered, type Quote } from '../conversation/answered.tsx'
import { SequenceLink } from '../mission/sequence-link.tsx'
import type { Answering } from '../patterns/checkpoint-card.tsx'
import type { Replies } from '../patterns/replies.ts'
import { Said } from '../patterns/said.tsx'
import type { SpaceMessageView } from '../trpc.tsx'
import { classNames } from '../ui/class-names.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { TalkBubble } from '../ui/talk-bubble.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { quoteOf } from './quote-of.ts'

const SHOWN_ANSWERED = 5

export interface SpaceMessageProps {
  readonly message: SpaceMessageView
  /** Messages that are loaded, by their sequence. */
  readonly byNumber: ReadonlyMap<number, SpaceMessageView>
  readonly replies: Replies
  readonly answering: Answering
  readonly isSelected: boolean
  readonly isReplyTarget: boolean
  /** Absent for a reader who does not write here. */
  readonly onToggleReply?: (message: SpaceMessageView) => void
}

/** One Message of an open Space: talk, whoever wrote it and by whichever door. */
export const SpaceMessage = memo(function SpaceMessage({ message, byNumber, replies, answering, isSelected, isReplyTarget, onToggleReply }: SpaceMessageProps) {
  const { author, answers, contentType } = message
  return (
    <TalkBubble
      author={{ id: author.id, name: visibleText(author.name), note: author.nodeId === answering.myNodeId ? 'you' : author.type }}
      selected={isReplyTarget || isSelected}
      time={<><RelativeTime at={message.at} /> <SequenceLink sequence={message.sequence} /> {contentType !== undefined && <span className="max-w-40 truncate font-mono"><bdi>{visibleText(contentType)}</bdi></span>}</>}
      footer={<Footer message={message} myNodeId={answering.myNodeId} isReplyTarget={isReplyTarget} {...(onToggleReply && { onToggleReply })} />}
    >
      {answers.length > 0 && (
        <div className="mb-1">
          {answers.slice(0, SHOWN_ANSWERED).map((sequence) => <Answered key={sequence} quote={quoteAt(byNumber, sequence)} sequence={sequence} />)}
          {answers.length > SHOWN_ANSWERED && <p className="text-12 text-muted">and {answers.length - SHOWN_ANSWERED} more; the graph shows them all</p>}
        </div>
      )}
      <Said message={message} replies={replies} answering={answering} />
    </TalkBubble>
  )
})

const quoteAt = (byNumber: ReadonlyMap<number, SpaceMessageView>, sequence: number): Quote | undefined => {
  const message = byNumber.get(sequence)
  return message && quoteOf(message)
}

function Footer({ message, myNodeId, isReplyTarget, onToggleReply }: Pick<SpaceMessageProps, 'message' | 'isReplyTarget' | 'onToggleReply'> & { readonly myNodeId: string }) {
  const { mentions, mentionCount } = message
  if (mentions.length === 0 && !onToggleReply) return null
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-muted">
      {mentions.length > 0 && (
        <span>
          mentions {mentions.map(({ nodeId, name }, at) => <span key={nodeId}>{at > 0 && ', '}<bdi className={classNames(nodeId === myNodeId && 'font-semibold text-wait')}>{nodeId === myNodeId ? 'you' : visibleText(name)}</bdi></span>)}
          {mentionCount > mentions.length && ` and ${mentionCount - mentions.length} more`}
        </span>
      )}
      {onToggleReply && (
        <button type="button" aria-pressed={isReplyTarget} onClick={() => onToggleReply(message)} className="inline-flex items-center gap-1 text-action">
          <Reply aria-hidden className="size-3.5" />
          {isReplyTarget ? 'Answering this' : 'Reply'}
        </button>
      )}
    </div>
  )
}
