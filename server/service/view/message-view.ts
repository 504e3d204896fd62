// Messages and log lines as the console shows them, from stored Events.
import type { EventPayloads, Message } from '../../../protocol/generated/types.ts'
import { standInOf } from '../../../protocol/stand-in.ts'
import type { GroupState } from '../../authority/types.ts'
import type { DecodedEntry } from '../ports.ts'
import type { LogLine, MessageForm, MessageStep, MessageView } from '../views.ts'
import { eventTitle } from './event-title.ts'
import type { Naming } from './participants.ts'

/** Sequences of everything that was said later about these Messages. */
export function amendmentSequences(posted: readonly DecodedEntry[], { messages }: Pick<GroupState, 'messages'>): readonly number[] {
  return posted.flatMap((entry) => messages.get(messageOf(entry).messageId)?.amendments ?? []).map(({ sequence }) => sequence)
}

/** The Message of a `message.posted` entry in its latest form; `later` holds the amendments of this Message and of others, in log order. */
export function messageView(entry: DecodedEntry, later: readonly DecodedEntry[], { sequenceOf }: Pick<GroupState, 'sequenceOf'>, name: Naming): MessageView {
  const { event, sequence, eventId } = entry
  const message = messageOf(entry)
  const own = later.filter((amendment) => messageOf(amendment).targetMessageId === message.messageId)
  const form = formOf(entry, own)
  const corrected = own.findLast((amendment) => messageOf(amendment).kind === 'correction') ?? entry
  return {
    sequence,
    eventId,
    messageId: message.messageId,
    conversationId: message.conversationId,
    author: name(message.author),
    form,
    parts: form === 'posted' || form === 'corrected' ? messageOf(corrected).content : [],
    chain: own.length === 0 ? [] : [entry, ...own].map((step) => stepOf(step, name)),
    mentions: (message.mentions ?? []).map(name),
    references: (message.references ?? []).map((id) => withSequence(id, sequenceOf.get(id))),
    at: event.occurredAt,
  }
}

const messageOf = ({ event }: DecodedEntry): Message => (event.payload as unknown as EventPayloads['message.posted']).message

/** Redaction outweighs everything, retraction every correction. */
function formOf(posted: DecodedEntry, own: readonly DecodedEntry[]): MessageForm {
  if (standInOf(posted.event)?.because === 'restricted') return 'restricted'
  const kinds = new Set(own.map((entry) => messageOf(entry).kind))
  if (kinds.has('redaction')) return 'redacted'
  if (kinds.has('retraction')) return 'retracted'
  return kinds.has('correction') ? 'corrected' : 'posted'
}

function stepOf(entry: DecodedEntry, name: Naming): MessageStep {
  const { kind, author, content, reason } = messageOf(entry)
  const isWithheld = standInOf(entry.event) !== undefined
  return {
    sequence: entry.sequence,
    kind,
    author: name(author),
    at: entry.event.occurredAt,
    isWithheld,
    parts: isWithheld || (kind !== 'message' && kind !== 'correction') ? [] : content,
    ...(reason !== undefined && !isWithheld && { reason }),
  }
}

const withSequence = (id: string, sequence: number | undefined) => (sequence === undefined ? { id } : { id, sequence })

export function logLine(entry: DecodedEntry, state: GroupState, name: Naming): LogLine {
  const { event, sequence, eventId } = entry
  return { sequence, eventId, kind: event.kind, actor: name(event.actor), at: event.occurredAt, title: eventTitle(entry, state, name), cause: event.cause }
}
