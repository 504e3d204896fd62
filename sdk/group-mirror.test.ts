import { describe, expect, test } from 'vitest'
import type { Artifact, EventDocument } from '../protocol/generated/types.ts'
import { ARTIFACT_IMPORT, MISSION_BUDGET_RAISE, MISSION_CHILD_BUDGET_RAISE, WORK_DEPENDENCY_ADD, WORK_OFFER_DECLINE, WORK_PREEMPTION_REQUEST } from '../protocol/kinds.ts'
import { ada, cora, wanda, wim } from '../server/testing/cast.ts'
import { GroupFixture } from '../server/testing/group-fixture.ts'
import { childPayload, MissionTree } from '../server/testing/mission-tree.ts'
import { workContract } from '../server/testing/documents.ts'
import { advance, approve, artifactName, block, citing, fail, offerPayload, offerTo, publish, reach, reconcile, requestChanges, submitMission, workId } from '../server/testing/work-scenario.ts'
import { GroupMirror } from './group-mirror.ts'

function mirrorOf(group: GroupFixture, after = 0): GroupMirror {
  const mirror = new GroupMirror()
  for (const event of group.log.slice(after)) mirror.apply(event)
  return mirror
}

type WorkRecord = ReturnType<typeof reach>

/** What the authority holds of a WorkItem, in the mirror's terms. */
const held = ({ item, executionLease, blockedLease, blocker, preemption, reason }: WorkRecord) => ({
  workItemId: item.workItemId,
  state: item.state,
  revision: item.revision,
  contract: item.contract,
  offers: item.offers ?? [],
  owner: item.owner,
  submission: item.submission,
  progress: item.progress,
  executionLease,
  blockedLease,
  blocker,
  preemption: preemption && { reason: preemption.reason, urgency: preemption.urgency },
  reason,
})

function expectAgreement(group: GroupFixture): void {
  const mirror = mirrorOf(group)
  expect(mirror.sequence).toBe(group.state.sequence)
  expect(mirror.mission).toEqual(group.state.mission)
  expect(mirror.coordinatorLease).toEqual(group.state.coordinatorLease)
  expect(mirror.memberships).toEqual(group.state.memberships)
  expect([...mirror.artifacts.keys()]).toEqual([...group.state.artifacts.keys()])
  const statuses = (proposals: ReadonlyMap<string, { status: string }>) => [...proposals].map(([id, { status }]) => [id, status])
  expect(statuses(mirror.proposals)).toEqual(statuses(group.state.proposals))
  for (const record of group.state.workItems.values()) {
    const { conversationId, evidence, ownershipLease, replacesWorkItemId, childMissionId, ...work } = mirror.workItems.get(record.item.workItemId)!
    expect(conversationId).toBe(record.item.conversationId)
    expect(evidence).toEqual(record.evidence)
    expect(ownershipLease?.leaseId).toBe(record.ownershipLease?.leaseId)
    expect(childMissionId).toBe(record.child?.state === 'running' ? record.child.missionId : undefined)
    expect(replacesWorkItemId).toBe(record.replacesWorkItemId)
    expect(work).toEqual(JSON.parse(JSON.stringify(held(record))))
  }
  expectSameFromSnapshot(group, mirror)
}

/** whoever goes on from a snapshot knows what it would know by the Events, but for what no state holds. */
function expectSameFromSnapshot({ stateBytes }: GroupFixture, byEvents: GroupMirror): void {
  const mirror = new GroupMirror()
  mirror.apply({ sequence: 1, kind: 'unknown' } as unknown as EventDocument)
  mirror.restore({ state: stateBytes })
  const comparable = ({ workItems, missionPackage: _package, ...members }: GroupMirror) => {
    // By the Events the lease stays as it was granted.
    const work = [...workItems.values()].map(({ ownershipLease, ...item }) => ({ ...item, ownershipLeaseId: ownershipLease?.leaseId }))
    return { ...members, memberships: sorted(members.memberships), proposals: sorted(members.proposals), artifacts: sorted(members.artifacts), work: work.sort((a, b) => (a.workItemId < b.workItemId ? -1 : 1)) }
  }
  expect(comparable(mirror)).toEqual(comparable(byEvents))
}

