import { describe, expect, it } from 'vitest'
import type { WorkOffer } from '../../protocol/generated/types.ts'
import { WORK_OFFER_DECLINE } from '../../protocol/kinds.ts'
import { ada, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { offerPayload, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'

type Reason = NonNullable<WorkOffer['declineReason']>

function offered(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'open')
  group.accept(cora, 'work.offer', offerPayload('a', [wim, wanda]))
  return group
}

const decline = (group: GroupFixture, agent = wim, reason: Reason = 'capacity') => ({ workItemId: workId('a'), offerId: offerTo(group, 'a', agent), reason })
const statuses = (group: GroupFixture) => recordOf(group, 'a').item.offers?.map(({ status }) => status)

describe('ext.countersign.work.offer_decline', () => {
  it.each<Reason>(['budget', 'dependency', 'authorization', 'capability', 'deadline', 'capacity', 'other'])('keeps the reason %s with the offer (A-169, O-4)', (reason) => {
    const group = offered()
    const [event] = group.accept(wim, WORK_OFFER_DECLINE, { ...decline(group, wim, reason), comment: 'Next week.' })
    expect(event).toMatchObject({
      kind: 'ext.countersign.work.offer_declined',
      aggregateRevision: 3,
      workItemId: workId('a'),
      payload: { agentId: wim.id, reason, comment: 'Next week.' },
    })
    expect(recordOf(group, 'a').item).toMatchObject({ state: 'offered', offers: [{ status: 'declined', declineReason: reason }, { status: 'pending' }] })
  })

  it('leaves the other candidates their offers, and is not called a lost race (A-168)', () => {
    const group = offered()
    group.accept(wim, WORK_OFFER_DECLINE, decline(group))
    group.accept(wanda, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wanda) })
    expect(statuses(group)).toEqual(['declined', 'accepted'])
  })

  it('is final for this offer: neither accepted nor declined again', () => {
    const group = offered()
    const { workItemId, offerId, reason } = decline(group)
    group.accept(wim, WORK_OFFER_DECLINE, { workItemId, offerId, reason })
    expect(group.code(wim, 'work.accept_offer', { workItemId, offerId })).toBe('WORK_OFFER_EXPIRED')
    expect(group.code(wim, WORK_OFFER_DECLINE, { workItemId, offerId, reason })).toBe('WORK_OFFER_EXPIRED')
  })

  it('of the last candidate leaves the work offered; the Coordinator offers it anew (A-149)', () => {
    const group = offered()
    for (const agent of [wim, wanda]) group.accept(agent, WORK_OFFER_DECLINE, decline(group, agent))
    expect(recordOf(group, 'a').item.state).toBe('offered')
    group.accept(cora, 'work.offer', offerPayload('a', [wim]))
    expect(statuses(group)).toEqual(['pending'])
  })

  it('stays declined when the work is cancelled', () => {
    const group = offered()
    group.accept(wim, WORK_OFFER_DECLINE, decline(group))
    group.accept(ada, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })
    expect(statuses(group)).toEqual(['declined', 'withdrawn'])
  })

  it('is the candidate’s own, in time and before the race is over', () => {
    const group = offered()
    const payload = decline(group)
    expect(group.code(wanda, WORK_OFFER_DECLINE, payload)).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, WORK_OFFER_DECLINE, payload)).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, WORK_OFFER_DECLINE, { ...payload, offerId: urnOf('no offer') })).toBe('WORK_OFFER_EXPIRED')
    expect(group.code(wim, WORK_OFFER_DECLINE, { ...payload, workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    expect(group.code(wim, WORK_OFFER_DECLINE, payload, { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    const late = new GroupFixture().found()
    reach(late, 'a', 'offered')
    expect(late.pass(300).code(wim, WORK_OFFER_DECLINE, decline(late))).toBe('WORK_OFFER_EXPIRED')
    group.accept(wanda, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wanda) })
    expect(group.code(wim, WORK_OFFER_DECLINE, payload)).toBe('WORK_ALREADY_OWNED')
  })
})
