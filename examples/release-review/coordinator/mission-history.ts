// Everything that the Coordinator knows of a Mission, folded from the Group's Events: started again at any moment, it knows the same.
import type {
  EventDocument,
  MessagePostedPayload,
  MissionChangesRequestedPayload,
  ResourceUsageRecordedPayload,
  Usage,
  WorkFailedPayload,
  WorkOfferCreatedPayload,
} from '../../../protocol/generated/types.ts'
import { RESOURCE_USAGE_RECORDED } from '../../../protocol/kinds.ts'
import { GroupMirror } from '../../../sdk/index.ts'

export interface Failure {
  readonly sequence: number
  readonly atMs: number
  /** What the failure report calls it; empty when it calls it nothing. */
  readonly code: string
  readonly count: number
}

/** A person's Message that mentions somebody. */
export interface Question {
  readonly sequence: number
  readonly messageId: string
  readonly conversationId: string
  readonly authorId: string
  readonly mentionedIds: readonly string[]
  readonly text: string
}

export interface RequestedChanges {
  readonly eventId: string
  readonly comment: string
}

export class MissionHistory {
  readonly mirror = new GroupMirror()
  foundingEventId = ''
  readonly requestedChanges: RequestedChanges[] = []
  /** Event ids of the submissions for approval. */
  readonly submissionEventIds: string[] = []
  readonly questions: Question[] = []
  readonly messageIds = new Set<string>()
  /** Sequences at which each WorkItem was offered. */
  readonly offers = new Map<string, readonly number[]>()
  /** The last failure of each WorkItem that failed. */
  readonly failures = new Map<string, Failure>()
  /** What each WorkItem has consumed so far. */
  readonly usage = new Map<string, Usage>()

  /** Takes in the next Event; one that was taken in before changes nothing. */
  apply(event: EventDocument): void {
    if ((event.sequence ?? 0) <= this.mirror.sequence) return
    this.mirror.apply(event)
    this.#note(event)
  }

  #note(event: EventDocument): void {
    const { kind, payload, eventId, sequence = 0 } = event
    switch (kind) {
      case 'mission.created':
      case 'mission.follow_up.created':
        this.foundingEventId = eventId
        break
      case 'mission.submitted_for_approval':
        this.submissionEventIds.push(eventId)
        break
      case 'mission.changes_requested':
        this.requestedChanges.push({ eventId, comment: (payload as MissionChangesRequestedPayload).feedback })
        break
      case 'message.posted':
        this.#noteMessage(payload as MessagePostedPayload, sequence)
        break
      case 'work.offer.created': {
        const { workItemId } = payload as WorkOfferCreatedPayload
        this.offers.set(workItemId, [...(this.offers.get(workItemId) ?? []), sequence])
        break
      }
      case 'work.failed':
        this.#noteFailure(payload as WorkFailedPayload, { sequence, atMs: Date.parse(event.occurredAt) })
        break
      case RESOURCE_USAGE_RECORDED: {
        const { workItemId, cumulativeUsage } = payload as ResourceUsageRecordedPayload
        this.usage.set(workItemId, cumulativeUsage)
        break
      }
    }
  }

  #noteMessage({ message }: MessagePostedPayload, sequence: number): void {
    const { messageId, conversationId, author, mentions = [], content } = message
    this.messageIds.add(messageId)
    if (author.type !== 'human' || mentions.length === 0) return
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    this.questions.push({ sequence, messageId, conversationId, authorId: author.id, mentionedIds: mentions.map(({ id }) => id), text })
  }

  #noteFailure({ workItemId, evidence }: WorkFailedPayload, when: Pick<Failure, 'sequence' | 'atMs'>): void {
    const code = evidence[0]?.details?.failure
    const count = (this.failures.get(workItemId)?.count ?? 0) + 1
    this.failures.set(workItemId, { ...when, code: typeof code === 'string' ? code : '', count })
  }
}
