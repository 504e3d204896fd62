import { describe, expect, it } from 'vitest'
import { ada, agentCard, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { evidenceOf, progress } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, citing, offerPayload, offerTo, place, publishedBy, reach, recordOf, workId } from '../testing/work-scenario.ts'
import type { Setting, Stage } from '../testing/work-scenario.ts'

const RENEW = 'ext.missionweaveprotocol.core.work_execution_lease_renew'

function at(stage: Stage, setting: Setting = {}): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', stage, setting)
  return group
}

const start = (more: object = {}) => ({ workItemId: workId('a'), ownershipEpoch: 1, ...more })
const checkpoint = (group: GroupFixture, more: object = {}) => ({ ...citing(group, 'a'), progress: progress(), ...more })

describe('work.start', () => {
  it('begins execution under a lease bound to Agent, Session and Ownership Epoch (A-153, A-179)', () => {
    const group = at('queued')
    const [event] = group.accept(wim, 'work.start', start({ executionLeaseSeconds: 60 }), { expectedRevision: 3 })
    expect(event).toMatchObject({ kind: 'work.started', aggregateRevision: 4, payload: { ownershipEpoch: 1, executionLeaseExpiresAt: '2026-11-29T12:01:00.000Z' } })
    const { item, executionLease } = recordOf(group, 'a')
    expect(item).toMatchObject({ state: 'active', revision: 4 })
    expect(executionLease).toMatchObject({ leaseType: 'execution', holderAgentId: wim.id, sessionEpoch: 1, ownershipEpoch: 1, startsAt: group.now, state: 'active', renewalCount: 0 })
    expect(group.state.executing).toEqual(new Set([workId('a')]))
  })

  it('lets ownership last at least as long as execution, and never less than before', () => {
    const short = at('queued')
    short.accept(wim, 'work.start', start())
    expect(recordOf(short, 'a').ownershipLease).toMatchObject({ expiresAt: '2026-11-29T12:15:00.000Z', renewalCount: 0 })
    const long = at('queued')
    long.accept(wim, 'work.start', start({ executionLeaseSeconds: 3600 }))
    expect(recordOf(long, 'a').ownershipLease).toMatchObject({ expiresAt: '2026-11-29T13:00:00.000Z', startBy: '2026-11-29T13:00:00.000Z', renewalCount: 1 })
  })

  it('waits for every dependency, and says for which (A-171)', () => {
    const group = new GroupFixture().found()
    reach(group, 'first', 'open')
    reach(group, 'a', 'queued', { contract: { dependencyWorkItemIds: [workId('first')] } })
    expect(group.refusal(wim, 'work.start', start())).toMatchObject({ code: 'INVALID_STATE_TRANSITION', message: 'waits for: Do first', details: { waitsFor: [workId('first')] } })
    advance(group, 'first', 'offered', 'verified', { worker: wanda })
    expect(group.accept(wim, 'work.start', start())).toHaveLength(1)
  })

  it.each(['policy_required', 'human_required'] as const)('waits for an execution Approval when the contract says %s (A-152, A-196)', (executionApproval) => {
    const group = at('queued', { contract: { executionApproval } })
    expect(group.code(wim, 'work.start', start())).toBe('APPROVAL_REQUIRED')
  })

  it.each([
    ['a compatible upgrade', ['release.inventory@1.3.0'], 'active', true],
    ['another major version', ['release.inventory@2.0.0'], 'active', false],
    ['an older version than was pinned', ['release.inventory@1.1.0'], 'active', false],
    ['a revoked card', ['release.inventory@1.2.0'], 'revoked', false],
  ] as const)('goes by the card of the moment: %s (A-30)', (_, capabilities, status, isAllowed) => {
    const group = at('queued')
    group.cards.set(wim.id, agentCard(wim, { cardVersion: 2, status }, [...capabilities]))
    const decision = group.judge(group.command(wim, 'work.start', start()))
    expect(decision.ok || decision.error.code).toBe(isAllowed || 'AUTH_FORBIDDEN')
  })

  it('lets a Worker whose card has become incompatible only pause or give up (A-30, row 51)', () => {
    const group = at('published')
    group.cards.set(wim.id, agentCard(wim, { cardVersion: 2 }, ['release.inventory@2.0.0']))
    const submission = { ...citing(group, 'a'), artifactHashes: publishedBy(group, 'a'), evidence: [evidenceOf(place(group, 'a'), wim)] }
    expect(group.code(wim, 'work.submit', submission)).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', citing(group, 'a'))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(wim, 'work.checkpoint', checkpoint(group))).toHaveLength(1)
    expect(group.code(wim, 'work.start', start())).toBe('AUTH_FORBIDDEN')
  })

  it('names only the beginning of long goals', () => {
    const group = new GroupFixture().found()
    reach(group, 'first', 'open', { contract: { goal: 'x'.repeat(10_000) } })
    reach(group, 'a', 'queued', { contract: { dependencyWorkItemIds: [workId('first')] } })
    expect(group.refusal(wim, 'work.start', start()).message).toBe(`waits for: ${'x'.repeat(80)}`)
  })

  it('is the current owner’s, at its epoch (A-41)', () => {
    const group = at('queued')
    expect(group.code(wim, 'work.start', start({ ownershipEpoch: 2 }))).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wanda, 'work.start', start())).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'work.start', start())).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'work.start', start(), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'work.start', start({ workItemId: workId('unknown') }))).toBe('INVALID_COMMAND')
  })

  it('has to happen before the start-by deadline (A-188)', () => {
    const group = at('queued')
    expect(group.pass(899).judge(group.command(wim, 'work.start', start())).ok).toBe(true)
    expect(group.pass(1).code(wim, 'work.start', start())).toBe('WORK_LEASE_EXPIRED')
  })

  it('happens once, and not before ownership', () => {
    const group = at('active')
    expect(group.code(wim, 'work.start', start())).toBe('INVALID_STATE_TRANSITION')
    expect(at('offered').code(wim, 'work.start', start())).toBe('WORK_STALE_OWNERSHIP')
  })

  it('is over with the Mission', () => {
    const group = at('queued')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(wim, 'work.start', start())).toBe('WORK_STALE_OWNERSHIP')
  })
})

