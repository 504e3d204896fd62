// A Mission as whoever reads its log sees it; senders invent their Commands on it.
import { encodeCanonical } from '../../../protocol/canonical-json.ts'
import { sha256Hash } from '../../../protocol/digest.ts'
import type { Actor, Command, CommandPayloads, EventDocument } from '../../../protocol/generated/types.ts'
import { evolve } from '../../authority/evolve.ts'
import type { GroupState, VerifiedCommand } from '../../authority/types.ts'
import { ada, urnOf, verifiedSignature } from '../cast.ts'
import type { CommandChanges } from '../group-fixture.ts'
import { sourceNamedBy } from '../group-fixture.ts'
import type { RandomGroup } from '../random-commands.ts'

export interface Senders {
  /** Time by the clock on the wall, RFC 3339 UTC. */
  readonly now: () => string
  readonly sessionEpochOf: (agentId: string) => number
  /** A name that nobody has used. */
  readonly fresh: () => string
  /** Every Mission that is watched, by its Group. */
  readonly views: ReadonlyMap<string, MissionView>
}

/** A verified Command of these members, issued now. */
export function commandOf(actor: Actor, kind: string, payload: object, members: Partial<Command> & { actionId: string; now: string }, keyUse = keyUseOf(actor)): VerifiedCommand {
  const { now, ...rest } = members
  const complete: Command = {
    protocolVersion: '0.1',
    actor,
    kind,
    correlationId: urnOf('correlation'),
    issuedAt: now,
    payload: payload as Record<string, unknown>,
    signature: verifiedSignature(now),
    ...rest,
  } as Command
  const command = Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== undefined)) as unknown as Command
  const { signature: _signature, ...signed } = command
  let signingHash: string | undefined
  // Made when it is asked for: most Commands that a sender thinks better of never get that far.
  return { command, keyUse, get signingHash() { return (signingHash ??= sha256Hash(encodeCanonical(signed))) } }
}

const keyUseOf = ({ type }: Actor): VerifiedCommand['keyUse'] => (type === 'human' ? 'authority' : type)

export class MissionView implements RandomGroup {
  readonly log: EventDocument[] = []
  readonly #senders: Senders
  #state: GroupState | undefined

  constructor(senders: Senders) {
    this.#senders = senders
  }

  /** The other Groups. */
  get elsewhere(): ReadonlyMap<string, GroupState> {
    return new Map([...this.#senders.views].filter(([, view]) => view !== this).map(([groupId, view]) => [groupId, view.state]))
  }

  get state(): GroupState {
    if (!this.#state) throw new Error('the Group has no Event yet')
    return this.#state
  }

  /** What the authority's clock says at least. */
  get now(): string {
    const now = this.#senders.now()
    return this.#state && this.#state.lastOccurredAt > now ? this.#state.lastOccurredAt : now
  }

  apply(event: EventDocument): void {
    this.#state = evolve(this.#state, event)
    this.log.push(event)
  }

  /** As this actor would send it now, with every epoch right unless `changes` says otherwise. Where ada is not the owner, she and the owner change places. */
  command<K extends keyof CommandPayloads>(named: Actor, kind: K, payload: CommandPayloads[K], changes: CommandChanges = {}): VerifiedCommand {
    const { missionOwner } = this.state.mission
    const actor = named.id === ada.id ? missionOwner : named.id === missionOwner.id ? ada : named
    const { keyUse, ...members } = changes
    const actionId = this.#actionId(kind)
    const verified = commandOf(actor, kind, payload, { groupId: this.state.groupId, actionId, now: this.now, ...this.#epochsOf(actor), ...members }, keyUse)
    const source = sourceNamedBy(verified.command, this)
    return source ? { ...verified, source } : verified
  }

  /** Now and then the one that an override grant waits for. */
  #actionId(kind: string): string {
    const waiting = [...this.state.overrides.values()].find(({ grant, consumedEventId }) => consumedEventId === undefined && grant.targetCommandKind === kind)
    return waiting && this.#senders.fresh().endsWith('7') ? waiting.grant.targetActionId : urnOf(`action ${this.#senders.fresh()}`)
  }

  #epochsOf({ type, id }: Actor): Partial<Command> {
    if (type === 'service') return {}
    const { memberships, mission } = this.state
    const membershipEpoch = memberships.get(id)?.membershipEpoch ?? 1
    if (type === 'human') return { membershipEpoch }
    const { agentId, coordinatorEpoch } = mission.coordinator
    return { membershipEpoch, sessionEpoch: Math.max(1, this.#senders.sessionEpochOf(id)), ...(agentId === id && { coordinatorEpoch }) }
  }
}
