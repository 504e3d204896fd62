// Accounts of the Mission and its WorkItems: limits only shrink on the way down, charges reach every account above.
import type { Budget } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import { invariant } from '../../protocol/result.ts'
import { coveringBudget, differenceOf, DIMENSIONS, firstExcess, limitsOf, NOTHING, smallerOf, sumOf } from './amounts.ts'
import type { Refusal } from './fences.ts'
import type { Amounts, BudgetDimension, GroupState, Ledger } from './types.ts'

function ledgerOf(state: GroupState, id: string): Ledger {
  const ledger = state.ledgers.get(id)
  invariant(ledger, 'a WorkItem has no account')
  return ledger
}

export const exceeded = (dimension: BudgetDimension, message: string): Rejection => reject('BUDGET_EXCEEDED', message, { details: { dimension } })

/** Whether one budget lies within another, whatever else that one has to carry. */
export function budgetNotContained(inner: Budget, outer: Budget): Refusal {
  if (inner.financialLimit !== undefined && inner.currency !== outer.currency) {
    return exceeded('financial', 'the budget is in another currency')
  }
  const excess = firstExcess(limitsOf(inner), limitsOf(outer))
  return excess && exceeded(excess, `the budget for ${excess} is larger than the one it is taken from`)
}

/** A new account of this size below `parentId`. */
export function allocationRefused(state: GroupState, parentId: string, budget: Budget): Refusal {
  const parent = ledgerOf(state, parentId)
  return budgetNotContained(budget, parent.limit) ?? notEnoughLeft(parent, limitsOf(budget))
}

/** An existing account that gets this limit, or after settling its old one back. */
export function reallocationRefused(state: GroupState, id: string, budget: Budget): Refusal {
  const ledger = ledgerOf(state, id)
  invariant(ledger.parentId, 'the account of the Mission is not reallocated')
  const parent = ledgerOf(state, ledger.parentId)
  const limits = limitsOf(budget)
  const committed = firstExcess(ledger.used, limits) ?? firstExcess(ledger.allocated, limits)
  if (committed) return exceeded(committed, `more ${committed} is used or allocated than the new budget allows`)
  return budgetNotContained(budget, parent.limit) ?? notEnoughLeft(parent, differenceOf(limits, ledger.reserved))
}

function notEnoughLeft({ limit, allocated }: Pick<Ledger, 'limit' | 'allocated'>, growth: Amounts): Refusal {
  const excess = firstExcess(sumOf(allocated, growth), limitsOf(limit))
  return excess && exceeded(excess, `not enough ${excess} is left to allocate`)
}

/** A charge has to fit the account and every one above; one dimension over refuses all of it. */
export function chargeRefused(state: GroupState, id: string, delta: Amounts): Refusal {
  for (const { limit, used, held } of accountsFrom(state, id)) {
    const excess = firstExcess(sumOf(sumOf(used, held), delta), limitsOf(limit))
    if (excess) return exceeded(excess, `the budget for ${excess} does not cover this charge`)
  }
  return undefined
}

/**
 * A child Mission of this size on a WorkItem: what the item has charged and handed on leaves room for it, and so does every
 * account above, because nothing but this look can bound what is charged in another Group later.
 */
export function childBudgetRefused(state: GroupState, workItemId: string, budget: Budget): Refusal {
  const { limit, allocated, direct } = ledgerOf(state, workItemId)
  const limits = limitsOf(budget)
  return budgetNotContained(budget, limit) ?? notEnoughLeft({ limit, allocated: sumOf(allocated, direct) }, limits) ?? chargeRefused(state, workItemId, limits)
}

/** What the WorkItem may use once its child Mission gets this budget: as much as before, or what it has charged and handed on with it. */
export function budgetAround(state: GroupState, workItemId: string, childMissionId: string, budget: Budget): Budget {
  const { limit, allocated, direct } = ledgerOf(state, workItemId)
  const growth = differenceOf(limitsOf(budget), ledgerOf(state, childMissionId).reserved)
  return coveringBudget(limit, sumOf(sumOf(allocated, direct), growth), budget.currency)
}

/** A larger child Mission on a WorkItem that is to have the budget `around` it: every account above has as much left, to hand out and to use. */
export function childRaiseRefused(state: GroupState, workItemId: string, childMissionId: string, { budget, around }: { readonly budget: Budget; readonly around: Budget }): Refusal {
  const { parentId } = ledgerOf(state, workItemId)
  invariant(parentId, 'the account of a WorkItem draws on another')
  const growth = differenceOf(limitsOf(budget), ledgerOf(state, childMissionId).reserved)
  return budgetNotContained(budget, around) ?? reallocationRefused(state, workItemId, around) ?? chargeRefused(state, parentId, growth)
}

/** What the account and all above it still allow: the smallest remainder in each dimension. */
export const remainingFor = (state: GroupState, id: string): Amounts => remainingAfter(state, id, { id, delta: NOTHING })

function remainingAfter(state: GroupState, id: string, charge: Charge): Amounts {
  const charged = new Set(accountsFrom(state, charge.id))
  const left = (account: Ledger) => differenceOf(differenceOf(limitsOf(account.limit), account.used), account.held)
  return [...accountsFrom(state, id)].map((account) => (charged.has(account) ? differenceOf(left(account), charge.delta) : left(account))).reduce(smallerOf)
}

/** What this account may use. */
export const limitOf = (state: GroupState, id: string): Budget => ledgerOf(state, id).limit

