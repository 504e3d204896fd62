// Budgets as people read them: only dimensions of which something may be or was used.
import type { Budget } from '../../../protocol/generated/types.ts'
import type { BudgetDimension, Ledger } from '../../authority/types.ts'
import type { BudgetLine } from '../views.ts'

const dimensions: readonly { key: BudgetDimension; limit: keyof Budget; name: string; unit: string }[] = [
  { key: 'financial', limit: 'financialLimit', name: 'Money', unit: '' },
  { key: 'modelTokens', limit: 'modelTokenLimit', name: 'Model tokens', unit: 'tokens' },
  { key: 'toolCalls', limit: 'toolCallLimit', name: 'Tool calls', unit: 'calls' },
  { key: 'computeSeconds', limit: 'computeSecondsLimit', name: 'Compute', unit: 's' },
  { key: 'wallClockSeconds', limit: 'wallClockSecondsLimit', name: 'Wall clock', unit: 's' },
  { key: 'externalSideEffects', limit: 'externalSideEffectLimit', name: 'External effects', unit: 'effects' },
]

export const dimensionName = (dimension: BudgetDimension): string | undefined => dimensions.find(({ key }) => key === dimension)?.name

export function budgetLines(ledger: Ledger | undefined): readonly BudgetLine[] {
  if (!ledger) return []
  return dimensions.flatMap(({ key, limit, name, unit }) => {
    const bound = ledger.limit[limit]
    if (!bound && ledger.used[key] === 0) return []
    const line = { dimension: name, unit: key === 'financial' ? (ledger.limit.currency ?? '') : unit, used: ledger.used[key], allocated: ledger.allocated[key] }
    return [typeof bound === 'number' ? { ...line, limit: bound } : line]
  })
}
