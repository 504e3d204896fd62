// Who coordinates, under which lease.
import type { Lease, Mission } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { err, invariant } from '../../protocol/result.ts'
import { isCardValid } from './capability.ts'
import { accept, leaseIdOf } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, missionOver, notCoordinator, revisionConflict } from './fences.ts'
import { coordinatorLease, DEFAULT_SECONDS, renewed } from './lease.ts'
import type { Decider, Evolver } from './request.ts'
import type { DecisionEnv } from './types.ts'

export interface Charge {
  readonly missionId: string
  readonly groupId: string
  readonly agentId: string
  readonly coordinatorEpoch: number
  /** Of the Command that puts the Agent in charge. */
  readonly signingHash: string
  readonly leaseSeconds: number | undefined
}

/** A Coordinator has a valid Agent Card. */
export function unfitToCoordinate(agentId: string, { cardOf, now }: Pick<DecisionEnv, 'cardOf' | 'now'>): Refusal {
  const card = cardOf(agentId)
  return card && isCardValid(card, now) ? undefined : reject('INVALID_COMMAND', 'the Coordinator has no valid Agent Card')
}

/** An Agent that is fit for it, at this Coordinator Epoch with a fresh lease. */
export function inCharge(charge: Charge, env: DecisionEnv): { readonly coordinator: Mission['coordinator']; readonly coordinatorLease: Lease } {
  const { missionId, groupId, agentId, coordinatorEpoch, signingHash, leaseSeconds: seconds = DEFAULT_SECONDS.coordinator } = charge
  const card = env.cardOf(agentId)
  invariant(card, 'the card was found before')
  const leaseId = leaseIdOf(signingHash, 'coordinator')
  // An Agent that has never connected will open Session Epoch 1.
  const sessionEpoch = Math.max(1, env.sessionEpochOf(agentId))
  return {
    coordinator: { agentId, agentCardVersion: card.cardVersion, coordinatorEpoch, leaseId },
    coordinatorLease: coordinatorLease({ leaseId, missionId, groupId, holderAgentId: agentId, sessionEpoch, now: env.now, seconds }, coordinatorEpoch),
  }
}

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
