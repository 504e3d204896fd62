// The kinds of Space behind one face: what a batch needs in order to decide, place and apply Events.
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import { POLICY_CHANGED } from '../../protocol/kinds.ts'
import type { Result } from '../../protocol/result.ts'
import { err, InvariantViolation, ok } from '../../protocol/result.ts'
import type { VerifiedDocument } from '../../protocol/verify-document.ts'
import { decide } from '../authority/decide.ts'
import { decideDue, nextDue } from '../authority/due.ts'
import { evolve } from '../authority/evolve.ts'
import type { ProfileRegister } from '../authority/extension-profile.ts'
import { decideProfile, evolveProfiles, isProfileCommand } from '../authority/extension-profile.ts'
import { groupNotFound } from '../authority/fences.ts'
import { isFounding } from '../authority/mission-create.ts'
import { decideReaction } from '../authority/mission-reaction.ts'
import { decideOrganization } from '../authority/organization.ts'
import { decidePolicyChange, evolvePolicy } from '../authority/policy-change.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import type { Reaction } from '../authority/reactions.ts'
import { reactionsTo } from '../authority/reactions.ts'
import type { ReadModelRows } from '../authority/read-models.ts'
import { rowsOf } from '../authority/read-models.ts'
import type { ReplacedSession } from '../authority/session-replaced.ts'
import { decideSessionReplaced } from '../authority/session-replaced.ts'
import type { ArtifactSource, DecisionEnv, EventDraft, GroupState, OrganizationEventDraft, VerifiedCommand } from '../authority/types.ts'
import type { UnsignedEvent } from './event-bytes.ts'
import type { SpaceKind } from './ports.ts'
import type { Handshake } from './registry-service.ts'

/** A Command that has passed everything but the decision, with the Signed Documents inside it. */
export interface AdmissibleCommand {
  readonly document: VerifiedDocument<'command'>
  readonly keyUse: VerifiedCommand['keyUse']
  readonly nested: readonly VerifiedDocument[]
  readonly handshake?: Handshake
  /** With an import; what it names in another Group. */
  readonly source?: ArtifactSource
}

/** What may move a Space on. */
export type SpaceWork =
  | { readonly type: 'command'; readonly command: AdmissibleCommand }
  /** Time has passed: leases and offers may have run out. */
  | { readonly type: 'due' }
  | { readonly type: 'session-replaced'; readonly session: ReplacedSession }
  /** An Event of a parent or child Mission. */
  | { readonly type: 'reaction'; readonly reaction: Reaction }

type Drafts = Result<readonly (EventDraft | OrganizationEventDraft)[], Rejection>

export interface SpaceFold {
  readonly spaceKind: SpaceKind | 'open'
  /** Sequence of the last Event applied, 0 before the first. */
  readonly head: number
  /** Authority time of the last Event; no later Event may be earlier. */
  readonly lastOccurredAt: string
  /** Group state, where the Space is a mission's and has begun. */
  readonly group: GroupState | undefined
  decide(work: SpaceWork, env: DecisionEnv): Drafts
  /** The next Event of the Space, made from a draft. */
  place(draft: EventDraft | OrganizationEventDraft, env: DecisionEnv): UnsignedEvent
  /** Folds the next Event in. */
  apply(event: EventDocument): void
  /** Read-model rows of the Events applied last. */
  rowsOf(events: readonly EventDocument[]): ReadModelRows
  /** What the Events applied last bring about in other Spaces. */
  reactionsTo(events: readonly EventDocument[]): readonly Reaction[]
  /** When `due` work may have something to do. */
  nextDue(): string | undefined
}

export class MissionFold implements SpaceFold {
  readonly spaceKind = 'mission'
  readonly #spaceId: string
  #group: GroupState | undefined

  constructor(spaceId: string) {
    this.#spaceId = spaceId
  }

  get head(): number {
    return this.#group?.sequence ?? 0
  }

  get lastOccurredAt(): string {
    return this.#group?.lastOccurredAt ?? ''
  }

  get group(): GroupState | undefined {
    return this.#group
  }

