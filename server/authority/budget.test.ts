import { describe, expect, it } from 'vitest'
import type { Budget } from '../../protocol/generated/types.ts'
import { cora } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { workContract } from '../testing/documents.ts'
import { fail, offerPayload, reach, workId } from '../testing/work-scenario.ts'
import { budgetNotContained } from './budget.ts'

describe('a budget within another', () => {
  it.each<[string, Budget, Budget]>([
    ['is smaller or equal in every dimension', { modelTokenLimit: 5, toolCallLimit: 0 }, { modelTokenLimit: 5 }],
    ['has the same currency', { currency: 'EUR', financialLimit: 1.5 }, { currency: 'EUR', financialLimit: 1.5 }],
    ['needs no currency without money', { modelTokenLimit: 1 }, { currency: 'EUR', financialLimit: 1, modelTokenLimit: 1 }],
  ])('%s (A-25)', (_, inner, outer) => {
    expect(budgetNotContained(inner, outer)).toBeUndefined()
  })

  it.each<[string, Budget, Budget, string]>([
    ['asks for more', { modelTokenLimit: 6 }, { modelTokenLimit: 5 }, 'modelTokens'],
    ['asks for what is not there', { externalSideEffectLimit: 1 }, { modelTokenLimit: 5 }, 'externalSideEffects'],
    ['has another currency', { currency: 'USD', financialLimit: 1 }, { currency: 'EUR', financialLimit: 9 }, 'financial'],
  ])('is refused when it %s', (_, inner, outer, dimension) => {
    expect(budgetNotContained(inner, outer)).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension } })
  })
})

describe('allocations below finished work', () => {
  /** `top` holds 100 tokens and gives 60 of them to `below`. */
  function nested(): GroupFixture {
    const group = new GroupFixture().found()
    reach(group, 'top', 'open', { contract: { budget: { modelTokenLimit: 100 } } })
    group.accept(cora, 'work.authorize', { workItemId: workId('below'), contract: workContract({ budget: { modelTokenLimit: 60 } }), parentWorkItemId: workId('top') })
    return group
  }

  const allocated = (group: GroupFixture) => group.state.ledgers.get(group.state.mission.missionId)?.allocated.modelTokens

  it('stay reserved while the work below is live', () => {
    const group = nested()
    expect(allocated(group)).toBe(100)
    fail(group, 'top')
    expect(allocated(group)).toBe(60)
  })

  it('come back through finished work when the work below ends later', () => {
    const group = nested()
    fail(group, 'top')
    fail(group, 'below')
    expect(allocated(group)).toBe(0)
  })

  it('are counted once when the work above is taken up again', () => {
    const group = nested()
    fail(group, 'top')
    group.accept(cora, 'work.offer', offerPayload('top'))
    expect(allocated(group)).toBe(100)
    expect(group.state.ledgers.get(workId('top'))).toMatchObject({ allocated: { modelTokens: 60 }, isSettled: false })
  })
})
