import { describe, expect, it } from 'vitest'
import type { CommandPayloads, ServiceKind } from '../../protocol/generated/types.ts'
import { groupAuthority, registry, wanda } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { reach, recordOf } from '../testing/work-scenario.ts'

type Case = { [K in ServiceKind]: [kind: K, event: string, payload: CommandPayloads[K]] }[Exclude<ServiceKind, 'policy.grant_cooperation_override'>]

const cases: Case[] = [
  ['mission.cancel', 'mission.cancelled', { reason: 'The budget was frozen.' }],
  ['mission.terminate', 'mission.terminated', { reason: 'The budget was frozen.' }],
  ['mission.assign_coordinator', 'mission.coordinator.assigned', { coordinatorAgentId: wanda.id, reason: 'No answer for an hour.' }],
]

function groupThatLets(kinds: readonly ServiceKind[]): GroupFixture {
  const group = new GroupFixture()
  group.policy = { ...group.policy, version: 1, services: kinds.length > 0 ? [{ principalId: registry.id, kinds: [...kinds] }] : [] }
  return group.found()
}

describe.each(cases)('%s by a service', (kind, event, payload) => {
  it('A-128: passes without a Membership where policy names service and kind', () => {
    expect(groupThatLets([kind]).accept(registry, kind, payload)[0]).toMatchObject({ kind: event, actor: registry })
  })

  it('A-128: is refused to a service that policy does not name, or names for something else', () => {
    const others = cases.map(([other]) => other).filter((other) => other !== kind)
    expect(groupThatLets([]).code(registry, kind, payload)).toBe('AUTH_FORBIDDEN')
    expect(groupThatLets(others).code(registry, kind, payload)).toBe('AUTH_FORBIDDEN')
    expect(groupThatLets([kind]).code(groupAuthority, kind, payload)).toBe('AUTH_FORBIDDEN')
  })

  it('A-116: changes nothing about a Mission that is over, and none that has moved on (A-223)', () => {
    const group = groupThatLets([kind, 'mission.cancel'])
    expect(group.code(registry, kind, payload, { expectedRevision: 99 })).toBe('REVISION_CONFLICT')
    group.accept(registry, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(registry, kind, payload)).toBe('INVALID_STATE_TRANSITION')
  })
})

it('A-115: a service ends the unfinished work with the Mission, whoever coordinates', () => {
  const group = groupThatLets(['mission.terminate'])
  reach(group, 'a', 'active')
  group.pass(1_000_000)
  group.accept(registry, 'mission.terminate', { reason: 'The Coordinator is gone.' })
  expect(recordOf(group, 'a').item.state).toBe('failed')
})

it('A-128: no policy opens a Command that is not for services', () => {
  const group = groupThatLets(['mission.cancel'])
  expect(group.code(registry, 'membership.change', { member: wanda, role: 'observer' })).toBe('AUTH_FORBIDDEN')
  expect(group.code(registry, 'message.post', { messageId: registry.id, content: [{ type: 'text', text: 'Hello' }] })).toBe('AUTH_FORBIDDEN')
})
