'use client'

import { ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { BudgetLine } from '../trpc.tsx'
import { BudgetBar } from '../ui/budget-bar.tsx'
import { classNames } from '../ui/class-names.ts'
import { budgetSummary } from './budget-summary.ts'

/** The budget in a few words; every dimension with its figures one press away. */
export function MissionBudget({ lines }: { readonly lines: readonly BudgetLine[] }) {
  const { words, isSpent } = budgetSummary(lines)
  return (
    <Popover.Root>
      <Popover.Trigger className={classNames('inline-flex items-center gap-1 rounded-sm', isSpent && 'font-medium text-fail')}>
        {words}
        <ChevronDown aria-hidden className="size-4 text-muted" />
        <span className="sr-only">, show all</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content align="start" sideOffset={4} collisionPadding={16} className="z-40 grid w-80 max-w-[calc(100vw-2rem)] gap-3 rounded-md border bg-raised p-4 shadow-float">
          {lines.map((line) => <BudgetBar key={line.dimension} {...line} />)}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
