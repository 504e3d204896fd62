// One Group under test: given what was accepted before, when a Command comes, then these Events or this refusal.
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Actor, AgentCard, Approval, Command, CommandPayloads, EventDocument, Policy } from '../../protocol/generated/types.ts'
import { ARTIFACT_IMPORT } from '../../protocol/kinds.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { validateDocument, validateEventPayload } from '../../protocol/validate.ts'
import { artifactSourceIn } from '../authority/artifact-import.ts'
import { decide } from '../authority/decide.ts'
import { decideDue } from '../authority/due.ts'
import { encodeState } from '../authority/encode-state.ts'
import { evolve } from '../authority/evolve.ts'
import { isFounding } from '../authority/mission-create.ts'
import { decideReaction } from '../authority/mission-reaction.ts'
import type { Reaction } from '../authority/reactions.ts'
import { reactionsTo } from '../authority/reactions.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import { decideSessionReplaced } from '../authority/session-replaced.ts'
import type { ArtifactSource, Decision, DecisionEnv, EventDraft, GroupState, MissionFacts, VerifiedCommand } from '../authority/types.ts'
import { ada, agentCard, cora, dora, groupAuthority, nils, nora, organizationId, registry, router, START, urnOf, verifiedSignature, wanda, wim } from './cast.ts'
import { missionPayload } from './documents.ts'
import { saw } from './evidence.ts'

export interface CommandChanges extends Partial<Command> {
  readonly keyUse?: VerifiedCommand['keyUse']
}

/** What the command path looks up for an import. */
export function sourceNamedBy({ kind, payload, actor }: Command, group: Pick<GroupFixture, 'elsewhere'>): ArtifactSource | undefined {
  if (kind !== ARTIFACT_IMPORT) return undefined
  const named = payload as unknown as CommandPayloads[typeof ARTIFACT_IMPORT]
  return artifactSourceIn(group.elsewhere.get(named.sourceGroupId), named, actor.id)
}

export class GroupFixture {
  now = START
  readonly log: EventDocument[] = []
  readonly cards = new Map<string, AgentCard>([cora, wim, wanda, dora, nora, nils].map((agent) => [agent.id, agentCard(agent)]))
  readonly sessionEpochs = new Map<string, number>([cora, wim, wanda, dora, nora, nils].map((agent) => [agent.id, 1]))
  /** Missions of other Groups. */
  readonly missions = new Map<string, MissionFacts>()
  /** Other Groups by id, for what is brought in from them. */
  elsewhere: ReadonlyMap<string, GroupState> = new Map()
  policy: Policy = DEFAULT_POLICY
  /** Coordinators of Missions of other Groups. */
  readonly coordinators = new Map<string, string>()
  /** First Events of Groups that this one has founded. */
  readonly founded: EventDraft[] = []
  /** What other Groups are to record, in the order in which it came up. */
  readonly reactions: Reaction[] = []
  #state: GroupState | undefined
  #actions = 0
  readonly #name: string

  constructor(name = 'one') {
    this.#name = name
  }

