// What holds for every Group, whatever anybody sends and however long it takes.
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { MISSION_ROOT_DECIDE } from '../../protocol/kinds.ts'
import { commandPayloadKinds } from '../../protocol/validate.ts'
import { ada, cora, wanda, wim } from '../testing/cast.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { randomCommand, randomReaction } from '../testing/random-commands.ts'
import { RandomSource } from '../testing/random-source.ts'
import { approve, reach, submitMission } from '../testing/work-scenario.ts'
import { DIMENSIONS, firstExcess, limitsOf, NOTHING, sumOf } from './amounts.ts'
import { departuresOf } from './departure.ts'
import { nextDue } from './due.ts'
import { encodeState } from './encode-state.ts'
import { evolve } from './evolve.ts'
import { isFounding } from './mission-create.ts'
import { encodeRows, joinRows, latestRows } from './read-model-rows.ts'
import { rowsOf } from './read-models.ts'
import type { GroupState } from './types.ts'
import { fenced } from './work-record.ts'

const RUNS = 24
const COMMANDS_PER_RUN = 440
const GROUPS_PER_RUN = 2

const accepted = new Map<string, number>()
const refused = new Map<string, number>()
const count = (tally: Map<string, number>, key: string) => tally.set(key, (tally.get(key) ?? 0) + 1)

/** A Mission of the same people whose result was approved. */
function approvedGroup(): GroupState {
  const group = new GroupFixture('approved').found()
  reach(group, 'a', 'verified')
  submitMission(group, 'a')
  group.accept(ada, 'mission.approve', approve(group))
  return group.state
}

const elsewhere = approvedGroup()

/** A Group with what a watcher remembers of it from outside. */
interface Watched {
  readonly group: GroupFixture
  readonly epochs: Map<string, number>
  coordinatorEpoch: number
}

function run(seed: number): readonly Watched[] {
  const random = new RandomSource(seed)
  const watched = Array.from({ length: GROUPS_PER_RUN }, (_, index): Watched => {
    const group = new GroupFixture(`${seed}.${index}`).found({ coordinatorLeaseSeconds: 3600 })
    group.elsewhere = new Map([[elsewhere.groupId, elsewhere]])
    return { group, epochs: new Map(), coordinatorEpoch: 1 }
  })
  for (let step = 0; step < COMMANDS_PER_RUN; step += 1) {
    elapse(watched, random)
    const target = random.oneOf(watched)
    if (target && random.chance(0.04)) report(target, random, `child ${seed} ${step}`)
    if (target) send(target, random, `thing ${seed} ${step}`)
  }
  return watched
}

/** A child Mission comes to an end. */
function report(target: Watched, random: RandomSource, fresh: string): void {
  const reaction = randomReaction(target.group, random, fresh)
  if (!reaction) return
  for (const { kind } of target.group.react(reaction)) count(accepted, kind)
  observe(target)
}

/** Every refusal is part of the proof by replay at the end; one in eight is also compared on the spot. */
function send(target: Watched, random: RandomSource, fresh: string): void {
  const { group } = target
  const command = randomCommand(group, random, fresh)
  const before = random.chance(1 / 8) ? encodeState(group.state) : undefined
  const decision = group.judge(command)
  if (decision.ok) {
    count(accepted, command.command.kind)
    group.append(decision.value)
    observe(target)
    return
  }
  count(refused, decision.error.code)
  if (before && Buffer.compare(encodeState(group.state), before) !== 0) throw new Error(`a refused ${command.command.kind} changed the fold`)
}

/** Time passes, timers run or not, Agents reconnect. */
function elapse(watched: readonly Watched[], random: RandomSource): void {
  const seconds = random.chance(0.02) ? random.below(4000) : random.below(20)
  const runsTimers = random.chance(0.7)
  const returning = random.chance(0.01) ? random.oneOf([cora, wim, wanda]) : undefined
  for (const target of watched) {
    target.group.pass(seconds)
    const events = [...(runsTimers ? target.group.due() : []), ...(returning ? target.group.replaceSession(returning) : [])]
    for (const { kind } of events) count(accepted, kind)
    if (events.length > 0) observe(target)
  }
}

