// The owner gives a Mission more to work with: how an exhausted budget is escalated.
import type { Budget, Mission } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { type MISSION_BUDGET_RAISE, MISSION_BUDGET_RAISED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { differenceOf, firstExcess, isNothing, limitsOf } from './amounts.ts'
import { raiseAccount } from './budget.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { missionNotActive, notMissionOwner, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'

type Request = MemberRequest<typeof MISSION_BUDGET_RAISE>

/** `ext.countersign.mission.budget_raise`; `expectedRevision` is the Mission's, which grows. */
export const decideRaiseBudget: Decider<typeof MISSION_BUDGET_RAISE> = (request) => {
  const { state, command, payload } = request
  const { missionId, revision, budget: previousBudget } = state.mission
  const refusal =
    revisionConflict(command, revision) ?? notMissionOwner(request) ?? boundByParent(request) ?? notRaised(previousBudget, payload.budget) ?? missionNotActive(request)
  if (refusal) return err(refusal)
  return accept(request, { kind: MISSION_BUDGET_RAISED, aggregateRevision: revisionAfterRaise(state.mission), payload: { missionId, previousBudget, ...payload } })
}

/** What was submitted is decided at its revision, also when the Mission above gives more in the meantime. */
export const revisionAfterRaise = ({ state, revision }: Mission): number => (state === 'active' ? revision + 1 : revision)

/** What a child Mission may use is held in the accounts above it, which its own Group cannot change. */
function boundByParent({ state }: Request): Refusal {
  return state.mission.parent && reject('AUTH_FORBIDDEN', 'the budget of a child Mission is raised in the Group of its parent')
}

/** More in one dimension at least, less in none, in the same currency. */
export function notRaised(previous: Budget, next: Budget): Refusal {
  if (previous.currency !== undefined && next.currency !== previous.currency) return reject('INVALID_COMMAND', 'the budget stays in its currency')
  const [before, after] = [limitsOf(previous), limitsOf(next)]
  const lowered = firstExcess(before, after)
  if (lowered) return reject('INVALID_COMMAND', `a budget is only raised, and the new one has less ${lowered}`, { details: { dimension: lowered } })
  return isNothing(differenceOf(after, before)) ? reject('INVALID_COMMAND', 'the new budget is no larger than the present one') : undefined
}

export const evolveBudgetRaised: Evolver<typeof MISSION_BUDGET_RAISED> = (state, { payload: { budget } }) => {
  state.mission = { ...state.mission, budget, revision: revisionAfterRaise(state.mission) }
  raiseAccount(state, state.mission.missionId, budget)
}