/** Charged to this account itself. */
export const directUse = (state: GroupState, id: string): Amounts => ledgerOf(state, id).direct

/** What is charged to an account and every one above it. */
export interface Charge {
  readonly id: string
  readonly delta: Amounts
}

/** The first dimension that the account grants and in which nothing is left, in it or above, once this charge is made. */
export function exhaustedDimension(state: GroupState, id: string, charge: Charge = { id, delta: NOTHING }): BudgetDimension | undefined {
  const [limits, remaining] = [limitsOf(ledgerOf(state, id).limit), remainingAfter(state, id, charge)]
  return DIMENSIONS.find((dimension) => limits[dimension] > 0 && remaining[dimension] <= 0)
}

/** Whether every account above has allocated all that it may: nobody but the MissionOwner can bring more then. */
export function isAllAllocated(state: GroupState, id: string, dimension: BudgetDimension): boolean {
  return [...accountsFrom(state, id)].slice(1).every(({ limit, allocated }) => allocated[dimension] >= limitsOf(limit)[dimension])
}

export const budgetUsedUp = (dimension: BudgetDimension): string => `the budget for ${dimension} is used up`

/** work does not begin or go on on an exhausted budget. */
export function budgetExhausted(state: GroupState, id: string): Refusal {
  const dimension = exhaustedDimension(state, id)
  return dimension && exceeded(dimension, budgetUsedUp(dimension))
}

function* accountsFrom(state: GroupState, id: string): Generator<Ledger> {
  for (let at: string | undefined = id; at !== undefined; ) {
    const ledger: Ledger = ledgerOf(state, at)
    yield ledger
    at = ledger.parentId
  }
}

// What follows changes the fold; only evolvers call it.

export function openAccount(state: GroupState, id: string, limit: Budget, parentId?: string): void {
  const account = { limit, allocated: NOTHING, reserved: NOTHING, direct: NOTHING, used: NOTHING, held: NOTHING, isSettled: false }
  state.ledgers.set(id, { ...account, ...(parentId !== undefined && { parentId }) })
  if (parentId !== undefined) reserve(state, id, limitsOf(limit))
}

/** Gives the Mission's own account a higher limit. */
export function raiseAccount(state: GroupState, missionId: string, limit: Budget): void {
  state.ledgers.set(missionId, { ...ledgerOf(state, missionId), limit })
}

/** Gives the account its limit, again or anew. */
export function reopenAccount(state: GroupState, id: string, limit: Budget): void {
  state.ledgers.set(id, { ...ledgerOf(state, id), limit, isSettled: false })
  reserve(state, id, limitsOf(limit))
}

/** Gives back what finished work no longer needs; live work below it keeps its part. */
export function settleAccount(state: GroupState, id: string): void {
  const ledger = { ...ledgerOf(state, id), isSettled: true }
  state.ledgers.set(id, ledger)
  reserve(state, id, smallerOf(limitsOf(ledger.limit), sumOf(ledger.direct, ledger.allocated)))
}

function reserve(state: GroupState, id: string, amount: Amounts): void {
  const ledger = ledgerOf(state, id)
  invariant(ledger.parentId, 'the account of the Mission draws on no other')
  const parent = ledgerOf(state, ledger.parentId)
  const allocated = sumOf(parent.allocated, differenceOf(amount, ledger.reserved))
  state.ledgers.set(id, { ...ledger, reserved: amount })
  state.ledgers.set(ledger.parentId, { ...parent, allocated })
  if (parent.isSettled) settleAccount(state, ledger.parentId)
}

export function charge(state: GroupState, id: string, delta: Amounts): void {
  const ledger = ledgerOf(state, id)
  state.ledgers.set(id, { ...ledger, direct: sumOf(ledger.direct, delta) })
  changeFrom(state, id, (account) => ({ ...account, used: sumOf(account.used, delta) }))
}

/** Opens the account of a child Mission: its whole limit is held for it in every account above. */
export function openChildAccount(state: GroupState, childMissionId: string, limit: Budget, workItemId: string): void {
  openAccount(state, childMissionId, limit, workItemId)
  hold(state, childMissionId, limitsOf(limit))
}

/** Gives the account of a child Mission a higher limit, all of it held. */
export function raiseChildAccount(state: GroupState, childMissionId: string, limit: Budget): void {
  const { reserved } = ledgerOf(state, childMissionId)
  reopenAccount(state, childMissionId, limit)
  hold(state, childMissionId, differenceOf(limitsOf(limit), reserved))
}

/** Charges what the ended child Mission has used and gives the rest back. */
export function settleChildAccount(state: GroupState, childMissionId: string, used: Amounts): void {
  hold(state, childMissionId, differenceOf(NOTHING, ledgerOf(state, childMissionId).held))
  charge(state, childMissionId, used)
  settleAccount(state, childMissionId)
}

/** What the Mission's own account counts as spent, with all that child Missions may still charge. */
export function spentBy(state: GroupState, missionId: string): Amounts {
  const { used, held } = ledgerOf(state, missionId)
  return sumOf(used, held)
}

function hold(state: GroupState, id: string, delta: Amounts): void {
  changeFrom(state, id, (account) => ({ ...account, held: sumOf(account.held, delta) }))
}

function changeFrom(state: GroupState, id: string, change: (account: Ledger) => Ledger): void {
  for (let at: string | undefined = id; at !== undefined; ) {
    const account: Ledger = change(ledgerOf(state, at))
    state.ledgers.set(at, account)
    at = account.parentId
  }
}
