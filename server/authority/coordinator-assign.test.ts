import { describe, expect, it } from 'vitest'
import type { Actor } from '../../protocol/generated/types.ts'
import { ada, agentCard, ben, cora, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { citing, offerPayload, reach, reconcile, recordOf, submitMission, workId } from '../testing/work-scenario.ts'

const founded = () => {
  const group = new GroupFixture().found({ coordinatorLeaseSeconds: 600 })
  group.cards.set(otto.id, agentCard(otto))
  group.sessionEpochs.set(otto.id, 1)
  return group
}
const assign = (agent: Actor, changes: { leaseSeconds?: number } = {}) => ({ coordinatorAgentId: agent.id, reason: 'The first one is silent.', ...changes })
const authorize = { workItemId: workId('new'), contract: workContract() }

describe('mission.assign_coordinator', () => {
  it('puts another Agent in charge at the next epoch with a lease of its own (A-118, A-120)', () => {
    const group = founded()
    group.sessionEpochs.set(otto.id, 3)
    const before = group.state.coordinatorLease
    const [first] = group.accept(ada, 'mission.assign_coordinator', assign(otto, { leaseSeconds: 60 }))
    expect(first).toMatchObject({
      kind: 'mission.coordinator.assigned',
      aggregateRevision: 1,
      payload: { previousCoordinatorId: cora.id, coordinatorId: otto.id, coordinatorEpoch: 2, leaseExpiresAt: '2026-11-29T12:01:00.000Z', reason: 'The first one is silent.' },
    })
    const { coordinator, revision } = group.state.mission
    const lease = group.state.coordinatorLease
    expect(coordinator).toEqual({ agentId: otto.id, agentCardVersion: 1, coordinatorEpoch: 2, leaseId: lease.leaseId })
    expect(lease).toMatchObject({ holderAgentId: otto.id, coordinatorEpoch: 2, sessionEpoch: 3, renewalCount: 0, expiresAt: '2026-11-29T12:01:00.000Z' })
    expect(lease.leaseId).not.toBe(before.leaseId)
    expect(revision).toBe(1)
  })

  it('publishes both Memberships at their new epochs, caused by the assignment (row 26)', () => {
    const group = founded()
    const [first, ...rest] = group.accept(ada, 'mission.assign_coordinator', assign(otto))
    const cause = { type: 'event', id: first?.eventId }
    expect(rest).toMatchObject([
      { kind: 'membership.ended', cause, aggregateRevision: 2, payload: { membership: { member: cora, role: 'coordinator', state: 'ended', membershipEpoch: 2 } } },
      { kind: 'membership.changed', cause, aggregateRevision: 1, payload: { membership: { member: otto, role: 'coordinator', state: 'active', membershipEpoch: 1 } } },
    ])
  })

  it('shows the whole Group to a successor that had seen a part of it (A-129)', () => {
    const group = founded()
    group.accept(ada, 'membership.change', { member: otto, role: 'worker', visibilityStartSequence: 3, scopes: ['message.post'] })
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    expect(group.state.memberships.get(otto.id)).toMatchObject({ role: 'coordinator', membershipEpoch: 2, visibilityStartSequence: 0, scopes: ['group'] })
  })

  it('tells the predecessor that it was replaced, whatever it sends next under its epoch (A-40, A-120)', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const late = [
      group.command(cora, 'work.authorize', authorize),
      group.command(cora, 'work.offer', offerPayload('a')),
      group.command(cora, 'mission.renew_coordinator', {}),
      group.command(cora, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'Still here.' }] }),
    ]
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    for (const command of late) expect(group.judge(command)).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_COORDINATOR' } })
    // Under its new Membership Epoch and without a claim to the office it is a former member.
    expect(group.code(cora, 'work.authorize', authorize)).toBe('MEMBERSHIP_REQUIRED')
  })

  it('tells a predecessor that came back as a worker the same (A-40, A-119)', () => {
    const group = founded()
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    group.accept(ada, 'membership.change', { member: cora, role: 'worker' })
    expect(group.code(cora, 'work.authorize', authorize, { coordinatorEpoch: 1 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(cora, 'work.authorize', authorize)).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.authorize', authorize, { coordinatorEpoch: 2 })).toBe('AUTH_FORBIDDEN')
  })

  it('lets the successor coordinate at once; what the predecessor did stands (A-119, A-120)', () => {
    const group = founded()
    reach(group, 'a', 'active')
    const held = citing(group, 'a')
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    expect(recordOf(group, 'a').item.state).toBe('active')
    expect(group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', held)).toHaveLength(1)
    expect(group.accept(otto, 'mission.renew_coordinator', {})).toMatchObject([{ payload: { coordinatorEpoch: 2 } }])
    expect(group.code(otto, 'work.offer', offerPayload('new'), { coordinatorEpoch: 1 })).toBe('AUTH_STALE_COORDINATOR')
  })

  it('frees a Mission whose Coordinator lease has run out (A-120)', () => {
    const group = founded()
    group.pass(600)
    expect(group.code(cora, 'work.authorize', authorize)).toBe('WORK_LEASE_EXPIRED')
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    reconcile(group)
    expect(group.accept(otto, 'work.authorize', authorize)).toHaveLength(1)
  })

  it('puts the same Agent back in charge once its lease has run out, and not before (A-118, A-120)', () => {
    const group = founded()
    expect(group.pass(599).code(ada, 'mission.assign_coordinator', assign(cora))).toBe('INVALID_STATE_TRANSITION')
    const late = group.command(cora, 'work.authorize', authorize)
    expect(group.pass(1).accept(ada, 'mission.assign_coordinator', assign(cora))).toHaveLength(1)
    expect(group.state.memberships.get(cora.id)).toMatchObject({ state: 'active', membershipEpoch: 1 })
    expect(group.judge(late)).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_COORDINATOR' } })
    reconcile(group)
    expect(group.accept(cora, 'work.authorize', authorize)).toHaveLength(1)
  })

  it('counts epochs on when the first Coordinator comes back (A-118)', () => {
    const group = founded()
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    group.accept(ada, 'mission.assign_coordinator', assign(cora))
    expect(group.state.mission.coordinator).toMatchObject({ agentId: cora.id, coordinatorEpoch: 3 })
    expect(group.state.memberships.get(cora.id)).toMatchObject({ state: 'active', membershipEpoch: 3 })
    expect(group.state.memberships.get(cora.id)).not.toHaveProperty('endedAt')
    expect(group.state.memberships.get(otto.id)).toMatchObject({ state: 'ended', membershipEpoch: 2 })
  })

  it('may happen while the owner has a submission to decide', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    group.accept(ada, 'mission.assign_coordinator', assign(otto))
    expect(group.state.mission.state).toBe('awaiting_approval')
  })

  it('is the MissionOwner’s, with a key for decisions, at the Mission’s revision (A-120, A-214)', () => {
    const group = founded()
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })
    for (const actor of [ben, cora, wim]) expect(group.code(actor, 'mission.assign_coordinator', assign(otto))).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'mission.assign_coordinator', assign(otto), { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'mission.assign_coordinator', assign(otto), { expectedRevision: 7 })).toBe('REVISION_CONFLICT')
  })

  it('is over when the Mission is (A-116)', () => {
    const group = founded()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(ada, 'mission.assign_coordinator', assign(otto))).toBe('INVALID_STATE_TRANSITION')
  })

  it('refuses an Agent without a valid card and a person (A-28)', () => {
    const group = founded()
    group.cards.set(otto.id, agentCard(otto, { status: 'revoked' }))
    for (const agent of [otto, ben, ada]) expect(group.code(ada, 'mission.assign_coordinator', assign(agent))).toBe('INVALID_COMMAND')
  })

  it('refuses an Agent that still owes work, which it would have to review itself (A-130)', () => {
    const group = founded()
    reach(group, 'a', 'active', { worker: wanda })
    expect(group.code(ada, 'mission.assign_coordinator', assign(wanda))).toBe('INVALID_STATE_TRANSITION')
    group.accept(ada, 'work.cancel', { workItemId: workId('a'), reason: 'She coordinates.' })
    expect(group.accept(ada, 'mission.assign_coordinator', assign(wanda))).toHaveLength(3)
  })
})
