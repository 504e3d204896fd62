import { describe, expect, it } from 'vitest'
import type { Actor, CommandPayloads, Policy } from '../../protocol/generated/types.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { ada, cora, groupAuthority, urnOf, wanda, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import type { CommandChanges } from '../testing/group-fixture.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { advance, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { edgesOf } from './graph-edges.ts'
import type { GroupEvent } from './request.ts'

const GRANT = 'policy.grant_cooperation_override'

/** A Group under a policy with these limits. */
function founded(limits: Partial<Policy['limits']> = {}, maximumDepth: Partial<Policy['maximumDepth']> = {}): GroupFixture {
  const group = new GroupFixture()
  const { policy } = group
  group.policy = { ...policy, version: 7, limits: { ...policy.limits, ...limits }, maximumDepth: { ...policy.maximumDepth, ...maximumDepth } }
  return group.found()
}

let said = 0
const words = (): CommandPayloads['message.post'] => ({ messageId: urnOf(`word ${++said}`), content: [{ type: 'text', text: 'Hello' }] })
const proposal = (name: string) => ({ proposalId: urnOf(name), contract: workContract() })

describe('the rate of Messages', () => {
  it('A-276: stops a member at the limit, says when to come back, and keeps what was accepted', () => {
    const group = founded({ messagesPerMinute: 2 })
    for (let second = 0; second < 2; second++) group.pass(10).accept(wim, 'message.post', words())
    group.pass(15)
    expect(group.refusal(wim, 'message.post', words())).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 36_000, details: { policyName: 'message_rate', limit: 2, policyVersion: 7 } })
    expect(group.state.messages.size).toBe(2)
    group.accept(wanda, 'message.post', words())
    group.pass(36).accept(wim, 'message.post', words())
    expect(group.code(wim, 'message.post', words())).toBe('RATE_LIMITED')
  })

  it('A-221: comes after authorization and before the state of the Mission', () => {
    const group = founded({ messagesPerMinute: 1 })
    group.accept(wim, 'message.post', words())
    expect(group.code(wim, 'message.post', words(), { membershipEpoch: 9 })).toBe('MEMBERSHIP_STALE')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(wim, 'message.post', words())).toBe('RATE_LIMITED')
    expect(group.code(wanda, 'message.post', words())).toBe('INVALID_STATE_TRANSITION')
  })

  it('is counted from the Events alone: the fold of the log is the same under any policy', () => {
    const group = founded({ messagesPerMinute: 2 })
    for (let count = 0; count < 4; count++) group.pass(31).accept(wim, 'message.post', words())
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
    expect([...group.state.recent.values()].map((times) => times.length)).toEqual([2])
  })
})

describe('other limits', () => {
  it('A-276: proposals have a rate of their own', () => {
    const group = founded({ proposalsPerMinute: 1, messagesPerMinute: 1 })
    group.accept(wim, 'work.propose', proposal('one'))
    expect(group.refusal(wim, 'work.propose', proposal('two'))).toMatchObject({ code: 'RATE_LIMITED', details: { policyName: 'proposal_rate' } })
    group.accept(wim, 'message.post', words())
    group.pass(60).accept(wim, 'work.propose', proposal('two'))
  })

  it('A-206: work lies at most so many levels below other work', () => {
    const group = founded({}, { delegation: 1 })
    reach(group, 'top', 'open')
    const below = (name: string, parent: string) => ({ workItemId: workId(name), parentWorkItemId: workId(parent), contract: workContract({ budget: { modelTokenLimit: 1 } }) })
    group.accept(cora, 'work.authorize', below('below', 'top'))
    expect(group.refusal(cora, 'work.authorize', below('deeper', 'below'))).toMatchObject({ code: 'RATE_LIMITED', details: { policyName: 'delegation_depth', limit: 1 } })
  })

  it('A-276: an Agent holds at most so much queued work', () => {
    const group = founded({ queuedWorkItems: 1 })
    reach(group, 'a', 'queued')
    reach(group, 'b', 'offered')
    const take = { workItemId: workId('b'), offerId: offerTo(group, 'b', wim) }
    expect(group.refusal(wim, 'work.accept_offer', take)).toMatchObject({ code: 'RATE_LIMITED', details: { policyName: 'queued_work_items' } })
    advance(group, 'a', 'active', 'active')
    group.accept(wim, 'work.accept_offer', take)
  })

  it('A-276: an Agent executes at most so much at once', () => {
    const group = founded({ activeWorkItems: 1 })
    reach(group, 'a', 'active')
    reach(group, 'b', 'queued')
    const start = { workItemId: workId('b'), ownershipEpoch: recordOf(group, 'b').ownershipEpoch }
    expect(group.refusal(wim, 'work.start', start)).toMatchObject({ code: 'RATE_LIMITED', details: { policyName: 'active_work_items', limit: 1 } })
    advance(group, 'a', 'published', 'submitted')
    group.accept(wim, 'work.start', start)
  })
})

const target = urnOf('the urgent action')
const grant = (group: GroupFixture, changes: Partial<CommandPayloads[typeof GRANT]> = {}): CommandPayloads[typeof GRANT] => ({
  grantId: urnOf('grant'), policyName: 'message_rate', beneficiary: wim, targetCommandKind: 'message.post', targetActionId: target, reason: 'The last chapter comes in parts.', expiresAt: addSeconds(group.now, 600), ...changes,
})
const citing: CommandChanges = { actionId: target, cooperationOverrideGrantId: urnOf('grant') }

