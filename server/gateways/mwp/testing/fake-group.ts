import { randomUUID } from 'node:crypto'
import { canonicalText } from '../../../../protocol/canonical-json.ts'
import type { EventDocument } from '../../../../protocol/generated/types.ts'
import type { LogEntry } from '../../../service/ports.ts'
import type { GroupFeed } from '../../../service/service.ts'

const service = { type: 'service', id: 'urn:test:authority' } as const
const at = '2026-11-29T12:00:00.000Z'
const utf8 = new TextEncoder()

export type EventPart = Partial<Pick<EventDocument, 'kind' | 'actor' | 'payload' | 'cause' | 'conversationId' | 'workItemId'>>

export interface FakeMember {
  readonly visibilityStartSequence: number
  readonly membershipEpoch?: number
}

/** One Group log in memory, with the feeds that read it. */
export class FakeGroup {
  readonly entries: LogEntry[] = []
  readonly members = new Map<string, FakeMember>()
  readonly acknowledged = new Map<string, number>()
  readonly groupId: string
  /** Highest sequence that any feed has handed out. */
  furthest = 0
  readonly #feeds = new Set<FakeFeed>()

  constructor(groupId: string) {
    this.groupId = groupId
  }

  get head(): number {
    return this.entries.length
  }

  get openFeeds(): number {
    return this.#feeds.size
  }

  append(part: EventPart = {}): LogEntry {
    const sequence = this.head + 1
    const event: EventDocument = {
      protocolVersion: '0.1',
      eventId: `urn:uuid:${randomUUID()}`,
      groupId: this.groupId,
      sequence,
      aggregateRevision: sequence,
      kind: 'message.posted',
      actor: service,
      cause: { type: 'policy', id: 'urn:test:cause' },
      correlationId: 'urn:test:correlation',
      occurredAt: at,
      payload: { text: `Event ${sequence} – “é”` },
      acceptedBy: service,
      signature: { algorithm: 'Ed25519', keyId: 'urn:test:key', createdAt: at, value: 'AA' },
      ...part,
    }
    const entry: LogEntry = {
      spaceId: this.groupId,
      sequence,
      eventId: event.eventId,
      kind: event.kind,
      bytes: utf8.encode(canonicalText(event)),
    }
    this.entries.push(entry)
    for (const feed of this.#feeds) feed.wake()
    return entry
  }

  open(principalId: string, after: number): GroupFeed | undefined {
    const member = this.members.get(principalId)
    if (member === undefined) return undefined
    const feed = new FakeFeed(this, Math.max(after, member.visibilityStartSequence - 1), () => this.#feeds.delete(feed))
    this.#feeds.add(feed)
    return feed
  }

  /** What ending a Membership does to the feeds of a Group. */
  endFeeds(): void {
    for (const feed of this.#feeds) feed.close()
  }
}

class FakeFeed implements GroupFeed {
  readonly #group: FakeGroup
  readonly #onClose: () => void
  #position: number
  #isClosed = false
  #wake: (() => void) | undefined

  constructor(group: FakeGroup, after: number, onClose: () => void) {
    this.#group = group
    this.#position = after
    this.#onClose = onClose
  }

  wake(): void {
    this.#wake?.()
  }

  async next(limit: number): Promise<readonly LogEntry[] | 'ended'> {
    while (!this.#isClosed && this.#group.head <= this.#position) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    if (this.#isClosed) return 'ended'
    const entries = this.#group.entries.slice(this.#position, this.#position + limit)
    this.#position += entries.length
    this.#group.furthest = Math.max(this.#group.furthest, this.#position)
    return entries
  }

  close(): void {
    this.#isClosed = true
    this.#onClose()
    this.wake()
  }
}
