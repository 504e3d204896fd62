import { describe, expect, it } from 'vitest'
import { ada, cora, groupAuthority, urnOf, wanda, wim } from '../testing/cast.ts'
import { progress } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { block, citing, fail, offerPayload, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { decideDue, nextDue } from './due.ts'
import { encodeState } from './encode-state.ts'

function executing(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  return group
}

function blocked(blockedLeaseSeconds?: number): GroupFixture {
  const group = executing()
  block(group, 'a', blockedLeaseSeconds === undefined ? {} : { blockedLeaseSeconds })
  return group
}

const unblock = { workItemId: workId('a'), resolution: 'It was in the archive.' }

describe('work.block', () => {
  it('is a checkpoint that gives the slot back under a bounded blocked lease (A-155, A-182, A-186)', () => {
    const group = executing()
    const { executionLeaseId } = citing(group, 'a')
    const [event] = block(group, 'a', { progress: progress({ currentPhase: 'waiting' }), blockedLeaseSeconds: 1200 })
    expect(event).toMatchObject({
      kind: 'work.blocked',
      aggregateRevision: 5,
      payload: {
        releasedLeaseId: executionLeaseId,
        unblockCondition: 'Somebody finds it.',
        blockedLease: { leaseType: 'blocked', holderAgentId: wim.id, ownershipEpoch: 1, expiresAt: '2026-11-29T12:20:00.000Z', state: 'active' },
        ownershipLeaseExpiresAt: '2026-11-29T12:20:00.000Z',
      },
    })
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({
      ownershipEpoch: 1,
      blocker: { reason: 'A licence text is missing.', unblockCondition: 'Somebody finds it.' },
      ownershipLease: { expiresAt: '2026-11-29T12:20:00.000Z' },
      item: { state: 'blocked', owner: { agentId: wim.id }, progress: { currentPhase: 'waiting' } },
    })
    expect(record).not.toHaveProperty('executionLease')
  })

  it('lasts 900 seconds when the Worker names no time, and never shortens the ownership', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'offered')
    const offerId = recordOf(group, 'a').item.offers?.[0]?.offerId ?? ''
    group.accept(wim, 'work.accept_offer', { workItemId: workId('a'), offerId, ownershipLeaseSeconds: 5000 })
    group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })
    block(group, 'a')
    expect(recordOf(group, 'a')).toMatchObject({
      blockedLease: { expiresAt: '2026-11-29T12:15:00.000Z' },
      ownershipLease: { expiresAt: '2026-11-29T13:23:20.000Z', renewalCount: 0 },
    })
  })

  it('is the executing owner’s, under the lease in force (A-41, A-180)', () => {
    const group = executing()
    const payload = { ...citing(group, 'a'), progress: progress(), reason: 'Stuck.', unblockCondition: 'Help.' }
    expect(group.code(wanda, 'work.block', payload)).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.block', payload)).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'work.block', { ...payload, ownershipEpoch: 2 })).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wim, 'work.block', { ...payload, executionLeaseId: urnOf('old lease') })).toBe('WORK_LEASE_EXPIRED')
    expect(group.code(wim, 'work.block', payload, { expectedRevision: 3 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'work.block', { ...payload, workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    expect(group.pass(300).code(wim, 'work.block', payload)).toBe('WORK_LEASE_EXPIRED')
  })
})

describe('blocked work', () => {
  it('is not started, submitted or published to by its owner (A-155)', () => {
    const group = blocked()
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })).toBe('WORK_LEASE_EXPIRED')
  })

  it('stays with its owner when the Agent opens another session', () => {
    const group = blocked()
    expect(group.replaceSession(wim)).toEqual([])
    expect(recordOf(group, 'a')).toMatchObject({ item: { state: 'blocked' }, blockedLease: { holderAgentId: wim.id } })
  })

  it('is offered to others only once the blocked lease has run out, whatever is left of the ownership (A-149)', () => {
    const group = blocked(60)
    expect(recordOf(group, 'a').ownershipLease?.expiresAt).toBe('2026-11-29T12:15:00.000Z')
    expect(group.pass(59).code(cora, 'work.offer', offerPayload('a', [wanda]))).toBe('INVALID_STATE_TRANSITION')
    group.pass(1).accept(cora, 'work.offer', offerPayload('a', [wanda]))
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ ownershipEpoch: 2, item: { state: 'offered' } })
    for (const member of ['blockedLease', 'blocker', 'ownershipLease']) expect(record).not.toHaveProperty(member)
    expect(group.pass(900).due()).toEqual([])
  })

  it('keeps its owner in the Group as long as the blocked lease lasts (A-130)', () => {
    const group = blocked(60)
    expect(group.pass(59).code(ada, 'membership.end', { member: wim, reason: 'Now.' })).toBe('INVALID_STATE_TRANSITION')
    expect(group.pass(1).accept(ada, 'membership.end', { member: wim, reason: 'Gone.' })).toHaveLength(1)
  })

  it.each([
    ['failed by the Coordinator (A-159)', (group: GroupFixture) => fail(group, 'a')],
    ['cancelled with its Mission (A-160)', (group: GroupFixture) => group.accept(ada, 'mission.cancel', { reason: 'Enough.' })],
  ])('lets go of its lease when it is %s', (_, act) => {
    const group = blocked()
    act(group)
    expect(recordOf(group, 'a')).not.toHaveProperty('blockedLease')
    expect(nextDue(group.state)).toBeUndefined()
  })
})

