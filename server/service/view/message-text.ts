import type { EventPayloads, Message } from '../../../protocol/generated/types.ts'
import { standInOf } from '../../../protocol/stand-in.ts'
import { hasBeen } from '../../authority/message-amend.ts'
import type { GroupState } from '../../authority/types.ts'
import type { DecodedEntry } from '../ports.ts'

export type SaidEntry = Pick<DecodedEntry, 'event' | 'sequence'>

/**
 * The plain text of a posted or corrected Message that is put in front of a reader; undefined where there is none. What was redacted or
 * taken back whoever wants it looks up on purpose, in the chain of the Message or in the entry itself.
 */
export function messageText({ event, sequence }: SaidEntry, state: GroupState): string | undefined {
  if (event.kind !== 'message.posted' && event.kind !== 'message.corrected') return undefined
  if (state.redactedBy.has(sequence) || standInOf(event) || wasTakenBack(event, state)) return undefined
  const text = messageOf(event).content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ').trim()
  return text === '' ? undefined : text
}

/** Whether the author of a Message took it back, and with it its corrections. */
export function wasTakenBack(event: SaidEntry['event'], { messages }: GroupState): boolean {
  const { messageId, targetMessageId = messageId } = messageOf(event)
  const message = messages.get(targetMessageId)
  return message !== undefined && hasBeen(message, 'retraction')
}

const messageOf = ({ payload }: SaidEntry['event']): Message => (payload as unknown as EventPayloads['message.posted']).message
