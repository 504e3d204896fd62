import { describe, expect, it } from 'vitest'
import type { WorkAuthorizePayload, WorkContract } from '../../protocol/generated/types.ts'
import { ada, cora, urnOf, wim } from '../testing/cast.ts'
import { CRITERION, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, fail, reach, recordOf, workId } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()

function authorize(name: string, contract: Partial<WorkContract> = {}, more: Partial<WorkAuthorizePayload> = {}): WorkAuthorizePayload {
  return { workItemId: workId(name), contract: workContract(contract), ...more }
}

describe('work.authorize', () => {
  it('creates an open WorkItem with its own Conversation (A-134, A-148)', () => {
    const group = founded()
    const [event] = group.accept(cora, 'work.authorize', authorize('a'))
    const conversationId = `${group.state.groupId}:work:${workId('a')}`
    expect(event).toMatchObject({ kind: 'work.authorized', aggregateRevision: 1, workItemId: workId('a'), conversationId })
    expect(event?.payload).toMatchObject({
      workItem: { state: 'open', revision: 1, exclusive: true, createdBy: cora, authorizedBy: cora, createdAt: group.now },
      conversation: { conversationId, type: 'work_item', primaryWorkItemId: workId('a'), title: 'List every dependency' },
    })
    expect(group.state.conversations.has(conversationId)).toBe(true)
    expect(recordOf(group, 'a')).toMatchObject({ ownershipEpoch: 0, attempts: 0, evidence: [] })
  })

  it('moves the Mission’s revision and allocates from its budget (A-197)', () => {
    const group = founded()
    group.accept(cora, 'work.authorize', authorize('a'))
    expect(group.state.mission.revision).toBe(2)
    expect(group.state.ledgers.get(group.state.mission.missionId)?.allocated).toMatchObject({ financial: 10, modelTokens: 100, toolCalls: 0 })
    expect(group.state.ledgers.get(workId('a'))).toMatchObject({ limit: workContract().budget, parentId: group.state.mission.missionId })
  })

  it('cuts a long goal between characters for the Conversation’s title', () => {
    const group = founded()
    const [event] = group.accept(cora, 'work.authorize', authorize('a', { goal: '\u{1F4E6}'.repeat(600) }))
    expect(event?.payload).toMatchObject({ conversation: { title: '\u{1F4E6}'.repeat(500) } })
  })

  it('turns a proposal into work and names its author', () => {
    const group = founded()
    group.accept(wim, 'work.propose', { proposalId: urnOf('p'), contract: workContract() })
    const [event] = group.accept(cora, 'work.authorize', authorize('a', {}, { proposalId: urnOf('p') }))
    expect(event?.payload).toMatchObject({ proposalId: urnOf('p'), workItem: { createdBy: wim, authorizedBy: cora } })
    expect(group.state.proposals.get(urnOf('p'))?.status).toBe('authorized')
    expect(group.code(cora, 'work.authorize', authorize('b', {}, { proposalId: urnOf('p') }))).toBe('INVALID_STATE_TRANSITION')
  })

  it('authorizes exactly what was proposed', () => {
    const group = founded()
    group.accept(wim, 'work.propose', { proposalId: urnOf('p'), contract: workContract() })
    expect(group.code(cora, 'work.authorize', authorize('a', { goal: 'Something else' }, { proposalId: urnOf('p') }))).toBe('REVISION_CONFLICT')
    expect(group.code(cora, 'work.authorize', authorize('a', {}, { proposalId: urnOf('unknown') }))).toBe('INVALID_COMMAND')
  })

  it.each([
    ['one criterion named twice', { acceptanceCriteria: [...workContract().acceptanceCriteria, ...workContract().acceptanceCriteria] }],
    ['one deliverable named twice', { requiredDeliverables: [...workContract().requiredDeliverables, ...workContract().requiredDeliverables] }],
    ['one capability required twice', { requiredCapabilities: [...workContract().requiredCapabilities, ...workContract().requiredCapabilities] }],
    ['a dependency on nothing (A-171)', { dependencyWorkItemIds: [urnOf('x')] }],
    ['a dependency on itself (A-171)', { dependencyWorkItemIds: [workId('a')] }],
    ['a deadline after the Mission’s (A-25)', { deadline: '2027-01-01T00:00:00Z' }],
    ['dangerous work without a gate (A-196)', { sideEffectRisk: 'high_risk' as const }],
  ])('refuses %s', (_, contract) => {
    expect(founded().code(cora, 'work.authorize', authorize('a', contract))).toBe('INVALID_COMMAND')
  })

  it('looks at every dependency once, however many paths lead to it (A-171)', () => {
    const group = founded()
    const budget = { toolCallLimit: 0 }
    let layer: string[] = []
    for (let depth = 0; depth < 30; depth += 1) {
      const names = [`left ${depth}`, `right ${depth}`]
      for (const name of names) group.accept(cora, 'work.authorize', authorize(name, { budget, dependencyWorkItemIds: layer }))
      layer = names.map(workId)
    }
    expect(group.state.workItems.size).toBe(60)
  })

  it('lets dangerous work pass with a gate, or where neither the Mission nor the Organization asks for one', () => {
    const gated = authorize('a', { sideEffectRisk: 'high_risk', executionApproval: 'human_required' })
    expect(founded().accept(cora, 'work.authorize', gated)).toHaveLength(1)
    const lenient = new GroupFixture().found({ approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false } })
    expect(lenient.code(cora, 'work.authorize', authorize('a', { sideEffectRisk: 'high_risk' }))).toBe('INVALID_COMMAND')
    lenient.policy = { ...lenient.policy, risk: { ...lenient.policy.risk, high_risk: lenient.policy.risk.none } }
    expect(lenient.accept(cora, 'work.authorize', authorize('a', { sideEffectRisk: 'high_risk' }))).toHaveLength(1)
  })

  it.each(['acceptanceCriteria', 'budget', 'retryPolicy', 'executionApproval', 'requiredCapabilities'] as const)('calls a contract without %s incomplete (A-139)', (member) => {
    const contract = { ...workContract() } as Partial<WorkContract>
    delete contract[member]
    expect(founded().code(cora, 'work.authorize', { workItemId: workId('a'), contract: contract as WorkContract })).toBe('WORK_CONTRACT_INCOMPLETE')
  })

  it('refuses ids in use and ids that no Conversation id can be made from', () => {
    const group = founded()
    reach(group, 'a', 'open')
    expect(group.code(cora, 'work.authorize', authorize('a'))).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'work.authorize', { ...authorize('b'), workItemId: `urn:x:${'a'.repeat(500)}` })).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'work.authorize', { ...authorize('b'), workItemId: group.state.mission.missionId })).toBe('INVALID_COMMAND')
  })

  it('is the Coordinator’s, in an active Mission, on a WorkItem that does not exist yet (O-7)', () => {
    const group = founded()
    expect(group.code(wim, 'work.authorize', authorize('a'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.authorize', authorize('a'), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.accept(cora, 'work.authorize', authorize('a'), { expectedRevision: 0 })).toHaveLength(1)
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(cora, 'work.authorize', authorize('b'))).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('work below other work', () => {
  const below = (contract: Partial<WorkContract> = {}) => authorize('b', { budget: { modelTokenLimit: 60 }, ...contract }, { parentWorkItemId: workId('a') })

  it('draws on the budget of the work above it (A-25)', () => {
    const group = founded()
    reach(group, 'a', 'open')
    group.accept(cora, 'work.authorize', below())
    expect(group.state.ledgers.get(workId('a'))?.allocated.modelTokens).toBe(60)
    expect(group.state.ledgers.get(group.state.mission.missionId)?.allocated.modelTokens).toBe(100)
    const more = { ...below({ budget: { modelTokenLimit: 41 } }), workItemId: workId('c') }
    expect(group.refusal(cora, 'work.authorize', more)).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'modelTokens' } })
  })

  it('gets no resource that the work above it lacks (A-25)', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const grants = (operations: string[], resource = 'urn:example:repository') => below({ allowedResources: [{ resource, operations }] })
    expect(group.code(cora, 'work.authorize', grants(['read', 'write']))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.authorize', grants(['read'], 'urn:example:vault'))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(cora, 'work.authorize', grants(['read']))).toHaveLength(1)
  })

  it('needs a parent that exists and is unfinished', () => {
    const group = founded()
    expect(group.code(cora, 'work.authorize', below())).toBe('INVALID_COMMAND')
    reach(group, 'a', 'open')
    fail(group, 'a')
    expect(group.code(cora, 'work.authorize', below())).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('the Mission’s budget', () => {
  const tokens = (name: string, modelTokenLimit: number) => authorize(name, { budget: { modelTokenLimit } })

  it('is allocated once (A-198)', () => {
    const group = founded()
    group.accept(cora, 'work.authorize', tokens('a', 600))
    expect(group.code(cora, 'work.authorize', tokens('b', 401))).toBe('BUDGET_EXCEEDED')
    expect(group.accept(cora, 'work.authorize', tokens('b', 400))).toHaveLength(1)
  })

  it.each(['cancelled', 'failed', 'verified'] as const)('gets back what %s work did not use', (end) => {
    const group = founded()
    reach(group, 'a', 'active', { contract: { budget: { modelTokenLimit: 1000 } } })
    spend(group, 300)
    if (end === 'cancelled') group.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })
    if (end === 'failed') fail(group, 'a')
    if (end === 'verified') verify(group)
    expect(group.state.ledgers.get(group.state.mission.missionId)).toMatchObject({ allocated: { modelTokens: 300 }, used: { modelTokens: 300 } })
    expect(group.code(cora, 'work.authorize', tokens('b', 701))).toBe('BUDGET_EXCEEDED')
    expect(group.accept(cora, 'work.authorize', tokens('b', 700))).toHaveLength(1)
  })
})

describe('work that replaces other work', () => {
  const replacing = (name: string, replaced: string) => authorize(name, {}, { replacesWorkItemId: workId(replaced) })

  it('takes the place of work that ended without a result (A-165)', () => {
    const group = founded()
    reach(group, 'a', 'open')
    fail(group, 'a')
    const [event] = group.accept(cora, 'work.authorize', replacing('b', 'a'))
    expect(event?.payload).toMatchObject({ replacesWorkItemId: workId('a') })
    expect(recordOf(group, 'b').replacesWorkItemId).toBe(workId('a'))
  })

  it('does not push live or finished work aside', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', 'offered')
    for (const name of ['a', 'b']) expect(group.code(cora, 'work.authorize', replacing('c', name))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(cora, 'work.authorize', replacing('c', 'unknown'))).toBe('INVALID_COMMAND')
  })
})

function spend(group: GroupFixture, modelTokens: number): void {
  const { ownershipEpoch, executionLease } = recordOf(group, 'a')
  group.accept(wim, 'ext.missionweaveprotocol.core.resource_usage_record', {
    workItemId: workId('a'),
    ownershipEpoch,
    executionLeaseId: executionLease?.leaseId ?? '',
    usageDelta: { modelTokens },
  })
}

function verify(group: GroupFixture): void {
  advance(group, 'a', 'published', 'verified')
  expect(recordOf(group, 'a').evidence[0]?.criterionIds).toEqual([CRITERION])
}
