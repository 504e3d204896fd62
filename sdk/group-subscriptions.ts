import type { EventDocument, ProtocolError } from '../protocol/generated/types.ts'
import { delay } from './backoff.ts'
import type { CursorStore } from './cursor-store.ts'
import { GroupStream } from './group-stream.ts'
import { newId, timeNow } from './ids.ts'
import type { MwpConnection } from './mwp-connection.ts'
import { Progress } from './progress.ts'
import { ClientClosed, SubscriptionRefused } from './refusal.ts'
import type { RestoredGroup } from './restore-group.ts'

const RETRY_AFTER_MS = 1_000

export interface GroupSubscriptionsHost {
  readonly cursors: CursorStore
  /** First sequence that the Agent may see in a Group, 0 when unknown. */
  visibilityStart(groupId: string): Promise<number>
  /** The verified snapshot with this hash; throws where it does not hold. */
  restore(groupId: string, snapshotArtifactHash: string): Promise<RestoredGroup>
}

/** Takes over the snapshot of a Group whose earlier Events are no longer replayed. */
export type OnSnapshot = (restored: RestoredGroup) => void | Promise<void>

export interface FollowOptions {
  /** Position to begin after; the stored one when absent. */
  readonly after?: number
  readonly onSnapshot?: OnSnapshot | undefined
}

interface Followed {
  readonly stream: GroupStream
  readonly progress: Progress
  readonly onSnapshot: OnSnapshot | undefined
  /** The SUBSCRIBE that counts; a refusal names it. */
  frameId: string
  /** A snapshot is on its way to the consumer; what follows it is asked for afterwards. */
  isRestoring: boolean
}

/** The Groups that a client follows, across connections. */
export class GroupSubscriptions {
  readonly #host: GroupSubscriptionsHost
  readonly #followed = new Map<string, Followed>()
  #connection: MwpConnection | undefined
  #over: Error | undefined

  constructor(host: GroupSubscriptionsHost) {
    this.#host = host
  }

  /** Subscribes again to everything, each Group from where it stands. */
  onOpened(connection: MwpConnection): void {
    this.#connection = connection
    for (const followed of this.#followed.values()) this.#subscribe(followed)
  }

  onEvent(event: EventDocument): void {
    this.#followed.get(event.groupId ?? '')?.stream.push(event)
  }

  onError(error: ProtocolError): void {
    for (const followed of this.#followed.values()) {
      if (followed.frameId === error.relatedFrameId) void this.#refused(followed, error)
    }
  }

  onOver(reason: Error): void {
    this.#over = reason
    const fault = reason instanceof ClientClosed ? undefined : reason
    for (const { stream } of this.#followed.values()) stream.end(fault)
  }

  /** Everything of the Group after `after`, or after the stored position, in order and once each. */
  async *follow(groupId: string, { after, onSnapshot }: FollowOptions = {}): AsyncGenerator<EventDocument, void, void> {
    const start = after ?? (await this.#host.cursors.load(groupId)) ?? 0
    if (this.#over !== undefined) throw this.#over
    if (this.#followed.has(groupId)) throw new TypeError(`${groupId} is being followed already`)
    const followed = this.#newFollowed(groupId, start, onSnapshot)
    this.#followed.set(groupId, followed)
    this.#subscribe(followed)
    try {
      yield* followed.stream
    } finally {
      this.#followed.delete(groupId)
      await followed.progress.flush()
    }
  }

  /** Resolves once a Group that is being followed has caught up with `head`. */
  async caughtUp(groupId: string, head: number): Promise<void> {
    await this.#followed.get(groupId)?.stream.reaches(head)
  }

  #newFollowed(groupId: string, start: number, onSnapshot: OnSnapshot | undefined): Followed {
    const progress = new Progress(groupId, this.#host.cursors, {
      acknowledge: (sequence) => this.#acknowledge(groupId, sequence),
      onFault: (fault) => stream.end(fault),
    })
    const stream: GroupStream = new GroupStream(groupId, start, {
      requestFrom: () => void this.#requestAgain(followed),
      onProcessed: (sequence) => progress.moveTo(sequence),
    })
    const followed: Followed = { stream, progress, onSnapshot, frameId: newId(), isRestoring: false }
    return followed
  }

  #subscribe(followed: Followed): void {
    if (followed.isRestoring) return
    const { groupId, position } = followed.stream
    followed.frameId = newId()
    const groups = [{ groupId, afterSequence: position }]
    this.#connection?.send({ frameType: 'SUBSCRIBE', subscriptionId: newId(), groups }, followed.frameId)
  }

  /** A gap may be what the Agent is not shown; the list of Memberships tells where its view begins. */
  async #requestAgain(followed: Followed): Promise<void> {
    const { stream } = followed
    stream.skipTo((await this.#host.visibilityStart(stream.groupId).catch(() => 0)) - 1)
    this.#subscribe(followed)
  }

  async #refused(followed: Followed, error: ProtocolError): Promise<void> {
    const { stream } = followed
    switch (error.code) {
      case 'BACKPRESSURE':
        // The authority goes on by itself once this end reads again.
        return
      case 'MEMBERSHIP_REQUIRED':
        return stream.end()
      case 'RATE_LIMITED':
      case 'INTERNAL_ERROR':
        await delay(error.retryAfterMs ?? RETRY_AFTER_MS)
        return this.#subscribe(followed)
      case 'CURSOR_TOO_OLD':
        return this.#restore(followed, error)
      default:
        return stream.end(new SubscriptionRefused(stream.groupId, error))
    }
  }

  /** the snapshot goes to the consumer, who has then processed all that it covers; the stream goes on behind it. */
  async #restore(followed: Followed, error: ProtocolError): Promise<void> {
    const { stream, progress, onSnapshot } = followed
    const { snapshotArtifactHash } = error
    if (onSnapshot === undefined || snapshotArtifactHash === undefined) return stream.end(new SubscriptionRefused(stream.groupId, error))
    followed.isRestoring = true
    try {
      const restored = await this.#host.restore(stream.groupId, snapshotArtifactHash)
      await onSnapshot(restored)
      const { throughSequence } = restored.snapshot
      stream.skipTo(throughSequence)
      progress.moveTo(throughSequence)
      followed.isRestoring = false
      this.#subscribe(followed)
    } catch (fault) {
      stream.end(fault instanceof Error ? fault : new Error(String(fault)))
    }
  }

  #acknowledge(groupId: string, sequence: number): void {
    this.#connection?.send({ frameType: 'ACK', acknowledgements: [{ groupId, sequence }], sentAt: timeNow() })
  }
}