/** Invariants after every accepted Event. */
function observe(target: Watched): void {
  const { state } = target.group
  observeCoordinator(target)
  for (const [workItemId, record] of state.workItems) {
    const before = target.epochs.get(workItemId) ?? 0
    if (record.ownershipEpoch < before) throw new Error('an Ownership Epoch fell (A-41)')
    target.epochs.set(workItemId, record.ownershipEpoch)
    const isActive = record.item.state === 'active'
    if (isActive !== (record.executionLease !== undefined)) throw new Error(`${record.item.state} work and its Execution Lease disagree`)
    if (state.executing.has(workItemId) !== isActive) throw new Error('the index of executions is wrong')
    const isBlocked = record.item.state === 'blocked'
    if (isBlocked !== (record.blockedLease !== undefined) && !(isBlocked && record.child)) throw new Error(`${record.item.state} work and its blocked lease disagree`)
    if (state.waiting.has(workItemId) !== (record.blockedLease !== undefined)) throw new Error('the index of blocked work is wrong')
  }
}

/** One Agent coordinates, at an epoch that never falls, and it is the only member in that role. */
function observeCoordinator(target: Watched): void {
  const { mission, coordinatorLease, memberships } = target.group.state
  const { agentId, coordinatorEpoch, leaseId } = mission.coordinator
  if (coordinatorEpoch < target.coordinatorEpoch) throw new Error('a Coordinator Epoch fell (A-118)')
  target.coordinatorEpoch = coordinatorEpoch
  const { holderAgentId } = coordinatorLease
  if (holderAgentId !== agentId || coordinatorLease.leaseId !== leaseId || coordinatorLease.coordinatorEpoch !== coordinatorEpoch) throw new Error('the Coordinator lease is not the Coordinator’s')
  const inOffice = [...memberships.values()].filter(({ role, state }) => role === 'coordinator' && state === 'active').map(({ member }) => member.id)
  if (inOffice.join() !== agentId) throw new Error('the role of Coordinator is not the Coordinator’s alone')
}

function storedRows(log: readonly EventDocument[], batchSize: number): string {
  let state: GroupState | undefined
  const batches = []
  for (let at = 0; at < log.length; at += batchSize) {
    const events = log.slice(at, at + batchSize)
    for (const event of events) state = evolve(state, event)
    if (state) batches.push(rowsOf(events, state))
  }
  return encodeRows(latestRows(joinRows(batches)))
}

const seeds = Array.from({ length: RUNS }, (_, index) => 7_001 + index * 97)

