// Arithmetic in the six budget dimensions. Money counts in millionths, so that sums of decimal amounts stay exact.
import type { Budget, Usage } from '../../protocol/generated/types.ts'
import type { Amounts, BudgetDimension } from './types.ts'

/** Every dimension with the Budget member that limits it. */
export const LIMIT_OF = {
  financial: 'financialLimit',
  modelTokens: 'modelTokenLimit',
  toolCalls: 'toolCallLimit',
  computeSeconds: 'computeSecondsLimit',
  wallClockSeconds: 'wallClockSecondsLimit',
  externalSideEffects: 'externalSideEffectLimit',
} as const satisfies Record<BudgetDimension, keyof Budget>

export const DIMENSIONS = Object.keys(LIMIT_OF) as readonly BudgetDimension[]

const MILLION = 1_000_000

function amountsFrom(figure: (dimension: BudgetDimension) => number): Amounts {
  const amounts = {} as Record<BudgetDimension, number>
  for (const dimension of DIMENSIONS) amounts[dimension] = exact(dimension, figure(dimension))
  return amounts
}

const exact = (dimension: BudgetDimension, figure: number): number => (dimension === 'financial' ? Math.round(figure * MILLION) / MILLION : figure)

export const NOTHING: Amounts = amountsFrom(() => 0)

export const limitsOf = (budget: Budget): Amounts => amountsFrom((dimension) => budget[LIMIT_OF[dimension]] ?? 0)
export const amountsOf = (usage: Usage): Amounts => amountsFrom((dimension) => usage[dimension] ?? 0)
export const sumOf = (a: Amounts, b: Amounts): Amounts => amountsFrom((dimension) => a[dimension] + b[dimension])
export const differenceOf = (a: Amounts, b: Amounts): Amounts => amountsFrom((dimension) => a[dimension] - b[dimension])
export const smallerOf = (a: Amounts, b: Amounts): Amounts => amountsFrom((dimension) => Math.min(a[dimension], b[dimension]))

/** The budget, with at least these amounts; money that it lacks comes in this currency. */
export function coveringBudget(budget: Budget, amounts: Amounts, currency: string | undefined): Budget {
  const lacking = DIMENSIONS.filter((dimension) => amounts[dimension] > (budget[LIMIT_OF[dimension]] ?? 0))
  const covered = Object.fromEntries(lacking.map((dimension) => [LIMIT_OF[dimension], amounts[dimension]]))
  return lacking.length === 0 ? budget : { ...budget, ...covered, ...(lacking.includes('financial') && currency !== undefined && { currency }) }
}

/** First dimension in which `wanted` is more than `available`. */
export function firstExcess(wanted: Amounts, available: Amounts): BudgetDimension | undefined {
  return DIMENSIONS.find((dimension) => wanted[dimension] > available[dimension])
}

export const isNothing = (amounts: Amounts): boolean => DIMENSIONS.every((dimension) => amounts[dimension] === 0)

/** Of money, in its currency: beyond it a double no longer tells millionths apart in a sum. */
const MOST_MONEY = 2_000_000_000

/** Whether an amount of money is a whole number of millionths, and not so many that they cannot be counted. */
const isExactMoney = (figure: number): boolean => exact('financial', figure) === figure && figure <= MOST_MONEY

/** Whether all of the money in these budgets and usages can be counted exactly. */
export const isExact = (...carriers: readonly (Budget | Usage | undefined)[]): boolean =>
  carriers.every((carrier) => isExactMoney((carrier as Budget | undefined)?.financialLimit ?? 0) && isExactMoney((carrier as Usage | undefined)?.financial ?? 0))
