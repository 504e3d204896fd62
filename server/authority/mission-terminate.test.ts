import { describe, expect, it } from 'vitest'
import { ada, cora, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { citing, fail, offerPayload, reach, recordOf, submitMission, workId } from '../testing/work-scenario.ts'

const reason = { reason: 'It cannot be done.' }

describe('mission.terminate', () => {
  it('fails the Mission and every unfinished WorkItem, each in its own Event caused by the first (A-115, A-164)', () => {
    const group = new GroupFixture().found()
    reach(group, 'verified', 'verified')
    reach(group, 'failed', 'open')
    fail(group, 'failed')
    reach(group, 'cancelled', 'open')
    group.accept(ada, 'work.cancel', { workItemId: workId('cancelled'), reason: 'Not needed.' })
    const stages = ['open', 'offered', 'queued', 'active', 'submitted'] as const
    for (const stage of stages) reach(group, stage, stage, { worker: wanda })
    const before = group.state.mission
    const [first, ...rest] = group.accept(cora, 'mission.terminate', reason)
    expect(first).toMatchObject({ kind: 'mission.terminated', aggregateRevision: before.revision, cause: { type: 'command' }, payload: { missionId: before.missionId, ...reason } })
    expect(rest.map(({ kind, workItemId, cause, payload }) => ({ kind, workItemId, cause, evidence: payload['evidence'] }))).toEqual(
      stages.map((stage) => ({ kind: 'work.failed', workItemId: workId(stage), cause: { type: 'event', id: first?.eventId }, evidence: [] })),
    )
    expect(group.state.mission).toMatchObject({ state: 'failed', revision: before.revision + stages.length })
    expect(['verified', 'failed', 'cancelled'].map((name) => recordOf(group, name).item.state)).toEqual(['verified', 'failed', 'cancelled'])
  })

  it('revokes the leases of the work that it ends (A-115)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const held = citing(group, 'a')
    group.accept(cora, 'mission.terminate', reason)
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ reason: 'The Mission has failed.' })
    expect(record).not.toHaveProperty('executionLease')
    expect(record).not.toHaveProperty('ownershipLease')
    expect([group.state.executing.size, group.state.ownedBy.size]).toEqual([0, 0])
    expect(group.code(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', held)).toBe('WORK_LEASE_EXPIRED')
  })

  it('may interrupt a decision (A-115)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    expect(group.accept(cora, 'mission.terminate', reason)).toHaveLength(1)
  })

  it('is final: nothing is offered again, renewed or ended once more (A-116)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    group.accept(cora, 'mission.terminate', reason)
    expect(group.code(cora, 'work.offer', offerPayload('a'))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(cora, 'mission.terminate', reason)).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(ada, 'mission.cancel', reason)).toBe('INVALID_STATE_TRANSITION')
  })

  it('is the Coordinator’s, under a live lease, at its epoch and the Mission’s revision (A-115, A-212)', () => {
    const group = new GroupFixture().found({ coordinatorLeaseSeconds: 60 })
    expect(group.code(wim, 'mission.terminate', reason)).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'mission.terminate', reason, { coordinatorEpoch: 2 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(cora, 'mission.terminate', reason, { expectedRevision: 4 })).toBe('REVISION_CONFLICT')
    expect(group.pass(60).code(cora, 'mission.terminate', reason)).toBe('WORK_LEASE_EXPIRED')
  })

  it('is no person’s, not even the owner’s (A-214)', () => {
    expect(new GroupFixture().found().code(ada, 'mission.terminate', reason)).toBe('AUTH_FORBIDDEN')
  })
})
