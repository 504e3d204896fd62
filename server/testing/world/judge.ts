// Watches a world and asks the invariants about every Event and every answer.
import { createHash } from 'node:crypto'
import type { AgentCard, Command, EventDocument, Mission } from '../../../protocol/generated/types.ts'
import { AGENT_CARD_REGISTERED, POLICY_CHANGED, PROFILE_APPROVED, PROFILE_RETIRED, SESSION_OPENED } from '../../../protocol/kinds.ts'
import { isFounding } from '../../authority/mission-create.ts'
import type { Seen, WorldFacts } from './invariants.ts'
import { INVARIANTS, overspent } from './invariants.ts'
import type { MissionModel } from './log-model.ts'
import { follow, founded } from './log-model.ts'
import type { Answer, Watcher } from './world.ts'

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64')
const placeOf = (spaceId: string, sequence: number): string => `${spaceId} ${sequence}`

/** What came of the Commands of one kind. */
export interface Count { accepted: number; duplicate: number; refused: number }

export class Judge implements Watcher {
  readonly counts = new Map<string, Count>()
  readonly codes = new Map<string, number>()
  readonly events = new Map<string, number>()
  readonly #models = new Map<string, MissionModel>()
  readonly #sent = new Map<string, Command>()
  readonly #digests = new Map<string, string>()
  readonly #sequences = new Map<string, number>()
  readonly #placeOfHash = new Map<string, string>()
  /** Of what is on its way just now, what was accepted before it set out. */
  readonly #acceptedBefore = new Set<string>()
  readonly #hashOfAction = new Map<string, string>()
  readonly #facts = { sessionEpochs: new Map<string, number>(), capabilities: new Map<string, Set<string>>(), spaceOfMission: new Map<string, string>(), events: new Map<string, { kind: string; spaceId: string }>(), models: this.#models, answered: new Map<string, string>() } satisfies WorldFacts

  /** A Command leaves its sender: what it says is known from here on, whatever the authority makes of it. */
  sends(signingHash: string, command: Command): void {
    this.#sent.set(signingHash, command)
    if (this.#placeOfHash.has(signingHash)) this.#acceptedBefore.add(signingHash)
  }

  event(spaceId: string, bytes: Uint8Array, event: EventDocument): void {
    const sequence = (this.#sequences.get(spaceId) ?? 0) + 1
    this.#sequences.set(spaceId, sequence)
    this.#digests.set(placeOf(spaceId, sequence), digest(bytes))
    const { kind, payload } = event
    this.events.set(kind, (this.events.get(kind) ?? 0) + 1)
    if (kind === SESSION_OPENED) this.#openSession(String(payload.agentId), Number(payload.sessionEpoch))
    else if (kind === AGENT_CARD_REGISTERED) this.#facts.capabilities.set(String(payload.agentId), new Set((payload.card as AgentCard).capabilities.map(({ id, version }) => `${id}@${version}`)))
    else if (kind !== POLICY_CHANGED && kind !== PROFILE_APPROVED && kind !== PROFILE_RETIRED) this.#judge(spaceId, event)
    this.#remember(spaceId, sequence, event)
  }

  answered(answers: readonly Answer[]): void {
    for (const answer of answers) this.#answer(answer)
    this.#acceptedBefore.clear()
  }

  reread(spaceId: string, sequence: number, bytes: Uint8Array): void {
    if (this.#digests.get(placeOf(spaceId, sequence)) !== digest(bytes)) throw new Error(`A-20: Event ${sequence} of ${spaceId} is another than it was`)
  }

  #openSession(agentId: string, sessionEpoch: number): void {
    if (sessionEpoch <= (this.#facts.sessionEpochs.get(agentId) ?? 0)) throw new Error('A-18: a Session Epoch came back')
    this.#facts.sessionEpochs.set(agentId, sessionEpoch)
  }

  #judge(spaceId: string, event: EventDocument): void {
    const model = this.#models.get(spaceId)
    const command = event.cause.type === 'command' ? this.#sent.get(event.commandHash ?? '') : undefined
    const seen: Seen = { spaceId, event, command, model, world: this.#facts }
    for (const [rule, invariant] of Object.entries(INVARIANTS)) {
      const wrong = invariant(seen)
      if (wrong) throw new Error(`${rule}: ${wrong} (${event.kind} ${event.sequence} of ${spaceId})`)
    }
    if (!model) {
      this.#models.set(spaceId, founded(spaceId, event))
      this.#facts.spaceOfMission.set((event.payload as { mission: Mission }).mission.missionId, spaceId)
      return
    }
    follow(model, event)
    const wrong = overspent(event, model)
    if (wrong) throw new Error(`A-25: ${wrong} (${event.kind} ${event.sequence} of ${spaceId})`)
  }

  #remember(spaceId: string, sequence: number, { eventId, kind, cause, actor, commandHash }: EventDocument): void {
    this.#facts.events.set(eventId, { kind, spaceId })
    if (cause.type !== 'command' || commandHash === undefined) return
    this.#facts.answered.set(`${actor.id} ${cause.id}`, placeOf(spaceId, sequence))
    this.#hashOfAction.set(`${actor.id} ${cause.id}`, commandHash)
    this.#placeOfHash.set(commandHash, placeOf(spaceId, sequence))
  }

  /** the log answers for what was accepted, the same for every copy. Copies that race on both servers may be refused by one and accepted by the other. */
  #answer({ spaceId, command: { document }, outcome }: Answer): void {
    const { value: command, signingHash } = document
    const count = this.#countOf(command.kind)
    const place = this.#placeOfHash.get(signingHash)
    if (outcome.type === 'accepted') {
      if (place !== placeOf(outcome.spaceId, outcome.sequence)) throw new Error(`A-22: ${command.kind} was answered with another Event than its own`)
      if (digest(outcome.eventBytes) !== this.#digests.get(place)) throw new Error(`A-20: ${command.kind} was answered with other bytes than those of the log`)
      count[outcome.isDuplicate ? 'duplicate' : 'accepted'] += 1
      return
    }
    if (outcome.type !== 'refused') throw new Error(`A-22: ${command.kind} was not answered`)
    const { code } = outcome.rejection
    count.refused += 1
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
    if (this.#acceptedBefore.has(signingHash)) throw new Error(`A-22: ${command.kind} was refused with ${code} although it was accepted`)
    const taken = this.#hashOfAction.get(`${command.actor.id} ${command.actionId}`)
    if (code === 'ACTION_ID_COLLISION' && taken === undefined) throw new Error('A-22: an Action ID collides with nothing')
    this.#refusedStranger(spaceId, command, code)
  }

  /** whoever never belonged to a Group is told no more of it than of one that does not exist. */
  #refusedStranger(spaceId: string, { actor, kind, actionId }: Command, code: string): void {
    const model = this.#models.get(spaceId)
    if (!model || actor.type === 'service' || model.members.has(actor.id) || isFounding(kind)) return
    const isOwnFault = code === 'INVALID_COMMAND' || code === 'AUTH_INVALID_SIGNATURE' || (code === 'AUTH_FORBIDDEN') || (code === 'ACTION_ID_COLLISION' && this.#hashOfAction.has(`${actor.id} ${actionId}`))
    if (code !== 'GROUP_NOT_FOUND' && !isOwnFault) throw new Error(`A-23: a stranger learns ${code} from ${kind}`)
  }

  #countOf(kind: string): Count {
    const count = this.counts.get(kind) ?? { accepted: 0, duplicate: 0, refused: 0 }
    this.counts.set(kind, count)
    return count
  }
}
