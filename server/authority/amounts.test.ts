import { describe, expect, it } from 'vitest'
import { amountsOf, differenceOf, firstExcess, isExact, isNothing, limitsOf, NOTHING, smallerOf, sumOf } from './amounts.ts'

describe('amounts', () => {
  it('add and subtract money without binary dust', () => {
    const third = sumOf(amountsOf({ financial: 0.1 }), amountsOf({ financial: 0.2 }))
    expect(third.financial).toBe(0.3)
    expect(differenceOf(third, amountsOf({ financial: 0.3 })).financial).toBe(0)
    const most = amountsOf({ financial: 2_000_000_000 })
    expect(differenceOf(sumOf(most, amountsOf({ financial: 1_999_999_999.999999 })), most).financial).toBe(1_999_999_999.999999)
  })

  it('have six dimensions, zero where nothing is said (A-193)', () => {
    expect(limitsOf({ toolCallLimit: 3 })).toEqual({ ...NOTHING, toolCalls: 3 })
    expect(Object.keys(NOTHING)).toHaveLength(6)
    expect(isNothing(amountsOf({}))).toBe(true)
    expect(isNothing(amountsOf({ wallClockSeconds: 1 }))).toBe(false)
  })

  it('compare dimension by dimension', () => {
    const limits = limitsOf({ currency: 'EUR', financialLimit: 1, modelTokenLimit: 5 })
    expect(firstExcess(amountsOf({ modelTokens: 5, financial: 1 }), limits)).toBeUndefined()
    expect(firstExcess(amountsOf({ modelTokens: 6 }), limits)).toBe('modelTokens')
    expect(smallerOf(limits, amountsOf({ modelTokens: 2, toolCalls: 9 }))).toEqual({ ...NOTHING, modelTokens: 2 })
  })

  it.each([
    [0.07, true],
    [19.99, true],
    [0.000001, true],
    [0.0000001, false],
    [100 / 3, false],
    [1_999_999_999.999999, true],
    [2_000_000_000.000001, false],
    [1e16, false],
    [1e303, false],
  ])('A-198: tell whether %d is a number of millionths that can be counted', (figure, isCountable) => {
    expect(isExact({ currency: 'EUR', financialLimit: figure })).toBe(isCountable)
    expect(isExact(undefined, {}, { currency: 'EUR', financial: figure })).toBe(isCountable)
  })
})