/** Wim has said all that he may, and Ada has given him a grant. */
function limited(changes: Partial<CommandPayloads[typeof GRANT]> = {}): GroupFixture {
  const group = founded({ messagesPerMinute: 1, proposalsPerMinute: 1 })
  group.accept(wim, 'message.post', words())
  group.accept(ada, GRANT, grant(group, changes))
  return group
}

describe('policy.grant_cooperation_override', () => {
  it('A-277: records a grant that binds Mission, Group, limit, beneficiary, Command, reason, approver and times', () => {
    const group = founded()
    const { missionId, groupId } = group.state.mission
    const terms = grant(group)
    expect(group.accept(ada, GRANT, terms)).toMatchObject([{ kind: 'policy.cooperation_override.granted', actor: ada, payload: { cooperationOverrideGrant: { ...terms, missionId, groupId, approver: ada, grantedAt: group.now } } }])
    expect(group.state.overrides.get(terms.grantId)).toMatchObject({ grant: terms })
  })

  it('A-277: may come from a service under policy', () => {
    const group = founded()
    group.policy = { ...group.policy, services: [{ principalId: groupAuthority.id, kinds: [GRANT] }] }
    expect(group.accept(groupAuthority, GRANT, grant(group))).toMatchObject([{ actor: groupAuthority }])
  })

  it.each<[string, string, Actor, Partial<CommandPayloads[typeof GRANT]>, CommandChanges]>([
    ['comes from the Coordinator', 'AUTH_FORBIDDEN', cora, {}, {}],
    ['comes from a service that policy does not name', 'AUTH_FORBIDDEN', groupAuthority, {}, {}],
    ['is signed with a conversation key', 'AUTH_FORBIDDEN', ada, {}, { keyUse: 'conversation' }],
    ['names a beneficiary who is no member', 'AUTH_FORBIDDEN', ada, { beneficiary: groupAuthority }, {}],
    ['names a Command that the limit does not hold back', 'INVALID_COMMAND', ada, { targetCommandKind: 'work.propose' }, {}],
    ['has expired', 'INVALID_COMMAND', ada, { expiresAt: '2026-11-29T12:00:00Z' }, {}],
    ['outlasts the Mission', 'INVALID_COMMAND', ada, { expiresAt: '2099-01-01T00:00:00Z' }, {}],
    ['takes an id that is in use', 'INVALID_COMMAND', ada, { grantId: wim.id }, {}],
    ['expects a grant to be there', 'REVISION_CONFLICT', ada, {}, { expectedRevision: 1 }],
  ])('A-277: is refused when it %s', (_, code, actor, changes, members) => {
    const group = founded()
    expect(group.code(actor, GRANT, grant(group, changes), members)).toBe(code)
  })

  it('A-116: is refused once the Mission is over', () => {
    const group = founded()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(ada, GRANT, grant(group))).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('a Command that cites a grant', () => {
  it('A-220, A-278: passes the limit exactly once, and its Event names the grant that it used up', () => {
    const group = limited()
    const [event] = group.accept(wim, 'message.post', words(), citing)
    expect(event?.extensions?.['urn:countersign:extension:cooperation-override']).toMatchObject({ data: { grantId: urnOf('grant') } })
    expect(group.state.overrides.get(urnOf('grant'))).toMatchObject({ consumedEventId: event?.eventId, consumedAt: group.now })
    expect(edgesOf(event as GroupEvent, group.state)).toContainEqual({ child: event?.sequence, parent: group.state.sequenceOf.get(urnOf('grant')), provenance: 'cause' })
    expect(group.code(wim, 'message.post', words(), citing)).toBe('INVALID_COMMAND')
    expect(group.code(wim, 'message.post', words())).toBe('RATE_LIMITED')
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-278: leaves the grant alone when it is refused for something else', () => {
    const group = limited()
    expect(group.code(wim, 'message.post', words(), { ...citing, conversationId: urnOf('nowhere') })).toBe('INVALID_COMMAND')
    group.accept(wim, 'message.post', words(), citing)
  })

  it.each<[string, string, Partial<CommandPayloads[typeof GRANT]>, CommandChanges]>([
    ['a grant that does not exist', 'INVALID_COMMAND', {}, { ...citing, cooperationOverrideGrantId: urnOf('no grant') }],
    ['another Action ID', 'INVALID_COMMAND', {}, { ...citing, actionId: urnOf('another action') }],
    ['a grant for another kind', 'INVALID_COMMAND', { policyName: 'proposal_rate', targetCommandKind: 'work.propose' }, citing],
    ['somebody else’s grant', 'AUTH_FORBIDDEN', { beneficiary: wanda }, citing],
  ])('A-278: is refused with %s', (_, code, changes, members) => {
    expect(limited(changes).code(wim, 'message.post', words(), members)).toBe(code)
  })

  it('A-278: is refused when the grant has expired, and when no limit holds it back', () => {
    const late = limited({ expiresAt: addSeconds(new GroupFixture().now, 10) })
    expect(late.pass(10).code(wim, 'message.post', words(), citing)).toBe('INVALID_COMMAND')
    expect(limited().pass(61).code(wim, 'message.post', words(), citing)).toBe('INVALID_COMMAND')
    const group = limited()
    expect(group.code(ada, 'mission.cancel', { reason: 'Enough.' }, citing)).toBe('INVALID_COMMAND')
  })

  it('A-278: cannot mark somebody’s grant as used by an extension of its own', () => {
    const group = limited({ beneficiary: wanda })
    const forged = { 'urn:countersign:extension:cooperation-override': { version: '1.0.0', critical: false, data: { grantId: urnOf('grant') } } }
    expect(group.pass(61).code(wim, 'message.post', words(), { extensions: forged })).toBe('INVALID_COMMAND')
  })
})
