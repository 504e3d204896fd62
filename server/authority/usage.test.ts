import { describe, expect, it } from 'vitest'
import type { Usage } from '../../protocol/generated/types.ts'
import { ada, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { progress, selectionBasis, workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { advance, citing, fail, offerPayload, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const RECORD = 'ext.missionweaveprotocol.core.resource_usage_record'
const RECORDED = 'ext.missionweaveprotocol.core.resource_usage_recorded'
const PAUSE = 'ext.countersign.work.preemption_requested'

function executing(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  return group
}

const used = (group: GroupFixture, usageDelta: Usage, name = 'a') => ({ ...citing(group, name), usageDelta })

describe('resource usage', () => {
  it('charges the work and the Mission at once and reports what is left (A-198)', () => {
    const group = executing()
    const usageDelta = { modelTokens: 30, financial: 2.5, currency: 'EUR' }
    const [event] = group.accept(wim, RECORD, used(group, usageDelta), { expectedRevision: 4 })
    expect(event).toMatchObject({ kind: 'ext.missionweaveprotocol.core.resource_usage_recorded', aggregateRevision: 4, workItemId: workId('a') })
    expect(event?.payload).toMatchObject({
      usageDelta,
      cumulativeUsage: { currency: 'EUR', financial: 2.5, modelTokens: 30 },
      remainingBudget: { currency: 'EUR', financial: 7.5, modelTokens: 70 },
    })
    for (const id of [workId('a'), group.state.mission.missionId]) expect(group.state.ledgers.get(id)?.used).toMatchObject({ modelTokens: 30, financial: 2.5 })
    expect(group.state.ledgers.get(group.state.mission.missionId)?.direct.modelTokens).toBe(0)
    expect(recordOf(group, 'a').item.revision).toBe(4)
  })

  it('adds up in decimal: ten charges of 0.1 are exactly 1', () => {
    const group = executing()
    for (let charge = 0; charge < 10; charge += 1) group.accept(wim, RECORD, used(group, { financial: 0.1, currency: 'EUR' }))
    expect(group.state.ledgers.get(workId('a'))?.used.financial).toBe(1)
  })

  it('refuses a charge that one dimension does not cover, and all of it (A-198)', () => {
    const group = executing()
    expect(group.refusal(wim, RECORD, used(group, { modelTokens: 1, financial: 10.01, currency: 'EUR' }))).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'financial' } })
    expect(group.state.ledgers.get(workId('a'))?.used.modelTokens).toBe(0)
    expect(group.accept(wim, RECORD, used(group, { modelTokens: 100, financial: 10, currency: 'EUR' }))[0]?.kind).toBe(RECORDED)
    expect(group.code(wim, RECORD, used(group, { modelTokens: 1 }))).toBe('BUDGET_EXCEEDED')
  })

  it('has nothing to give in a dimension that was not allocated (A-193)', () => {
    expect(executing().code(wim, RECORD, used(executing(), { computeSeconds: 1 }))).toBe('BUDGET_EXCEEDED')
  })

  it('is bounded by every account above as well', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    group.accept(cora, 'work.authorize', { workItemId: workId('b'), contract: workContract({ budget: { modelTokenLimit: 80 } }), parentWorkItemId: workId('a') })
    advance(group, 'a', 'offered', 'active')
    group.accept(cora, 'work.offer', { workItemId: workId('b'), candidateAgentIds: [wanda.id], selectionBasis: selectionBasis() })
    advance(group, 'b', 'queued', 'active', { worker: wanda })
    group.accept(wim, RECORD, used(group, { modelTokens: 50 }))
    const [event] = group.accept(wanda, RECORD, used(group, { modelTokens: 20 }, 'b'))
    expect(event?.payload).toMatchObject({ cumulativeUsage: { modelTokens: 20 }, remainingBudget: { modelTokens: 30 } })
    expect(group.code(wanda, RECORD, used(group, { modelTokens: 31 }, 'b'))).toBe('BUDGET_EXCEEDED')
    expect(group.state.ledgers.get(workId('a'))).toMatchObject({ used: { modelTokens: 70 }, direct: { modelTokens: 50 } })
  })

  it.each<[string, Usage, string]>([
    ['nothing at all', {}, 'INVALID_COMMAND'],
    ['zero', { modelTokens: 0, financial: 0 }, 'INVALID_COMMAND'],
    ['money without a currency', { financial: 1 }, 'INVALID_COMMAND'],
    ['money in another currency', { financial: 1, currency: 'USD' }, 'BUDGET_EXCEEDED'],
    ['less than a millionth', { financial: 1e-7, currency: 'EUR' }, 'INVALID_COMMAND'],
    ['a negative amount', { modelTokens: -1 }, 'SCHEMA_VALIDATION_FAILED'],
  ])('refuses to charge %s', (_, usageDelta, code) => {
    const group = executing()
    expect(group.code(wim, RECORD, used(group, usageDelta))).toBe(code)
  })

  it('is reported by the executing owner under its lease', () => {
    const group = executing()
    const delta = { modelTokens: 1 }
    expect(group.code(wanda, RECORD, used(group, delta))).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, RECORD, { ...used(group, delta), ownershipEpoch: 2 })).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wim, RECORD, { ...used(group, delta), executionLeaseId: urnOf('old') })).toBe('WORK_LEASE_EXPIRED')
    expect(group.code(wim, RECORD, used(group, delta), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, RECORD, { ...used(group, delta), workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    expect(group.pass(300).code(wim, RECORD, used(group, delta))).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-197: does not begin again on an exhausted budget', () => {
    const group = executing()
    group.accept(wim, RECORD, used(group, { modelTokens: 100 }))
    group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
    const start = { workItemId: workId('a'), ownershipEpoch: 1 }
    expect(group.refusal(wim, 'work.start', start)).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'modelTokens' } })
    expect(recordOf(group, 'a').item.state).toBe('queued')
  })

  it('A-197: asks the Worker to pause and the Coordinator to decide', () => {
    const group = executing()
    expect(group.accept(wim, RECORD, used(group, { modelTokens: 99 })).map(({ kind }) => kind)).toEqual([RECORDED])
    const { revision } = recordOf(group, 'a').item
    const [charged, asked, ...others] = group.accept(wim, RECORD, used(group, { modelTokens: 1 }))
    expect(asked).toMatchObject({
      kind: PAUSE,
      actor: { type: 'service' },
      cause: { type: 'event', id: charged?.eventId },
      workItemId: workId('a'),
      aggregateRevision: revision + 1,
      payload: { workItemId: workId('a'), urgency: 'critical', requestedAt: group.now, escalation: { dimension: 'modelTokens', to: cora } },
    })
    expect(others).toEqual([])
    expect(recordOf(group, 'a')).toMatchObject({ item: { state: 'active', revision: revision + 1 }, preemption: { escalation: { dimension: 'modelTokens' } } })
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-126, A-197: stands in the Policy Log as an escalation', () => {
    const group = executing()
    const [, asked] = group.accept(wim, RECORD, used(group, { modelTokens: 100 }))
    expect(group.state.policyLog.at(-1)).toMatchObject({ entryId: asked?.eventId, decision: PAUSE, details: { areas: ['escalation'] } })
  })

  it('A-197: is a hard end: the lease of paused work is not renewed', () => {
    const group = executing()
    group.accept(wim, RECORD, used(group, { modelTokens: 100 }))
    expect(group.refusal(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', citing(group, 'a'))).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'modelTokens' } })
  })

  it('A-197: pauses all that runs on an account above, each work once, and asks the owner where nobody else has more', () => {
    const budget = { currency: 'EUR', financialLimit: 10, modelTokenLimit: 100 }
    const group = new GroupFixture().found({ budget })
    reach(group, 'a', 'active', { contract: { budget } })
    for (const [name, modelTokenLimit] of [['b', 60], ['c', 40]] as const) {
      group.accept(cora, 'work.authorize', { workItemId: workId(name), parentWorkItemId: workId('a'), contract: workContract({ goal: `Do ${name}`, budget: { modelTokenLimit } }) })
      advance(group, name, 'offered', 'active')
    }
    const asked = (name: string, modelTokens: number) => group.accept(wim, RECORD, used(group, { modelTokens }, name)).flatMap(({ kind, payload }) => (kind === PAUSE ? [payload] : []))
    expect(asked('b', 60)).toMatchObject([{ workItemId: workId('b'), escalation: { dimension: 'modelTokens', to: ada } }])
    expect(asked('a', 40).map(({ workItemId }) => workItemId).sort()).toEqual([workId('a'), workId('c')].sort())
  })

  it('A-197: asks again in the next execution, not twice in one', () => {
    const group = executing()
    group.accept(wim, RECORD, used(group, { modelTokens: 100 }))
    const more = group.accept(wim, RECORD, used(group, { financial: 1, currency: 'EUR' }))
    expect(more.map(({ kind }) => kind)).toEqual([RECORDED])
  })

  it('A-197: goes on once a revised contract brings more', () => {
    const group = executing()
    group.accept(wim, RECORD, used(group, { modelTokens: 100 }))
    group.pass(3600)
    group.accept(cora, 'work.offer', { ...offerPayload('a'), contract: workContract({ contractVersion: 2, budget: { currency: 'EUR', financialLimit: 10, modelTokenLimit: 101 } }) })
    expect(advance(group, 'a', 'queued', 'active').item.state).toBe('active')
  })

  it('A-197: ends with what executes: the Worker may use up the last of it and hand in', () => {
    const group = executing()
    group.accept(wim, RECORD, used(group, { modelTokens: 100 }))
    expect(advance(group, 'a', 'published', 'submitted').item.state).toBe('submitted')
  })

  it('stays charged when the work fails', () => {
    const group = executing()
    group.accept(wim, RECORD, used(group, { modelTokens: 30 }))
    fail(group, 'a')
    expect(group.state.ledgers.get(group.state.mission.missionId)).toMatchObject({ used: { modelTokens: 30 }, allocated: { modelTokens: 30, financial: 0 } })
  })
})
