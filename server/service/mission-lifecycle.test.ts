// What reaches beyond one Group: who may read on, who is told, and which other Missions a Command refers to.
import { beforeEach, describe, expect, it } from 'vitest'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'
import { decodeEvent } from './event-bytes.ts'

let fixture: Fixture
let owner: Person
let coordinator: Agent

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
})

const differences = async () => (await fixture.service.verifyLog()).flatMap((report) => report.differences)
const restarted = () => startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })

describe('mission.assign_coordinator', () => {
  let groupId: string
  let successor: Agent
  const assign = (agentId: string): Draft => ({ kind: 'mission.assign_coordinator', groupId, membershipEpoch: 1, payload: { coordinatorAgentId: agentId, reason: 'No answer for an hour.' } })
  const renew = (agent: Agent, coordinatorEpoch: number): Draft => ({ kind: 'mission.renew_coordinator', groupId, sessionEpoch: agent.session.sessionEpoch, membershipEpoch: 1, coordinatorEpoch, payload: {} })

  beforeEach(async () => {
    groupId = (await fixture.mission(owner, coordinator, { coordinatorLeaseSeconds: 60 })).groupId
    successor = await fixture.agent('Successor')
  })

  it('frees a Mission whose Coordinator lease has run out, on this node and after a restart (A-120)', async () => {
    fixture.clock.advance(60)
    expect(codeOf(await fixture.submit(coordinator, renew(coordinator, 1)))).toBe('WORK_LEASE_EXPIRED')
    expect(eventOf(await fixture.submit(owner, assign(successor.actor.id)))).toMatchObject({ kind: 'mission.coordinator.assigned', sequence: 2 })
    expect(codeOf(await fixture.submit(successor, renew(successor, 2)))).toBe('accepted')
    expect(codeOf(await fixture.submit(coordinator, renew(coordinator, 1)))).toBe('AUTH_STALE_COORDINATOR')
    const again = await restarted()
    expect(codeOf(await again.submit(successor, renew(successor, 2)))).toBe('accepted')
    expect(codeOf(await again.submit(coordinator, renew(coordinator, 1)))).toBe('AUTH_STALE_COORDINATOR')
    expect(await differences()).toEqual([])
  })

  it('tells the predecessor on its feed that it was replaced, and shows the successor the Group from its beginning (A-129)', async () => {
    const feed = await fixture.service.feeds.open(coordinator.actor.id, groupId, 0)
    await fixture.submit(owner, assign(successor.actor.id))
    const kinds: string[] = []
    for (;;) {
      const entries = feed.ok ? await feed.value.next(10) : 'ended'
      if (entries === 'ended') break
      kinds.push(...entries.map((entry) => decodeEvent(entry.bytes).kind))
    }
    expect(kinds).toEqual(['mission.created', 'mission.coordinator.assigned', 'membership.ended'])
    const own = await fixture.service.feeds.open(successor.actor.id, groupId, 0)
    expect(own.ok && (await own.value.next(1))).toMatchObject([{ sequence: 1, kind: 'mission.created' }])
    expect(await fixture.service.readModels.membershipsOf(successor.actor.id)).toMatchObject([{ role: 'coordinator', state: 'active', membershipEpoch: 1 }])
  })
})

describe('mission.create_follow_up', () => {
  let flow: ReleaseFlow
  beforeEach(async () => {
    flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker: await fixture.agent('Worker') })
    await flow.submitForApproval()
  })

  const followUp = (changes: Record<string, unknown> = {}): Draft => {
    const groupId = newUrn()
    const payload = {
      missionId: newUrn(), groupId, title: 'The rest of the release', coordinatorAgentId: coordinator.actor.id, objective: 'Mend what the review found.',
      definitionOfDone: [{ criterionId: 'report', description: 'There is a report.', evidenceRequired: ['artifact_integrity'] }], budget: { toolCallLimit: 10 },
      deadline: '2027-01-01T00:00:00Z', approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false }, followUpOfMissionId: flow.missionId, ...changes,
    }
    return { kind: 'mission.create_follow_up', groupId, payload }
  }

  it('follows up what its owner has approved, also on a node that has never seen it (A-109, A-116, row 29)', async () => {
    expect(codeOf(await fixture.submit(owner, followUp()))).toBe('INVALID_STATE_TRANSITION')
    await fixture.submit(owner, await flow.approveDraft())
    const other = await restarted()
    const events = [eventOf(await fixture.submit(owner, followUp())), eventOf(await other.submit(owner, followUp()))]
    expect(events).toMatchObject(events.map(() => ({ kind: 'mission.follow_up.created', sequence: 1, payload: { mission: { followUpToMissionId: flow.missionId } } })))
    expect(await fixture.service.readModels.missionsOf(owner.actor.id)).toHaveLength(3)
    expect(await fixture.service.readModels.missionById(flow.missionId)).toMatchObject({ state: 'approved' })
    expect(await differences()).toEqual([])
  })

  it('is refused to everybody else, and without a source (A-109, A-239)', async () => {
    await fixture.submit(owner, await flow.approveDraft())
    expect(codeOf(await fixture.submit(await fixture.person('Sven'), followUp()))).toBe('AUTH_FORBIDDEN')
    expect(codeOf(await fixture.submit(owner, followUp({ followUpOfMissionId: newUrn() })))).toBe('AUTH_FORBIDDEN')
  })

  it('takes a Mission id that is not taken, like mission.create (A-14)', async () => {
    await fixture.submit(owner, await flow.approveDraft())
    expect(codeOf(await fixture.submit(owner, followUp({ missionId: flow.missionId })))).toBe('INVALID_COMMAND')
    const missionId = newUrn()
    expect(codeOf(await fixture.submit(owner, followUp({ missionId })))).toBe('accepted')
    expect(codeOf(await fixture.submit(owner, followUp({ missionId })))).toBe('INVALID_COMMAND')
  })
})
