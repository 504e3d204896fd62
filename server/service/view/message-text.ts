import type { EventDocument, EventPayloads } from '../../../protocol/generated/types.ts'

/** The plain text of a posted or corrected Message; undefined where there is none. */
export function messageText({ kind, payload }: Pick<EventDocument, 'kind' | 'payload'>): string | undefined {
  if (kind !== 'message.posted' && kind !== 'message.corrected') return undefined
  const { message } = payload as unknown as EventPayloads['message.posted']
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ').trim()
  return text === '' ? undefined : text
}
