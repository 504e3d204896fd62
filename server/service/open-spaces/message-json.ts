// A Message of an open Space as bytes and back. The texts that came from the sender stand in it as they came.
import type { JsonObject } from '../../../protocol/strict-json.ts'
import type { LogEntry } from '../ports.ts'
import type { MessageDraft, SpaceMessage } from './types.ts'

export interface MessageHead { readonly messageId: string; readonly spaceId: string; readonly senderId: string; readonly createdAt: string }

const utf8 = new TextEncoder()

/** The JSON of a Message: `id, space_id, sender, created_at, content_type?, content, refs, meta?, content_schema?`. */
export function encodeMessage({ messageId, spaceId, senderId, createdAt }: MessageHead, draft: MessageDraft): Uint8Array {
  const members = [
    `"id":${JSON.stringify(messageId)}`,
    `"space_id":${JSON.stringify(spaceId)}`,
    `"sender":${JSON.stringify(senderId)}`,
    `"created_at":${JSON.stringify(createdAt)}`,
    ...(draft.contentType === undefined ? [] : [`"content_type":${JSON.stringify(draft.contentType)}`]),
    `"content":${draft.content}`,
    `"refs":{"messages":${JSON.stringify(draft.messages)},"nodes":${JSON.stringify(draft.nodes)}}`,
    ...(draft.meta === undefined ? [] : [`"meta":${draft.meta}`]),
    ...(draft.contentSchema === undefined ? [] : [`"content_schema":${draft.contentSchema}`]),
  ]
  return utf8.encode(`{${members.join(',')}}`)
}

/** What the index of a Message is made of. */
export interface MessageFacts {
  readonly messageId: string
  readonly spaceId: string
  readonly senderId: string
  readonly contentType?: string
  readonly isBroadcast: boolean
  readonly messages: readonly string[]
  readonly nodes: readonly string[]
}

/** Reads bytes that `encodeMessage` wrote. */
export function decodeMessage(bytes: Uint8Array): MessageFacts {
  const { id, space_id, sender, content_type, refs } = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject & {
    readonly id: string
    readonly space_id: string
    readonly sender: string
    readonly content_type?: string
    readonly refs: { readonly messages: string[]; readonly nodes: string[] }
  }
  const { messages, nodes } = refs
  return { messageId: id, spaceId: space_id, senderId: sender, ...(content_type !== undefined && { contentType: content_type }), isBroadcast: messages.length + nodes.length === 0, messages, nodes }
}

const known = new WeakMap<LogEntry, SpaceMessage>()

/** An entry as a Message. Its bytes are read when more than its place and id is asked for, and once for however many readers. */
export function messageOf(entry: LogEntry): SpaceMessage {
  const seen = known.get(entry)
  if (seen) return seen
  let decoded: MessageFacts | undefined
  const facts = () => (decoded ??= decodeMessage(entry.bytes))
  const message = {
    spaceId: entry.spaceId,
    sequence: entry.sequence,
    messageId: entry.eventId,
    bytes: entry.bytes,
    get senderId() {
      return facts().senderId
    },
    get contentType() {
      return facts().contentType
    },
    get isBroadcast() {
      return facts().isBroadcast
    },
    get nodes() {
      return facts().nodes
    },
    get messages() {
      return facts().messages
    },
  } as SpaceMessage
  known.set(entry, message)
  return message
}
