// An Event of a mission Space as the Message that IOA readers see: `content` carries its kind and payload.
import { Buffer } from 'node:buffer'
import type { EventDocument, EventPayloads, IapRecord, Message } from '../../../protocol/generated/types.ts'
import { IAP_RECORDED } from '../../../protocol/kinds.ts'
import type { DecodedEntry } from '../../service/ports.ts'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import { eventTypePrefix } from '../../service/open-spaces/types.ts'

/** `schema` of the data part that holds what an IOA client sent. */
export const ioaMessageSchema = 'urn:countersign:schema:ioa-message'

interface Talk { readonly references: readonly string[]; readonly mentions: readonly string[] }

/** What an Event refers to by its words: replies, what an amendment is about, and Principals that are mentioned. */
export function talkOf({ event }: DecodedEntry): Talk {
  const record = negotiatedIn(event)
  if (record !== undefined) return { references: record.refs, mentions: record.concerns ? [record.concerns.id] : [] }
  const { message } = event.payload as { readonly message?: Message }
  if (message === undefined) return { references: [], mentions: [] }
  const target = message.targetMessageId === undefined ? [] : [message.targetMessageId]
  return { references: [...(message.references ?? []), ...target], mentions: (message.mentions ?? []).map(({ id }) => id) }
}

/** `refs` hold ids as this door knows them: of Events and of Nodes. */
export function missionMessage({ event, spaceId, sequence, eventId }: DecodedEntry, senderId: string, refs: { readonly messages: readonly string[]; readonly nodes: readonly string[] }): SpaceMessage {
  const { contentType, content } = wordsOf(event)
  const message = { id: eventId, space_id: spaceId, sender: senderId, created_at: event.occurredAt, content_type: contentType, content, refs }
  const isBroadcast = refs.messages.length + refs.nodes.length === 0
  return { spaceId, sequence, messageId: eventId, senderId, contentType, isBroadcast, ...refs, bytes: Buffer.from(JSON.stringify(message)) }
}

/** A step of a negotiation reads as it does in an open Space, with the WorkItem that it is about. Its sender is the router; `author` is whose words they are. */
function wordsOf(event: EventDocument): { readonly contentType: string; readonly content: object } {
  const record = negotiatedIn(event)
  const { kind, payload, workItemId } = event
  if (record === undefined) return { contentType: `${eventTypePrefix}${kind}`, content: { kind, payload } }
  const { taskId, ordinal, author, at, content, omitted } = record
  return { contentType: `iap/${record.type}`, content: { workItemId, taskId, ordinal, author, at, ...content, ...(omitted && { omitted }) } }
}

const negotiatedIn = ({ kind, payload }: EventDocument): IapRecord | undefined => (kind === IAP_RECORDED ? (payload as EventPayloads[typeof IAP_RECORDED]).record : undefined)
