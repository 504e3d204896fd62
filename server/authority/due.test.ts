import { describe, expect, it } from 'vitest'
import { groupAuthority, wanda, wim } from '../testing/cast.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { citing, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { decideDue, nextDue } from './due.ts'

describe('time', () => {
  it('returns work to its owner’s queue when the Execution Lease runs out (A-182, O-14)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const { executionLeaseId } = citing(group, 'a')
    const [event] = group.pass(300).due()
    expect(event).toMatchObject({
      kind: 'ext.missionweaveprotocol.core.work_execution_lease_expired',
      actor: groupAuthority,
      cause: { type: 'timer', id: executionLeaseId },
      aggregateRevision: 5,
      workItemId: workId('a'),
      payload: { workItemId: workId('a'), executionLeaseId, expiredAt: '2026-11-29T12:05:00.000Z' },
    })
    expect(event).not.toHaveProperty('commandHash')
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ ownershipEpoch: 1, item: { state: 'queued', owner: { agentId: wim.id } } })
    expect(record).not.toHaveProperty('executionLease')
  })

  it('lets the owner start again while its ownership lasts', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    group.pass(300).due()
    expect(group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toHaveLength(1)
  })

  it('has nothing to do a moment before, and nothing twice', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    expect(group.pass(299).due()).toEqual([])
    expect(group.pass(1).due()).toHaveLength(1)
    expect(group.due()).toEqual([])
  })

  it('ends several leases in the order in which they ran out', () => {
    const group = new GroupFixture().found()
    reach(group, 'later', 'active')
    group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', { ...citing(group, 'later'), leaseSeconds: 400 })
    reach(group, 'sooner', 'active', { worker: wanda })
    expect(group.pass(500).due().map(({ workItemId }) => workItemId)).toEqual([workId('sooner'), workId('later')])
  })

  it('names the Event after the lease, so that two nodes write the same one', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const here = decideDue(group.state, { ...group.env, now: '2026-11-29T12:05:00.000Z' })
    const there = decideDue(replay(group.log), { ...group.env, now: '2026-11-29T12:05:07.000Z' })
    expect(here).toEqual(there)
    expect(here).toHaveLength(1)
  })
})

describe('nextDue', () => {
  it('is the earliest end of a running lease', () => {
    const group = new GroupFixture().found()
    expect(nextDue(group.state)).toBeUndefined()
    reach(group, 'a', 'active')
    group.pass(100)
    reach(group, 'b', 'active', { worker: wanda })
    expect(nextDue(group.state)).toBe('2026-11-29T12:05:00.000Z')
    group.pass(200).due()
    expect(nextDue(group.state)).toBe('2026-11-29T12:06:40.000Z')
  })

  it('is undefined once nothing executes', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'submitted')
    expect(nextDue(group.state)).toBeUndefined()
  })
})
