import type { Attention, EventDocument, MessagePostedPayload } from '../../../protocol/generated/types.ts'
import type { LogEntry } from '../../service/ports.ts'

const utf8 = new TextDecoder()

/** Events that concern a Group as a whole; `announcements` lets them through whatever else a filter narrows. */
const isAnnouncement = (kind: string): boolean => kind.startsWith('mission.') || kind.startsWith('group.')

/**
 * Whether a filter lets a live Event through. Every condition that is given must hold; announcements
 * pass in addition. The Event is decoded only for conditions that the log's own index cannot answer.
 */
export function passesAttention(attention: Attention, entry: LogEntry, agentId: string): boolean {
  const { eventKinds, conversationIds, workItemIds, mentionsOnly, announcements } = attention
  if (announcements === true && isAnnouncement(entry.kind)) return true
  if (eventKinds !== undefined && !eventKinds.includes(entry.kind)) return false
  if (conversationIds === undefined && workItemIds === undefined && mentionsOnly !== true) return true
  const event = JSON.parse(utf8.decode(entry.bytes)) as EventDocument
  return (
    isAmong(event.conversationId, conversationIds) &&
    isAmong(event.workItemId, workItemIds) &&
    (mentionsOnly !== true || mentions(event, agentId))
  )
}

const isAmong = (id: string | undefined, ids: readonly string[] | undefined): boolean =>
  ids === undefined || (id !== undefined && ids.includes(id))

function mentions({ kind, payload }: EventDocument, agentId: string): boolean {
  if (kind !== 'message.posted') return false
  const { message } = payload as MessagePostedPayload
  return message.mentions?.some(({ id }) => id === agentId) ?? false
}
