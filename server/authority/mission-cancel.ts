// The owner, or a service under policy, ends the Mission; whatever is unfinished ends with it.
import { err, ok } from '../../protocol/result.ts'
import { primaryDraft } from './draft.ts'
import { missionOver, neitherOwnerNorService, revisionConflict } from './fences.ts'
import type { Decider, Evolver } from './request.ts'
import { endUnfinished } from './unfinished-work.ts'

/** `mission.cancel`. */
export const decideCancelMission: Decider<'mission.cancel'> = (request) => {
  const { state, command, payload } = request
  const { missionId, revision } = state.mission
  const refusal = revisionConflict(command, revision) ?? neitherOwnerNorService(request) ?? missionOver(request)
  if (refusal) return err(refusal)
  const cancelled = primaryDraft(request, {
    kind: 'mission.cancelled',
    aggregateRevision: revision,
    payload: { missionId, reason: payload.reason },
  })
  const reason = 'The Mission was cancelled.'
  return ok([cancelled, ...endUnfinished(request, 'work.cancelled', (workItemId) => ({ workItemId, reason }))])
}

export const evolveMissionCancelled: Evolver<'mission.cancelled'> = (state) => {
  state.mission = { ...state.mission, state: 'cancelled' }
}
