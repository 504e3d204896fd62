import { describe, expect, it } from 'vitest'
import { ada, agentCard, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { fail, offerPayload, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'

function offered(...candidates: Parameters<typeof offerTo>[2][]): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'open')
  group.accept(cora, 'work.offer', offerPayload('a', candidates.length > 0 ? candidates : [wim]))
  return group
}

const acceptance = (group: GroupFixture, agent: typeof wim, more: object = {}) => ({ workItemId: workId('a'), offerId: offerTo(group, 'a', agent), ...more })

describe('work.accept_offer', () => {
  it('starts the next Ownership Epoch with a lease and pinned versions (A-30, A-150)', () => {
    const group = offered()
    group.cards.set(wim.id, agentCard(wim, { cardVersion: 3 }))
    const estimate = { estimatedStart: group.now, estimatedCompletion: group.now, confidence: 0.5, capacityStatus: 'queued' as const, lastCalculatedAt: group.now }
    const [event] = group.accept(wim, 'work.accept_offer', acceptance(group, wim, { ownershipLeaseSeconds: 120, scheduleEstimate: estimate }), { expectedRevision: 2 })
    expect(event).toMatchObject({ kind: 'work.offer.accepted', aggregateRevision: 3, payload: { assigneeId: wim.id, ownershipEpoch: 1, agentCardVersion: 3, ownershipLeaseExpiresAt: '2026-11-29T12:02:00.000Z' } })
    const record = recordOf(group, 'a')
    expect(record.item).toMatchObject({
      state: 'queued',
      revision: 3,
      owner: { agentId: wim.id, agentCardVersion: 3, capabilityPins: [{ id: 'release.inventory', version: '1.2.0' }], ownershipEpoch: 1, acceptedAt: group.now },
      scheduleEstimate: estimate,
      offers: [{ status: 'accepted' }],
    })
    expect(record.ownershipLease).toMatchObject({ leaseType: 'ownership', holderAgentId: wim.id, sessionEpoch: 1, ownershipEpoch: 1, startBy: '2026-11-29T12:02:00.000Z', expiresAt: '2026-11-29T12:02:00.000Z', state: 'active' })
    expect(record.ownershipLease?.leaseId).toBe(record.item.owner?.ownershipLeaseId)
    expect(record.attempts).toBe(0)
    expect([...(group.state.ownedBy.get(wim.id) ?? [])]).toEqual([workId('a')])
  })

  it('goes to the first valid acceptance, and the others have lost (A-168)', () => {
    const group = offered(wim, wanda)
    const late = acceptance(group, wim)
    group.accept(wanda, 'work.accept_offer', acceptance(group, wanda))
    expect(recordOf(group, 'a').item.offers).toMatchObject([
      { agentId: wim.id, status: 'lost_race' },
      { agentId: wanda.id, status: 'accepted' },
    ])
    expect(group.code(wim, 'work.accept_offer', late)).toBe('WORK_ALREADY_OWNED')
    expect(recordOf(group, 'a').item.owner?.agentId).toBe(wanda.id)
  })

  it('A-246: without the id of an offer, as the public reference sends it, means the sender’s own offer', () => {
    const group = offered(wim, wanda)
    const offerId = offerTo(group, 'a', wanda)
    const current = { expectedRevision: recordOf(group, 'a').item.revision }
    const [event] = group.accept(wanda, 'work.accept_offer', { workItemId: workId('a') }, current)
    expect(event).toMatchObject({ kind: 'work.offer.accepted', payload: { offerId, assigneeId: wanda.id } })
    expect(group.code(wim, 'work.accept_offer', { workItemId: workId('a') }, { expectedRevision: recordOf(group, 'a').item.revision })).toBe('WORK_ALREADY_OWNED')
  })

  it('A-167, A-223: takes no round of offers that it does not name, by offer or by revision', () => {
    const group = offered(wim)
    const before = { expectedRevision: recordOf(group, 'a').item.revision }
    group.accept(cora, 'work.offer', offerPayload('a', [wim]))
    const { revision } = recordOf(group, 'a').item
    expect(group.code(wim, 'work.accept_offer', { workItemId: workId('a') })).toBe('INVALID_COMMAND')
    expect(group.code(wim, 'work.accept_offer', { workItemId: workId('a') }, before)).toBe('REVISION_CONFLICT')
    group.accept(wim, 'work.accept_offer', { workItemId: workId('a') }, { expectedRevision: revision })
  })

  it('A-246: without the id of an offer is refused to whoever has none, and when it has run out', () => {
    const group = offered(wim)
    group.accept(ada, 'membership.change', { member: wanda, role: 'worker' })
    const current = { expectedRevision: recordOf(group, 'a').item.revision }
    expect(group.code(wanda, 'work.accept_offer', { workItemId: workId('a') }, current)).toBe('WORK_OFFER_EXPIRED')
    expect(group.code(cora, 'work.accept_offer', { workItemId: workId('a') }, current)).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'work.accept_offer', { workItemId: workId('a') }, { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.pass(300).code(wim, 'work.accept_offer', { workItemId: workId('a') }, current)).toBe('WORK_OFFER_EXPIRED')
  })

  it('is judged at the moment of acceptance: valid until just before its end (A-167)', () => {
    const group = offered().pass(299)
    expect(group.judge(group.command(wim, 'work.accept_offer', acceptance(group, wim))).ok).toBe(true)
    expect(group.pass(1).code(wim, 'work.accept_offer', acceptance(group, wim))).toBe('WORK_OFFER_EXPIRED')
  })

  it('leaves the WorkItem as it is when an offer has run out (A-151)', () => {
    const group = offered().pass(300)
    expect(group.due()).toEqual([])
    expect(recordOf(group, 'a').item).toMatchObject({ state: 'offered', revision: 2 })
  })

  it.each([
    ['an offer that was never made', 'WORK_OFFER_EXPIRED', wim, urnOf('no offer')],
    ['an offer to somebody else', 'AUTH_FORBIDDEN', wanda, undefined],
    ['the Coordinator', 'AUTH_FORBIDDEN', cora, undefined],
    ['a person', 'AUTH_FORBIDDEN', ada, undefined],
  ])('refuses %s', (_, code, actor, offerId) => {
    const group = offered()
    expect(group.code(actor, 'work.accept_offer', { workItemId: workId('a'), offerId: offerId ?? offerTo(group, 'a', wim) })).toBe(code)
  })

  it('refuses a second acceptance by the owner', () => {
    const group = offered()
    const payload = acceptance(group, wim)
    group.accept(wim, 'work.accept_offer', payload)
    expect(group.code(wim, 'work.accept_offer', payload)).toBe('INVALID_STATE_TRANSITION')
  })

  it('refuses work that was withdrawn meanwhile', () => {
    const cancelled = offered()
    cancelled.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })
    expect(cancelled.code(wim, 'work.accept_offer', acceptance(cancelled, wim))).toBe('WORK_OFFER_EXPIRED')
    const failed = offered()
    fail(failed, 'a')
    expect(failed.code(wim, 'work.accept_offer', acceptance(failed, wim))).toBe('WORK_OFFER_EXPIRED')
  })

  it('judges capabilities by the card of the moment (A-30)', () => {
    const group = offered()
    group.cards.set(wim.id, agentCard(wim, { cardVersion: 2 }, ['release.inventory@2.0.0']))
    expect(group.code(wim, 'work.accept_offer', acceptance(group, wim))).toBe('AUTH_FORBIDDEN')
    group.cards.set(wim.id, agentCard(wim, { cardVersion: 3, status: 'revoked' }))
    expect(group.code(wim, 'work.accept_offer', acceptance(group, wim))).toBe('AUTH_FORBIDDEN')
  })

  it('is refused to a member that is no worker any more', () => {
    const group = offered()
    group.accept(ada, 'membership.change', { member: wim, role: 'observer' })
    expect(group.code(wim, 'work.accept_offer', acceptance(group, wim))).toBe('AUTH_FORBIDDEN')
  })

  it('tests the WorkItem’s revision and knows its WorkItem', () => {
    const group = offered()
    expect(group.code(wim, 'work.accept_offer', acceptance(group, wim), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'work.accept_offer', { ...acceptance(group, wim), workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
  })

  it('never gives an epoch twice, however often work changes hands (A-19)', () => {
    const group = offered()
    const epochs: number[] = []
    for (const worker of [wim, wanda, wim]) {
      group.pass(900).accept(cora, 'work.offer', offerPayload('a', [worker]))
      group.accept(worker, 'work.accept_offer', acceptance(group, worker))
      epochs.push(recordOf(group, 'a').ownershipEpoch)
    }
    // Fencing an owner raises the epoch as well, so nothing of the old owner fits in between.
    expect(epochs).toEqual([1, 3, 5])
    expect(recordOf(group, 'a').attempts).toBe(0)
  })
})
