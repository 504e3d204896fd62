import { describe, expect, it } from 'vitest'
import { draftOf, limitsIn, raisedBudget, raiseFault } from './budget-raise.ts'

const budget = { currency: 'EUR', financialLimit: 50, toolCallLimit: 100 }

describe('raising a budget', () => {
  it('asks for the limits that the Mission has, starting from what they are', () => {
    expect(limitsIn(budget).map(({ label }) => label)).toEqual(['Cost, EUR', 'Tool calls'])
    expect(draftOf(budget)).toEqual({ financialLimit: '50', toolCallLimit: '100' })
  })

  it('becomes the whole budget with the figures that were raised', () => {
    expect(raisedBudget(budget, { financialLimit: '50', toolCallLimit: ' 150 ' })).toEqual({ currency: 'EUR', financialLimit: 50, toolCallLimit: 150 })
    expect(raisedBudget(budget, { financialLimit: '60.50', toolCallLimit: '100' })).toEqual({ currency: 'EUR', financialLimit: 60.5, toolCallLimit: 100 })
  })

  it.each([
    ['nothing is raised', { financialLimit: '50', toolCallLimit: '100' }],
    ['something is lowered', { financialLimit: '60', toolCallLimit: '99' }],
    ['a figure is no number', { financialLimit: '60', toolCallLimit: 'many' }],
    ['a figure is missing', { financialLimit: '60' }],
  ])('cannot be signed while %s', (_, draft) => {
    expect(raisedBudget(budget, draft)).toBeUndefined()
  })

  it('says what is wrong with a figure', () => {
    expect(raiseFault(budget, 'toolCallLimit', '1.5')).toBe('Give a whole number.')
    expect(raiseFault(budget, 'financialLimit', 'ten')).toBe('Give an amount such as 50 or 49.90.')
    expect(raiseFault(budget, 'toolCallLimit', '99')).toBe('Not below the present 100.')
    expect(raiseFault(budget, 'toolCallLimit', '100')).toBeUndefined()
  })
})
