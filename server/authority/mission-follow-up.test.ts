import { describe, expect, it } from 'vitest'
import { ada, ben, cora, otto, urnOf, wim } from '../testing/cast.ts'
import { missionPayload } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { reach } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const source = urnOf('mission source')
const payload = { ...missionPayload('two'), followUpOfMissionId: source }

function beside(state: string, ownerId = ada.id): GroupFixture {
  const group = new GroupFixture('two')
  group.missions.set(source, { ownerId, state })
  return group
}

describe('mission.create_follow_up', () => {
  it('founds a whole Group with a Mission that names the approved one (A-109, A-116, A-224)', () => {
    const group = beside('approved')
    const events = group.accept(ada, 'mission.create_follow_up', payload)
    expect(events).toMatchObject([{
      kind: 'mission.follow_up.created',
      sequence: 1,
      aggregateRevision: 1,
      actor: ada,
      payload: { followUpOfMissionId: source, title: 'Release two', mission: { state: 'active', missionOwner: ada, followUpToMissionId: source, coordinator: { agentId: cora.id, coordinatorEpoch: 1 } } },
    }])
    expect([...group.state.memberships.keys()]).toEqual([ada.id, cora.id])
  })

  it('is a Mission like any other from then on', () => {
    const group = beside('approved')
    group.accept(ada, 'mission.create_follow_up', payload)
    group.accept(ada, 'membership.change', { member: wim, role: 'worker' })
    reach(group, 'a', 'verified')
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it.each(['active', 'awaiting_approval', 'failed', 'cancelled'])('does not follow up a Mission that is %s (A-109)', (state) => {
    expect(beside(state).code(ada, 'mission.create_follow_up', payload)).toBe('INVALID_STATE_TRANSITION')
  })

  it('answers the same about a Mission of somebody else and one that does not exist (A-109, A-239)', () => {
    const refusals = [beside('approved', ben.id), beside('active', ben.id), new GroupFixture('two')].map((group) => group.refusal(ada, 'mission.create_follow_up', payload))
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal)))).toHaveLength(1)
    expect(refusals[0]?.code).toBe('AUTH_FORBIDDEN')
  })

  it('is a person’s, with a key for decisions (A-213)', () => {
    expect(beside('approved').code(ada, 'mission.create_follow_up', payload, { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
    expect(beside('approved', cora.id).code(cora, 'mission.create_follow_up', payload, { keyUse: 'agent' })).toBe('AUTH_FORBIDDEN')
  })

  it('has to be as coherent as any new Mission, in a Group of its own (A-107)', () => {
    const code = (changes: Partial<typeof payload>) => beside('approved').code(ada, 'mission.create_follow_up', { ...payload, ...changes })
    expect(code({ coordinatorAgentId: otto.id })).toBe('INVALID_COMMAND')
    expect(code({ deadline: '2026-11-29T11:00:00Z' })).toBe('INVALID_COMMAND')
    expect(code({ groupId: urnOf('elsewhere') })).toBe('INVALID_COMMAND')
    const { followUpOfMissionId: _source, ...sourceless } = payload
    expect(beside('approved').code(ada, 'mission.create_follow_up', sourceless as never)).toBe('SCHEMA_VALIDATION_FAILED')
    const group = beside('approved')
    group.accept(ada, 'mission.create_follow_up', payload)
    expect(group.code(ada, 'mission.create_follow_up', payload, { groupId: payload.groupId })).toBe('INVALID_COMMAND')
  })

  it('is what mission.create cannot do (A-108)', () => {
    expect(beside('approved').code(ada, 'mission.create', payload as never)).toBe('SCHEMA_VALIDATION_FAILED')
  })
})
