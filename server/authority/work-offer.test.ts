import { describe, expect, it } from 'vitest'
import type { WorkContract } from '../../protocol/generated/types.ts'
import { ada, agentCard, ben, cora, otto, START, urnOf, wanda, wim } from '../testing/cast.ts'
import { selectionBasis, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, citing, fail, offerPayload, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()
const RENEW = 'ext.missionweaveprotocol.core.work_execution_lease_renew'

function withOpenWork(): GroupFixture {
  const group = founded()
  reach(group, 'a', 'open')
  return group
}

describe('work.offer', () => {
  it('makes one durable, expiring offer for each candidate and records why (A-149, A-167, A-170)', () => {
    const group = withOpenWork()
    group.cards.set(wanda.id, agentCard(wanda, { cardVersion: 4 }))
    const [event] = group.accept(cora, 'work.offer', { ...offerPayload('a', [wim, wanda]), offerExpiresInSeconds: 60 }, { expectedRevision: 1 })
    expect(event).toMatchObject({ kind: 'work.offer.created', aggregateRevision: 2, workItemId: workId('a') })
    const { item } = recordOf(group, 'a')
    expect(item).toMatchObject({ state: 'offered', revision: 2, updatedAt: group.now, selectionBasis: selectionBasis() })
    expect(item.offers).toMatchObject([
      { agentId: wim.id, agentCardVersion: 1, status: 'pending', expiresAt: '2026-11-29T12:01:00.000Z' },
      { agentId: wanda.id, agentCardVersion: 4, status: 'pending', expiresAt: '2026-11-29T12:01:00.000Z' },
    ])
    expect(new Set(item.offers?.map(({ offerId }) => offerId)).size).toBe(2)
    expect(group.state.mission.revision).toBe(2)
  })

  it('lasts five minutes unless told otherwise', () => {
    const group = withOpenWork()
    const [event] = group.accept(cora, 'work.offer', offerPayload('a'))
    expect(event?.payload).toMatchObject({ offerExpiresAt: '2026-11-29T12:05:00.000Z', candidateAgentIds: [wim.id] })
  })

  it('renews or swaps an open offer; the one before is no longer valid (A-149)', () => {
    const group = withOpenWork()
    group.accept(cora, 'work.offer', offerPayload('a'))
    const first = offerTo(group, 'a', wim)
    group.accept(cora, 'work.offer', offerPayload('a', [wanda]))
    expect(recordOf(group, 'a').item.offers).toHaveLength(1)
    expect(group.code(wim, 'work.accept_offer', { workItemId: workId('a'), offerId: first })).toBe('WORK_OFFER_EXPIRED')
  })

  it('refuses while somebody owns the work live (A-149)', () => {
    for (const stage of ['queued', 'active'] as const) {
      const group = founded()
      reach(group, 'a', stage)
      expect(group.code(cora, 'work.offer', offerPayload('a', [wanda]))).toBe('INVALID_STATE_TRANSITION')
    }
  })

  it('ends when the attempts of the contract are used up; a revised contract grants more (A-187)', () => {
    const group = founded()
    reach(group, 'a', 'active')
    fail(group, 'a')
    advance(group, 'a', 'offered', 'active')
    fail(group, 'a')
    expect(recordOf(group, 'a').attempts).toBe(2)
    expect(group.refusal(cora, 'work.offer', offerPayload('a'))).toMatchObject({ code: 'INVALID_STATE_TRANSITION', details: { attempts: 2, maxAttempts: 2 } })
    const revised = (maxAttempts: number) => workContract({ contractVersion: 2, retryPolicy: { ...workContract().retryPolicy, maxAttempts } })
    expect(group.code(cora, 'work.offer', { ...offerPayload('a'), contract: revised(2) })).toBe('INVALID_STATE_TRANSITION')
    expect(group.accept(cora, 'work.offer', { ...offerPayload('a'), contract: revised(3) })).toHaveLength(1)
  })

  it('counts no attempt for an owner that never began, nor twice for one that went on (A-187)', () => {
    const group = founded()
    reach(group, 'a', 'queued')
    group.pass(900)
    advance(group, 'a', 'offered', 'active')
    group.pass(300).due()
    group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: recordOf(group, 'a').ownershipEpoch })
    expect(recordOf(group, 'a').attempts).toBe(1)
  })

  it('fences an owner whose lease has run out before anybody else can accept (A-188)', () => {
    const group = founded()
    reach(group, 'a', 'queued')
    group.pass(900).accept(cora, 'work.offer', offerPayload('a', [wanda]))
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ ownershipEpoch: 2, item: { state: 'offered' } })
    expect(record).not.toHaveProperty('ownershipLease')
    expect(record.item).not.toHaveProperty('owner')
    expect(group.state.ownedBy.has(wim.id)).toBe(false)
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('WORK_STALE_OWNERSHIP')
  })

  it('takes a lapsed execution over as well, whether or not the timer has run', () => {
    const group = founded()
    reach(group, 'a', 'active')
    const held = citing(group, 'a')
    group.pass(900).accept(cora, 'work.offer', offerPayload('a', [wanda]))
    expect(group.state.executing.size).toBe(0)
    expect(group.code(wim, RENEW, held)).toBe('WORK_STALE_OWNERSHIP')
    expect(group.due()).toEqual([])
  })

  it('gives failed work another chance, under its old contract and budget (A-165)', () => {
    const group = founded()
    reach(group, 'a', 'active')
    fail(group, 'a')
    expect(group.state.ledgers.get(group.state.mission.missionId)?.allocated.modelTokens).toBe(0)
    group.accept(cora, 'work.offer', offerPayload('a', [wanda]))
    expect(recordOf(group, 'a')).toMatchObject({ ownershipEpoch: 2, item: { state: 'offered' } })
    expect(recordOf(group, 'a')).not.toHaveProperty('reason')
    expect(group.state.ledgers.get(group.state.mission.missionId)?.allocated.modelTokens).toBe(100)
  })

  it('does not revive failed work when its allocation was given to others (A-197)', () => {
    const group = founded()
    reach(group, 'a', 'open', { contract: { budget: { modelTokenLimit: 1000 } } })
    fail(group, 'a')
    reach(group, 'b', 'open')
    expect(group.code(cora, 'work.offer', offerPayload('a'))).toBe('BUDGET_EXCEEDED')
  })

  it.each(['submitted', 'verified'] as const)('refuses %s work (A-149)', (stage) => {
    const group = founded()
    reach(group, 'a', stage)
    expect(group.pass(900).code(cora, 'work.offer', offerPayload('a', [wanda]))).toBe('INVALID_STATE_TRANSITION')
  })

  it('refuses cancelled work', () => {
    const group = withOpenWork()
    group.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })
    expect(group.code(cora, 'work.offer', offerPayload('a'))).toBe('INVALID_STATE_TRANSITION')
  })

  it('refuses work below work that has ended', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const below = { workItemId: workId('b'), contract: workContract({ budget: { modelTokenLimit: 10 } }), parentWorkItemId: workId('a') }
    group.accept(cora, 'work.authorize', below)
    fail(group, 'a')
    expect(group.code(cora, 'work.offer', offerPayload('b'))).toBe('INVALID_STATE_TRANSITION')
  })

  it('is the Coordinator’s, at the WorkItem’s revision', () => {
    const group = withOpenWork()
    expect(group.code(wim, 'work.offer', offerPayload('a'))).toBe('AUTH_FORBIDDEN')
    expect(group.refusal(cora, 'work.offer', offerPayload('a'), { expectedRevision: 2 })).toMatchObject({ code: 'REVISION_CONFLICT', expectedRevision: 2, currentRevision: 1 })
    expect(group.code(cora, 'work.offer', offerPayload('unknown'))).toBe('INVALID_COMMAND')
    expect(group.pass(86_400).code(cora, 'work.offer', offerPayload('a'))).toBe('WORK_LEASE_EXPIRED')
  })

  it('waits for an active Mission', () => {
    const group = withOpenWork()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(cora, 'work.offer', offerPayload('a'))).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('candidates', () => {
  it.each([
    ['is no member', otto],
    ['is a person', ben],
    ['coordinates', cora],
  ])('must be workers: refuses one that %s', (_, candidate) => {
    const group = withOpenWork()
    group.accept(ada, 'membership.change', { member: ben, role: 'worker' })
    expect(group.refusal(cora, 'work.offer', offerPayload('a', [wim, candidate]))).toMatchObject({ code: 'AUTH_FORBIDDEN', details: { agentId: candidate.id } })
  })

  it('must still be workers', () => {
    const group = withOpenWork()
    group.accept(ada, 'membership.change', { member: wim, role: 'reviewer' })
    group.accept(ada, 'membership.end', { member: wanda, reason: 'Gone.' })
    for (const candidate of [wim, wanda]) expect(group.code(cora, 'work.offer', offerPayload('a', [candidate]))).toBe('AUTH_FORBIDDEN')
  })

  it.each([
    ['no card', undefined],
    ['a revoked card', agentCard(wim, { status: 'revoked' })],
    ['an outdated card', agentCard(wim, { validUntil: START })],
    ['another capability', agentCard(wim, {}, ['release.report@1.0.0'])],
    ['an older version', agentCard(wim, {}, ['release.inventory@0.9.0'])],
    ['another major version', agentCard(wim, {}, ['release.inventory@2.0.0'])],
  ])('must have a valid card with every required capability: refuses %s (A-30)', (_, card) => {
    const group = withOpenWork()
    if (card) group.cards.set(wim.id, card)
    else group.cards.delete(wim.id)
    expect(group.code(cora, 'work.offer', offerPayload('a'))).toBe('AUTH_FORBIDDEN')
  })

  it('may have a deprecated card', () => {
    const group = withOpenWork()
    group.cards.set(wim.id, agentCard(wim, { status: 'deprecated' }))
    expect(group.accept(cora, 'work.offer', offerPayload('a'))).toHaveLength(1)
  })
})

describe('a revised contract in an offer', () => {
  const revised = (changes: Partial<WorkContract> = {}) => ({ ...offerPayload('a'), contract: workContract({ contractVersion: 2, goal: 'List it better', ...changes }) })

  it('takes the place of the one before, and of its budget (A-140, A-141)', () => {
    const group = withOpenWork()
    const [event] = group.accept(cora, 'work.offer', revised({ budget: { modelTokenLimit: 400 } }))
    expect(event?.payload).toMatchObject({ contract: { contractVersion: 2 } })
    expect(recordOf(group, 'a').item.contract.goal).toBe('List it better')
    expect(group.state.ledgers.get(workId('a'))?.limit).toEqual({ modelTokenLimit: 400 })
    expect(group.state.ledgers.get(group.state.mission.missionId)?.allocated).toMatchObject({ modelTokens: 400, financial: 0 })
  })

  it.each([1, 3])('has the next version, not %i (A-141)', (contractVersion) => {
    expect(withOpenWork().refusal(cora, 'work.offer', revised({ contractVersion }))).toMatchObject({ code: 'REVISION_CONFLICT', currentRevision: 1 })
  })

  it.each<[string, string, Partial<WorkContract>]>([
    ['more than the Mission has left', 'BUDGET_EXCEEDED', { budget: { modelTokenLimit: 1001 } }],
    ['a deadline after the Mission’s', 'INVALID_COMMAND', { deadline: '2027-01-01T00:00:00Z' }],
    ['dangerous work without a gate', 'INVALID_COMMAND', { sideEffectRisk: 'destructive' }],
    ['a gap', 'WORK_CONTRACT_INCOMPLETE', { requiredDeliverables: [] }],
  ])('may not ask for %s', (_, code, changes) => {
    expect(withOpenWork().code(cora, 'work.offer', revised(changes))).toBe(code)
  })

  it('may not close a circle of dependencies (A-171)', () => {
    const group = withOpenWork()
    reach(group, 'b', 'open', { contract: { dependencyWorkItemIds: [workId('a')] } })
    reach(group, 'c', 'open', { contract: { dependencyWorkItemIds: [workId('b'), workId('a')] } })
    expect(group.code(cora, 'work.offer', revised({ dependencyWorkItemIds: [workId('c')] }))).toBe('INVALID_COMMAND')
    reach(group, 'd', 'open')
    expect(group.accept(cora, 'work.offer', revised({ dependencyWorkItemIds: [workId('d')] }))).toHaveLength(1)
  })

  it('may not shrink below what is used or allocated', () => {
    const group = founded()
    reach(group, 'a', 'active')
    group.accept(wim, 'ext.missionweaveprotocol.core.resource_usage_record', { ...citing(group, 'a'), usageDelta: { modelTokens: 60 } })
    group.pass(900)
    expect(group.code(cora, 'work.offer', revised({ budget: { modelTokenLimit: 59 } }))).toBe('BUDGET_EXCEEDED')
    expect(group.accept(cora, 'work.offer', revised({ budget: { modelTokenLimit: 60 } }))).toHaveLength(1)
  })

  it('may not shrink below what work below it holds', () => {
    const group = withOpenWork()
    group.accept(cora, 'work.authorize', { workItemId: workId('b'), contract: workContract({ budget: { modelTokenLimit: 60 } }), parentWorkItemId: workId('a') })
    expect(group.code(cora, 'work.offer', revised({ budget: { modelTokenLimit: 59 } }))).toBe('BUDGET_EXCEEDED')
    expect(group.accept(cora, 'work.offer', revised({ budget: { modelTokenLimit: 60 } }))).toHaveLength(1)
  })

  it('may grow by what the Mission has left, and counts its old budget once', () => {
    const group = withOpenWork()
    reach(group, 'b', 'open', { contract: { budget: { modelTokenLimit: 800 } } })
    expect(group.code(cora, 'work.offer', revised({ budget: { modelTokenLimit: 201 } }))).toBe('BUDGET_EXCEEDED')
    expect(group.accept(cora, 'work.offer', revised({ budget: { modelTokenLimit: 200 } }))).toHaveLength(1)
  })

  it('may not widen the resources of work below other work (A-25)', () => {
    const group = withOpenWork()
    group.accept(cora, 'work.authorize', { workItemId: workId('b'), contract: workContract({ budget: { modelTokenLimit: 10 } }), parentWorkItemId: workId('a') })
    const contract = workContract({ contractVersion: 2, budget: { modelTokenLimit: 10 }, allowedResources: [{ resource: urnOf('vault'), operations: ['read'] }] })
    expect(group.code(cora, 'work.offer', { ...offerPayload('b'), contract })).toBe('AUTH_FORBIDDEN')
  })

  it('requires what the candidates must be capable of', () => {
    const requiredCapabilities = [{ id: 'release.inventory', version: '1.3.0' }]
    expect(withOpenWork().code(cora, 'work.offer', revised({ requiredCapabilities }))).toBe('AUTH_FORBIDDEN')
  })

  it('starts afresh: an earlier submission no longer counts', () => {
    const group = founded()
    reach(group, 'a', 'submitted')
    fail(group, 'a')
    group.accept(cora, 'work.offer', revised())
    expect(recordOf(group, 'a').item).not.toHaveProperty('submission')
  })
})
