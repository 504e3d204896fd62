import { describe, expect, it } from 'vitest'
import { WORK_OFFER_DECLINE } from '../../protocol/kinds.ts'
import { ada, agentCard, cora, dora, groupAuthority, nils, nora, urnOf, wanda, wim } from '../testing/cast.ts'
import { progress } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { advance, citing, delegate, fail, invitation, offerPayload, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { decideDue, nextDue } from './due.ts'
import { encodeState } from './encode-state.ts'
import { isBeyondOffer } from './visibility.ts'

/** `a` is offered to Nora, who does not belong to the Group. */
function invited(candidates = [nora]): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'open')
  group.accept(cora, 'work.offer', invitation(group, 'a', candidates))
  return group
}

const taking = (group: GroupFixture, agent = nora) => ({ workItemId: workId('a'), offerId: offerTo(group, 'a', agent) })
const membershipOf = (group: GroupFixture, agent = nora) => group.state.memberships.get(agent.id)

describe('an offer to an Agent outside the Group', () => {
  it('A-130: brings a provisional Membership that is bound to the offer and ends with it', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    const payload = invitation(group, 'a', [nora, wim])
    const [offer, membership, ...more] = group.accept(cora, 'work.offer', { ...payload, offerExpiresInSeconds: 90 })
    expect(more).toEqual([])
    expect(offer).toMatchObject({ kind: 'work.offer.created', payload: { contextPackage: payload.contextPackage, contract: recordOf(group, 'a').item.contract } })
    expect(membership).toMatchObject({
      kind: 'membership.changed',
      cause: { type: 'event', id: offer?.eventId },
      workItemId: workId('a'),
      payload: {
        membership: {
          member: nora,
          role: 'worker',
          state: 'provisional',
          membershipEpoch: 1,
          scopes: ['offer'],
          visibilityStartSequence: offer?.sequence,
          provisionalExpiresAt: '2026-11-29T12:01:30.000Z',
          contextPackageId: payload.contextPackage?.contextPackageId,
        },
      },
    })
  })

  it('A-131: shows the candidate the offer and its Membership, nothing before and nothing after', () => {
    const group = invited()
    const at = group.log.length
    group.accept(ada, 'message.post', { messageId: urnOf('later'), content: [{ type: 'text', text: 'Later.' }] })
    const seen = group.log.map(({ sequence }) => sequence ?? 0).filter((sequence) => !isBeyondOffer(group.state, nora.id, sequence))
    expect(seen).toEqual([at - 1, at])
    expect(isBeyondOffer(group.state, wim.id, at + 1)).toBe(false)
  })

  it('A-130: without a Context Package nobody comes in', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    expect(group.code(cora, 'work.offer', offerPayload('a', [nora]))).toBe('AUTH_FORBIDDEN')
  })

  it('A-149: judges a newcomer by its Agent Card like everybody', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    group.cards.set(nora.id, agentCard(nora, {}, ['cooking@1.0.0']))
    expect(group.code(cora, 'work.offer', invitation(group, 'a', [nora]))).toBe('AUTH_FORBIDDEN')
    group.cards.delete(nora.id)
    expect(group.code(cora, 'work.offer', invitation(group, 'a', [nora]))).toBe('AUTH_FORBIDDEN')
  })

  it('A-142: is not a delegate’s to make', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    delegate(group, 'a')
    expect(group.code(dora, 'work.offer', { ...invitation(group, 'a', [nora]), delegationGrantId: urnOf('grant') })).toBe('AUTH_FORBIDDEN')
  })

  it('A-130: gives a candidate one offer at a time', () => {
    const group = invited()
    reach(group, 'b', 'open')
    expect(group.code(cora, 'work.offer', invitation(group, 'b', [nora]))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(cora, 'work.offer', invitation(group, 'a', [nora]))).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('a provisional member', () => {
  it('A-130: accepts, which makes it an active worker and owner in one decision', () => {
    const group = invited()
    const [accepted, changed, ...more] = group.accept(nora, 'work.accept_offer', taking(group))
    expect(more).toEqual([])
    expect(accepted).toMatchObject({ kind: 'work.offer.accepted', payload: { owner: { agentId: nora.id, ownershipEpoch: 1 } } })
    expect(changed).toMatchObject({ kind: 'membership.changed', cause: { type: 'event', id: accepted?.eventId }, aggregateRevision: 2 })
    expect(membershipOf(group)).toMatchObject({ state: 'active', membershipEpoch: 2, scopes: ['group'], activatedAt: group.now })
    expect(membershipOf(group)).not.toHaveProperty('provisionalExpiresAt')
    expect(group.accept(nora, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toHaveLength(1)
  })

  it('A-39: is fenced by its old epoch once it is active', () => {
    const group = invited()
    group.accept(nora, 'work.accept_offer', taking(group))
    expect(group.code(nora, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 }, { membershipEpoch: 1 })).toBe('MEMBERSHIP_STALE')
  })

  it('A-130: may do nothing else', () => {
    const group = invited()
    expect(group.code(nora, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'Hello.' }] })).toBe('MEMBERSHIP_REQUIRED')
    expect(group.code(nora, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('MEMBERSHIP_REQUIRED')
    expect(group.code(nora, 'work.checkpoint', { ...citing(group, 'a'), ownershipEpoch: 1, progress: progress() })).toBe('MEMBERSHIP_REQUIRED')
    expect(group.code(nora, 'membership.change', { member: nils, role: 'worker' })).toBe('MEMBERSHIP_REQUIRED')
  })

  it('A-168: cannot take the offer of another candidate', () => {
    const group = invited([nora, nils])
    expect(group.code(nora, 'work.accept_offer', taking(group, nils))).toBe('AUTH_FORBIDDEN')
  })

  it('A-168: is too late once another has accepted, and leaves', () => {
    const group = invited([nora, nils])
    group.accept(nora, 'work.accept_offer', taking(group))
    expect(group.code(nils, 'work.accept_offer', taking(group, nils))).toBe('WORK_ALREADY_OWNED')
    const [left, ...more] = group.due()
    expect(more).toEqual([])
    expect(left).toMatchObject({ kind: 'membership.ended', actor: groupAuthority, cause: { type: 'policy' }, payload: { membership: { member: nils, state: 'ended', membershipEpoch: 2 } } })
    expect(group.code(nils, 'work.accept_offer', taking(group, nils), { membershipEpoch: 2 })).toBe('MEMBERSHIP_REQUIRED')
  })

  it('A-130: leaves when it declines', () => {
    const group = invited()
    group.accept(nora, WORK_OFFER_DECLINE, { ...taking(group), reason: 'capacity' })
    expect(nextDue(group.state)).toBe(group.now)
    expect(group.due()).toMatchObject([{ kind: 'membership.ended', payload: { membership: { member: nora, state: 'ended' } } }])
  })

  it('A-130: leaves when the offer runs out, not a moment earlier, and cannot accept any more', () => {
    const group = invited()
    expect(nextDue(group.state)).toBe('2026-11-29T12:05:00.000Z')
    expect(group.pass(299).due()).toEqual([])
    group.pass(1)
    expect(group.code(nora, 'work.accept_offer', taking(group))).toBe('WORK_OFFER_EXPIRED')
    expect(group.due()).toMatchObject([{ kind: 'membership.ended', cause: { type: 'timer' }, payload: { membership: { member: nora, endedAt: group.now } } }])
    expect(nextDue(group.state)).toBeUndefined()
  })

  it('A-130: leaves when the work is offered anew to others', () => {
    const group = invited()
    group.accept(cora, 'work.offer', offerPayload('a', [wim]))
    expect(group.due()).toMatchObject([{ kind: 'membership.ended', payload: { membership: { member: nora } } }])
  })

  it('A-130: comes back at the next epoch with another offer', () => {
    const group = invited()
    group.pass(300).due()
    group.accept(cora, 'work.offer', invitation(group, 'a', [nora]))
    expect(membershipOf(group)).toMatchObject({ state: 'provisional', membershipEpoch: 3, visibilityStartSequence: group.log.length - 1 })
  })

  it('A-128: stays when the owner admits it by hand meanwhile', () => {
    const group = invited()
    group.accept(ada, 'membership.change', { member: nora, role: 'worker' })
    expect(membershipOf(group)).toMatchObject({ state: 'active', membershipEpoch: 2 })
    expect(group.pass(600).due()).toEqual([])
  })

  it('A-128: is sent away by the owner', () => {
    const group = invited()
    group.accept(ada, 'membership.end', { member: nora, reason: 'A mistake.' })
    expect(membershipOf(group)).toMatchObject({ state: 'ended' })
  })
})

describe('a member who came by an offer', () => {
  function working(): GroupFixture {
    const group = invited()
    advance(group, 'a', 'queued', 'active', { worker: nora })
    return group
  }

  it('A-130: stays while it owns work and leaves once the work is verified', () => {
    const group = working()
    expect(group.due()).toEqual([])
    advance(group, 'a', 'published', 'verified', { worker: nora })
    const [left] = group.due()
    expect(left).toMatchObject({ kind: 'membership.ended', cause: { type: 'policy' }, payload: { membership: { member: nora, state: 'ended', membershipEpoch: 3 }, reason: 'No work is left for this member.' } })
    expect(group.due()).toEqual([])
  })

  it('A-130: leaves when its work fails', () => {
    const group = working()
    fail(group, 'a')
    expect(group.due()).toMatchObject([{ kind: 'membership.ended', payload: { membership: { member: nora } } }])
  })

  it('A-130: waits for an offer that it may still accept', () => {
    const group = working()
    reach(group, 'b', 'offered', { worker: nora })
    fail(group, 'a')
    expect(group.due()).toEqual([])
    expect(group.pass(300).due()).toMatchObject([{ kind: 'membership.ended', cause: { type: 'timer' } }])
  })

  it('A-130: stays for a review of unfinished work', () => {
    const group = working()
    reach(group, 'b', 'open')
    group.accept(cora, 'ext.countersign.conversation.open', { conversationId: urnOf('review'), type: 'review', title: 'Review of b', participants: [nora], workItemId: workId('b') })
    fail(group, 'a')
    expect(group.due()).toEqual([])
    fail(group, 'b')
    expect(group.due()).toMatchObject([{ kind: 'membership.ended', payload: { membership: { member: nora } } }])
  })

  it('A-130: stays for a review although an offer to it has run out', () => {
    const group = working()
    for (const name of ['b', 'c']) reach(group, name, name === 'b' ? 'open' : 'offered', { worker: nora })
    group.accept(cora, 'ext.countersign.conversation.open', { conversationId: urnOf('review'), type: 'review', title: 'Review of b', participants: [nora], workItemId: workId('b') })
    fail(group, 'a')
    expect(group.pass(300).due().filter(({ kind }) => kind === 'membership.ended')).toEqual([])
  })

  it('A-130: those admitted by hand stay without work', () => {
    const group = working()
    fail(group, 'a')
    group.due()
    expect([wim, wanda].map((worker) => membershipOf(group, worker)?.state)).toEqual(['active', 'active'])
  })

  it('leaves in the same Event on two nodes, and the fold of the log agrees', () => {
    const group = working()
    fail(group, 'a')
    const elsewhere = decideDue(replay(group.log), group.env)
    const [left] = group.due()
    expect(elsewhere).toMatchObject([{ eventId: left?.eventId, payload: left?.payload }])
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })
})
