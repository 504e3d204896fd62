import { describe, expect, it } from 'vitest'
import type { Approval, ExecutionTerms } from '../../protocol/generated/types.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { ada, ben, cora, hashOf, urnOf, wanda, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import type { CommandChanges } from '../testing/group-fixture.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { advance, executionApproval, executionTerms, offerPayload, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const contract = { executionApproval: 'human_required', sideEffectRisk: 'high_risk' } as const

/** Wim has accepted dangerous work and waits in his queue. */
function waiting(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'queued', { contract })
  return group
}

const start = (group: GroupFixture) => ({ workItemId: workId('a'), ownershipEpoch: recordOf(group, 'a').ownershipEpoch })
const approve = (group: GroupFixture, terms?: ExecutionTerms) => group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a', terms))

describe('approval.grant_execution', () => {
  it('A-152: opens the start gate and nothing else', () => {
    const group = waiting()
    const before = recordOf(group, 'a').item
    expect(group.code(wim, 'work.start', start(group))).toBe('APPROVAL_REQUIRED')
    const [event] = approve(group)
    expect(event).toMatchObject({ kind: 'approval.execution.granted', workItemId: workId('a'), payload: { terms: executionTerms(group, 'a') } })
    expect(recordOf(group, 'a').item).toEqual(before)
    group.accept(wim, 'work.start', start(group))
    expect(recordOf(group, 'a').item.state).toBe('active')
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-196: is for policy_required as well', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'queued', { contract: { executionApproval: 'policy_required' } })
    approve(group)
    expect(group.accept(wim, 'work.start', start(group))).toHaveLength(1)
  })

  it('A-196: lets work start whose contract names no resources, since there are none to approve', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'queued', { contract: { ...contract, allowedResources: [] } })
    approve(group)
    expect(group.accept(wim, 'work.start', start(group))).toHaveLength(1)
  })

  it.each([
    ['the Coordinator', cora],
    ['the Worker itself', wim],
    ['another person', ben],
  ])('A-196: is not for %s', (_, actor) => {
    const group = waiting()
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })
    expect(group.code(actor, 'approval.grant_execution', executionApproval(group, 'a', undefined, { approver: actor }))).toBe('AUTH_FORBIDDEN')
  })

  it('A-117: takes a key with authority', () => {
    const group = waiting()
    expect(group.code(ada, 'approval.grant_execution', executionApproval(group, 'a'), { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
  })

  it.each<readonly [string, Partial<Approval>, string]>([
    ['of another kind', { kind: 'mission_final', artifactHashes: [hashOf('result')] }, 'INVALID_COMMAND'],
    ['that denies', { decision: 'denied' }, 'INVALID_COMMAND'],
    ['for another Mission', { missionId: urnOf('other') }, 'INVALID_COMMAND'],
    ['for another Group', { groupId: urnOf('other') }, 'INVALID_COMMAND'],
    ['of somebody else', { approver: ben }, 'INVALID_COMMAND'],
    ['of a revision to come', { missionRevision: 99 }, 'INVALID_COMMAND'],
    ['for unknown work', { workItemId: workId('nothing') }, 'INVALID_COMMAND'],
    ['without its terms', { conditions: [] }, 'INVALID_COMMAND'],
    ['under another policy', { acceptancePolicyVersion: '2.0.0' }, 'REVISION_CONFLICT'],
  ])('A-196: refuses an Approval %s', (_, changes, code) => {
    const group = waiting()
    expect(group.code(ada, 'approval.grant_execution', executionApproval(group, 'a', undefined, changes))).toBe(code)
  })

  it('A-196: refuses terms that the Approval does not state', () => {
    const group = waiting()
    const { approval, terms } = executionApproval(group, 'a')
    const longer = { ...terms, expiresAt: addSeconds(terms.expiresAt, 1) }
    expect(group.code(ada, 'approval.grant_execution', { approval, terms: longer })).toBe('INVALID_COMMAND')
  })

  it.each<readonly [string, Partial<ExecutionTerms>, string]>([
    ['another owner', { ownershipEpoch: 2 }, 'WORK_STALE_OWNERSHIP'],
    ['another contract', { contractVersion: 2 }, 'REVISION_CONFLICT'],
    ['more than the contract’s budget', { budget: { modelTokenLimit: 101 } }, 'BUDGET_EXCEEDED'],
    ['a resource that the contract lacks', { resources: [{ resource: 'urn:example:bank', operations: ['read'] }] }, 'AUTH_FORBIDDEN'],
    ['an operation that the contract lacks', { resources: [{ resource: 'urn:example:repository', operations: ['read', 'destroy'] }] }, 'AUTH_FORBIDDEN'],
    ['a time that has passed', { expiresAt: '2026-11-29T12:00:00.000Z' }, 'INVALID_COMMAND'],
    ['more time than the work has', { expiresAt: '2026-12-20T18:00:01Z' }, 'INVALID_COMMAND'],
  ])('A-196: refuses %s', (_, changes, code) => {
    const group = waiting()
    expect(group.code(ada, 'approval.grant_execution', executionApproval(group, 'a', executionTerms(group, 'a', changes)))).toBe(code)
  })

  it.each<readonly [string, CommandChanges, string]>([
    ['an older Mission revision', { expectedRevision: 1 }, 'REVISION_CONFLICT'],
    ['another WorkItem on the envelope', { workItemId: workId('b') }, 'INVALID_COMMAND'],
  ])('A-223: refuses %s', (_, changes, code) => {
    const group = waiting()
    expect(group.code(ada, 'approval.grant_execution', executionApproval(group, 'a'), changes)).toBe(code)
  })

  it('A-152: only queued work waits for it, and only work whose contract asks', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'queued')
    expect(group.code(ada, 'approval.grant_execution', executionApproval(group, 'a'))).toBe('INVALID_COMMAND')
    advance(group, 'a', 'active', 'active')
    expect(group.code(ada, 'approval.grant_execution', executionApproval(group, 'a'))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-14: one Approval opens one gate once', () => {
    const group = waiting()
    const payload = executionApproval(group, 'a')
    group.accept(ada, 'approval.grant_execution', payload)
    expect(group.code(ada, 'approval.grant_execution', payload)).toBe('INVALID_COMMAND')
  })
})

