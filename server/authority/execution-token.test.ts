import { describe, expect, it } from 'vitest'
import type { AgentCard } from '../../protocol/generated/types.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { ada, agentCard, cora, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, block, citing, executionApproval, executionTerms, fail, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { progress } from '../testing/documents.ts'
import type { TokenRequest, TokenUse } from './execution-token.ts'
import { grantToken, tokenRefused } from './execution-token.ts'

const CHARGE = 'ext.missionweaveprotocol.core.resource_usage_record'
const read = { resource: 'urn:example:repository', operation: 'read' }
const holder = { agentId: wim.id, sessionEpoch: 1 }

function executing(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  return group
}

const momentOf = ({ now, cards, sessionEpochs }: GroupFixture) => ({ now, cardOf: (id: string) => cards.get(id), sessionEpochOf: (id: string) => sessionEpochs.get(id) ?? 0 })
const ask = (group: GroupFixture, request: Partial<TokenRequest> = {}, who = holder) => grantToken(group.state, who, { workItemId: workId('a'), ...request }, momentOf(group))

function granted(group: GroupFixture, request?: Partial<TokenRequest>) {
  const decision = ask(group, request)
  if (!decision.ok) throw new Error(decision.error.message)
  return decision.value
}

const codeOf = (group: GroupFixture, request?: Partial<TokenRequest>, who?: typeof holder) => {
  const decision = ask(group, request, who)
  return decision.ok ? 'granted' : decision.error.code
}

const useOf = (group: GroupFixture, grant: ReturnType<typeof granted>, use: Partial<TokenUse> = {}) =>
  tokenRefused(group.state, grant, { ...read, ...use }, momentOf(group))?.code ?? 'allowed'

describe('a token for executing work', () => {
  it('A-194: binds Worker, Session, work, ownership, lease, operations, limits and an end within the lease', () => {
    const group = executing()
    const { ownershipEpoch, executionLeaseId } = citing(group, 'a')
    const { missionId } = group.state.mission
    expect(granted(group)).toEqual({
      ...holder,
      missionId,
      groupId: group.state.groupId,
      workItemId: workId('a'),
      ownershipEpoch,
      executionLeaseId,
      resources: [{ resource: 'urn:example:repository', operations: ['read'] }],
      budget: { currency: 'EUR', financialLimit: 10, modelTokenLimit: 100, toolCallLimit: 0, computeSecondsLimit: 0, wallClockSecondsLimit: 0, externalSideEffectLimit: 0 },
      usedBefore: { financial: 0, modelTokens: 0, toolCalls: 0, computeSeconds: 0, wallClockSeconds: 0, externalSideEffects: 0 },
      issuedAt: group.now,
      expiresAt: addSeconds(group.now, 300),
    })
  })

  it('A-181: ends no later than its lease', () => {
    const group = executing().pass(200)
    expect(granted(group).expiresAt).toBe(recordOf(group, 'a').executionLease?.expiresAt)
    expect(granted(group, { seconds: 10 }).expiresAt).toBe(addSeconds(group.now, 10))
  })

  it.each<readonly [string, Partial<TokenRequest>, string]>([
    ['unknown work', { workItemId: workId('nothing') }, 'INVALID_COMMAND'],
    ['a resource beyond the contract', { resources: [{ resource: 'urn:example:bank', operations: ['read'] }] }, 'AUTH_FORBIDDEN'],
    ['an operation beyond the contract', { resources: [{ resource: 'urn:example:repository', operations: ['read', 'write'] }] }, 'AUTH_FORBIDDEN'],
    ['more than the contract’s budget', { budget: { modelTokenLimit: 101 } }, 'BUDGET_EXCEEDED'],
    ['another currency', { budget: { currency: 'USD', financialLimit: 1 } }, 'BUDGET_EXCEEDED'],
  ])('A-194: is not issued for %s', (_, request, code) => {
    expect(codeOf(executing(), request)).toBe(code)
  })

  it.each([
    ['another Agent', { agentId: wanda.id, sessionEpoch: 1 }, 'AUTH_FORBIDDEN'],
    ['the Coordinator (A-195)', { agentId: cora.id, sessionEpoch: 1 }, 'AUTH_FORBIDDEN'],
    ['another Session of the Worker', { agentId: wim.id, sessionEpoch: 2 }, 'WORK_LEASE_EXPIRED'],
  ])('A-194: is not issued to %s', (_, who, code) => {
    expect(codeOf(executing(), {}, who)).toBe(code)
  })

  it('A-194: is not issued before the start', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'queued')
    expect(codeOf(group)).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-198: is capped by what is left of the budget', () => {
    const group = executing()
    group.accept(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 70 } })
    expect(granted(group).budget.modelTokenLimit).toBe(30)
    expect(codeOf(group, { budget: { modelTokenLimit: 31 } })).toBe('BUDGET_EXCEEDED')
  })

  it('A-196: needs the Approval where the contract asks for one, and stays within its terms and time', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required', allowedResources: [{ resource: 'urn:example:repository', operations: ['read', 'write'] }] } })
    expect(codeOf(group)).toBe('APPROVAL_REQUIRED')
    const terms = executionTerms(group, 'a', { resources: [{ resource: 'urn:example:repository', operations: ['read'] }], budget: { modelTokenLimit: 40 }, expiresAt: addSeconds(group.now, 120) })
    group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a', terms))
    advance(group, 'a', 'active', 'active')
    expect(granted(group)).toMatchObject({ resources: terms.resources, budget: { modelTokenLimit: 40 }, expiresAt: terms.expiresAt })
    expect(codeOf(group, { resources: [{ resource: 'urn:example:repository', operations: ['write'] }] })).toBe('AUTH_FORBIDDEN')
    expect(codeOf(group, { budget: { modelTokenLimit: 41 } })).toBe('BUDGET_EXCEEDED')
    expect(codeOf(group.pass(120))).toBe('APPROVAL_REQUIRED')
  })
})

