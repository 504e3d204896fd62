import { describe, expect, it } from 'vitest'
import type { CommandPayloads, MembershipGrantDelegationPayload, WorkAuthorizePayload, WorkContract } from '../../protocol/generated/types.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { ada, agentCard, CAPABILITY, cora, dora, otto, urnOf, wim } from '../testing/cast.ts'
import { DEADLINE, workContract } from '../testing/documents.ts'
import type { CommandChanges } from '../testing/group-fixture.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { CEILINGS, delegate, fail, grantPayload, offerPayload, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { DEFAULT_POLICY } from './policy.ts'

const GRANT = urnOf('grant')
const small = { currency: 'EUR', financialLimit: 5, modelTokenLimit: 50 }

/** Dora, a work delegate, may split up and offer `root`, which has a budget of 10 EUR and 100 tokens. */
function delegated(changes: Partial<MembershipGrantDelegationPayload> = {}): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'root', 'open')
  delegate(group, 'root', changes)
  return group
}

/** New work below `parent` under Dora's Grant. */
function below(parent: string, name: string, contract: Partial<WorkContract> = {}, more: Partial<WorkAuthorizePayload> = {}): WorkAuthorizePayload {
  return { workItemId: workId(name), contract: workContract({ budget: small, ...contract }), parentWorkItemId: workId(parent), delegationGrantId: GRANT, ...more }
}

/** The same without a Grant. */
function undelegated(parent: string, name: string): WorkAuthorizePayload {
  const { delegationGrantId: _grant, ...payload } = below(parent, name)
  return payload
}

const offered = (name: string, more: Partial<CommandPayloads['work.offer']> = {}) => ({ ...offerPayload(name), delegationGrantId: GRANT, ...more })

