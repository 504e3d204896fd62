import { describe, expect, it } from 'vitest'
import { ada, agentCard, ben, cora, groupAuthority, otto, START, urnOf, wim } from '../testing/cast.ts'
import { missionPayload } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { NOTHING } from './amounts.ts'

const founded = () => new GroupFixture().found()

describe('mission.create', () => {
  it('founds the whole Group in one Event (A-107, A-108)', () => {
    const group = new GroupFixture()
    const events = group.accept(ada, 'mission.create', missionPayload('one'))
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ kind: 'mission.created', sequence: 1, aggregateRevision: 1, actor: ada, cause: { type: 'command' } })
    expect(events[0]?.payload).toMatchObject({
      title: 'Release one',
      mission: { state: 'active', revision: 1, missionOwner: ada, coordinator: { agentId: cora.id, coordinatorEpoch: 1 } },
      group: { state: 'active', mainConversationId: `${urnOf('group one')}:mission` },
      conversation: { type: 'group', access: { mode: 'group' } },
      coordinatorLease: { leaseType: 'coordinator', holderAgentId: cora.id, sessionEpoch: 1, coordinatorEpoch: 1, state: 'active', renewalCount: 0 },
    })
  })

  it('makes owner and Coordinator active members who see everything (A-129)', () => {
    const group = new GroupFixture()
    group.accept(ada, 'mission.create', missionPayload('one'))
    const memberships = [...group.state.memberships.values()].map(({ member, role, state, membershipEpoch, visibilityStartSequence }) => ({ member, role, state, membershipEpoch, visibilityStartSequence }))
    expect(memberships).toEqual([
      { member: ada, role: 'mission_owner', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0 },
      { member: cora, role: 'coordinator', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0 },
    ])
  })

  it('opens the account of the Mission with nothing used (A-198)', () => {
    const { state } = founded()
    expect(state.ledgers.get(state.mission.missionId)).toMatchObject({ limit: missionPayload('one').budget, allocated: NOTHING, used: NOTHING })
  })

  it('lets the Coordinator lease end after the seconds asked for, or five minutes (A-118)', () => {
    const asked = new GroupFixture().found({ coordinatorLeaseSeconds: 60 })
    expect(asked.state.coordinatorLease.expiresAt).toBe('2026-11-29T12:01:00.000Z')
    const { coordinatorLeaseSeconds: _seconds, ...unsaid } = missionPayload('two')
    const group = new GroupFixture('two')
    group.accept(ada, 'mission.create', unsaid)
    expect(group.state.coordinatorLease.expiresAt).toBe('2026-11-29T12:05:00.000Z')
  })

  it('binds the lease to the first Session of an Agent that has never connected (A-118)', () => {
    const group = new GroupFixture()
    group.sessionEpochs.delete(cora.id)
    group.accept(ada, 'mission.create', missionPayload('one'))
    expect(group.state.coordinatorLease.sessionEpoch).toBe(1)
  })

  it('names the same ids for the same Command', () => {
    const group = new GroupFixture()
    const command = group.command(ada, 'mission.create', missionPayload('one'))
    const [first, second] = [group.judge(command), group.judge(command)]
    expect(first).toEqual(second)
    expect(first).toMatchObject({ ok: true, value: [{ eventId: expect.stringMatching(/^urn:uuid:/), commandHash: command.signingHash }] })
  })

  it.each([
    ['a conversation key', 'AUTH_FORBIDDEN', ada, {}, { keyUse: 'conversation' as const }],
    ['another Group than the envelope names', 'INVALID_COMMAND', ada, {}, { groupId: urnOf('elsewhere') }],
    ['an owner who would coordinate', 'INVALID_COMMAND', { ...ada, id: cora.id }, {}, {}],
    ['a Coordinator without a card', 'INVALID_COMMAND', ada, { coordinatorAgentId: otto.id }, {}],
    ['a deadline that has passed', 'INVALID_COMMAND', ada, { deadline: START }, {}],
    ['one id for Mission and Group', 'INVALID_COMMAND', ada, { missionId: urnOf('group one') }, {}],
    ['a Group id that no Conversation id can be made from', 'INVALID_COMMAND', ada, { groupId: `urn:x:${'a'.repeat(505)}` }, { groupId: `urn:x:${'a'.repeat(505)}` }],
    ['no final human approval (R-MIS-1)', 'SCHEMA_VALIDATION_FAILED', ada, { approvalPolicy: { finalHumanApproval: false, highRiskExecutionApproval: false } }, {}],
    ['no definition of done (A-107)', 'SCHEMA_VALIDATION_FAILED', ada, { definitionOfDone: [] }, {}],
    ['no budget (A-197)', 'SCHEMA_VALIDATION_FAILED', ada, { budget: {} }, {}],
  ])('refuses %s', (_, code, actor, changes, envelope) => {
    expect(new GroupFixture().code(actor, 'mission.create', missionPayload('one', changes), envelope)).toBe(code)
  })

  it('refuses a definition of done that names one criterion twice', () => {
    const [criterion] = missionPayload('one').definitionOfDone
    const definitionOfDone = criterion ? [criterion, criterion] : []
    expect(new GroupFixture().code(ada, 'mission.create', missionPayload('one', { definitionOfDone }))).toBe('INVALID_COMMAND')
  })

  it('refuses an Agent as founder (A-3, A-108, A-219)', () => {
    const group = new GroupFixture()
    const command = group.command(ada, 'mission.create', missionPayload('one'))
    const byAgent = { ...command, keyUse: 'agent' as const, command: { ...command.command, actor: wim } }
    expect(group.judge(byAgent)).toMatchObject({ ok: false, error: { code: 'AUTH_FORBIDDEN' } })
  })

  it('refuses a Group id that is in use (A-15)', () => {
    const group = founded()
    expect(group.code(ben, 'mission.create', missionPayload('one'), { groupId: group.state.groupId })).toBe('INVALID_COMMAND')
  })

  it('refuses a revoked or outdated card of the Coordinator (A-28)', () => {
    const group = new GroupFixture()
    group.cards.set(cora.id, agentCard(cora, { status: 'revoked' }))
    expect(group.code(ada, 'mission.create', missionPayload('one'))).toBe('INVALID_COMMAND')
    group.cards.set(cora.id, agentCard(cora, { validUntil: START }))
    expect(group.code(ada, 'mission.create', missionPayload('one'))).toBe('INVALID_COMMAND')
  })

  it('is not for a service, which may only relay it (A-219)', () => {
    const group = new GroupFixture()
    const command = group.command(ada, 'mission.create', missionPayload('one'))
    const byService = { ...command, keyUse: 'service' as const, command: { ...command.command, actor: groupAuthority } }
    expect(group.judge(byService)).toMatchObject({ ok: false, error: { code: 'AUTH_FORBIDDEN' } })
  })
})
