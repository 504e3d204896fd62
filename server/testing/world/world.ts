// Several Missions on two servers, and everybody at once: members, outsiders and services send what they like, clocks step both
// ways, messages come twice, late or to the wrong server, servers lose their memory. One seed gives one history.
import type { Actor, AgentCard, Command, CommandPayloads, EventDocument, Policy } from '../../../protocol/generated/types.ts'
import { AGENT_CARD_REGISTER, AGENT_CARD_REGISTERED, GROUP_ARCHIVE, POLICY_CHANGE, POLICY_CHANGED, PROFILE_APPROVE, PROFILE_APPROVED, PROFILE_RETIRE, PROFILE_RETIRED, SESSION_OPEN, SESSION_OPENED } from '../../../protocol/kinds.ts'
import { decide } from '../../authority/decide.ts'
import { encodeState } from '../../authority/encode-state.ts'
import type { ApprovedProfile, ProfileRegister } from '../../authority/extension-profile.ts'
import { evolveProfiles } from '../../authority/extension-profile.ts'
import { DEFAULT_POLICY, policySpaceIdOf } from '../../authority/policy.ts'
import type { Reaction } from '../../authority/reactions.ts'
import type { DecisionEnv, GroupState, VerifiedCommand } from '../../authority/types.ts'
import { decodeEvent } from '../../service/event-bytes.ts'
import type { WorkOutcome } from '../../service/space-actor.ts'
import type { AdmissibleCommand } from '../../service/space-fold.ts'
import { ada, agentCard, ben, CAPABILITY, cora, dora, groupAuthority, nils, nora, organizationId, registry, router, START, urnOf, wanda, wim } from '../cast.ts'
import { archivalSnapshot, DATA_SCHEMA, extensionProfile, missionPayload } from '../documents.ts'
import { createMemorySpaces } from '../memory-spaces.ts'
import { randomCommand } from '../random-commands.ts'
import { RandomSource } from '../random-source.ts'
import { admissible } from './admissible.ts'
import { commandOf, MissionView } from './mission-view.ts'
import { Node } from './node.ts'

/** A Command on its way. */
interface Letter { readonly spaceId: string; readonly command: AdmissibleCommand }
/** What came of it. */
export interface Answer extends Letter { readonly outcome: WorkOutcome }

/** Sees the history from outside. Throws when it is impossible. */
export interface Watcher {
  /** Somebody sends this Command. */
  sends(signingHash: string, command: Command): void
  /** A Space has one more Event, by the bytes in the log. */
  event(spaceId: string, bytes: Uint8Array, event: EventDocument): void
  /** The answers to all that was sent at once, after the Events. */
  answered(answers: readonly Answer[]): void
  /** Bytes of a Space as they are read again. */
  reread(spaceId: string, sequence: number, bytes: Uint8Array): void
}

const MISSIONS_AT_ONCE = 4
const agents = [cora, wim, wanda, dora, nora, nils]
/** How many letters of the past may come again. */
const kept = 600
/** What nearly always succeeds, and would soon be all that is sent. */
const EASY = new Set(['message.post', 'message.correct', 'mission.renew_coordinator', 'mission.create_child', 'membership.change'])

export class World {
  readonly random: RandomSource
  readonly nodes: readonly [Node, Node]
  /** Commands sent so far. */
  sent = 0
  step = 0
  readonly #log
  readonly #watcher: Watcher
  readonly #views = new Map<string, MissionView>()
  readonly #heads = new Map<string, number>()
  readonly #cards = new Map<string, AgentCard>()
  readonly #sessionEpochs = new Map<string, number>()
  readonly #policySpaceId = policySpaceIdOf(organizationId)
  readonly #facts = { cardOf: (id: string) => this.#cards.get(id), sessionEpochOf: (id: string) => this.#sessionEpochs.get(id) ?? 0, isAdmin: (id: string) => id === ada.id, isDataSchema: () => true }
  #policy: Policy = DEFAULT_POLICY
  #profiles: ProfileRegister = new Map()
  #ms = Date.parse(START)
  #names = 0
  /** Letters of the past, any of which may come again. */
  readonly #past: Letter[] = []
  /** Letters that were held up. */
  readonly #late: Letter[] = []