describe.each(seeds)('any Group (seed %i)', (seed) => {
  let watched: readonly Watched[] = []
  beforeAll(() => {
    watched = run(seed)
  }, 60_000)

  it('is what its log says, byte for byte; refused Commands left no trace', () => {
    for (const { group } of watched) expect(Buffer.compare(encodeState(replay(group.log)), encodeState(group.state))).toBe(0)
  })

  it('gives the same read models for any cut of its log into batches', () => {
    for (const { group } of watched) expect(new Set([1, 5, group.log.length].map((size) => storedRows(group.log, size))).size).toBe(1)
  })

  it('never spends or allocates more than it has (A-25, A-198)', () => {
    for (const { group } of watched) {
      for (const ledger of group.state.ledgers.values()) {
        const limits = limitsOf(ledger.limit)
        expect(firstExcess(ledger.used, limits)).toBeUndefined()
        expect(firstExcess(ledger.allocated, limits)).toBeUndefined()
        expect(firstExcess(sumOf(ledger.used, ledger.held), limits)).toBeUndefined()
      }
    }
  })

  it('keeps every account equal to the sum of those below it', () => {
    for (const { group } of watched) {
      for (const [id, { allocated, direct, used }] of group.state.ledgers) {
        const below = [...group.state.ledgers.values()].filter(({ parentId }) => parentId === id)
        const reserved = below.reduce((sum, child) => sumOf(sum, child.reserved), NOTHING)
        const rolledUp = below.reduce((sum, child) => sumOf(sum, child.used), direct)
        for (const dimension of DIMENSIONS) {
          expect(allocated[dimension]).toBeCloseTo(reserved[dimension], 6)
          expect(used[dimension]).toBeCloseTo(rolledUp[dimension], 6)
        }
      }
    }
  })

  it('knows when the next lease or Membership ends and who answers for which work', () => {
    for (const { group } of watched) {
      const { state } = group
      const ends = [...state.workItems.values()].flatMap(({ executionLease, blockedLease }) => (executionLease ?? blockedLease)?.expiresAt ?? [])
      ends.push(...departuresOf(state).map(({ at }) => at))
      ends.sort()
      expect(nextDue(state)).toBe(ends[0])
      for (const record of state.workItems.values()) {
        const owner = record.item.owner?.agentId
        const isAnswerable = owner !== undefined && ['queued', 'active', 'blocked', 'submitted'].includes(record.item.state)
        expect([...(state.ownedBy.get(owner ?? '') ?? [])].includes(record.item.workItemId)).toBe(isAnswerable)
      }
    }
  })

  it('lets nobody own what has been fenced', () => {
    for (const { group } of watched) {
      for (const record of group.state.workItems.values()) {
        expect(fenced(record).ownershipEpoch).toBe(record.ownershipEpoch + (record.item.owner ? 1 : 0))
        if (record.item.owner) expect(record.item.owner.ownershipEpoch).toBe(record.ownershipEpoch)
      }
    }
  })
})

describe('the runs together', () => {
  const total = (tally: Map<string, number>) => [...tally.values()].reduce((sum, number) => sum + number, 0)
  const organizationKinds = ['ext.missionweaveprotocol.registry.agent_card_register', 'ext.missionweaveprotocol.identity.session_open', 'ext.countersign.policy.change', 'ext.countersign.profile.approve', 'ext.countersign.profile.retire']

  it('sent ten thousand Commands, accepted and refused ones alike', () => {
    expect(total(accepted) + total(refused)).toBeGreaterThanOrEqual(10_000)
    expect(total(accepted)).toBeGreaterThan(2_000)
    expect(total(refused)).toBeGreaterThan(2_000)
  })

  it('saw every kind accepted but the founding ones and that of child Missions alone, and leases end by themselves', () => {
    const expected = commandPayloadKinds.filter((kind) => !isFounding(kind) && !organizationKinds.includes(kind) && kind !== MISSION_ROOT_DECIDE)
    const ends = ['ext.countersign.mission.child_ended', 'ext.missionweaveprotocol.core.work_execution_lease_expired', 'ext.missionweaveprotocol.core.work_execution_lease_revoked']
    expect([...expected, ...ends].filter((kind) => !accepted.has(kind))).toEqual([])
  })

  it('saw every refusal that this stage knows', () => {
    const codes = [
      'AUTH_FORBIDDEN', 'AUTH_STALE_SESSION', 'AUTH_STALE_COORDINATOR', 'MEMBERSHIP_STALE', 'MEMBERSHIP_REQUIRED', 'GROUP_NOT_FOUND', 'REVISION_CONFLICT',
      'INVALID_COMMAND', 'INVALID_STATE_TRANSITION', 'BUDGET_EXCEEDED', 'APPROVAL_REQUIRED', 'WORK_OFFER_EXPIRED', 'WORK_ALREADY_OWNED', 'WORK_LEASE_EXPIRED', 'WORK_STALE_OWNERSHIP',
    ]
    expect(codes.filter((code) => !refused.has(code))).toEqual([])
  })
})
