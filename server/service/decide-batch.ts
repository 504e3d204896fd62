// One batch against one fold: every Command is judged on the state that the accepted ones before it left.
import { randomUUID } from 'node:crypto'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { prepareCandidate, validateRecord } from '../../protocol/admission.ts'
import type { AdmissionFailure } from '../../protocol/admission.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Command, EventDocument, FirstAdmissionRecord, ServiceActor } from '../../protocol/generated/types.ts'
import type { Result } from '../../protocol/result.ts'
import { ok } from '../../protocol/result.ts'
import type { VerifiedDocument } from '../../protocol/verify-document.ts'
import { isFounding } from '../authority/mission-create.ts'
import type { Ruling } from '../authority/policy-ruling.ts'
import { rulingsOn } from '../authority/policy-ruling.ts'
import type { Reaction } from '../authority/reactions.ts'
import type { ReadModelRows } from '../authority/read-models.ts'
import type { DecisionEnv, EventDraft, MissionFacts } from '../authority/types.ts'
import type { AcceptedAction, AcceptedActions } from './accepted-actions.ts'
import type { UnsignedEvent } from './event-bytes.ts'
import type { CommandReceipt, ReactionKey } from './ports.ts'
import { actionIdCollision, invalidSignature } from './refusals.ts'
import type { AdmissibleCommand, SpaceFold, SpaceWork } from './space-fold.ts'
import { MissionFold } from './space-fold.ts'

/** What the log already holds about the Commands of a batch and the documents inside them. */
export interface KnownRecords {
  readonly actions: Pick<AcceptedActions, 'find'>
  readonly admissions: readonly FirstAdmissionRecord[]
  /** Missions of other Groups among those that the batch names, by id. */
  readonly missions: ReadonlyMap<string, MissionFacts>
  /** Ids among those of Groups that the batch would found which a Space of any kind has already. */
  readonly takenGroups: ReadonlySet<string>
  /** Whether the Agent coordinates the Mission; known for those that a Command of the batch turns on. */
  readonly coordinates: (agentId: string, missionId: string) => boolean
}

export type Verdict =
  /** The primary Event is at this sequence of the Space, written by this batch. */
  | { readonly type: 'accepted'; readonly sequence: number; readonly isDuplicate: boolean }
  /** The same Command was accepted before. */
  | { readonly type: 'known'; readonly action: AcceptedAction }
  /** `audit` is for auditors only. */
  | { readonly type: 'refused'; readonly rejection: Rejection; readonly audit?: AdmissionFailure }
  /** Work that came from no Command. */
  | { readonly type: 'done' }

export interface DecidedBatch {
  /** One for each work, in order. */
  readonly verdicts: readonly Verdict[]
  readonly events: readonly UnsignedEvent[]
  readonly receipts: readonly CommandReceipt[]
  readonly admissions: readonly FirstAdmissionRecord[]
  readonly rows: ReadModelRows
  readonly rulings: readonly Ruling[]
  /** What other Spaces are to record because of these Events. */
  readonly reactions: readonly Reaction[]
  /** Reactions that were among the works, whether or not they left Events. */
  readonly settled: readonly ReactionKey[]
  readonly founded: readonly FoundedSpace[]
}

/** Another Space with its first Event. */
export interface FoundedSpace {
  readonly spaceId: string
  readonly event: UnsignedEvent
  readonly rows: ReadModelRows
}

/** What the works of a batch are decided on. */
export interface BatchSetting {
  readonly spaceId: string
  readonly fold: SpaceFold
  readonly known: KnownRecords
  readonly env: DecisionEnv
}

/** Decides the works in order and leaves the fold as if all of their Events were in the log. */
export function decideBatch(works: readonly SpaceWork[], setting: BatchSetting): DecidedBatch {
  const batch = new BatchDecision(setting)
  const verdicts = works.map((work) => (work.type === 'command' ? batch.command(work.command) : batch.other(work)))
  const { events, receipts, admissions, founded } = batch
  const settled = works.flatMap((work) => (work.type === 'reaction' ? [reactionKey(work.reaction)] : []))
  const documents = events as EventDocument[]
  const { fold, env } = setting
  return { verdicts, events, receipts: [...receipts.values()], admissions: [...admissions.values()], rows: fold.rowsOf(documents), rulings: documents.flatMap((event) => rulingsOn(event, env.policy.version)), reactions: fold.reactionsTo(documents), settled, founded }
}

/** Where the outbox keeps a reaction. */
export const reactionKey = ({ targetGroupId, eventId }: Reaction): ReactionKey => ({ targetSpaceId: targetGroupId, eventId })

/** the same content again is the same Command, other content under its Action ID is a collision. */
export function repeated(action: AcceptedAction, signingHash: string): Verdict {
  return action.signingHash === signingHash ? { type: 'known', action } : { type: 'refused', rejection: actionIdCollision() }
}