  constructor(seed: number, watcher: Watcher) {
    this.random = new RandomSource(seed)
    this.#watcher = watcher
    const { log, readModels } = createMemorySpaces()
    this.#log = log
    const current = () => this.#policy
    const surroundings = {
      log,
      readModels,
      policySpaceId: this.#policySpaceId,
      facts: this.#facts,
      policies: { get current() { return current() } },
      nowMs: () => this.#ms,
    }
    this.nodes = [new Node(surroundings), new Node(surroundings)]
  }

  /** Cards, sessions, the first Missions. */
  async begin(): Promise<void> {
    for (const agent of agents) {
      await this.#deliver([this.#cardLetter(agent, 1)])
      await this.#openSession(agent)
    }
    await this.#found()
  }

  /** Something happens. */
  async advance(): Promise<void> {
    const { random } = this
    this.step += 1
    this.#elapse()
    if (random.chance(0.25)) await this.#runTimers()
    if (random.chance(0.5)) await this.#react()
    if (random.chance(0.012)) return this.#openSession(random.oneOf(agents) ?? cora)
    if (random.chance(0.01)) return this.#deliver([this.#cardLetter(random.oneOf(agents) ?? cora, (random.chance(0.8) ? 1 : 0))])
    if (random.chance(0.01)) return this.#deliver([this.#policyLetter()])
    if (random.chance(0.01)) return this.#deliver([this.#profileLetter()])
    if (random.chance(0.01)) return this.#deliver(this.#archive())
    if (random.chance(0.005)) await this.#restart(random.oneOf(this.nodes) ?? this.nodes[0])
    await this.#found()
    return this.#deliver(this.#letters())
  }

