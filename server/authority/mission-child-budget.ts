// The Parent Coordinator gives a child Mission more: in the accounts above it first, in its own Group by a reaction.
import { reject } from '../../protocol/error-codes.ts'
import type { WorkContract } from '../../protocol/generated/types.ts'
import { type MISSION_CHILD_BUDGET_RAISE, MISSION_CHILD_BUDGET_RAISED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { budgetAround, childRaiseRefused, limitOf, raiseChildAccount, reopenAccount } from './budget.ts'
import { accept } from './draft.ts'
import { coordinatorLeaseOver, missionNotActive, notCoordinator, revisionConflict } from './fences.ts'
import { notRaised } from './mission-budget.ts'
import type { Decider, Evolver } from './request.ts'
import { findWork, isUnfinished, noteStep, putWork, revised, workOf } from './work-record.ts'

/**
 * `ext.countersign.mission.child_budget_raise`, in the Group of the parent; `expectedRevision` is the WorkItem's. Where the contract of the
 * WorkItem is too small to hold the child Mission, it grows by what is missing.
 */
export const decideRaiseChildBudget: Decider<typeof MISSION_CHILD_BUDGET_RAISE> = (request) => {
  const { state, command, payload: { workItemId, budget, reason } } = request
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const { item, child } = found.value
  const refusal = revisionConflict(command, item.revision) ?? notCoordinator(request)
  if (refusal) return err(refusal)
  // Work that was ended above has its child running until that hears of it.
  if (child?.state !== 'running' || !isUnfinished(found.value)) return err(reject('INVALID_STATE_TRANSITION', 'no child Mission works on this WorkItem'))
  const previousBudget = limitOf(state, child.missionId)
  const around = budgetAround(state, workItemId, child.missionId, budget)
  const misfit = notRaised(previousBudget, budget) ?? childRaiseRefused(state, workItemId, child.missionId, { budget, around }) ?? coordinatorLeaseOver(request) ?? missionNotActive(request)
  if (misfit) return err(misfit)
  const contract = around === limitOf(state, workItemId) ? undefined : nextVersion(item.contract, around)
  const payload = { workItemId, childMissionId: child.missionId, previousBudget, budget, ...(contract && { contract }), reason }
  return accept(request, { kind: MISSION_CHILD_BUDGET_RAISED, aggregateRevision: item.revision + 1, item, payload })
}

const nextVersion = (contract: WorkContract, budget: WorkContract['budget']): WorkContract => ({ ...contract, contractVersion: contract.contractVersion + 1, budget })

export const evolveChildBudgetRaised: Evolver<typeof MISSION_CHILD_BUDGET_RAISED> = (state, event) => {
  const { workItemId, childMissionId, budget, contract } = event.payload
  const record = workOf(state, workItemId)
  if (contract) reopenAccount(state, workItemId, contract.budget)
  raiseChildAccount(state, childMissionId, budget)
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, contract ? { contract } : {}) })
  noteStep(state, workItemId, event)
}