describe('work.unblock', () => {
  it('returns the work to its owner’s queue with time to start (A-156)', () => {
    const group = blocked()
    const [event] = group.pass(899).accept(cora, 'work.unblock', unblock)
    expect(event).toMatchObject({
      kind: 'work.unblocked',
      aggregateRevision: 6,
      payload: { state: 'queued', resolution: 'It was in the archive.', ownershipLeaseExpiresAt: '2026-11-29T12:29:59.000Z' },
    })
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ ownershipEpoch: 1, item: { state: 'queued', owner: { agentId: wim.id } }, ownershipLease: { expiresAt: '2026-11-29T12:29:59.000Z' } })
    expect(record).not.toHaveProperty('blockedLease')
    expect(record).not.toHaveProperty('blocker')
    group.pass(899).accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })
    expect(recordOf(group, 'a').attempts).toBe(1)
  })

  it('opens the work when the blocked lease has run out, and fences its owner (A-156)', () => {
    const group = blocked()
    const leaseId = recordOf(group, 'a').blockedLease?.leaseId
    const [event] = group.pass(900).accept(cora, 'work.unblock', unblock)
    expect(event?.payload).toEqual({ ...unblock, state: 'open', lapsedLeaseId: leaseId })
    expect(recordOf(group, 'a')).toMatchObject({ ownershipEpoch: 2, item: { state: 'open' } })
    expect(recordOf(group, 'a').item).not.toHaveProperty('owner')
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('WORK_STALE_OWNERSHIP')
  })

  it('is the Coordinator’s (A-119)', () => {
    const group = blocked()
    expect(group.code(wim, 'work.unblock', unblock)).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'work.unblock', unblock)).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.unblock', unblock, { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(cora, 'work.unblock', { ...unblock, workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    expect(group.pass(86_400).code(cora, 'work.unblock', unblock)).toBe('WORK_LEASE_EXPIRED')
  })
})

describe('a blocked lease that runs out', () => {
  it('opens the work by a timer and fences its owner (A-156)', () => {
    const group = blocked(60)
    const leaseId = recordOf(group, 'a').blockedLease?.leaseId ?? ''
    expect(nextDue(group.state)).toBe('2026-11-29T12:01:00.000Z')
    expect(group.pass(59).due()).toEqual([])
    const [event, ...more] = group.pass(1).due()
    expect(more).toEqual([])
    expect(event).toMatchObject({ kind: 'work.unblocked', actor: groupAuthority, cause: { type: 'timer', id: leaseId }, aggregateRevision: 6, workItemId: workId('a') })
    expect(event?.payload).toEqual({ workItemId: workId('a'), state: 'open', lapsedLeaseId: leaseId })
    expect(recordOf(group, 'a')).toMatchObject({ ownershipEpoch: 2, item: { state: 'open' } })
    expect(group.due()).toEqual([])
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
    group.accept(cora, 'work.offer', offerPayload('a', [wanda]))
  })

  it('takes its turn among the Execution Leases', () => {
    const group = blocked(400)
    reach(group, 'b', 'active', { worker: wanda })
    expect(group.pass(500).due().map(({ kind }) => kind)).toEqual(['ext.missionweaveprotocol.core.work_execution_lease_expired', 'work.unblocked'])
  })

  it('is the same Event on every node', () => {
    const group = blocked(60)
    const here = decideDue(group.state, { ...group.env, now: '2026-11-29T12:01:00.000Z' })
    expect(decideDue(replay(group.log), { ...group.env, now: '2026-11-29T12:01:09.000Z' })).toEqual(here)
    expect(here).toHaveLength(1)
  })
})