/** Work that needs an Approval, executing under one for 40 tokens of a contract of 100. */
function approved(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required' } })
  group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a', executionTerms(group, 'a', { budget: { modelTokenLimit: 40 } })))
  advance(group, 'a', 'active', 'active')
  return group
}

const spend = (group: GroupFixture, modelTokens: number) => group.accept(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens } })

describe('the budget of an execution Approval', () => {
  it('A-196: is not renewed by the next token', () => {
    const group = approved()
    spend(group, 30)
    expect(granted(group).budget.modelTokenLimit).toBe(10)
    expect(codeOf(group, { budget: { modelTokenLimit: 11 } })).toBe('BUDGET_EXCEEDED')
  })

  it('A-196: bounds all tokens together', () => {
    const group = approved()
    const [first, second] = [granted(group), granted(group)]
    spend(group, 30)
    expect([useOf(group, first, { usage: { modelTokens: 10 } }), useOf(group, second, { usage: { modelTokens: 11 } })]).toEqual(['allowed', 'BUDGET_EXCEEDED'])
  })

  it('A-196: bounds what is charged', () => {
    const group = approved()
    spend(group, 30)
    expect(group.code(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 11 } })).toBe('BUDGET_EXCEEDED')
    spend(group, 10)
  })

  it('A-196, A-197: asks for a pause when it is used up, and the person who gave it to decide; no token is good any more', () => {
    const group = approved()
    const grant = granted(group, { budget: { modelTokenLimit: 40 } })
    const [, asked] = spend(group, 40)
    expect(asked).toMatchObject({ kind: 'ext.countersign.work.preemption_requested', payload: { escalation: { dimension: 'modelTokens', to: ada } } })
    expect([useOf(group, grant), codeOf(group, { budget: { modelTokenLimit: 1 } })]).toEqual(['BUDGET_EXCEEDED', 'BUDGET_EXCEEDED'])
    expect(group.code(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', citing(group, 'a'))).toBe('BUDGET_EXCEEDED')
  })

  it('A-196, A-197: stops the next start when it is used up, until a person grants more', () => {
    const group = approved()
    spend(group, 40)
    group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
    const start = { workItemId: workId('a'), ownershipEpoch: 1 }
    expect(group.code(wim, 'work.start', start)).toBe('BUDGET_EXCEEDED')
    group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a', executionTerms(group, 'a', { budget: { modelTokenLimit: 15 } })))
    group.accept(wim, 'work.start', start)
    expect(granted(group).budget.modelTokenLimit).toBe(15)
    spend(group, 5)
    expect(granted(group).budget.modelTokenLimit).toBe(10)
  })
})

