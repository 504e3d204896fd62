// The Coordinator, or a service under policy, gives the Mission up as failed; whatever is unfinished fails with it.
import { err, ok } from '../../protocol/result.ts'
import { primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, missionOver, notCoordinator, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import { endUnfinished } from './unfinished-work.ts'

/** `mission.terminate`; no person may send it. */
export const decideTerminateMission: Decider<'mission.terminate'> = (request) => {
  const { state, command, payload } = request
  const { missionId, revision } = state.mission
  const refusal =
    revisionConflict(command, revision) ?? notInCharge(request) ?? missionOver(request)
  if (refusal) return err(refusal)
  const terminated = primaryDraft(request, {
    kind: 'mission.terminated',
    aggregateRevision: revision,
    payload: { missionId, reason: payload.reason },
  })
  const reason = 'The Mission has failed.'
  return ok([terminated, ...endUnfinished(request, 'work.failed', (workItemId) => ({ workItemId, reason, evidence: [] }))])
}

/** The current Coordinator; a service that policy lets do this needs no lease. */
function notInCharge(request: MemberRequest): Refusal {
  return request.command.actor.type === 'service' ? undefined : (notCoordinator(request) ?? coordinatorLeaseOver(request))
}

export const evolveMissionTerminated: Evolver<'mission.terminated'> = (state) => {
  state.mission = { ...state.mission, state: 'failed' }
}