const actionKey = (actorId: string, actionId: string) => `${actorId}\n${actionId}`

class BatchDecision {
  readonly events: UnsignedEvent[] = []
  readonly receipts = new Map<string, CommandReceipt>()
  readonly admissions = new Map<string, FirstAdmissionRecord>()
  readonly founded: FoundedSpace[] = []
  readonly #spaceId: string
  readonly #fold: SpaceFold
  readonly #env: DecisionEnv
  readonly #known: KnownRecords
  readonly #knownAdmissions: ReadonlyMap<string, FirstAdmissionRecord>

  constructor({ spaceId, fold, known, env }: BatchSetting) {
    this.#spaceId = spaceId
    this.#fold = fold
    this.#env = env
    this.#known = known
    this.#knownAdmissions = new Map(known.admissions.map((record) => [record.signingHash, record]))
  }

  command(command: AdmissibleCommand): Verdict {
    const { document, nested } = command
    const { value: envelope, signingHash } = document
    const key = actionKey(envelope.actor.id, envelope.actionId)
    const inBatch = this.receipts.get(key)
    if (inBatch?.signingHash === signingHash) return { type: 'accepted', sequence: inBatch.sequence, isDuplicate: true }
    const earlier = inBatch ?? this.#known.actions.find(envelope.actor.id, envelope.actionId)
    if (earlier) return repeated(earlier, signingHash)
    const admitted = this.#admit([document, ...nested])
    if (!admitted.ok) return { type: 'refused', rejection: invalidSignature(), audit: admitted.error }
    const drafts = this.#fold.decide({ type: 'command', command }, this.#env)
    if (!drafts.ok) return { type: 'refused', rejection: drafts.error }
    // Last, so that only who may found learns that an id is taken.
    const taken = this.#takenId(envelope)
    if (taken) return { type: 'refused', rejection: taken }
    const primary = drafts.value.findIndex(({ cause }) => cause.type === 'command')
    const sequence = this.#fold.head + 1 + primary
    this.#apply(drafts.value)
    for (const record of admitted.value) this.admissions.set(record.signingHash, record)
    this.receipts.set(key, { actorId: envelope.actor.id, actionId: envelope.actionId, signingHash, spaceId: this.#spaceId, sequence, commandBytes: document.bytes })
    return { type: 'accepted', sequence, isDuplicate: false }
  }

  other(work: SpaceWork): Verdict {
    const drafts = this.#fold.decide(work, this.#env)
    if (!drafts.ok) return { type: 'refused', rejection: drafts.error }
    this.#apply(drafts.value)
    return { type: 'done' }
  }

  /** A Mission and its Group are founded under ids that nothing else has. */
  #takenId({ kind, payload: { missionId, groupId } }: Command): Rejection | undefined {
    if (!isFounding(kind) && kind !== 'mission.create_child') return undefined
    if (this.#known.missions.has(String(missionId))) return reject('INVALID_COMMAND', 'this Mission id is taken')
    return this.#known.takenGroups.has(String(groupId)) ? reject('INVALID_COMMAND', 'this Group id cannot be used') : undefined
  }

  /** First admission of the documents: the records to append, once what is on record already has been validated. */
  #admit(documents: readonly VerifiedDocument[]): Result<readonly FirstAdmissionRecord[], AdmissionFailure> {
    const { now, authority } = this.#env
    const acceptedBy = authority as ServiceActor
    const candidates: FirstAdmissionRecord[] = []
    for (const document of documents) {
      const found = this.admissions.get(document.signingHash) ?? this.#knownAdmissions.get(document.signingHash)
      const record = found
        ? validateRecord(document, { record: encodeCanonical(found), authenticatedService: acceptedBy })
        : prepareCandidate(document, { admissionRecordId: `urn:uuid:${randomUUID()}`, trustedAcceptedAt: now, acceptedBy })
      if (!record.ok) return record
      if (!found) candidates.push(record.value)
    }
    return ok(candidates)
  }

  #apply(drafts: readonly Parameters<SpaceFold['place']>[0][]): void {
    for (const draft of drafts) {
      if ('foundsGroupId' in draft && draft.foundsGroupId !== undefined) {
        this.#found(draft.foundsGroupId, draft)
        continue
      }
      const event = this.#fold.place(draft, this.#env)
      this.events.push(event)
      // The fold reads everything of an Event but its signature, which is made for the whole batch at once.
      this.#fold.apply(event as EventDocument)
    }
  }

  #found(spaceId: string, draft: EventDraft): void {
    const fold = new MissionFold(spaceId)
    const event = fold.place(draft, this.#env)
    fold.apply(event as EventDocument)
    this.founded.push({ spaceId, event, rows: fold.rowsOf([event as EventDocument]) })
  }
}
