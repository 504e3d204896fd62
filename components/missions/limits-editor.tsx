'use client'

import { formatAmount } from '../ui/budget-bar.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { COUNTED_LIMITS, LEASES, type BudgetDraft } from './mission-draft.ts'

export interface LimitsEditorProps {
  readonly budget: BudgetDraft
  readonly leaseSeconds: number
  readonly onBudget: (budget: BudgetDraft) => void
  readonly onLease: (seconds: number) => void
  readonly fault: string | undefined
}

/** Budget and lease, behind one line that says what they are: the defaults suit most missions. */
export function LimitsEditor({ budget, leaseSeconds, onBudget, onLease, fault }: LimitsEditorProps) {
  const set = (member: keyof BudgetDraft) => (event: { target: { value: string } }) => onBudget({ ...budget, [member]: event.target.value })
  return (
    <details open={fault !== undefined || undefined} className="rounded-md border bg-raised px-4 py-3">
      <summary className="text-13">
        <span className="font-medium">Limits</span> <span className="text-muted">{limitsInWords(budget)}</span>
      </summary>
      <div className="mt-4 grid gap-4 sm:grid-cols-3">
        <Field label="Cost">
          {(control) => (
            <span className="grid grid-cols-[minmax(0,1fr)_4rem] gap-2">
              <Input {...control} inputMode="decimal" value={budget.financialLimit} onChange={set('financialLimit')} />
              <Input aria-label="Currency of the cost limit" maxLength={3} value={budget.currency} onChange={(event) => onBudget({ ...budget, currency: event.target.value.toUpperCase() })} />
            </span>
          )}
        </Field>
        {COUNTED_LIMITS.map(({ member, label, unit }) => (
          <Field key={member} label={`${label}, ${unit}`}>
            {(control) => <Input {...control} inputMode="numeric" value={budget[member]} onChange={set(member)} />}
          </Field>
        ))}
      </div>
      <p className="mt-2 text-12 text-muted">An empty field sets no limit. A mission whose limit is exhausted stops spending; it does not fail by that alone.</p>
      <Field label="Coordinator lease" hint="How long the coordinator may stay silent before the mission counts as stuck. It renews the lease itself." className="mt-4 sm:max-w-xs">
        {(control) => (
          <Select {...control} value={leaseSeconds} onChange={(event) => onLease(Number(event.target.value))}>
            {LEASES.map(({ seconds, label }) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {fault !== undefined && <p className="mt-2 text-12 text-fail">{fault}</p>}
    </details>
  )
}

function limitsInWords(budget: BudgetDraft): string {
  const words = COUNTED_LIMITS.filter(({ member }) => budget[member] !== '').map(({ member, unit }) => formatAmount(Number(budget[member]) || 0, unit))
  if (budget.financialLimit !== '') words.unshift(`${budget.financialLimit} ${budget.currency}`)
  return words.length === 0 ? 'none' : words.slice(0, 3).join(', ') + (words.length > 3 ? ' and more' : '')
}
