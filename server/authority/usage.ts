// Charging what work consumes to its account and every account above.
import type { Budget, ResourceUsageRecordedPayload, Usage, WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { RESOURCE_USAGE_RECORD } from '../../protocol/kinds.ts'
import { RESOURCE_USAGE_RECORDED } from '../../protocol/kinds.ts'
import { err, ok } from '../../protocol/result.ts'
import { amountsOf, differenceOf, DIMENSIONS, isNothing, LIMIT_OF, NOTHING, sumOf } from './amounts.ts'
import { charge, chargeRefused, remainingFor } from './budget.ts'
import { budgetPauses } from './budget-pause.ts'
import { primaryDraft } from './draft.ts'
import { beyondApproval } from './execution-approval.ts'
import type { Refusal } from './fences.ts'
import { leasesOver, notInState, notOwner, revisionConflict } from './fences.ts'
import type { Decider, Evolver } from './request.ts'
import type { Amounts, GroupState } from './types.ts'
import { findWork } from './work-record.ts'

/** `ext.missionweaveprotocol.core.resource_usage_record`, by the owner that executes; the WorkItem's revision stays. */
export const decideRecordUsage: Decider<typeof RESOURCE_USAGE_RECORD> = (request) => {
  const { state, command, payload } = request
  const { workItemId, ownershipEpoch, executionLeaseId, usageDelta } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const delta = amountsOf(usageDelta)
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notOwner(request, record, ownershipEpoch) ??
    wrongMoney(usageDelta) ??
    nothingUsed(delta) ??
    wrongCurrency(usageDelta, record.item.contract.budget) ??
    chargeRefused(state, workItemId, delta) ??
    beyondApproval(state, record, delta) ??
    leasesOver(request, record, executionLeaseId) ??
    notInState(record, 'active')
  if (refusal) return err(refusal)
  const recorded = primaryDraft(request, {
    kind: RESOURCE_USAGE_RECORDED,
    aggregateRevision: record.item.revision,
    item: record.item,
    payload: { workItemId, executionLeaseId, ownershipEpoch, usageDelta, ...totalsAfter(state, record.item, delta) },
  })
  return ok([recorded, ...budgetPauses(request, { id: workItemId, delta }, { first: 1 })])
}

/** Money is never counted without its currency. */
export function wrongMoney({ financial = 0, currency }: Usage): Refusal {
  return financial > 0 && currency === undefined ? reject('INVALID_COMMAND', 'a charge of money names its currency') : undefined
}

function nothingUsed(delta: Amounts): Refusal {
  return isNothing(delta) ? reject('INVALID_COMMAND', 'the usage is zero in every dimension') : undefined
}

/** Nothing is allocated in any other currency. */
export function wrongCurrency(usage: Usage, { currency }: Budget): Refusal {
  if (usage.currency === undefined || usage.currency === currency) return undefined
  return reject('BUDGET_EXCEEDED', 'the budget is in another currency', { details: { dimension: 'financial' } })
}

type Totals = Pick<ResourceUsageRecordedPayload, 'cumulativeUsage' | 'remainingBudget'>

/** What the account comes to with this charge, and what it still allows. */
export function totalsAfter(state: GroupState, { workItemId, contract }: WorkItem, delta: Amounts): Totals {
  const used = state.ledgers.get(workItemId)?.used ?? NOTHING
  return {
    cumulativeUsage: usageWithin(contract.budget, sumOf(used, delta)),
    remainingBudget: usageWithin(contract.budget, differenceOf(remainingFor(state, workItemId), delta)),
  }
}

/** The dimensions that the budget limits; in any other nothing can be used. */
function usageWithin(budget: Budget, amounts: Amounts): Usage {
  const limited = DIMENSIONS.filter((dimension) => budget[LIMIT_OF[dimension]] !== undefined)
  const figures = Object.fromEntries(limited.map((dimension) => [dimension, amounts[dimension]]))
  return { ...figures, ...(budget.currency !== undefined && { currency: budget.currency }) }
}

export const evolveUsageRecorded: Evolver<typeof RESOURCE_USAGE_RECORDED> = (state, { payload }) => {
  charge(state, payload.workItemId, amountsOf(payload.usageDelta))
}