  /** Both servers read everything again and agree, byte for byte, with whoever followed the log. */
  async end(): Promise<void> {
    while ((await this.#react()) > 0);
    for (const node of this.nodes) await this.#restart(node)
  }

  get views(): ReadonlyMap<string, MissionView> {
    return this.#views
  }

  readonly #now = (): string => new Date(this.#ms).toISOString()
  readonly #fresh = (): string => `name ${(this.#names += 1)}`

  #elapse(): void {
    const { random } = this
    this.#ms += random.chance(0.004) ? random.below(4_000_000) : random.below(random.chance(0.3) ? 15_000 : 2_000)
    if (random.chance(0.1)) for (const node of this.nodes) node.skewMs = random.below(240_000) - 120_000
  }

  async #runTimers(): Promise<void> {
    for (const spaceId of this.#views.keys()) await this.#nodeFor(spaceId).submit(spaceId, { type: 'due' })
    await this.#follow()
  }

  /** What Events of one Group call for in another arrives there, now and then twice and on both servers. Answers how much was waiting. */
  async #react(): Promise<number> {
    const waiting = await this.#log.pendingReactions(16)
    const arriving = waiting.flatMap((pending) => (this.random.chance(0.1) ? [pending, pending] : [pending])).map(({ reaction }) => JSON.parse(reaction) as Reaction)
    await Promise.all(arriving.map((reaction) => this.#nodeFor(reaction.targetGroupId).submit(reaction.targetGroupId, { type: 'reaction', reaction })))
    await this.#follow()
    return waiting.length
  }

  async #restart(node: Node): Promise<void> {
    node.restart()
    for (const [spaceId, view] of this.#views) {
      for (const { sequence, bytes } of await this.#log.read(spaceId, 0, Number.MAX_SAFE_INTEGER)) this.#watcher.reread(spaceId, sequence, bytes)
      const { group } = await node.read(spaceId)
      if (!group || Buffer.compare(encodeState(group), encodeState(view.state)) !== 0) throw new Error(`A-20: the fold of ${spaceId} read again is another`)
    }
  }

  async #openSession(agent: Actor): Promise<void> {
    const sessionEpoch = (this.#sessionEpochs.get(agent.id) ?? 0) + 1
    const letter = this.#organizationLetter(SESSION_OPEN, { agentId: agent.id })
    const handshake = { agentId: agent.id, keyId: urnOf('key'), sessionEpoch }
    await this.#deliver([{ ...letter, command: { ...letter.command, handshake } }])
    if (this.#sessionEpochs.get(agent.id) !== sessionEpoch) return
    // The leases of earlier Sessions are revoked sooner or later; until then they are worth nothing.
    const told = [...this.#views.keys()].filter(() => this.random.chance(0.8))
    const session = { agentId: agent.id, sessionEpoch, causeEventId: urnOf(`session ${agent.id} ${sessionEpoch}`) }
    await Promise.all(told.map((spaceId) => this.#nodeFor(spaceId).submit(spaceId, { type: 'session-replaced', session })))
    await this.#follow()
  }

  #cardLetter(agent: Actor, step: number): Letter {
    const cardVersion = (this.#cards.get(agent.id)?.cardVersion ?? 0) + step
    const skills = this.random.chance(0.85) ? [`${CAPABILITY}@1.${this.random.below(9)}.0`] : [`${CAPABILITY}@2.0.0`]
    const card = agentCard(agent, { cardVersion }, cardVersion === 1 ? undefined : skills)
    return this.#organizationLetter(AGENT_CARD_REGISTER, { card })
  }

  #organizationLetter(kind: string, payload: object): Letter {
    const sender = this.random.chance(0.95) ? registry : ada
    const command = commandOf(sender, kind, payload, { actionId: urnOf(`action ${this.#fresh()}`), now: this.#now() })
    return { spaceId: organizationId, command: admissible(command) }
  }

  #policyLetter(): Letter {
    const { random } = this
    const version = this.#policy.version + (random.chance(0.9) ? 1 : 2)
    const kinds = (['mission.cancel', 'mission.assign_coordinator', 'message.post', 'policy.grant_cooperation_override'] as const).filter((kind) => kind !== 'mission.cancel' && random.chance(0.5))
    const limits = { ...DEFAULT_POLICY.limits, messagesPerMinute: 2 + random.below(40), queuedWorkItems: 1 + random.below(6), activeWorkItems: 1 + random.below(4) }
    const services = kinds.length > 0 ? [{ principalId: groupAuthority.id, kinds: [...kinds] }] : []
    const policy = { ...DEFAULT_POLICY, version, limits, services, maximumDepth: { childMissions: random.below(4), delegation: random.below(4) } } as Policy
    const sender = random.chance(0.9) ? ada : (random.oneOf([ben, cora]) ?? ben)
    return this.#policySpaceLetter(sender, POLICY_CHANGE, { policy, reason: 'Things have changed.' } satisfies CommandPayloads[typeof POLICY_CHANGE], this.#policy.version)
  }

  /** One of few profiles is approved in the next minor version, or the version in force retired, or one that is not. */
  #profileLetter(): Letter {
    const { random } = this
    const profileUri = urnOf(`profile ${random.below(3)}`)
    const { revision, majors } = this.#profiles.get(profileUri) ?? { revision: 0, majors: new Map<string, ApprovedProfile>() }
    const inForce = random.oneOf([...majors.values()])
    const sender = random.chance(0.9) ? ada : (random.oneOf([ben, cora]) ?? ben)
    if (inForce && random.chance(0.5)) {
      const version = random.chance(0.3) ? '99.0.0' : inForce.profile.version
      return this.#policySpaceLetter(sender, PROFILE_RETIRE, { profileUri, version, reason: 'Nobody uses it.' }, revision)
    }
    const document = extensionProfile({ profileUri, version: `${random.below(3)}.${revision}.0`, approvedBy: sender, approvedAt: this.#now() })
    return this.#policySpaceLetter(sender, PROFILE_APPROVE, { profile: document, schema: DATA_SCHEMA, reason: 'It has been reviewed.' }, revision)
  }

  #policySpaceLetter(sender: Actor, kind: string, payload: object, expectedRevision: number): Letter {
    const members = { groupId: this.#policySpaceId, membershipEpoch: 1, expectedRevision, actionId: urnOf(`action ${this.#fresh()}`), now: this.#now(), ...(sender.type === 'agent' && { sessionEpoch: 1 }) }
    return { spaceId: this.#policySpaceId, command: admissible(commandOf(sender, kind, payload, members)) }
  }

  /** The Group of a Mission that is over, perhaps before its last word was said. */
  #archive(): Letter[] {
    const ended = this.random.oneOf([...this.#views].filter(([, { state }]) => !isRunning(state)))
    if (!ended) return []
    const [spaceId, view] = ended
    return [{ spaceId, command: admissible(view.command(groupAuthority, GROUP_ARCHIVE, { snapshot: archivalSnapshot(view, { snapshotId: urnOf(this.#fresh()) }) })) }]
  }

  /** Missions that are over make room for others, now and then for their follow-ups. */
  async #found(): Promise<void> {
    const { random } = this
    const running = [...this.#views.values()].filter(({ state }) => !state.parentLink && isRunning(state))
    for (let missing = MISSIONS_AT_ONCE - running.length; missing > 0; missing -= 1) {
      const name = this.#fresh()
      const ended = random.oneOf([...this.#views.values()].filter(({ state }) => !state.parentLink && !isRunning(state)))
      const owner = ended && random.chance(0.5) ? ended.state.mission.missionOwner : random.chance(0.75) ? ada : ben
      const payload = missionPayload(name, { coordinatorLeaseSeconds: 7200 })
      const members = { groupId: payload.groupId, actionId: urnOf(`action ${name}`), now: this.#now() }
      const followed = ended?.state.mission.missionOwner.id === owner.id ? { ...payload, followUpOfMissionId: ended.state.mission.missionId } : undefined
      const command = commandOf(owner, followed ? 'mission.create_follow_up' : 'mission.create', followed ?? payload, members)
      await this.#deliver([{ spaceId: payload.groupId, command: admissible(command) }])
      const view = this.#views.get(payload.groupId)
      if (view) await this.#deliver([wim, wanda].map((member) => ({ spaceId: payload.groupId, command: admissible(view.command(ada, 'membership.change', { member, role: 'worker' })) })))
    }
  }

  /** What comes in at one moment, for one Mission or two. */
  #letters(): Letter[] {
    const { random } = this
    const letters: Letter[] = []
    const spaceIds = [...this.#views.keys()]
    const running = spaceIds.filter((spaceId) => isRunning(this.#views.get(spaceId)?.state))
    const roots = running.filter((spaceId) => !this.#views.get(spaceId)?.state.parentLink)
    // Work gets on where attention stays for a while.
    const focus = roots[Math.floor(this.step / 10) % Math.max(1, roots.length)]
    for (let targets = random.chance(0.3) ? 2 : 1; targets > 0; targets -= 1) {
      const spaceId = random.chance(0.6) ? focus : random.oneOf(random.chance(0.04) ? spaceIds : random.chance(0.6) ? roots : running)
      const view = spaceId === undefined ? undefined : this.#views.get(spaceId)
      if (spaceId === undefined || !view) continue
      const size = random.chance(0.5) ? 1 + random.below(3) : 1 + random.below(16)
      for (let index = 0; index < size; index += 1) letters.push({ spaceId, command: admissible(this.#invent(view)) })
    }
    return this.#jumble(letters)
  }

  #invent(view: MissionView): VerifiedCommand {
    const verified = this.#promising(view)
    if (!this.random.chance(0.03)) return verified
    return this.#again(verified, { payload: staleLeases(verified.command.payload, this.random) })
  }

  /** Most senders look before they send; that does not make it right by the time it arrives. */
  #promising(view: MissionView): VerifiedCommand {
    for (let attempts = this.random.chance(0.8) ? 4 : 1; ; attempts -= 1) {
      const verified = randomCommand(view, this.random, this.#fresh())
      const isTooEasy = EASY.has(verified.command.kind) && this.random.chance(0.6)
      if (attempts === 1 || (!isTooEasy && decide(view.state, verified, this.#envOf(view)).ok)) return verified
    }
  }

  #envOf({ now }: MissionView): DecisionEnv {
    return { now, organizationId, authority: groupAuthority, registry, router, ...this.#facts, missionFacts: () => undefined, coordinates: () => false, policy: this.#policy }
  }

  /** Another Command that differs in these members. */
  #again({ command, keyUse }: VerifiedCommand, changes: Partial<Command>): VerifiedCommand {
    const { actor, kind, payload, signature: _signature, ...members } = command
    return commandOf(actor, kind, changes.payload ?? payload, { ...members, ...changes, now: members.issuedAt }, keyUse)
  }

  /** Some of it comes late, some twice or many times, some under an Action ID that is taken. */
  #jumble(letters: readonly Letter[]): Letter[] {
    const { random } = this
    const now: Letter[] = []
    for (const letter of letters) {
      if (random.chance(0.04)) this.#late.push(letter)
      else now.push(letter)
      if (random.chance(0.03)) now.push(random.oneOf(this.#past) ?? letter)
      if (random.chance(0.01)) now.push(letter)
      if (random.chance(0.015)) now.push(this.#underTakenId(letter))
    }
    while (this.#late.length > 0 && random.chance(0.3)) now.push(...this.#late.splice(random.below(this.#late.length), 1))
    return random.chance(0.1) ? now.reverse() : now
  }

  #underTakenId(letter: Letter): Letter {
    const earlier = this.random.oneOf(this.#past) ?? letter
    const { document, keyUse } = earlier.command
    const { value, signingHash } = document
    return { spaceId: earlier.spaceId, command: admissible(this.#again({ command: value, keyUse, signingHash }, { correlationId: urnOf(this.#fresh()) })) }
  }

  #nodeFor(spaceId: string): Node {
    const home = spaceId.charCodeAt(spaceId.length - 1) % 2
    return this.nodes[this.random.chance(0.9) ? home : 1 - home] ?? this.nodes[0]
  }

  /** Sends everything at once; each Space's letters go to one server, or race on both. */
  async #deliver(letters: readonly Letter[]): Promise<void> {
    const nodeOf = new Map([...new Set(letters.map(({ spaceId }) => spaceId))].map((spaceId) => [spaceId, this.random.chance(0.04) ? undefined : this.#nodeFor(spaceId)]))
    for (const { command: { document } } of letters) this.#watcher.sends(document.signingHash, document.value)
    const answers = await Promise.all(
      letters.map(async (letter): Promise<Answer> => {
        const node = nodeOf.get(letter.spaceId) ?? this.random.oneOf(this.nodes) ?? this.nodes[0]
        return { ...letter, outcome: await node.submit(letter.spaceId, { type: 'command', command: letter.command }) }
      }),
    )
    this.sent += letters.length
    this.#past.push(...letters)
    if (this.#past.length > kept) this.#past.splice(0, this.#past.length - kept)
    await this.#follow()
    this.#watcher.answered(answers)
    // A wake-up between the servers may be lost; whoever missed it finds out when it writes.
    for (const spaceId of nodeOf.keys()) for (const node of this.nodes) if (this.random.chance(0.7)) node.fallBehind(spaceId)
  }

  /** Reads what is new in the log, the Organization's first and that of Groups last which others have founded. */
  async #follow(): Promise<void> {
    const known = [organizationId, this.#policySpaceId, ...this.#views.keys()]
    const begun = (await this.#log.listSpaces('mission')).filter((spaceId) => !this.#views.has(spaceId))
    for (const spaceId of [...known, ...begun]) {
      const head = this.#heads.get(spaceId) ?? 0
      const entries = await this.#log.read(spaceId, head, Number.MAX_SAFE_INTEGER)
      for (const { bytes } of entries) this.#take(spaceId, bytes)
      this.#heads.set(spaceId, head + entries.length)
    }
  }

  #take(spaceId: string, bytes: Uint8Array): void {
    const event = decodeEvent(bytes)
    this.#watcher.event(spaceId, bytes, event)
    const { kind, payload } = event
    if (kind === AGENT_CARD_REGISTERED) this.#cards.set(String(payload.agentId), payload.card as AgentCard)
    else if (kind === SESSION_OPENED) this.#sessionEpochs.set(String(payload.agentId), Number(payload.sessionEpoch))
    else if (kind === POLICY_CHANGED) this.#policy = payload.policy as Policy
    else if (kind === PROFILE_APPROVED || kind === PROFILE_RETIRED) this.#profiles = evolveProfiles(this.#profiles, event)
    else this.#viewOf(spaceId).apply(event)
  }

  #viewOf(spaceId: string): MissionView {
    const view = this.#views.get(spaceId) ?? new MissionView({ now: this.#now, fresh: this.#fresh, views: this.#views, sessionEpochOf: (id) => this.#sessionEpochs.get(id) ?? 0 })
    this.#views.set(spaceId, view)
    return view
  }
}

const isRunning = (state: GroupState | undefined): boolean => state?.mission.state === 'active' || state?.mission.state === 'awaiting_approval'

/** An Ownership Epoch or an Execution Lease of another time, where the payload cites one. */
function staleLeases(payload: Record<string, unknown>, source: RandomSource): Record<string, unknown> {
  const { ownershipEpoch, executionLeaseId } = payload
  if (typeof executionLeaseId === 'string' && source.chance(0.5)) return { ...payload, executionLeaseId: urnOf('an old lease') }
  if (typeof ownershipEpoch !== 'number') return payload
  return { ...payload, ownershipEpoch: Math.max(1, ownershipEpoch + (source.chance(0.6) ? -1 : 1)) }
}

