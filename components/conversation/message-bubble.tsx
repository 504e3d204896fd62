'use client'

import { useState } from 'react'
import { Ellipsis, EyeOff, Pencil, Reply, Undo2 } from 'lucide-react'
import { useMission } from '../mission/mission-context.tsx'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import type { MessageView } from '../trpc.tsx'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { TalkBubble } from '../ui/talk-bubble.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { AmendDialog } from './amend-dialog.tsx'
import { actsOn, type AmendAct } from './amendment.ts'
import { Answered, type Quote } from './answered.tsx'
import { Part } from './message-part.tsx'
import { Chain, Standing } from './message-standing.tsx'

export interface MessageBubbleProps {
  readonly message: MessageView
  readonly myId: string
  /** Messages that are loaded, by id, to name what is answered. */
  readonly byId: ReadonlyMap<string, MessageView>
  readonly isReplyTarget: boolean
  readonly onToggleReply: () => void
}

/** One Message: talk, whoever wrote it. What it answers stands above its words. */
export function MessageBubble({ message, myId, byId, isReplyTarget, onToggleReply }: MessageBubbleProps) {
  const { selected } = useSelection()
  const { author } = message
  return (
    <TalkBubble
      author={{ id: author.id, name: author.name, note: author.id === myId ? 'you' : author.type }}
      selected={isReplyTarget || selected === String(message.sequence)}
      time={<><RelativeTime at={message.at} /> <SequenceLink sequence={message.sequence} /></>}
      footer={<Footer message={message} myId={myId} isReplyTarget={isReplyTarget} onToggleReply={onToggleReply} />}
    >
      {message.references.length > 0 && <div className="mb-1">{message.references.map(({ id, sequence }) => <Answered key={id} quote={quoteIn(byId, id)} sequence={sequence} />)}</div>}
      <Standing message={message} />
      {message.parts.map((part, at) => <Part key={at} part={part} />)}
      <Chain message={message} />
    </TalkBubble>
  )
}

const quoteIn = (byId: ReadonlyMap<string, MessageView>, id: string): Quote | undefined => {
  const message = byId.get(id)
  return message && quoteOf(message)
}

function Footer({ message, myId, isReplyTarget, onToggleReply }: Omit<MessageBubbleProps, 'byId'>) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-muted">
      {message.mentions.length > 0 && (
        <span>
          mentions {message.mentions.map((who, at) => <span key={who.id}>{at > 0 && ', '}<bdi className={classNames(who.id === myId && 'font-semibold text-wait')}>{visibleText(who.id === myId ? 'you' : who.name)}</bdi></span>)}
        </span>
      )}
      <button type="button" aria-pressed={isReplyTarget} onClick={onToggleReply} className="inline-flex items-center gap-1 text-action">
        <Reply aria-hidden className="size-3.5" />
        {isReplyTarget ? 'Answering this' : 'Reply'}
      </button>
      <AmendMenu message={message} />
    </div>
  )
}

const ACTS = {
  correct: { label: 'Correct', icon: Pencil },
  retract: { label: 'Retract', icon: Undo2 },
  redact: { label: 'Redact', icon: EyeOff },
} as const

/** What the reader may do about this Message; nothing, for most. */
function AmendMenu({ message }: { readonly message: MessageView }) {
  const { me, owner, state } = useMission()
  const [act, setAct] = useState<AmendAct>()
  const acts = actsOn(message, { principalId: me.principalId, isOwner: owner.id === me.principalId, isOngoing: state === 'active' || state === 'awaiting_approval' })
  if (acts.length === 0) return null
  return (
    <>
      <Menu align="start" trigger={<IconButton label={`More about message #${message.sequence}`}><Ellipsis aria-hidden className="size-4" /></IconButton>}>
        {acts.map((name) => {
          const { label, icon: Icon } = ACTS[name]
          return <MenuItem key={name} onSelect={() => setAct(name)}><Icon aria-hidden className="size-4" />{label}</MenuItem>
        })}
      </Menu>
      {act !== undefined && <AmendDialog act={act} message={message} onClose={() => setAct(undefined)} />}
    </>
  )
}

/** A Message as chips and quotes name it. */
export const quoteOf = (message: MessageView): Quote => ({ messageId: message.messageId, sequence: message.sequence, authorName: message.author.name, words: excerptOf(message) })

/** The first words of a Message, for chips and quotes. */
function excerptOf(message: MessageView): string {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
  if (message.form !== 'posted' && message.form !== 'corrected') return `${message.form} message`
  return text === '' ? 'an attachment' : text.slice(0, 120)
}
