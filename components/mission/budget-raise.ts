// What an owner types to raise a budget: its present limits, and what they become.
import type { Budget } from '../../protocol/generated/types.ts'

type Limit = Exclude<keyof Budget, 'currency'>
/** The figures as typed, for the limits that the Mission has. */
export type RaiseDraft = Partial<Record<Limit, string>>

const LIMITS = [
  { member: 'financialLimit', label: 'Cost' },
  { member: 'modelTokenLimit', label: 'Model tokens' },
  { member: 'toolCallLimit', label: 'Tool calls' },
  { member: 'computeSecondsLimit', label: 'Compute time, seconds' },
  { member: 'wallClockSecondsLimit', label: 'Wall-clock time, seconds' },
  { member: 'externalSideEffectLimit', label: 'External side effects' },
] as const satisfies readonly { readonly member: Limit; readonly label: string }[]

/** The limits that a Mission has, with their words. */
export function limitsIn(budget: Budget): readonly { readonly member: Limit; readonly label: string }[] {
  return LIMITS.filter(({ member }) => budget[member] !== undefined).map(({ member, label }) => ({ member, label: member === 'financialLimit' ? `${label}, ${budget.currency ?? ''}` : label }))
}

export const draftOf = (budget: Budget): RaiseDraft => Object.fromEntries(limitsIn(budget).map(({ member }) => [member, String(budget[member])]))

/** Why this figure cannot stand, in words; undefined when it can. */
export function raiseFault(budget: Budget, member: Limit, typed: string): string | undefined {
  const isMoney = member === 'financialLimit'
  const figure = Number(typed.trim())
  if (!(isMoney ? /^\d+(?:\.\d{1,6})?$/ : /^\d+$/).test(typed.trim()) || figure > Number.MAX_SAFE_INTEGER) return isMoney ? 'Give an amount such as 50 or 49.90.' : 'Give a whole number.'
  return figure < (budget[member] ?? 0) ? `Not below the present ${String(budget[member])}.` : undefined
}

/** The raised budget; undefined while a figure is at fault or nothing is raised. */
export function raisedBudget(budget: Budget, draft: RaiseDraft): Budget | undefined {
  const limits = limitsIn(budget).map(({ member }) => ({ member, typed: draft[member] ?? '' }))
  if (limits.some(({ member, typed }) => raiseFault(budget, member, typed) !== undefined)) return undefined
  const raised = Object.fromEntries(limits.map(({ member, typed }) => [member, Number(typed.trim())]))
  return limits.some(({ member }) => raised[member] !== budget[member]) ? { ...budget, ...raised } : undefined
}