  /** The fold; throws before the Mission is created. */
  get state(): GroupState {
    if (!this.#state) throw new Error('the Group has no Event yet')
    return this.#state
  }

  /** The fold as an archive keeps it. */
  get stateBytes(): Uint8Array {
    return encodeState(this.state)
  }

  get env(): DecisionEnv {
    return {
      now: this.now,
      organizationId,
      authority: groupAuthority,
      registry,
      router,
      cardOf: (agentId) => this.cards.get(agentId),
      sessionEpochOf: (agentId) => this.sessionEpochs.get(agentId) ?? 0,
      missionFacts: (missionId) => this.missions.get(missionId),
      policy: this.policy,
      isAdmin: () => false,
      isDataSchema: () => true,
      coordinates: (agentId, missionId) => this.coordinators.get(missionId) === agentId,
    }
  }

  pass(seconds: number): this {
    this.now = addSeconds(this.now, seconds)
    return this
  }

  /** A Command as this actor would send it now, with every epoch right unless `changes` says otherwise. */
  command<K extends keyof CommandPayloads>(actor: Actor, kind: K, payload: CommandPayloads[K], changes: CommandChanges = {}): VerifiedCommand {
    const { keyUse = defaultKeyUse(actor), ...members } = changes
    this.#actions += 1
    const command: Command = {
      protocolVersion: '0.1',
      actionId: urnOf(`action ${this.#name} ${this.#actions}`),
      actor,
      kind,
      correlationId: urnOf(`correlation ${this.#name}`),
      issuedAt: this.now,
      payload: payload as unknown as Record<string, unknown>,
      signature: verifiedSignature(this.now),
      ...this.#addressing(actor, kind),
      ...members,
    }
    for (const [member, value] of Object.entries(command)) if (value === undefined) delete command[member as keyof Command]
    const { signature: _signature, ...signed } = command
    const source = sourceNamedBy(command, this)
    return { command, keyUse, signingHash: sha256Hash(encodeCanonical(signed)), ...(source && { source }) }
  }

  #addressing(actor: Actor, kind: string): Partial<Command> {
    const groupId = this.#state?.groupId ?? missionPayload(this.#name).groupId
    if (isFounding(kind) || actor.type === 'service') return { groupId }
    const membershipEpoch = this.#state?.memberships.get(actor.id)?.membershipEpoch ?? 1
    if (actor.type === 'human') return { groupId, membershipEpoch }
    const sessionEpoch = this.sessionEpochs.get(actor.id) ?? 1
    const isCoordinator = this.#state?.mission.coordinator.agentId === actor.id
    return { groupId, membershipEpoch, sessionEpoch, ...(isCoordinator && { coordinatorEpoch: this.#state?.mission.coordinator.coordinatorEpoch ?? 1 }) }
  }

  /** Decides without changing anything. */
  judge(verified: VerifiedCommand): Decision {
    const decision = decide(this.#state, verified, this.env)
    const { command } = verified
    if (decision.ok) saw('accepted', command.kind)
    else saw('refused', command.kind, decision.error.code, this.#placeOf(command))
    return decision
  }

  #placeOf({ workItemId, payload }: Command): string {
    const { approval } = payload as { readonly approval?: Approval }
    const record = this.#state?.workItems.get(String(workItemId ?? payload.workItemId ?? approval?.workItemId ?? payload.parentWorkItemId))
    return record ? `work:${record.item.state}` : `mission:${this.#state?.mission.state ?? 'none'}`
  }

  /** Accepts the Command and answers its Events; throws when it is refused. */
  accept<K extends keyof CommandPayloads>(actor: Actor, kind: K, payload: CommandPayloads[K], changes?: CommandChanges): EventDocument[] {
    const decision = this.judge(this.command(actor, kind, payload, changes))
    if (!decision.ok) throw new Error(`${kind} was refused: ${decision.error.code} ${decision.error.message}`)
    return this.append(decision.value)
  }

  /** The refusal of a Command, which left the fold as it was; throws when it is accepted. */
  refusal<K extends keyof CommandPayloads>(actor: Actor, kind: K, payload: CommandPayloads[K], changes?: CommandChanges): Rejection {
    const before = this.#state && encodeState(this.#state)
    const decision = this.judge(this.command(actor, kind, payload, changes))
    if (decision.ok) throw new Error(`${kind} was accepted`)
    if (before && Buffer.compare(before, encodeState(this.state)) !== 0) throw new Error('a refused Command changed the fold')
    return decision.error
  }

  code<K extends keyof CommandPayloads>(actor: Actor, kind: K, payload: CommandPayloads[K], changes?: CommandChanges): Rejection['code'] {
    return this.refusal(actor, kind, payload, changes).code
  }

  /** Seals the drafts, checks them against their schemas and folds them in. */
  append(drafts: readonly EventDraft[]): EventDocument[] {
    this.founded.push(...drafts.filter(({ foundsGroupId }) => foundsGroupId !== undefined))
    const events = drafts.filter(({ foundsGroupId }) => foundsGroupId === undefined).map((draft) => {
      const event = this.#seal(draft)
      this.log.push(event)
      const before = this.#standing(event)
      this.#state = evolve(this.#state, event)
      const after = this.#standing(event)
      saw('event', event.kind)
      if (before.mission !== after.mission) saw('moved', 'mission', before.mission, event.kind, after.mission)
      if (after.work !== 'none') saw('moved', 'work', before.work, event.kind, after.work)
      return event
    })
    if (this.#state) this.reactions.push(...reactionsTo(events, this.#state))
    return events
  }

  /** Records what an Event of another Group calls for. */
  react(reaction: Reaction): EventDocument[] {
    return this.append(decideReaction(this.state, reaction, this.env))
  }

  /** The states of the Mission and of the WorkItem that an Event is about. */
  #standing({ workItemId }: EventDocument): { mission: string; work: string } {
    const record = this.#state?.workItems.get(workItemId ?? '')
    return { mission: this.#state?.mission.state ?? 'none', work: record?.item.state ?? 'none' }
  }

  due(): EventDocument[] {
    return this.append(decideDue(this.state, this.env))
  }

  /** The Agent opens its next Session. */
  replaceSession(agent: Actor): EventDocument[] {
    const sessionEpoch = (this.sessionEpochs.get(agent.id) ?? 0) + 1
    this.sessionEpochs.set(agent.id, sessionEpoch)
    return this.append(decideSessionReplaced(this.state, { agentId: agent.id, sessionEpoch, causeEventId: urnOf(`session ${agent.id} ${sessionEpoch}`) }, this.env))
  }

  /** Founds the Mission and admits the workers. */
  found(changes: Parameters<typeof missionPayload>[1] = {}): this {
    this.accept(ada, 'mission.create', missionPayload(this.#name, changes))
    for (const worker of [wim, wanda]) this.accept(ada, 'membership.change', { member: worker, role: 'worker' })
    return this
  }

  #seal(draft: EventDraft): EventDocument {
    const event: EventDocument = {
      ...draft,
      protocolVersion: '0.1',
      groupId: this.#state?.groupId ?? missionPayload(this.#name).groupId,
      sequence: this.log.length + 1,
      occurredAt: this.now,
      acceptedBy: groupAuthority,
      signature: verifiedSignature(this.now),
    }
    const fault = validateDocument('event', event) ?? validateEventPayload(event.kind as EventPayloadKind, event.payload)
    if (fault) throw new Error(`${event.kind} does not fit its schema: ${fault.path} ${fault.message}`)
    return event
  }
}

function defaultKeyUse({ type }: Actor): VerifiedCommand['keyUse'] {
  return type === 'human' ? 'authority' : type
}

/** The fold of a log from its first Event on. */
export function replay(log: readonly EventDocument[]): GroupState {
  const state = log.reduce<GroupState | undefined>(evolve, undefined)
  if (!state) throw new Error('an empty log has no state')
  return state
}
