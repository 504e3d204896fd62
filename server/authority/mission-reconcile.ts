// A successor takes stock before it assigns anything anew: what the log comes to, and where every unfinished WorkItem stands.
import { reject } from '../../protocol/error-codes.ts'
import { MISSION_RECONCILE, MISSION_RECONCILED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { notePackage, packageRefused } from './context-package.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, isCoordinator, missionOver, notCoordinator, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import { isUnfinished } from './work-record.ts'

type Request = MemberRequest<typeof MISSION_RECONCILE>

/** `ext.countersign.mission.reconcile`, once for each Coordinator Epoch after the first; `expectedRevision` is the Mission's. */
export const decideReconcile: Decider<typeof MISSION_RECONCILE> = (request) => {
  const { state, command, payload } = request
  const { coordinator, revision } = state.mission
  const refusal =
    revisionConflict(command, revision) ??
    notCoordinator(request) ??
    coordinatorLeaseOver(request) ??
    missionOver(request) ??
    notDue(request) ??
    packageRefused(state, payload.contextPackage, undefined, state.takeover?.predecessorId) ??
    endsTooEarly(request) ??
    outOfDate(request)
  if (refusal) return err(refusal)
  return accept(request, { kind: MISSION_RECONCILED, aggregateRevision: revision, payload: { coordinatorEpoch: coordinator.coordinatorEpoch, ...payload } })
}

function notDue({ state }: Request): Refusal {
  return state.takeover ? undefined : reject('INVALID_STATE_TRANSITION', 'this Coordinator has nothing to take stock of')
}

/** What happened before the assignment is what the successor has to know. */
function endsTooEarly({ state, payload }: Request): Refusal {
  const assignedAt = state.takeover?.sequence ?? 0
  if (payload.contextPackage.sourceEventRange.toSequence >= assignedAt) return undefined
  return reject('INVALID_COMMAND', 'the Context Package ends before the assignment', { details: { assignedAt } })
}

/** Every unfinished WorkItem, at its present revision and in its present state, and no other. */
function outOfDate({ state, payload }: Request): Refusal {
  const named = new Map(payload.workItems.map((standing) => [standing.workItemId, standing]))
  const unfinished = [...state.workItems.values()].filter(isUnfinished)
  const changed = unfinished.find(({ item }) => {
    const standing = named.get(item.workItemId)
    return standing?.revision !== item.revision || standing.state !== item.state
  })
  if (changed) return reject('REVISION_CONFLICT', 'a WorkItem stands otherwise than the stocktaking says', { currentRevision: changed.item.revision, details: { workItemId: changed.item.workItemId } })
  if (payload.workItems.length === unfinished.length) return undefined
  return reject('REVISION_CONFLICT', 'the stocktaking names work that is finished, unknown or named twice')
}

/** holds back what assigns work. The MissionOwner, who may step in for the Coordinator, need not take stock. */
export function stocktakingDue({ state, command }: Pick<MemberRequest, 'state' | 'command'>): Refusal {
  if (!state.takeover || !isCoordinator(state, command.actor)) return undefined
  return reject('INVALID_STATE_TRANSITION', `a new Coordinator takes stock before it assigns work: ${MISSION_RECONCILE}, with a Context Package and the state of all unfinished work`)
}

export const evolveReconciled: Evolver<typeof MISSION_RECONCILED> = (state, { payload, sequence }) => {
  notePackage(state, payload.contextPackage, sequence)
  delete state.takeover
}
