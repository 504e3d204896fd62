// Charging what work consumes to its account and every account above.
import type { Budget, ResourceUsageRecordedPayload, ResourceUsageRecordPayload, Usage, WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { RESOURCE_USAGE_RECORD } from '../../protocol/kinds.ts'
import { RESOURCE_USAGE_RECORDED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { amountsOf, differenceOf, DIMENSIONS, isExactMoney, isNothing, LIMIT_OF, NOTHING, sumOf } from './amounts.ts'
import { charge, chargeRefused, remainingFor } from './budget.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { leasesOver, notInState, notOwner, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { Amounts } from './types.ts'
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
    wrongDelta(payload, delta) ??
    wrongCurrency(payload, record.item.contract.budget) ??
    chargeRefused(state, workItemId, delta) ??
    leasesOver(request, record, executionLeaseId) ??
    notInState(record, 'active')
  if (refusal) return err(refusal)
  return accept(request, {
    kind: RESOURCE_USAGE_RECORDED,
    aggregateRevision: record.item.revision,
    item: record.item,
    payload: { workItemId, executionLeaseId, ownershipEpoch, usageDelta, ...totalsAfter(request, record.item, delta) },
  })
}

function wrongDelta({ usageDelta }: ResourceUsageRecordPayload, delta: Amounts): Refusal {
  if (!isExactMoney(usageDelta.financial ?? 0)) return reject('INVALID_COMMAND', 'money is charged in whole millionths')
  if (isNothing(delta)) return reject('INVALID_COMMAND', 'the usage is zero in every dimension')
  if (delta.financial > 0 && usageDelta.currency === undefined) return reject('INVALID_COMMAND', 'a charge of money names its currency')
  return undefined
}

/** Nothing is allocated in any other currency. */
function wrongCurrency({ usageDelta }: ResourceUsageRecordPayload, { currency }: Budget): Refusal {
  if (usageDelta.currency === undefined || usageDelta.currency === currency) return undefined
  return reject('BUDGET_EXCEEDED', 'the budget is in another currency', { details: { dimension: 'financial' } })
}

type Totals = Pick<ResourceUsageRecordedPayload, 'cumulativeUsage' | 'remainingBudget'>

function totalsAfter({ state }: MemberRequest, { workItemId, contract }: WorkItem, delta: Amounts): Totals {
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