const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

const progress = {
  currentPhase: 'counting',
  completedMilestones: [],
  nextCheckpoint: 'half way',
  blockers: [],
  updatedCompletionEstimate: '2026-11-30T12:00:00.000Z',
  evidenceIds: [],
}

/** A Group whose members may bring in the one artifact that was approved in another, and what does so. */
function besideApproved() {
  const source = new GroupFixture('source').found()
  reach(source, 'a', 'verified')
  submitMission(source, 'a')
  source.accept(ada, 'mission.approve', approve(source))
  const group = new GroupFixture().found()
  group.elsewhere = new Map([[source.state.groupId, source.state]])
  const [{ artifactId, contentHash }] = [...source.state.artifacts.values()].flat() as [Artifact]
  const bringIn = () => group.accept(ada, ARTIFACT_IMPORT, { sourceGroupId: source.state.groupId, artifactId, contentHash, reason: 'It is the same.' })
  return { group, contentHash, bringIn }
}

describe('the mirror agrees with the authority', () => {
  test.each(['open', 'offered', 'queued', 'active', 'published', 'submitted', 'verified'] as const)('about work that is %s', (stage) => {
    const group = new GroupFixture().found()
    reach(group, 'a', stage)
    expectAgreement(group)
  })

  test.each<[string, (group: GroupFixture) => unknown]>([
    ['failed', (group) => fail(group, 'a')],
    ['failed and offered again', (group) => (fail(group, 'a'), advance(group, 'a', 'offered', 'queued', { worker: wanda }))],
    ['cancelled', (group) => group.accept(ada, 'work.cancel', { workItemId: workId('a'), reason: 'Not needed.' })],
    ['checkpointed', (group) => group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress })],
    ['renewed', (group) => group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', { ...citing(group, 'a'), leaseSeconds: 900 })],
    ['interrupted by a new session', (group) => group.replaceSession(wim)],
    ['out of time', (group) => group.pass(301).due()],
    ['failed with its Mission', (group) => group.accept(cora, 'mission.terminate', { reason: 'It cannot be done.' })],
    ['led by another Coordinator', (group) => group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: wanda.id, reason: 'No answer.' })],
    ['given more by the owner', (group) => group.accept(ada, MISSION_BUDGET_RAISE, { budget: { ...group.state.mission.budget, modelTokenLimit: 2000 }, reason: 'More.' })],
    ['blocked', (group) => block(group, 'a')],
    ['unblocked', (group) => (block(group, 'a'), group.accept(cora, 'work.unblock', { workItemId: workId('a'), resolution: 'Found.' }))],
    ['out of time while it was blocked', (group) => (block(group, 'a'), group.pass(901).due())],
    ['blocked and waits for more', (group) => (reach(group, 'b', 'open'), block(group, 'a'), group.accept(cora, WORK_DEPENDENCY_ADD, { workItemId: workId('a'), dependencyId: workId('b') }))],
    ['asked to pause', (group) => group.accept(cora, WORK_PREEMPTION_REQUEST, { workItemId: workId('a'), reason: 'Later.', urgency: 'high' })],
    ['asked to pause and checkpointed', (group) => (group.accept(cora, WORK_PREEMPTION_REQUEST, { workItemId: workId('a'), reason: 'Later.', urgency: 'high' }), group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress }))],
    ['ended with its Mission', (group) => group.accept(ada, 'mission.cancel', { reason: 'Not needed.' })],
  ])('about active work that is %s', (_what, then) => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const before = group.log.length
    then(group)
    expect(group.log.length).toBeGreaterThan(before)
    expectAgreement(group)
  })

  test('about work that a child Mission is busy with, before and after the Coordinator changes (A-121)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'offered')
    const payload = childPayload('child', 'a', { parentWorkItemId: workId('a'), budget: { modelTokenLimit: 1 } })
    group.accept(cora, 'mission.create_child', payload)
    expectAgreement(group)
    group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: wanda.id, reason: 'No answer.' })
    expectAgreement(group)
    expect(mirrorOf(group).isStocktakingDue).toBe(true)
    reconcile(group)
    expect(mirrorOf(group)).toMatchObject({ isStocktakingDue: false, missionPackage: { version: 1 } })
    expectAgreement(group)
  })

  test('about an offer that one candidate declines and the other accepts', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    group.accept(cora, 'work.offer', offerPayload('a', [wim, wanda]))
    group.accept(wim, WORK_OFFER_DECLINE, { workItemId: workId('a'), offerId: offerTo(group, 'a', wim), reason: 'deadline' })
    expectAgreement(group)
    expect(mirrorOf(group).offerTo(wim.id, workId('a'))).toBeUndefined()
    advance(group, 'a', 'queued', 'queued', { worker: wanda })
    expectAgreement(group)
  })

  test('about proposals, before and after they are authorized', () => {
    const group = new GroupFixture().found()
    const contract = workContract()
    const proposalId = workId('proposal')
    group.accept(wim, 'work.propose', { proposalId, contract })
    expectAgreement(group)
    group.accept(cora, 'work.authorize', { workItemId: workId('a'), contract, proposalId })
    expect(mirrorOf(group).proposals.get(proposalId)?.status).toBe('authorized')
    expectAgreement(group)
  })

  test('about a child Mission that is given more, in the Group above and in its own (A-197)', () => {
    const tree = new MissionTree()
    reach(tree.root, 'a', 'open')
    const child = tree.child(tree.root, 'child', 'a')
    const budget = { ...child.state.mission.budget, modelTokenLimit: 900 }
    tree.root.accept(cora, MISSION_CHILD_BUDGET_RAISE, { workItemId: workId('a'), budget, reason: 'More.' })
    tree.settle()
    for (const group of [tree.root, child]) expectAgreement(group)
    expect(mirrorOf(child).mission?.budget).toEqual(budget)
  })

  test('about an artifact of another Mission (A-204)', () => {
    const { group, contentHash, bringIn } = besideApproved()
    bringIn()
    expectAgreement(group)
    expect(mirrorOf(group).artifacts.has(contentHash)).toBe(true)
  })

  test('about content that came from another Mission too, and stays the result of its own work (A-24)', () => {
    const { group, contentHash, bringIn } = besideApproved()
    reach(group, 'b', 'active')
    publish(group, 'b', {}, artifactName('a'))
    bringIn()
    expectAgreement(group)
    expect(mirrorOf(group).artifactsOf(workId('b'))).toMatchObject([{ contentHash }])
  })

  test('about a Mission that is sent back and then approved', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    expectAgreement(group)
    group.accept(ada, 'mission.request_changes', requestChanges(group))
    expectAgreement(group)
    submitMission(group, 'a')
    group.accept(ada, 'mission.approve', approve(group))
    expectAgreement(group)
    expect(mirrorOf(group).submissions.map(({ decision }) => decision?.decision)).toEqual(['changes_requested', 'approved'])
  })
})

test('an Event that comes twice changes nothing', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'verified')
  const mirror = mirrorOf(group)
  const before = structuredClone(mirror.mission)
  for (const event of group.log) mirror.apply(event)
  expect(mirror.mission).toEqual(before)
})

test('the pending offer to an Agent is found, and nobody else has one', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'offered')
  const mirror = mirrorOf(group)
  expect(mirror.offerTo(wim.id, workId('a'))?.status).toBe('pending')
  expect(mirror.offerTo(wanda.id, workId('a'))).toBeUndefined()
})

test('a latecomer knows what it was shown and no more', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'open')
  const seen = group.log.length
  advance(group, 'a', 'offered', 'submitted')
  const mirror = mirrorOf(group, seen)
  expect(mirror.mission).toBeUndefined()
  expect(mirror.workItems.get(workId('a'))).toMatchObject({ state: 'submitted', owner: { agentId: wim.id } })
  expect(mirror.workItems.get(workId('a'))).not.toHaveProperty('contract')
  expect(mirror.artifactsOf(workId('a'))).toHaveLength(1)
})
