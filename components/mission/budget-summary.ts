import type { BudgetLine } from '../trpc.tsx'

export interface BudgetSummary {
  readonly words: string
  /** Some limit is reached: nothing more can be spent there. */
  readonly isSpent: boolean
}

/** A budget in a few words: the dimension that is nearest to its limit speaks for all. */
export function budgetSummary(lines: readonly BudgetLine[]): BudgetSummary {
  const limited = lines.flatMap(({ dimension, limit, used }) => (limit === undefined ? [] : [{ dimension, share: limit === 0 ? 0 : used / limit }]))
  const nearest = limited.reduce<(typeof limited)[number] | undefined>((most, line) => (most && most.share >= line.share ? most : line), undefined)
  if (!nearest) return { words: 'No limits', isSpent: false }
  if (nearest.share === 0) return { words: 'Nothing used yet', isSpent: false }
  if (nearest.share >= 1) return { words: `${nearest.dimension} spent`, isSpent: true }
  const percent = Math.max(1, Math.floor(nearest.share * 100))
  return { words: `${percent} % of ${nearest.dimension.toLowerCase()} used`, isSpent: false }
}
