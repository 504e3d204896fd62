// The Coordinator's own lease.
import { addSeconds } from '../../protocol/timestamp.ts'
import { err } from '../../protocol/result.ts'
import { accept } from './draft.ts'
import { coordinatorLeaseOver, missionOver, notCoordinator, revisionConflict } from './fences.ts'
import { DEFAULT_SECONDS, renewed } from './lease.ts'
import type { Decider, Evolver } from './request.ts'

/** `mission.renew_coordinator`; a lease that has run out cannot be renewed, the MissionOwner then decides. */
export const decideRenewCoordinator: Decider<'mission.renew_coordinator'> = (request) => {
  const { state, command, payload, env } = request
  const refusal =
    revisionConflict(command, state.mission.revision) ?? notCoordinator(request) ?? coordinatorLeaseOver(request) ?? missionOver(request)
  if (refusal) return err(refusal)
  const until = addSeconds(env.now, payload.leaseSeconds ?? DEFAULT_SECONDS.coordinator)
  const lease = { ...renewed(state.coordinatorLease, until, env.now), sessionEpoch: env.sessionEpochOf(command.actor.id) }
  return accept(request, {
    kind: 'mission.coordinator.renewed',
    aggregateRevision: state.mission.revision,
    payload: {
      coordinatorEpoch: state.mission.coordinator.coordinatorEpoch,
      coordinatorLease: lease,
      leaseExpiresAt: lease.expiresAt,
    },
  })
}

export const evolveCoordinatorRenewed: Evolver<'mission.coordinator.renewed'> = (state, { payload }) => {
  state.coordinatorLease = payload.coordinatorLease
}