  decide(work: SpaceWork, env: DecisionEnv): Drafts {
    if (work.type === 'command') return decide(this.#group, verifiedCommand(work.command), env)
    if (this.#group === undefined || this.#group.group.state === 'archived') return ok([])
    if (work.type === 'reaction') return ok(decideReaction(this.#group, work.reaction, env))
    return ok(work.type === 'due' ? decideDue(this.#group, env) : decideSessionReplaced(this.#group, work.session, env))
  }

  place(draft: EventDraft, env: DecisionEnv): UnsignedEvent {
    return placed(draft, this.#spaceId, this.head + 1, env)
  }

  apply(event: EventDocument): void {
    this.#group = evolve(this.#group, event)
  }

  rowsOf(events: readonly EventDocument[]): ReadModelRows {
    return this.#group ? rowsOf(events, this.#group) : noRows
  }

  reactionsTo(events: readonly EventDocument[]): readonly Reaction[] {
    return this.#group ? reactionsTo(events, this.#group) : []
  }

  nextDue(): string | undefined {
    return this.#group && nextDue(this.#group)
  }
}

/** Of a Space that is no mission's: it has no read model, moves no other Space, and nothing in it runs out. */
abstract class PlainFold {
  readonly group = undefined
  rowsOf(): ReadModelRows {
    return noRows
  }

  reactionsTo(): readonly Reaction[] {
    return []
  }

  nextDue(): undefined {
    return undefined
  }
}

/** The Organization's own Space: cards and sessions. Its Events have no sequence; the position is the store's alone. */
export class OrganizationFold extends PlainFold implements SpaceFold {
  readonly spaceKind = 'organization'
  #head: number
  #lastOccurredAt = ''

  /** Nothing is decided by older Events, so a fold may begin in the middle of the log. */
  constructor(head: number) {
    super()
    this.#head = head
  }

  get head(): number {
    return this.#head
  }

  get lastOccurredAt(): string {
    return this.#lastOccurredAt
  }

  decide(work: SpaceWork, env: DecisionEnv): Drafts {
    if (work.type !== 'command') return ok([])
    const { handshake } = work.command
    return decideOrganization(verifiedCommand(work.command), { ...env, ...(handshake && { handshake }) })
  }

  place(draft: OrganizationEventDraft, { now, authority }: DecisionEnv): UnsignedEvent {
    return { ...draft, protocolVersion: '0.1', occurredAt: now, acceptedBy: authority }
  }

  apply(event: EventDocument): void {
    this.#head += 1
    this.#lastOccurredAt = event.occurredAt
  }
}

/** The Space that holds the Organization's policy and its Extension Profiles, all of it from the first version on: what decides may not fall out of a window. */
class PolicyFold extends PlainFold implements SpaceFold {
  readonly spaceKind = 'policy'
  readonly #spaceId: string
  #policy = DEFAULT_POLICY
  #profiles: ProfileRegister = new Map()
  #head = 0
  #lastOccurredAt = ''

  constructor(spaceId: string) {
    super()
    this.#spaceId = spaceId
  }

  get head(): number {
    return this.#head
  }

  get lastOccurredAt(): string {
    return this.#lastOccurredAt
  }

  decide(work: SpaceWork, env: DecisionEnv): Drafts {
    if (work.type !== 'command') return ok([])
    const verified = verifiedCommand(work.command)
    return isProfileCommand(verified.command.kind) ? decideProfile(this.#profiles, verified, env) : decidePolicyChange(this.#policy, verified, env)
  }

  place(draft: EventDraft, env: DecisionEnv): UnsignedEvent {
    return placed(draft, this.#spaceId, this.head + 1, env)
  }

  apply(event: EventDocument): void {
    if (event.kind === POLICY_CHANGED) this.#policy = evolvePolicy(this.#policy, event)
    else this.#profiles = evolveProfiles(this.#profiles, event)
    this.#head += 1
    this.#lastOccurredAt = event.occurredAt
  }
}

/** An open Space is no Group: no Command moves it, and nothing that is said there is folded. Its log is written past the actors. */
class OpenFold extends PlainFold implements SpaceFold {
  readonly spaceKind = 'open'
  readonly head = 0
  readonly lastOccurredAt = ''

  decide(work: SpaceWork): Drafts {
    if (work.type !== 'command') return ok([])
    return err(isFounding(work.command.document.value.kind) ? reject('INVALID_COMMAND', 'this Group id cannot be used') : groupNotFound())
  }

  place(): never {
    throw new InvariantViolation('no Event is placed in an open Space')
  }

  apply(): void {
    throw new InvariantViolation('an open Space has no Events')
  }
}

/** An empty fold for a Space of this kind. */
export function newFold(kind: SpaceFold['spaceKind'], spaceId: string): SpaceFold {
  if (kind === 'open') return new OpenFold()
  if (kind === 'mission') return new MissionFold(spaceId)
  return kind === 'policy' ? new PolicyFold(spaceId) : new OrganizationFold(0)
}

/** In canonical order of members, so that the text to sign is written without a copy. */
function placed(draft: EventDraft, groupId: string, sequence: number, { now, authority }: DecisionEnv): UnsignedEvent {
  const { eventId, kind, actor, cause, correlationId, payload, commandHash, extensions, aggregateRevision, conversationId, workItemId } = draft
  return {
    acceptedBy: authority,
    actor,
    aggregateRevision,
    cause,
    ...(commandHash !== undefined && { commandHash }),
    ...(conversationId !== undefined && { conversationId }),
    correlationId,
    eventId,
    ...(extensions && { extensions }),
    groupId,
    kind,
    occurredAt: now,
    payload,
    protocolVersion: '0.1',
    sequence,
    ...(workItemId !== undefined && { workItemId }),
  }
}

const noRows: ReadModelRows = { memberships: [], nodes: [], edges: [], artifacts: [], executions: [] }

const verifiedCommand = ({ document, keyUse, source }: AdmissibleCommand): VerifiedCommand => ({ command: document.value, signingHash: document.signingHash, keyUse, ...(source && { source }) })
