// Messages and log lines as the console shows them, from stored Events.
import type { EventPayloads } from '../../../protocol/generated/types.ts'
import type { GroupState } from '../../authority/types.ts'
import type { DecodedEntry } from '../ports.ts'
import type { LogLine, MessageView } from '../views.ts'
import { eventTitle } from './event-title.ts'
import type { Naming } from './participants.ts'

/** The Message of a `message.posted` entry. */
export function messageView({ event, sequence, eventId }: DecodedEntry, { sequenceOf }: Pick<GroupState, 'sequenceOf'>, name: Naming): MessageView {
  const { message } = event.payload as unknown as EventPayloads['message.posted']
  return {
    sequence,
    eventId,
    messageId: message.messageId,
    conversationId: message.conversationId,
    author: name(message.author),
    parts: message.content,
    mentions: (message.mentions ?? []).map(name),
    references: (message.references ?? []).map((id) => withSequence(id, sequenceOf.get(id))),
    at: event.occurredAt,
  }
}

const withSequence = (id: string, sequence: number | undefined) => (sequence === undefined ? { id } : { id, sequence })

export function logLine({ event, sequence, eventId }: DecodedEntry, state: GroupState, name: Naming): LogLine {
  return { sequence, eventId, kind: event.kind, actor: name(event.actor), at: event.occurredAt, title: eventTitle(event, state, name), cause: event.cause }
}
