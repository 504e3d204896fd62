import { describe, expect, it } from 'vitest'
import { ada, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { evidenceOf, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import type { Stage } from '../testing/work-scenario.ts'
import { citing, fail, place, reach, recordOf, workId } from '../testing/work-scenario.ts'

function at(stage: Stage): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', stage)
  return group
}

const UNFINISHED = ['open', 'offered', 'queued', 'active', 'submitted'] as const
const report = (group: GroupFixture, by: typeof cora) => ({
  workItemId: workId('a'),
  reason: 'The repository is gone.',
  evidence: [evidenceOf(place(group, 'a'), by, { type: 'failure_report', result: 'failed' })],
})

describe('work.fail', () => {
  it.each(UNFINISHED)('lets the Coordinator give up %s work, with Evidence (A-159)', (stage) => {
    const group = at(stage)
    const { item } = recordOf(group, 'a')
    const revision = group.state.mission.revision
    const payload = report(group, cora)
    const [event] = group.accept(cora, 'work.fail', payload, { expectedRevision: item.revision })
    expect(event).toMatchObject({ kind: 'work.failed', aggregateRevision: item.revision + 1, payload })
    expect(recordOf(group, 'a')).toMatchObject({ reason: 'The repository is gone.', item: { state: 'failed' } })
    expect(group.state.mission.revision).toBe(revision + 1)
  })

  it('lets the owner report what it executes, under its lease (A-180, A-187)', () => {
    const group = at('active')
    const reported = report(group, wim)
    const [event] = group.accept(wim, 'work.fail', { ...reported, ...citing(group, 'a') })
    expect(event).toMatchObject({ actor: wim, payload: reported })
    expect(event?.payload).not.toHaveProperty('executionLeaseId')
  })

  it('revokes leases, keeps the owner on record and closes open offers (A-182)', () => {
    const active = at('active')
    const held = citing(active, 'a')
    fail(active, 'a')
    expect(recordOf(active, 'a')).toMatchObject({ ownershipEpoch: 1, item: { owner: { agentId: wim.id } } })
    expect(recordOf(active, 'a')).not.toHaveProperty('ownershipLease')
    expect(active.state.executing.size).toBe(0)
    expect(active.code(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', held)).toBe('WORK_LEASE_EXPIRED')
    const offered = at('offered')
    fail(offered, 'a')
    expect(recordOf(offered, 'a').item.offers).toMatchObject([{ status: 'withdrawn' }])
  })

  it('asks an owner for epoch and lease', () => {
    const group = at('active')
    const { executionLeaseId, ownershipEpoch } = citing(group, 'a')
    const cases = [
      [report(group, wim), 'INVALID_COMMAND'],
      [{ ...report(group, wim), ownershipEpoch }, 'INVALID_COMMAND'],
      [{ ...report(group, wim), ownershipEpoch: 2, executionLeaseId }, 'WORK_STALE_OWNERSHIP'],
      [{ ...report(group, wim), ownershipEpoch, executionLeaseId: urnOf('old') }, 'WORK_LEASE_EXPIRED'],
    ] as const
    for (const [payload, code] of cases) expect(group.code(wim, 'work.fail', payload)).toBe(code)
  })

  it.each([
    ['another worker', wanda],
    ['the MissionOwner', ada],
  ])('is not for %s', (_, actor) => {
    const group = at('active')
    expect(group.code(actor, 'work.fail', report(group, actor))).toBe('AUTH_FORBIDDEN')
    expect(group.code(actor, 'work.fail', { ...report(group, actor), ...citing(group, 'a') })).toBe('AUTH_FORBIDDEN')
  })

  it('takes only its author’s Evidence about this work', () => {
    const group = at('active')
    expect(group.code(cora, 'work.fail', report(group, wim))).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'work.fail', { ...report(group, cora), evidence: [] })).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('refuses finished work, stale revisions and a lapsed Coordinator', () => {
    const verified = at('verified')
    expect(verified.code(cora, 'work.fail', report(verified, cora))).toBe('INVALID_STATE_TRANSITION')
    const group = at('open')
    expect(group.code(cora, 'work.fail', report(group, cora), { expectedRevision: 9 })).toBe('REVISION_CONFLICT')
    expect(group.code(cora, 'work.fail', { ...report(group, cora), workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    fail(group, 'a')
    expect(group.code(cora, 'work.fail', report(group, cora))).toBe('INVALID_STATE_TRANSITION')
    const late = at('open').pass(86_400)
    expect(late.code(cora, 'work.fail', report(late, cora))).toBe('WORK_LEASE_EXPIRED')
  })
})

describe('work.cancel', () => {
  const cancel = { workItemId: workId('a'), reason: 'Not needed any more.' }

  it.each(UNFINISHED)('withdraws %s work (A-160)', (stage) => {
    const group = at(stage)
    const { item } = recordOf(group, 'a')
    const [event] = group.accept(cora, 'work.cancel', cancel, { expectedRevision: item.revision })
    expect(event).toMatchObject({ kind: 'work.cancelled', aggregateRevision: item.revision + 1, cause: { type: 'command' }, payload: cancel })
    expect(recordOf(group, 'a')).toMatchObject({ reason: cancel.reason, item: { state: 'cancelled' } })
  })

  it('fences the owner and closes open offers (A-199)', () => {
    const owned = at('active')
    owned.accept(ada, 'work.cancel', cancel)
    expect(recordOf(owned, 'a').ownershipEpoch).toBe(2)
    expect(recordOf(owned, 'a').item).not.toHaveProperty('owner')
    const offered = at('offered')
    offered.accept(ada, 'work.cancel', cancel)
    expect(recordOf(offered, 'a')).toMatchObject({ ownershipEpoch: 0, item: { offers: [{ status: 'withdrawn' }] } })
  })

  it('is for MissionOwner and Coordinator', () => {
    const group = at('active')
    expect(group.code(wim, 'work.cancel', cancel)).toBe('AUTH_FORBIDDEN')
    expect(group.code(wanda, 'work.cancel', cancel)).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'work.cancel', cancel, { expectedRevision: 9 })).toBe('REVISION_CONFLICT')
    expect(group.code(ada, 'work.cancel', { ...cancel, workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    expect(group.pass(86_400).code(cora, 'work.cancel', cancel)).toBe('WORK_LEASE_EXPIRED')
    expect(group.accept(ada, 'work.cancel', cancel)).toHaveLength(1)
  })

  it.each(['verified', 'failed', 'cancelled'] as const)('refuses %s work', (end) => {
    const group = at(end === 'verified' ? 'verified' : 'open')
    if (end === 'failed') fail(group, 'a')
    if (end === 'cancelled') group.accept(cora, 'work.cancel', cancel)
    expect(group.code(cora, 'work.cancel', cancel)).toBe('INVALID_STATE_TRANSITION')
  })

  it('leaves the rest of the Mission as it is', () => {
    const group = at('active')
    reach(group, 'b', 'active', { worker: wanda, contract: workContract({ goal: 'Other' }) })
    group.accept(cora, 'work.cancel', cancel)
    expect(recordOf(group, 'b').item.state).toBe('active')
    expect(group.state.executing).toEqual(new Set([workId('b')]))
  })
})
