// The one writer of open Spaces on this node. While a statement runs, Messages of all Spaces gather and go together in the next.
// Their places are given by the database, so that nodes never conflict and nothing is decided twice.
import { randomUUID } from 'node:crypto'
import { isRecordType } from '../../authority/iap/records.ts'
import { isStorable } from '../../authority/storable-text.ts'
import type { Result } from '../../../protocol/result.ts'
import { ok } from '../../../protocol/result.ts'
import { isJsonObject, parseStrictJson } from '../../../protocol/strict-json.ts'
import type { Clock, LogEntry, NewMessage, OpenSpaceStore, Place, Volume } from '../ports.ts'
import { faultOfSchema } from './content-schema.ts'
import type { KnownIdentifiers } from './known-identifiers.ts'
import type { SenderQuota } from './limits.ts'
import { maximumContentTypeLength, maximumMessageBytes, maximumRefs } from './limits.ts'
import { encodeMessage, messageOf } from './message-json.ts'
import { refuse } from './refusal.ts'
import type { MessageDraft, SpaceMessage, SpaceRefusal } from './types.ts'
import { eventTypePrefix } from './types.ts'

const maximumQueue = 4_096
const maximumQueueLength = 64 * 1024 * 1024
const maximumBatch = 256
const maximumBatchLength = 4 * 1024 * 1024
/** Of all Messages of a batch: less than what is remembered of Messages and Nodes. */
const maximumBatchRefs = 10_000

interface Needs {
  readonly store: Pick<OpenSpaceStore, 'append'>
  readonly known: KnownIdentifiers
  readonly clock: Clock
  readonly quota: SenderQuota
  /** After commit, in order and before the senders are answered, for each Space that grew. */
  readonly onCommitted: (spaceId: string, entries: readonly LogEntry[]) => void
}

type Sent = Result<SpaceMessage, SpaceRefusal>
interface Pending {
  readonly senderId: string
  readonly spaceId: string
  readonly draft: MessageDraft
  /** Written by the I.A.P. router, in whoever's name. */
  readonly isRecord: boolean
  readonly resolve: (sent: Sent) => void
  readonly fail: (fault: unknown) => void
}

export class MessageWriter {
  readonly #needs: Needs
  #queue: Pending[] = []
  #queueLength = 0
  #running: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Resolves after the commit; rejects on a fault, when the outcome may be unknown. */
  send(senderId: string, spaceId: string, draft: MessageDraft, { isRecord } = { isRecord: false }): Promise<Sent> {
    const length = lengthOf(draft)
    if (length > maximumMessageBytes) return Promise.resolve(tooLarge())
    if (this.#queue.length >= maximumQueue || this.#queueLength + length > maximumQueueLength) return Promise.resolve(refuse('busy', 'too many Messages are waiting to be written'))
    return new Promise((resolve, fail) => {
      this.#queue.push({ senderId, spaceId, draft, isRecord, resolve, fail })
      this.#queueLength += length
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything that was sent so far has been answered. */
  async drained(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // What is sent in the same turn goes together.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const batch = this.#take()
      try {
        await this.#settle(batch)
      } catch (fault) {
        for (const { fail } of batch) fail(fault)
      }
    }
    this.#running = undefined
  }

  #take(): readonly Pending[] {
    let length = 0
    let refs = 0
    let count = 0
    for (const { draft } of this.#queue) {
      length += lengthOf(draft)
      refs += draft.messages.length + draft.nodes.length
      if (count === maximumBatch || (count > 0 && (length > maximumBatchLength || refs > maximumBatchRefs))) break
      count++
      this.#queueLength -= lengthOf(draft)
    }
    return this.#queue.splice(0, count)
  }

  async #settle(batch: readonly Pending[]): Promise<void> {
    await this.#needs.known.find({
      spaces: batch.map(({ spaceId }) => spaceId),
      nodes: batch.flatMap(({ senderId, draft }) => [senderId, ...within(draft.nodes)]),
      messages: batch.flatMap(({ draft }) => within(draft.messages)),
    })
    const accepted: { readonly pending: Pending; readonly message: NewMessage }[] = []
    const refused: { readonly pending: Pending; readonly sent: Sent }[] = []
    const volumes = new Map<string, Volume>()
    for (const pending of batch) {
      const message = this.#prepare(pending, volumes)
      if (message.ok) accepted.push({ pending, message: message.value })
      else refused.push({ pending, sent: message })
    }
    for (const { pending, sent } of refused) pending.resolve(sent)
    if (accepted.length > 0) await this.#write(accepted)
  }

  async #write(accepted: readonly { readonly pending: Pending; readonly message: NewMessage }[]): Promise<void> {
    const { store, known, onCommitted } = this.#needs
    const places = await store.append(accepted.map(({ message }) => message))
    const entries = accepted.map(({ message }, index) => entryOf(message, places[index]!))
    accepted.forEach(({ message: { messageId, spaceId } }, index) => known.written({ messageId, spaceId, ...places[index]! }))
    accepted.forEach(({ message: { senderId } }, index) => known.hasWritten(senderId, places[index]!.volume))
    for (const spaceId of new Set(entries.map((entry) => entry.spaceId))) onCommitted(spaceId, entries.filter((entry) => entry.spaceId === spaceId))
    accepted.forEach(({ pending }, index) => pending.resolve(ok(messageOf(entries[index]!))))
  }

  async mayWrite(senderId: string): Promise<boolean> {
    const { known, quota } = this.#needs
    await known.nodeExists(senderId)
    return faultOfVolume(grown(known.volumeOf(senderId), 1), quota) === undefined
  }

  /** Checks in order: Space, sender, whose type it is, content, every Message, every Node, the schema, the quota. `volumes` is of the senders of this batch. */
  #prepare({ senderId, spaceId, draft, isRecord }: Pending, volumes: Map<string, Volume>): Result<NewMessage, SpaceRefusal> {
    const { known, clock } = this.#needs
    if (!known.hasSpace(spaceId)) return refuse('not_found', 'there is no such Space')
    if (!known.hasNode(senderId)) return refuse('invalid_input', 'the sender is not a registered Node')
    if (!isRecord && draft.contentType !== undefined && isRecordType(draft.contentType)) return refuse('forbidden', 'Messages of this content_type are written by the I.A.P. router alone')
    if (draft.contentType?.startsWith(eventTypePrefix)) return refuse('forbidden', 'this content_type is that of an Event, and there are none in an open Space')
    const fault = faultOfDraft(draft)
    if (fault !== undefined) return refuse('invalid_input', fault)
    const parents = new Set<number>()
    for (const messageId of draft.messages) {
      const place = known.message(messageId)
      if (place?.spaceId !== spaceId) return refuse('invalid_input', 'refs.messages names a Message that is not in this Space')
      parents.add(place.sequence)
    }
    if (!draft.nodes.every((nodeId) => known.hasNode(nodeId))) return refuse('invalid_input', 'refs.nodes names a Node that is not registered')
    const schemaFault = draft.contentSchema === undefined ? undefined : faultOfSchema(draft.contentSchema)
    if (schemaFault !== undefined) return refuse('invalid_input', schemaFault)
    const messageId = `urn:uuid:${randomUUID()}`
    const bytes = encodeMessage({ messageId, spaceId, senderId, createdAt: clock.now() }, draft)
    if (bytes.length > maximumMessageBytes) return tooLarge()
    const volume = grown(volumes.get(senderId) ?? known.volumeOf(senderId), bytes.length)
    const quotaFault = isRecord ? undefined : faultOfVolume(volume, this.#needs.quota)
    if (quotaFault !== undefined) return refuse('quota_exceeded', quotaFault)
    volumes.set(senderId, volume)
    return ok({
      spaceId,
      messageId,
      senderId,
      bytes,
      isBroadcast: draft.messages.length + draft.nodes.length === 0,
      nodes: [...new Set(draft.nodes)],
      parents: [...parents],
      ...(draft.contentType !== undefined && { contentType: draft.contentType }),
    })
  }
}

