// The graph of dependencies grows while the Mission runs: one more for work that does not execute yet.
import { reject } from '../../protocol/error-codes.ts'
import { type WORK_DEPENDENCY_ADD } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { wrongDependency } from './contract.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, missionNotActive, notCoordinator, notInState, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { WorkRecord } from './types.ts'
import { childRunning, fenced, findWork, noteStep, putWork, revised, workOf } from './work-record.ts'

/** `core.work_dependency_add`: the next version of the contract; whoever accepted the old one has to accept anew. */
export const decideAddDependency: Decider<typeof WORK_DEPENDENCY_ADD> = (request) => {
  const { state, command, payload } = request
  const { workItemId, dependencyId } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const { item } = record
  const refusal =
    revisionConflict(command, item.revision) ??
    notCoordinator(request) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    childRunning(record) ??
    notInState(record, 'open', 'offered', 'queued', 'blocked') ??
    unusableDependency(request, record)
  if (refusal) return err(refusal)
  const contractVersion = item.contract.contractVersion + 1
  const dependencyWorkItemIds = [...item.contract.dependencyWorkItemIds, dependencyId].sort()
  return accept(request, {
    kind: 'work.contract.revised',
    aggregateRevision: item.revision + 1,
    item,
    payload: {
      workItemId,
      contract: { ...item.contract, contractVersion, dependencyWorkItemIds },
      contractVersion,
      dependencyId,
      state: item.state === 'offered' ? 'offered' : 'open',
      ...(item.owner && { fencedOwner: item.owner.agentId }),
    },
  })
}

function unusableDependency({ state, payload }: MemberRequest<typeof WORK_DEPENDENCY_ADD>, { item }: WorkRecord): Refusal {
  const { workItemId, dependencyId } = payload
  if (item.contract.dependencyWorkItemIds.includes(dependencyId)) {
    return reject('INVALID_STATE_TRANSITION', 'the WorkItem waits for this one already')
  }
  return wrongDependency({ dependencyWorkItemIds: [dependencyId] }, state, workItemId)
}

/** Pending offers stay: their candidates accept the contract as it is now. An owner is fenced and the item is open. */
export const evolveContractRevised: Evolver<'work.contract.revised'> = (state, event) => {
  const { workItemId, contract, state: next } = event.payload
  const record = fenced(workOf(state, workItemId))
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { state: next, contract }) })
  state.mission = { ...state.mission, revision: state.mission.revision + 1 }
  noteStep(state, workItemId, event)
}
