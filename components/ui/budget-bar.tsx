import { classNames } from './class-names.ts'

export interface BudgetBarProps {
  /** "Model tokens", "Cost". */
  readonly dimension: string
  /** "tokens", "seconds", or a currency code. */
  readonly unit: string
  readonly limit?: number
  readonly used: number
  /** Set aside for WorkItems, used part included. */
  readonly allocated: number
}

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const CURRENCY = /^[A-Z]{3}$/

/** An amount in its unit: currency codes as money, everything else as a number with the unit behind it, "1 call", "2 calls". */
export function formatAmount(amount: number, unit: string): string {
  if (!CURRENCY.test(unit)) return `${plain.format(amount)} ${amount === 1 ? unit.replace(/(?<=\w)s$/, '') : unit}`
  return new Intl.NumberFormat('en', { style: 'currency', currency: unit, currencyDisplay: 'code' }).format(amount)
}

/** One budget dimension: figures in words first, the bar repeats them. */
export function BudgetBar({ dimension, unit, limit, used, allocated }: BudgetBarProps) {
  const part = (amount: number) => (limit === undefined || limit === 0 ? 0 : Math.min(100, (amount / limit) * 100))
  const isSpent = limit !== undefined && used >= limit && limit > 0
  return (
    <div className="grid gap-1 text-13">
      <div className="flex items-baseline justify-between gap-4">
        <span className="text-muted">{dimension}</span>
        <span className={classNames(isSpent && 'font-medium text-fail')}>
          {limit === undefined || CURRENCY.test(unit) ? formatAmount(used, unit) : plain.format(used)}
          <span className="text-muted">{limit === undefined ? ' used, no limit' : ` of ${formatAmount(limit, unit)}${isSpent ? ', spent' : ''}`}</span>
        </span>
      </div>
      {limit !== undefined && (
        <svg aria-hidden viewBox="0 0 100 4" preserveAspectRatio="none" className="h-1 w-full rounded-full bg-line">
          <rect width={part(allocated)} height={4} className="fill-edge" />
          <rect width={part(used)} height={4} className={isSpent ? 'fill-fail' : 'fill-action'} />
        </svg>
      )}
    </div>
  )
}
