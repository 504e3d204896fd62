import { describe, expect, it } from 'vitest'
import { budgetSummary } from './budget-summary.ts'

const line = (dimension: string, used: number, limit?: number) => ({ dimension, unit: '', used, allocated: 0, ...(limit !== undefined && { limit }) })

describe('a budget in a few words', () => {
  it.each([
    [[line('Money', 0, 50), line('Tool calls', 17, 1000)], '1 % of tool calls used', false],
    [[line('Money', 49.9, 50), line('Tool calls', 17, 1000)], '99 % of money used', false],
    [[line('Tool calls', 1000, 1000)], 'Tool calls spent', true],
    [[line('Money', 0, 50)], 'Nothing used yet', false],
    [[line('External effects', 0, 0)], 'Nothing used yet', false],
    [[line('Compute', 5)], 'No limits', false],
    [[], 'No limits', false],
  ])('%j', (lines, words, isSpent) => {
    expect(budgetSummary(lines)).toEqual({ words, isSpent })
  })
})
