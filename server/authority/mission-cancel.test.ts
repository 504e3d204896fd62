import { describe, expect, it } from 'vitest'
import { ada, cora, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { citing, fail, reach, recordOf, submitMission, workId } from '../testing/work-scenario.ts'

describe('mission.cancel', () => {
  it('ends the Mission and every unfinished WorkItem, each in its own Event caused by the first (A-114, A-164)', () => {
    const group = new GroupFixture().found()
    reach(group, 'verified', 'verified')
    reach(group, 'failed', 'open')
    fail(group, 'failed')
    const stages = ['open', 'offered', 'queued', 'active', 'submitted'] as const
    for (const stage of stages) reach(group, stage, stage, { worker: wanda })
    const revision = group.state.mission.revision
    const [first, ...rest] = group.accept(ada, 'mission.cancel', { reason: 'The product is gone.' })
    expect(first).toMatchObject({ kind: 'mission.cancelled', aggregateRevision: revision, cause: { type: 'command' }, payload: { reason: 'The product is gone.' } })
    expect(rest.map(({ kind, workItemId, cause }) => ({ kind, workItemId, cause }))).toEqual(
      stages.map((stage) => ({ kind: 'work.cancelled', workItemId: workId(stage), cause: { type: 'event', id: first?.eventId } })),
    )
    expect(group.state.mission).toMatchObject({ state: 'cancelled', revision: revision + stages.length })
    expect(recordOf(group, 'verified').item.state).toBe('verified')
    expect(recordOf(group, 'failed').item.state).toBe('failed')
  })

  it('revokes leases and fences owners (A-199)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const held = citing(group, 'a')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ ownershipEpoch: 2, reason: 'The Mission was cancelled.' })
    expect(record).not.toHaveProperty('executionLease')
    expect(record.item).not.toHaveProperty('owner')
    expect(group.state.executing.size).toBe(0)
    expect(group.code(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', held)).toBe('WORK_STALE_OWNERSHIP')
  })

  it('may interrupt a decision', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    expect(group.accept(ada, 'mission.cancel', { reason: 'Enough.' })).toHaveLength(1)
  })

  it('is the owner’s, at the Mission’s revision, once (A-116, A-117)', () => {
    const group = new GroupFixture().found()
    expect(group.code(cora, 'mission.cancel', { reason: 'I recommend it.' })).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'mission.cancel', { reason: 'Enough.' }, { expectedRevision: 4 })).toBe('REVISION_CONFLICT')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' }, { expectedRevision: 1 })
    expect(group.code(ada, 'mission.cancel', { reason: 'Again.' })).toBe('INVALID_STATE_TRANSITION')
  })
})
