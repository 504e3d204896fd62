import { describe, expect, it } from 'vitest'
import { ada, agentCard, ben, cora, groupAuthority, otto, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { reach } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()
const epochOf = (group: GroupFixture, id: string) => group.state.memberships.get(id)?.membershipEpoch

describe('membership.change', () => {
  it('admits a person at epoch 1, seeing the whole Group (A-128)', () => {
    const group = founded()
    const [event] = group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })
    expect(event).toMatchObject({ kind: 'membership.changed', aggregateRevision: 1 })
    expect(event?.payload).toMatchObject({ membership: { member: ben, role: 'reviewer', state: 'active', membershipEpoch: 1, scopes: ['group'], visibilityStartSequence: 0, activatedAt: group.now } })
  })

  it('raises the epoch with every change and keeps what was not mentioned (A-39)', () => {
    const group = founded()
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer', scopes: ['review'], visibilityStartSequence: 3 })
    group.pass(60).accept(cora, 'membership.change', { member: ben, role: 'observer' })
    expect(group.state.memberships.get(ben.id)).toMatchObject({ role: 'observer', membershipEpoch: 2, scopes: ['review'], visibilityStartSequence: 3, grantedAt: '2026-11-29T12:00:00.000Z' })
  })

  it('A-128: has one id and one role, and scopes that last', () => {
    const group = founded()
    const memberships = (['reviewer', 'observer'] as const).map((role) => {
      group.accept(ada, 'membership.change', { member: ben, role, ...(role === 'reviewer' && { scopes: ['review'] }) })
      return group.state.memberships.get(ben.id)
    })
    expect(memberships.map((membership) => membership?.role)).toEqual(['reviewer', 'observer'])
    expect(new Set(memberships.map((membership) => membership?.membershipId)).size).toBe(1)
    expect(memberships[1]).toMatchObject({ membershipId: expect.stringMatching(/^urn:/), scopes: ['review'] })
    expect([...group.state.memberships.values()].filter(({ member }) => member.id === ben.id)).toHaveLength(1)
  })

  it('takes a former member back under a higher epoch', () => {
    const group = founded()
    group.accept(ada, 'membership.end', { member: wim, reason: 'Done.' })
    group.pass(60).accept(ada, 'membership.change', { member: wim, role: 'worker' })
    expect(group.state.memberships.get(wim.id)).toMatchObject({ state: 'active', membershipEpoch: 3, grantedAt: group.now })
    expect(group.state.memberships.get(wim.id)).not.toHaveProperty('endedAt')
  })

  it('compares and sets the Membership Epoch, 0 for a newcomer (O-7, A-223)', () => {
    const group = founded()
    expect(group.code(ada, 'membership.change', { member: ben, role: 'reviewer' }, { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' }, { expectedRevision: 0 })
    expect(group.refusal(ada, 'membership.change', { member: ben, role: 'observer' }, { expectedRevision: 0 })).toMatchObject({ code: 'REVISION_CONFLICT', expectedRevision: 0, currentRevision: 1 })
    group.accept(ada, 'membership.change', { member: ben, role: 'observer' }, { expectedRevision: 1 })
    expect(epochOf(group, ben.id)).toBe(2)
  })

  it.each([
    ['a worker', 'AUTH_FORBIDDEN', wim, { member: ben, role: 'reviewer' }],
    ['granting ownership', 'AUTH_FORBIDDEN', ada, { member: ben, role: 'mission_owner' }],
    ['granting coordination', 'AUTH_FORBIDDEN', ada, { member: wim, role: 'coordinator' }],
    ['changing the owner', 'AUTH_FORBIDDEN', cora, { member: ada, role: 'observer' }],
    ['changing the Coordinator', 'AUTH_FORBIDDEN', ada, { member: cora, role: 'worker' }],
    ['a Coordinator who changes its own role', 'AUTH_FORBIDDEN', cora, { member: cora, role: 'observer' }],
    ['an Agent without a card', 'INVALID_COMMAND', ada, { member: otto, role: 'worker' }],
    ['a service', 'INVALID_COMMAND', ada, { member: groupAuthority, role: 'observer' }],
    ['a member’s id with another type', 'INVALID_COMMAND', ada, { member: { type: 'human', id: wim.id }, role: 'observer' }],
  ] as const)('refuses %s', (_, code, actor, payload) => {
    expect(founded().code(actor, 'membership.change', payload)).toBe(code)
  })

  it('refuses an Agent whose card is revoked (A-28)', () => {
    const group = founded()
    group.cards.set(otto.id, agentCard(otto, { status: 'revoked' }))
    expect(group.code(ada, 'membership.change', { member: otto, role: 'worker' })).toBe('INVALID_COMMAND')
  })

  it('keeps the role of a worker with live work, and only that (A-130)', () => {
    const group = founded()
    reach(group, 'a', 'queued')
    expect(group.code(ada, 'membership.change', { member: wim, role: 'observer' })).toBe('INVALID_STATE_TRANSITION')
    expect(group.accept(ada, 'membership.change', { member: wim, role: 'worker', scopes: ['work'] })).toHaveLength(1)
  })

  it('needs a live lease from the Coordinator but none from the owner', () => {
    const group = new GroupFixture().found({ coordinatorLeaseSeconds: 60 }).pass(60)
    expect(group.code(cora, 'membership.change', { member: ben, role: 'reviewer' })).toBe('WORK_LEASE_EXPIRED')
    expect(group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })).toHaveLength(1)
  })

  it('ends with the Mission (A-116)', () => {
    const group = founded()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(ada, 'membership.change', { member: ben, role: 'reviewer' })).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('membership.end', () => {
  it('ends the Membership and raises its epoch (A-39)', () => {
    const group = founded()
    const [event] = group.accept(cora, 'membership.end', { member: wim, reason: 'No more work.' })
    expect(event).toMatchObject({ kind: 'membership.ended', aggregateRevision: 2, payload: { reason: 'No more work.' } })
    expect(group.state.memberships.get(wim.id)).toMatchObject({ state: 'ended', membershipEpoch: 2, endedAt: group.now })
  })

  it.each(['queued', 'active', 'submitted'] as const)('waits while the member’s work is %s (A-130)', (stage) => {
    const group = founded()
    reach(group, 'a', stage)
    expect(group.refusal(ada, 'membership.end', { member: wim, reason: 'Now.' })).toMatchObject({ code: 'INVALID_STATE_TRANSITION' })
  })

  it('waits for the review of submitted work, also when the lease has run out', () => {
    const group = founded()
    reach(group, 'a', 'submitted')
    expect(group.pass(3600).code(ada, 'membership.end', { member: wim, reason: 'Now.' })).toBe('INVALID_STATE_TRANSITION')
  })

  it('does not wait for an owner whose lease has run out, nor for verified work', () => {
    const group = founded()
    reach(group, 'a', 'queued')
    reach(group, 'b', 'verified', { worker: wanda })
    group.pass(900)
    expect(group.accept(ada, 'membership.end', { member: wim, reason: 'Gone.' })).toHaveLength(1)
    expect(group.accept(ada, 'membership.end', { member: wanda, reason: 'Done.' })).toHaveLength(1)
  })

  it.each([
    ['a worker', 'AUTH_FORBIDDEN', wim, wanda],
    ['the owner as target', 'AUTH_FORBIDDEN', cora, ada],
    ['the Coordinator as target', 'AUTH_FORBIDDEN', ada, cora],
    ['somebody who is no member', 'INVALID_COMMAND', ada, ben],
  ])('refuses %s', (_, code, actor, member) => {
    expect(founded().code(actor, 'membership.end', { member, reason: 'Now.' })).toBe(code)
  })

  it('refuses a second end and a stale epoch', () => {
    const group = founded()
    expect(group.code(ada, 'membership.end', { member: wim, reason: 'Now.' }, { expectedRevision: 4 })).toBe('REVISION_CONFLICT')
    group.accept(ada, 'membership.end', { member: wim, reason: 'Now.' }, { expectedRevision: 1 })
    expect(group.code(ada, 'membership.end', { member: wim, reason: 'Again.' })).toBe('INVALID_COMMAND')
  })

  it('keeps the offers of a former worker from being accepted', () => {
    const group = founded()
    const { item } = reach(group, 'a', 'offered')
    group.accept(ada, 'membership.end', { member: wim, reason: 'Now.' })
    const offerId = item.offers?.[0]?.offerId ?? ''
    expect(group.code(wim, 'work.accept_offer', { workItemId: item.workItemId, offerId })).toBe('MEMBERSHIP_REQUIRED')
  })
})