describe('the start gate', () => {
  it('A-196: closes when the time of the Approval is over', () => {
    const group = waiting()
    approve(group, executionTerms(group, 'a', { expiresAt: addSeconds(group.now, 60) }))
    expect(group.judge(group.pass(59).command(wim, 'work.start', start(group))).ok).toBe(true)
    expect(group.pass(1).code(wim, 'work.start', start(group))).toBe('APPROVAL_REQUIRED')
  })

  it('A-196: closes for the next owner', () => {
    const group = waiting()
    approve(group)
    group.pass(901).accept(cora, 'work.offer', offerPayload('a', [wanda]))
    group.accept(wanda, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wanda) })
    expect(group.code(wanda, 'work.start', start(group))).toBe('APPROVAL_REQUIRED')
    approve(group)
    expect(group.accept(wanda, 'work.start', start(group))).toHaveLength(1)
  })

  it('A-141, A-196: closes with a revised contract', () => {
    const group = waiting()
    approve(group)
    const stale = recordOf(group, 'a').executionApproval
    group.pass(901).accept(cora, 'work.offer', { ...offerPayload('a'), contract: workContract({ ...contract, contractVersion: 2 }) })
    group.accept(wim, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wim) })
    expect(recordOf(group, 'a').executionApproval).toEqual(stale)
    expect(group.code(wim, 'work.start', start(group))).toBe('APPROVAL_REQUIRED')
  })

  it('A-154: stays open for the same owner after a checkpoint, while the Approval lasts', () => {
    const group = waiting()
    approve(group)
    advance(group, 'a', 'active', 'active')
    const { executionLease } = recordOf(group, 'a')
    group.pass(400).due()
    expect(executionLease).toBeDefined()
    expect(recordOf(group, 'a').item.state).toBe('queued')
    expect(group.accept(wim, 'work.start', start(group))).toHaveLength(1)
  })
})
