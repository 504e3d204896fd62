import { describe, expect, it } from 'vitest'
import type { Policy, WorkContract } from '../../protocol/generated/types.ts'
import { cora } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { workId } from '../testing/work-scenario.ts'

const pays: Partial<WorkContract> = { allowedResources: [{ resource: 'urn:example:bank', operations: ['pay.invoice'] }] }

function groupUnder(gates: Partial<Policy['executionGates']>): GroupFixture {
  const group = new GroupFixture()
  group.policy = { ...group.policy, executionGates: { ...group.policy.executionGates, ...gates } }
  return group.found()
}
const authorize = (contract: Partial<WorkContract>) => ({ workItemId: workId('a'), contract: workContract(contract) })

describe('a Work Contract under policy', () => {
  it('A-196: needs a gate for an operation that policy gates, and goes freely with any other', () => {
    const group = groupUnder({ payment: ['pay.invoice'] })
    expect(group.code(cora, 'work.authorize', authorize(pays))).toBe('INVALID_COMMAND')
    expect(groupUnder({ payment: ['pay.salary'] }).accept(cora, 'work.authorize', authorize(pays))).toHaveLength(1)
    expect(group.accept(cora, 'work.authorize', authorize({ ...pays, executionApproval: 'policy_required' }))).toHaveLength(1)
  })

  it('A-196: needs a gate for a risk class that policy gates', () => {
    const group = groupUnder({})
    group.policy = { ...group.policy, risk: { ...group.policy.risk, external: { executionApproval: true, rootHumanApproval: false } } }
    expect(group.refusal(cora, 'work.authorize', authorize({ sideEffectRisk: 'external' }))).toMatchObject({ code: 'INVALID_COMMAND', details: { policyVersion: 0 } })
    expect(group.accept(cora, 'work.authorize', authorize({ sideEffectRisk: 'reversible' }))).toHaveLength(1)
  })
})