describe('work.checkpoint', () => {
  it('records progress, releases the lease and keeps ownership (A-154, A-182)', () => {
    const group = at('active')
    const payload = checkpoint(group)
    const [event] = group.pass(60).accept(wim, 'work.checkpoint', payload, { expectedRevision: 4 })
    expect(event).toMatchObject({ kind: 'work.checkpointed', aggregateRevision: 5, payload: { releasedLeaseId: payload.executionLeaseId, ownershipLeaseExpiresAt: '2026-11-29T12:16:00.000Z' } })
    const record = recordOf(group, 'a')
    expect(record.item).toMatchObject({ state: 'queued', progress: progress(), owner: { ownershipEpoch: 1 } })
    expect(record.ownershipLease?.expiresAt).toBe('2026-11-29T12:16:00.000Z')
    expect(record).not.toHaveProperty('executionLease')
    expect(group.state.executing.size).toBe(0)
  })

  it('never shortens ownership', () => {
    const group = at('active')
    group.accept(wim, 'work.checkpoint', checkpoint(group, { resumeWithinSeconds: 1 }))
    expect(recordOf(group, 'a').ownershipLease?.expiresAt).toBe('2026-11-29T12:15:00.000Z')
  })

  it('lets the owner start again under a new lease (A-184)', () => {
    const group = at('active')
    const old = checkpoint(group)
    group.accept(wim, 'work.checkpoint', old)
    group.accept(wim, 'work.start', start())
    expect(citing(group, 'a').executionLeaseId).not.toBe(old.executionLeaseId)
    expect(group.code(wim, 'work.checkpoint', old)).toBe('WORK_LEASE_EXPIRED')
    expect(recordOf(group, 'a').attempts).toBe(1)
  })
})

describe.each([
  ['work.checkpoint', (group: GroupFixture, more: object) => checkpoint(group, more)],
  [RENEW, (group: GroupFixture, more: object) => ({ ...citing(group, 'a'), ...more })],
] as const)('%s cites the lease in force (A-42, A-180)', (kind, payloadOf) => {
  const code = (group: GroupFixture, more: object = {}, actor = wim) => group.code(actor, kind, payloadOf(group, more) as never)

  it('refuses another lease, also at the same Ownership Epoch', () => {
    expect(code(at('active'), { executionLeaseId: urnOf('old lease') })).toBe('WORK_LEASE_EXPIRED')
  })

  it('refuses the lease at the instant it ends, timer or not', () => {
    expect(code(at('active').pass(300))).toBe('WORK_LEASE_EXPIRED')
  })

  it('refuses a lease of an earlier Session even before its revocation is recorded (A-183)', () => {
    const group = at('active')
    group.sessionEpochs.set(wim.id, 2)
    expect(code(group)).toBe('WORK_LEASE_EXPIRED')
  })

  it('refuses stale ownership, others, stale revisions and work that does not execute', () => {
    const group = at('active')
    expect(code(group, { ownershipEpoch: 7 })).toBe('WORK_STALE_OWNERSHIP')
    expect(code(group, {}, wanda)).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, kind, payloadOf(group, {}) as never, { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(code(at('queued'))).toBe('WORK_LEASE_EXPIRED')
    expect(code(group, { workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
  })
})

describe('Execution Lease renewal', () => {
  it('extends the same lease and ownership with it (A-179)', () => {
    const group = at('active')
    const [event] = group.pass(200).accept(wim, RENEW, { ...citing(group, 'a'), leaseSeconds: 1200 }, { expectedRevision: 4 })
    expect(event).toMatchObject({ kind: 'work.progressed', aggregateRevision: 5, payload: { executionLeaseExpiresAt: '2026-11-29T12:23:20.000Z' } })
    const { executionLease, ownershipLease, item } = recordOf(group, 'a')
    expect(executionLease).toMatchObject({ renewalCount: 1, lastRenewedAt: group.now, startsAt: '2026-11-29T12:00:00.000Z', expiresAt: '2026-11-29T12:23:20.000Z' })
    expect(ownershipLease?.expiresAt).toBe('2026-11-29T12:23:20.000Z')
    expect(item).toMatchObject({ state: 'active', revision: 5 })
  })

  it('never shortens either lease', () => {
    const group = at('active')
    group.accept(wim, RENEW, { ...citing(group, 'a'), leaseSeconds: 1 })
    expect(recordOf(group, 'a').executionLease?.expiresAt).toBe('2026-11-29T12:05:00.000Z')
    expect(recordOf(group, 'a').ownershipLease?.expiresAt).toBe('2026-11-29T12:15:00.000Z')
  })
})

describe('takeover', () => {
  it('keeps the old owner’s late work from counting (A-188)', () => {
    const group = at('published')
    const old = citing(group, 'a')
    group.pass(900).accept(cora, 'work.offer', offerPayload('a', [wanda]))
    group.accept(wanda, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wanda) })
    group.accept(wanda, 'work.start', start({ ownershipEpoch: 3 }))
    expect(group.code(wim, 'work.checkpoint', { ...old, progress: progress() })).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wim, 'work.start', start())).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wim, RENEW, { ...citing(group, 'a') })).toBe('AUTH_FORBIDDEN')
  })
})
