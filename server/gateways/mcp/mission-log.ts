// What was said and done in a Mission, as a caller may see it.
import { eventTitle } from '../../service/view/event-title.ts'
import { amendmentSequences, messageView } from '../../service/view/message-view.ts'
import type { Naming } from '../../service/view/participants.ts'
import { namingFor } from '../../service/view/participants.ts'
import type { DecodedEntry } from '../../service/ports.ts'
import type { MessageView } from '../../service/views.ts'
import type { OpenMission } from './mission.ts'
import type { ToolCall } from './tool.ts'

/** The newest Messages of one Conversation or of all, ascending, in their latest form. */
export async function recentMessages(call: ToolCall, mission: OpenMission, { conversationId, limit }: { conversationId?: string; limit: number }): Promise<Record<string, unknown>[]> {
  const { service, principalId } = call
  const { groupId } = mission.state
  const sequences = await service.readModels.messageSequences(groupId, { limit, ...(conversationId !== undefined && { conversationId }) })
  return linesOf(call, mission, await service.reads.entries(principalId, groupId, [...sequences].sort((one, other) => one - other)))
}

/** Entries of the log, one line each; a Message with what it says now. */
export async function linesOf(call: ToolCall, { state }: OpenMission, entries: readonly DecodedEntry[]): Promise<Record<string, unknown>[]> {
  const { service, principalId } = call
  const name = namingFor(service, state)
  const posted = entries.filter(({ event }) => event.kind === 'message.posted')
  const later = posted.length === 0 ? [] : await service.reads.entries(principalId, state.groupId, amendmentSequences(posted, state))
  return entries.map((entry) => ({
    sequence: entry.sequence,
    kind: entry.event.kind,
    at: entry.event.occurredAt,
    by: participant(name(entry.event.actor)),
    ...(entry.event.workItemId !== undefined && { work_item_id: entry.event.workItemId }),
    ...(entry.event.kind === 'message.posted' ? messageLine(messageView(entry, later, state, name)) : { what: eventTitle(entry, state, name) }),
  }))
}

function messageLine({ messageId, conversationId, form, parts, mentions, references }: MessageView): Record<string, unknown> {
  return {
    message_id: messageId,
    conversation_id: conversationId,
    ...(form !== 'posted' && { form }),
    parts,
    ...(mentions.length > 0 && { mentions: mentions.map(participant) }),
    ...(references.length > 0 && { replies_to: references.map(({ id }) => id) }),
  }
}

const participant = ({ id, name, type }: ReturnType<Naming>): Record<string, unknown> => ({ id, name, type })
