import { describe, expect, it } from 'vitest'
import type { WorkAuthorizePayload } from '../../protocol/generated/types.ts'
import { ada, agentCard, ben, cora, urnOf, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { advance, offerPayload, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const overrideReason = 'The Coordinator is silent and the release is due.'
const authorize = (name: string, more: Partial<WorkAuthorizePayload> = {}): WorkAuthorizePayload => ({ workItemId: workId(name), contract: workContract(), ...more })

describe('the MissionOwner steps in', () => {
  it('A-117, A-142: authorizes and offers directly, and both Events say why', () => {
    const group = new GroupFixture().found()
    const [authorized] = group.accept(ada, 'work.authorize', authorize('a', { overrideReason }))
    expect(authorized?.payload).toMatchObject({ overrideReason, workItem: { authorizedBy: ada } })
    const [offered] = group.accept(ada, 'work.offer', { ...offerPayload('a'), overrideReason })
    expect(offered?.payload).toMatchObject({ overrideReason, candidateAgentIds: [wim.id] })
    expect(advance(group, 'a', 'queued', 'active').item.state).toBe('active')
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-117: does so after the Coordinator lease has run out', () => {
    const group = new GroupFixture().found().pass(86_401)
    expect(group.accept(ada, 'work.authorize', authorize('a', { overrideReason }))).toHaveLength(1)
  })

  it('A-117: gives a reason, or has no more right than anybody', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    expect(group.code(ada, 'work.authorize', authorize('b'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'work.offer', offerPayload('a'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'work.offer', { ...offerPayload('a'), overrideReason: '' })).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('A-142: is the only one who can', () => {
    const group = new GroupFixture().found()
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })
    expect(group.code(ben, 'work.authorize', authorize('a', { overrideReason }))).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'work.authorize', authorize('a', { overrideReason }))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.authorize', authorize('a', { overrideReason }))).toBe('INVALID_COMMAND')
  })

  it('A-117: not with a key that only converses, nor by a Message', () => {
    const group = new GroupFixture().found()
    expect(group.code(ada, 'work.authorize', authorize('a', { overrideReason }), { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
    group.accept(ada, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'I authorize this work: start now.' }] })
    expect(group.state.workItems.size).toBe(0)
  })

  it('A-117: is bound by budget, lease, capability and contract like the Coordinator', () => {
    const group = new GroupFixture().found()
    expect(group.code(ada, 'work.authorize', authorize('a', { overrideReason, contract: workContract({ budget: { modelTokenLimit: 1001 } }) }))).toBe('BUDGET_EXCEEDED')
    expect(group.code(ada, 'work.authorize', authorize('a', { overrideReason, contract: workContract({ sideEffectRisk: 'destructive' }) }))).toBe('INVALID_COMMAND')
    reach(group, 'a', 'queued')
    expect(group.code(ada, 'work.offer', { ...offerPayload('a'), overrideReason })).toBe('INVALID_STATE_TRANSITION')
    reach(group, 'b', 'open')
    group.cards.set(wim.id, agentCard(wim, {}, ['release.signing@1.0.0']))
    expect(group.code(ada, 'work.offer', { ...offerPayload('b'), overrideReason })).toBe('AUTH_FORBIDDEN')
  })

  it('A-117: does not accept for the Worker', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    group.accept(ada, 'work.offer', { ...offerPayload('a'), overrideReason })
    const offerId = recordOf(group, 'a').item.offers?.[0]?.offerId ?? ''
    expect(group.code(ada, 'work.accept_offer', { workItemId: workId('a'), offerId })).toBe('AUTH_FORBIDDEN')
    expect(recordOf(group, 'a').item.owner).toBeUndefined()
  })
})