describe('an Agent Card that no longer covers the work', () => {
  it.each<readonly [string, (card: AgentCard) => AgentCard]>([
    ['was revoked', (card) => ({ ...card, status: 'revoked' })],
    ['lost a capability', (card) => ({ ...card, capabilities: [] })],
    ['has a new major version', (card) => ({ ...card, capabilities: card.capabilities.map((held) => ({ ...held, version: '2.0.0' })) })],
  ])('A-30: gives no token and stops the use of one, when it %s', (_, change) => {
    const group = executing()
    const grant = granted(group)
    group.cards.set(wim.id, { ...change(agentCard(wim)), cardVersion: 2 })
    expect([codeOf(group), useOf(group, grant)]).toEqual(['AUTH_FORBIDDEN', 'AUTH_FORBIDDEN'])
  })

  it('A-30: a compatible upgrade keeps its tokens', () => {
    const group = executing()
    const grant = granted(group)
    const card = agentCard(wim)
    group.cards.set(wim.id, { ...card, cardVersion: 2, capabilities: card.capabilities.map((held) => ({ ...held, version: '1.9.0' })) })
    expect([codeOf(group), useOf(group, grant)]).toEqual(['granted', 'allowed'])
  })
})

describe('a use of the token', () => {
  it('A-194: is allowed within its operations and budget', () => {
    const group = executing()
    expect(useOf(group, granted(group), { usage: { modelTokens: 100 } })).toBe('allowed')
  })

  it.each<readonly [string, Partial<TokenUse>, string]>([
    ['of another operation', { operation: 'write' }, 'AUTH_FORBIDDEN'],
    ['of another resource', { resource: 'urn:example:bank' }, 'AUTH_FORBIDDEN'],
    ['in another currency', { usage: { financial: 1, currency: 'USD' } }, 'BUDGET_EXCEEDED'],
    ['beyond its budget', { usage: { modelTokens: 41 } }, 'BUDGET_EXCEEDED'],
  ])('A-194: is refused %s', (_, use, code) => {
    const group = executing()
    expect(useOf(group, granted(group, { budget: { modelTokenLimit: 40 } }), use)).toBe(code)
  })

  it('A-194: counts what was charged since it was issued', () => {
    const group = executing()
    group.accept(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 30 } })
    const grant = granted(group, { budget: { modelTokenLimit: 40 } })
    group.accept(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 35 } })
    expect([useOf(group, grant, { usage: { modelTokens: 5 } }), useOf(group, grant, { usage: { modelTokens: 6 } })]).toEqual(['allowed', 'BUDGET_EXCEEDED'])
  })

  it('A-181: is refused from its last instant on, also when the lease was renewed', () => {
    const group = executing()
    const grant = granted(group, { seconds: 60 })
    group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', { ...citing(group, 'a'), leaseSeconds: 900 })
    expect(useOf(group.pass(59), grant)).toBe('allowed')
    expect(useOf(group.pass(1), grant)).toBe('WORK_LEASE_EXPIRED')
  })

  it.each<readonly [string, (group: GroupFixture) => unknown, string]>([
    ['a checkpoint', (group) => group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() }), 'WORK_LEASE_EXPIRED'],
    ['a block', (group) => block(group, 'a'), 'WORK_LEASE_EXPIRED'],
    ['a new Session', (group) => group.replaceSession(wim), 'AUTH_STALE_SESSION'],
    ['failed work', (group) => fail(group, 'a'), 'WORK_LEASE_EXPIRED'],
    ['cancelled work', (group) => group.accept(ada, 'work.cancel', { workItemId: workId('a'), reason: 'Stop.' }), 'WORK_STALE_OWNERSHIP'],
    ['a cancelled Mission', (group) => group.accept(ada, 'mission.cancel', { reason: 'Stop.' }), 'WORK_STALE_OWNERSHIP'],
    ['a terminated Mission', (group) => group.accept(cora, 'mission.terminate', { reason: 'Stop.' }), 'WORK_LEASE_EXPIRED'],
  ])('A-199: is refused at once after %s', (_, end, code) => {
    const group = executing()
    const grant = granted(group)
    expect(useOf(group, grant)).toBe('allowed')
    end(group)
    expect(useOf(group, grant)).toBe(code)
  })

  it('A-181: is refused under the next lease of the same owner', () => {
    const group = executing()
    const grant = granted(group)
    group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
    group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })
    expect(useOf(group, grant)).toBe('WORK_LEASE_EXPIRED')
  })
})

it('A-198: two uses that are asked about at once are both allowed; whoever charges first is refused before it goes over', () => {
  const group = executing()
  const token = granted(group)
  const asking = { usage: { modelTokens: 60 } }
  expect([useOf(group, token, asking), useOf(group, token, asking)]).toEqual(['allowed', 'allowed'])
  group.accept(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 60 } })
  expect(useOf(group, token)).toBe('allowed')
  expect(group.code(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 60 } })).toBe('BUDGET_EXCEEDED')
  expect(useOf(group, token, asking)).toBe('BUDGET_EXCEEDED')
})