const grown = ({ messages, bytes }: Volume, length: number): Volume => ({ messages: messages + 1, bytes: bytes + length })

/** The router's records are no fault of it: they are owed to both sides of a task, and count all the same. */
function faultOfVolume({ messages, bytes }: Volume, quota: SenderQuota): string | undefined {
  if (quota.messages > 0 && messages > quota.messages) return `you have written all the ${quota.messages} Messages that one participant may write to open Spaces`
  if (quota.bytes > 0 && bytes > quota.bytes) return `this Message would take you beyond the ${quota.bytes} bytes that one participant may write to open Spaces`
  return undefined
}

const tooLarge = () => refuse('too_large', `a Message has at most ${maximumMessageBytes} bytes`)

const lengthOf = ({ content, meta = '', contentSchema = '' }: MessageDraft) => content.length + meta.length + contentSchema.length

/** What may be looked up of a list that is longer than allowed: nothing. */
const within = (ids: readonly string[]) => (ids.length > maximumRefs ? [] : ids)

function entryOf({ spaceId, messageId, bytes }: NewMessage, { sequence }: Place): LogEntry {
  return { spaceId, sequence, eventId: messageId, kind: 'open.message', bytes }
}

function faultOfDraft({ content, contentType, meta, contentSchema, messages, nodes }: MessageDraft): string | undefined {
  if (!isObjectText(content)) return 'content is not an object that every reader understands alike'
  if (meta !== undefined && !isObjectText(meta)) return 'meta is not an object that every reader understands alike'
  if (contentSchema !== undefined && !isObjectText(contentSchema)) return 'content_schema is not an object that every reader understands alike'
  if (contentType !== undefined && (contentType.length > maximumContentTypeLength || !isStorable(contentType))) return `content_type has at most ${maximumContentTypeLength} characters, none of them U+0000`
  if (messages.length > maximumRefs || nodes.length > maximumRefs) return `a Message names at most ${maximumRefs} Messages and as many Nodes`
  return undefined
}

/** One JSON object without repeated names, not too deep. */
function isObjectText(text: string): boolean {
  const parsed = parseStrictJson(new TextEncoder().encode(text))
  return parsed.ok && isJsonObject(parsed.value.value)
}