describe('membership.grant_delegation', () => {
  it('A-143: records grantee, place, capabilities, ceilings, depth, both epochs, issuer and times', () => {
    const group = new GroupFixture().found()
    reach(group, 'root', 'open')
    const [event] = delegate(group, 'root')
    expect(event).toMatchObject({ kind: 'membership.delegation.granted', workItemId: workId('root'), aggregateRevision: 1 })
    expect(event?.payload).toEqual({
      delegationGrant: {
        ...grantPayload(group, 'root'),
        missionId: group.state.mission.missionId,
        groupId: group.state.groupId,
        granteeMembershipEpoch: 1,
        coordinatorEpoch: 1,
        grantedBy: cora,
        grantedAt: group.now,
      },
    })
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it.each([
    ['the MissionOwner', ada],
    ['a worker', wim],
    ['the delegate itself', dora],
  ])('A-143: is not for %s', (_, actor) => {
    const group = delegated()
    expect(group.code(actor, 'membership.grant_delegation', grantPayload(group, 'root', { grantId: urnOf('another') }))).toBe('AUTH_FORBIDDEN')
  })

  it('A-118: needs the Coordinator lease', () => {
    const group = delegated().pass(86_401)
    expect(group.code(cora, 'membership.grant_delegation', grantPayload(group, 'root', { grantId: urnOf('late') }))).toBe('WORK_LEASE_EXPIRED')
  })

  const another = { grantId: urnOf('another') }
  it.each<readonly [string, Partial<MembershipGrantDelegationPayload>, string]>([
    ['a worker, whose role is not eligible (A-142)', { ...another, granteeAgentId: wim.id }, 'AUTH_FORBIDDEN'],
    ['somebody outside the Group', { ...another, granteeAgentId: otto.id }, 'AUTH_FORBIDDEN'],
    ['an id that is taken (A-14)', {}, 'INVALID_COMMAND'],
    ['work that does not exist', { ...another, targetWorkItemId: workId('nothing') }, 'INVALID_COMMAND'],
    ['more than the Mission has (A-25)', { ...another, budget: { ...CEILINGS, modelTokenLimit: 1001 } }, 'BUDGET_EXCEEDED'],
    ['money of another currency', { ...another, budget: { ...CEILINGS, currency: 'USD' } }, 'BUDGET_EXCEEDED'],
    ['more depth than the Organization allows (A-144)', { ...another, maxDescendantDepth: 4 }, 'RATE_LIMITED'],
    ['a time that has passed', { ...another, expiresAt: '2026-11-29T12:00:00.000Z' }, 'INVALID_COMMAND'],
    ['more time than the Mission has', { ...another, expiresAt: addSeconds(DEADLINE, 1) }, 'INVALID_COMMAND'],
  ])('refuses %s', (_, changes, code) => {
    const group = delegated()
    expect(group.code(cora, 'membership.grant_delegation', grantPayload(group, 'root', changes))).toBe(code)
  })

  it('may leave money out, whatever the currency', () => {
    const group = delegated()
    const budget = { ...CEILINGS, currency: 'USD', financialLimit: 0 }
    expect(group.accept(cora, 'membership.grant_delegation', grantPayload(group, 'root', { ...another, budget }))).toHaveLength(1)
  })

  it('A-146: refuses ended work', () => {
    const group = new GroupFixture().found()
    reach(group, 'done', 'verified')
    expect(() => delegate(group, 'done')).toThrow('INVALID_STATE_TRANSITION')
  })

  it('A-223: `expectedRevision` is the Membership Epoch of the grantee', () => {
    const group = delegated()
    expect(group.code(cora, 'membership.grant_delegation', grantPayload(group, 'root', another), { expectedRevision: 2 })).toBe('REVISION_CONFLICT')
  })
})

describe('work under a Delegation Grant', () => {
  it('A-144: may be authorized below the target, and the Event cites the Grant', () => {
    const group = delegated()
    const [event] = group.accept(dora, 'work.authorize', below('root', 'part'))
    expect(event?.payload).toMatchObject({ delegationGrantId: GRANT, workItem: { authorizedBy: dora, state: 'open' } })
    expect(recordOf(group, 'part').parentWorkItemId).toBe(workId('root'))
  })

  it('A-144: may be offered, the target as well as what lies below it', () => {
    const group = delegated()
    group.accept(dora, 'work.authorize', below('root', 'part'))
    for (const name of ['root', 'part']) {
      const [event] = group.accept(dora, 'work.offer', offered(name))
      expect(event?.payload).toMatchObject({ delegationGrantId: GRANT, candidateAgentIds: [wim.id] })
      expect(recordOf(group, name).item.state).toBe('offered')
    }
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-142, A-146: the role alone lets nobody authorize or offer; without a Grant a delegate proposes', () => {
    const group = delegated()
    expect(group.code(dora, 'work.authorize', undelegated('root', 'part'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(dora, 'work.offer', offerPayload('root'))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(dora, 'work.propose', { proposalId: urnOf('p'), contract: workContract({ budget: small }), parentWorkItemId: workId('root') })).toHaveLength(1)
    expect(group.state.workItems.size).toBe(1)
  })

  it('A-142: an unknown Grant is none', () => {
    expect(delegated().code(dora, 'work.offer', offered('root', { delegationGrantId: urnOf('invented') }))).toBe('AUTH_FORBIDDEN')
  })

  it('A-146: is not for anybody but the grantee', () => {
    const group = delegated()
    expect(group.code(wim, 'work.offer', offered('root'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.offer', offered('root'))).toBe('INVALID_COMMAND')
    expect(group.code(ada, 'work.offer', offered('root', { overrideReason: 'Because.' }))).toBe('INVALID_COMMAND')
    expect(group.code(dora, 'work.offer', offered('root', { overrideReason: 'Because.' }))).toBe('INVALID_COMMAND')
  })

  it.each<readonly [string, (group: GroupFixture) => WorkAuthorizePayload]>([
    ['without a parent', () => ({ workItemId: workId('part'), contract: workContract({ budget: small }), delegationGrantId: GRANT })],
    ['below other work', (group) => (reach(group, 'other', 'open'), below('other', 'part'))],
    ['below nothing', () => below('nothing', 'part')],
    ['in place of other work', (group) => (reach(group, 'other', 'open'), fail(group, 'other'), below('root', 'part', {}, { replacesWorkItemId: workId('other') }))],
  ])('A-144: nothing is authorized %s', (_, payload) => {
    const group = delegated()
    expect(group.code(dora, 'work.authorize', payload(group))).toBe('AUTH_FORBIDDEN')
  })

  it('A-144: an alternative may take the place of work below the target', () => {
    const group = delegated()
    group.accept(dora, 'work.authorize', below('root', 'part'))
    fail(group, 'part')
    const [event] = group.accept(dora, 'work.authorize', below('root', 'instead', {}, { replacesWorkItemId: workId('part') }))
    expect(event?.payload).toMatchObject({ replacesWorkItemId: workId('part') })
  })

  it('A-144: work beside or above the target is not offered', () => {
    const group = new GroupFixture().found()
    reach(group, 'root', 'open')
    reach(group, 'beside', 'open')
    group.accept(cora, 'work.authorize', undelegated('root', 'part'))
    delegate(group, 'part')
    for (const name of ['root', 'beside']) expect(group.code(dora, 'work.offer', offered(name))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(dora, 'work.offer', offered('part'))).toHaveLength(1)
  })

  it('A-144: reaches no deeper than the Grant says', () => {
    const group = delegated({ maxDescendantDepth: 1 })
    group.accept(dora, 'work.authorize', below('root', 'part'))
    expect(group.code(dora, 'work.authorize', below('part', 'detail'))).toBe('AUTH_FORBIDDEN')
    group.accept(cora, 'work.authorize', undelegated('part', 'detail'))
    expect(group.code(dora, 'work.offer', offered('detail'))).toBe('AUTH_FORBIDDEN')
  })

  it('A-144: reaches no deeper than the policy says by now', () => {
    const group = delegated()
    group.accept(dora, 'work.authorize', below('root', 'part'))
    group.policy = { ...DEFAULT_POLICY, maximumDepth: { childMissions: 3, delegation: 1 } }
    expect(group.code(dora, 'work.authorize', below('part', 'detail'))).toBe('RATE_LIMITED')
    expect(group.accept(dora, 'work.authorize', below('root', 'second'))).toHaveLength(1)
  })

  it.each([
    ['another capability', [{ id: 'release.signing', version: '1.0.0' }]],
    ['a version below the minimum', [{ id: CAPABILITY, version: '0.9.0' }]],
    ['a version of another major', [{ id: CAPABILITY, version: '2.0.0' }]],
  ])('A-144: does not cover %s', (_, requiredCapabilities) => {
    const group = delegated()
    expect(group.code(dora, 'work.authorize', below('root', 'part', { requiredCapabilities }))).toBe('AUTH_FORBIDDEN')
  })

  it('A-144: judges the capabilities of what is offered as well', () => {
    const group = delegated({ allowedCapabilities: [{ id: CAPABILITY, version: '1.1.0' }] })
    expect(group.code(dora, 'work.offer', offered('root'))).toBe('AUTH_FORBIDDEN')
  })

  it('A-140: revises no contract', () => {
    const group = delegated()
    expect(group.code(dora, 'work.offer', offered('root', { contract: workContract({ contractVersion: 2 }) }))).toBe('AUTH_FORBIDDEN')
  })

  it.each([
    ['financial', { financialLimit: 9 }],
    ['modelTokens', { modelTokenLimit: 90 }],
    ['toolCalls', { toolCallLimit: 4 }],
    ['computeSeconds', { computeSecondsLimit: 4 }],
    ['wallClockSeconds', { wallClockSecondsLimit: 4 }],
    ['externalSideEffects', { externalSideEffectLimit: 4 }],
  ])('A-144: sums up %s of everything under the Grant', (dimension, limit) => {
    const group = new GroupFixture().found({ budget: { currency: 'EUR', financialLimit: 100, modelTokenLimit: 1000, toolCallLimit: 50, computeSecondsLimit: 50, wallClockSecondsLimit: 50, externalSideEffectLimit: 50 } })
    const part = { currency: 'EUR', financialLimit: 5, modelTokenLimit: 50, toolCallLimit: 3, computeSecondsLimit: 3, wallClockSecondsLimit: 3, externalSideEffectLimit: 3 }
    reach(group, 'root', 'open', { contract: { budget: { ...part, financialLimit: 50, modelTokenLimit: 500, toolCallLimit: 30, computeSecondsLimit: 30, wallClockSecondsLimit: 30, externalSideEffectLimit: 30 } } })
    const ceilings = { currency: 'EUR', financialLimit: 13, modelTokenLimit: 130, toolCallLimit: 6, computeSecondsLimit: 6, wallClockSecondsLimit: 6, externalSideEffectLimit: 6 }
    delegate(group, 'root', { budget: ceilings })
    group.accept(dora, 'work.authorize', below('root', 'first', { budget: part }))
    expect(group.refusal(dora, 'work.authorize', below('root', 'second', { budget: { ...part, ...limit } }))).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension } })
    expect(group.accept(dora, 'work.authorize', below('root', 'second', { budget: part }))).toHaveLength(1)
  })

  it('A-144: counts what is offered besides what is created, once each, and ended work still', () => {
    const group = delegated({ budget: { ...CEILINGS, financialLimit: 14 } })
    group.accept(dora, 'work.authorize', below('root', 'part'))
    group.accept(dora, 'work.offer', offered('part'))
    expect(group.code(dora, 'work.offer', offered('root'))).toBe('BUDGET_EXCEEDED')
    group.accept(cora, 'work.cancel', { workItemId: workId('part'), reason: 'Not needed.' })
    expect(group.code(dora, 'work.offer', offered('root'))).toBe('BUDGET_EXCEEDED')
  })

  it('A-25: stays below what the parent work has, whatever the ceilings', () => {
    expect(delegated().code(dora, 'work.authorize', below('root', 'part', { budget: { modelTokenLimit: 101 } }))).toBe('BUDGET_EXCEEDED')
  })

  it('A-38, A-221: a stale Session counts before the Grant', () => {
    expect(delegated().code(dora, 'work.offer', offered('root', { delegationGrantId: urnOf('invented') }), { sessionEpoch: 7 })).toBe('AUTH_STALE_SESSION')
  })

  it('A-170: candidates are eligible as for the Coordinator', () => {
    const group = delegated()
    group.cards.set(wim.id, agentCard(wim, {}, ['release.signing@1.0.0']))
    expect(group.code(dora, 'work.offer', offered('root'))).toBe('AUTH_FORBIDDEN')
  })
})

describe('the end of a Delegation Grant', () => {
  const attempt = (group: GroupFixture, changes?: CommandChanges) => group.code(dora, 'work.offer', offered('root'), changes)

  it('A-146: comes with its expiry, to the instant', () => {
    const group = delegated().pass(3599)
    expect(group.judge(group.command(dora, 'work.offer', offered('root'))).ok).toBe(true)
    expect(attempt(group.pass(1))).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-146: comes with a change of the Membership, even to the same role', () => {
    const group = delegated()
    group.accept(ada, 'membership.change', { member: dora, role: 'work_delegate' })
    expect(attempt(group)).toBe('MEMBERSHIP_STALE')
  })

  it('A-146: comes with another role', () => {
    const group = delegated()
    group.accept(ada, 'membership.change', { member: dora, role: 'worker' })
    expect(attempt(group)).toBe('AUTH_FORBIDDEN')
  })

  it('A-146: comes with the end of the Membership, and does not come back with it', () => {
    const group = delegated()
    group.accept(ada, 'membership.end', { member: dora, reason: 'Left.' })
    expect(attempt(group)).toBe('MEMBERSHIP_REQUIRED')
    group.accept(ada, 'membership.change', { member: dora, role: 'work_delegate' })
    expect(attempt(group)).toBe('MEMBERSHIP_STALE')
  })

  it.each([
    ['another Coordinator', wim, 0],
    ['another epoch of the same Coordinator', cora, 86_401],
  ])('A-146: comes with %s', (_, { id: coordinatorAgentId }, seconds) => {
    const group = delegated({ expiresAt: DEADLINE }).pass(seconds)
    group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId, reason: 'Start over.' })
    expect(attempt(group)).toBe('AUTH_STALE_COORDINATOR')
  })

  it('A-145: a Coordinator lease that has merely run out does not end it', () => {
    const group = delegated({ expiresAt: DEADLINE }).pass(86_401)
    expect(group.accept(dora, 'work.offer', offered('root'))).toHaveLength(1)
  })

  it('A-146: comes with the target’s failure for good, also when the work is tried again', () => {
    const group = delegated()
    fail(group, 'root')
    expect(attempt(group)).toBe('AUTH_FORBIDDEN')
    group.accept(cora, 'work.offer', offerPayload('root'))
    expect(attempt(group)).toBe('AUTH_FORBIDDEN')
    expect(group.state.delegations.size).toBe(0)
  })

  it.each<readonly [string, (group: GroupFixture) => unknown]>([
    ['cancelled', (group) => group.accept(cora, 'work.cancel', { workItemId: workId('root'), reason: 'No.' })],
    ['failed', (group) => fail(group, 'root')],
  ])('A-146: a %s target ends it', (_, end) => {
    const group = delegated()
    end(group)
    expect(group.code(dora, 'work.authorize', below('root', 'part'))).toBe('AUTH_FORBIDDEN')
  })

  it('A-146: leaves alone what was authorized and offered before', () => {
    const group = delegated()
    group.accept(dora, 'work.authorize', below('root', 'part'))
    group.accept(dora, 'work.offer', offered('part'))
    group.pass(200).accept(ada, 'membership.end', { member: dora, reason: 'Left.' })
    const [offer] = recordOf(group, 'part').item.offers ?? []
    group.accept(wim, 'work.accept_offer', { workItemId: workId('part'), offerId: offer?.offerId ?? '' })
    expect(recordOf(group, 'part').item.state).toBe('queued')
  })
})
