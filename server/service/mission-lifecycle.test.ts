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

describe('ext.countersign.artifact.import', () => {
  let flow: ReleaseFlow
  let target: { missionId: string; groupId: string }
  let other: Agent
  beforeEach(async () => {
    flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker: await fixture.agent('Worker') })
    await flow.submitForApproval()
    other = await fixture.agent('Other')
    target = await fixture.mission(owner, other)
  })

  const importDraft = async (): Promise<Draft> => {
    const found = await fixture.service.reads.groupFor(owner.actor.id, flow.groupId)
    const [{ artifactId } = { artifactId: '' }] = found?.state.artifacts.get(flow.contentHash) ?? []
    return { kind: 'ext.countersign.artifact.import', groupId: target.groupId, membershipEpoch: 1, payload: { sourceGroupId: flow.groupId, artifactId, contentHash: flow.contentHash, reason: 'The report is the same.' } }
  }

  it('A-204: brings an approved artifact into another Group, whose members read it from then on, also on a node that has seen neither', async () => {
    expect(codeOf(await fixture.submit(owner, await importDraft()))).toBe('AUTH_FORBIDDEN')
    await fixture.submit(owner, await flow.approveDraft())
    const mayRead = () => fixture.service.reads.mayReadArtifact(other.actor.id, flow.contentHash)
    expect(await mayRead()).toBe(false)
    const bytes = await fixture.command(owner, await importDraft())
    const again = await restarted()
    const imported = await again.service.submitCommand(bytes, { door: 'http' })
    expect(eventOf(imported)).toMatchObject({ kind: 'ext.countersign.artifact.imported', groupId: target.groupId, payload: { sourceGroupId: flow.groupId, artifact: { contentHash: flow.contentHash }, approval: { missionId: flow.missionId } } })
    expect(await fixture.service.submitCommand(bytes, { door: 'http' })).toMatchObject({ ok: true, isDuplicate: true })
    expect(await mayRead()).toBe(true)
    expect(await differences()).toEqual([])
  })

  it('A-23, A-239: is refused to a Coordinator who does not belong to the other Group, as if there were no artifact', async () => {
    await fixture.submit(owner, await flow.approveDraft())
    const draft = { ...(await importDraft()), sessionEpoch: other.session.sessionEpoch, coordinatorEpoch: 1 }
    expect(await fixture.submit(other, draft)).toMatchObject({ ok: false, rejection: { code: 'INVALID_COMMAND', message: 'there is no such artifact in a Group of yours' } })
    const nowhere = { ...draft, payload: { ...draft.payload, sourceGroupId: newUrn() } }
    expect(await fixture.submit(other, nowhere)).toMatchObject({ ok: false, rejection: { code: 'INVALID_COMMAND', message: 'there is no such artifact in a Group of yours' } })
  })

  it('A-204: finds both Groups busy with each other’s artifacts and waits for neither', async () => {
    await fixture.submit(owner, await flow.approveDraft())
    const draft = await importDraft()
    const back: Draft = { ...draft, groupId: flow.groupId, payload: { ...draft.payload, sourceGroupId: target.groupId } }
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => fixture.submit(owner, index % 2 === 0 ? draft : back)))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    expect(outcomes.flatMap((outcome) => (outcome.ok || outcome.rejection.code !== 'INTERNAL_ERROR' ? [] : [outcome]))).toEqual([])
    expect(await differences()).toEqual([])
  })
})
