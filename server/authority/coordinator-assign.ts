// The owner, or a service under policy, puts an Agent in charge of coordination.
import type { Actor, Mission } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { inCharge, unfitToCoordinate } from './coordinator.ts'
import { followingDraft, primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { isOwnerOfMission, missionOver, neitherOwnerNorService, revisionConflict } from './fences.ts'
import { isLive } from './lease.ts'
import { endedMembership, grantedMembership, losesItsWork } from './membership.ts'
import { WHOLE_GROUP } from './mission-create.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { EventDraft, GroupState, WorkRecord } from './types.ts'
import { putWork, revised, runningChildren } from './work-record.ts'

type Request = MemberRequest<'mission.assign_coordinator'>

/**
 * `mission.assign_coordinator`: a higher Coordinator Epoch with a new lease, at any time and above all once the old lease
 * has run out. The Memberships that change with it follow in Events of their own, so that everybody learns their epochs.
 */
export const decideAssignCoordinator: Decider<'mission.assign_coordinator'> = (request) => {
  const { state, command, payload } = request
  const { coordinator: previous, revision } = state.mission
  const refusal =
    revisionConflict(command, revision) ?? neitherOwnerNorService(request) ?? missionOver(request) ?? stillInCharge(request) ?? unfit(request)
  if (refusal) return err(refusal)
  const { coordinator, coordinatorLease } = succession(request)
  const assigned = primaryDraft(request, {
    kind: 'mission.coordinator.assigned',
    aggregateRevision: revision,
    payload: {
      previousCoordinatorId: previous.agentId,
      coordinatorId: coordinator.agentId,
      coordinatorEpoch: coordinator.coordinatorEpoch,
      coordinator,
      coordinatorLease,
      leaseExpiresAt: coordinatorLease.expiresAt,
      reason: payload.reason,
    },
  })
  return ok([assigned, ...(coordinator.agentId === previous.agentId ? [] : membershipsMoved(request))])
}

/** One Membership holds one role, so whoever still owes work has to bring it to an end before it coordinates. */
function unfit(request: Request): Refusal {
  const member = { type: 'agent', id: request.payload.coordinatorAgentId } as const
  return unfitToCoordinate(member.id, request.env) ?? ownsAndCoordinates(request, member) ?? losesItsWork(request, { member })
}

/** The Coordinator of a Mission owns its children, and an owner approves what the Coordinator submits. */
function ownsAndCoordinates({ state, env }: Request, member: Actor): Refusal {
  if (isOwnerOfMission(state, member)) return reject('INVALID_COMMAND', 'nobody both owns and coordinates a Mission')
  const inCharge = runningChildren(state).find(({ missionId }) => env.coordinates(member.id, missionId))
  return inCharge && reject('INVALID_STATE_TRANSITION', 'this Agent coordinates a child Mission, which it would come to own', { details: { childMissionId: inCharge.missionId } })
}

/** The same Agent may be put back in charge once its lease has run out; until then there is nothing to assign. */
function stillInCharge({ state, payload, env }: Request): Refusal {
  if (payload.coordinatorAgentId !== state.mission.coordinator.agentId || !isLive(state.coordinatorLease, env.now)) return undefined
  return reject('INVALID_STATE_TRANSITION', 'this Agent coordinates the Mission already')
}

function succession({ state, payload, signingHash, env }: Request) {
  const { missionId, groupId, coordinator: previous } = state.mission
  const { coordinatorAgentId: agentId, leaseSeconds } = payload
  return inCharge({ missionId, groupId, agentId, coordinatorEpoch: previous.coordinatorEpoch + 1, signingHash, leaseSeconds }, env)
}

/** The predecessor leaves the Group, unless it has come to own the Mission meanwhile; the successor sees all of it. */
function membershipsMoved(request: Request): readonly EventDraft[] {
  const { state, payload, env } = request
  const predecessor = state.memberships.get(state.mission.coordinator.agentId)
  invariant(predecessor, 'the Coordinator is a member')
  const granted = grantedMembership(request, {
    member: { type: 'agent', id: payload.coordinatorAgentId },
    role: 'coordinator',
    scopes: WHOLE_GROUP,
    visibilityStartSequence: 0,
  })
  const changed = { kind: 'membership.changed', aggregateRevision: granted.membershipEpoch, payload: { membership: granted } } as const
  if (isOwnerOfMission(state, predecessor.member)) return [followingDraft(request, 1, changed)]
  const ended = endedMembership(predecessor, env.now)
  return [
    followingDraft(request, 1, {
      kind: 'membership.ended',
      aggregateRevision: ended.membershipEpoch,
      payload: { membership: ended, reason: 'Another Agent coordinates the Mission.' },
    }),
    followingDraft(request, 2, changed),
  ]
}

/** The successor has to take stock. Work that child Missions are busy with passes to the new Parent Coordinator (O-1). */
export const evolveCoordinatorAssigned: Evolver<'mission.coordinator.assigned'> = (state, { payload, occurredAt, sequence }) => {
  const { coordinator, coordinatorLease, previousCoordinatorId } = payload
  state.mission = { ...state.mission, coordinator }
  state.coordinatorLease = coordinatorLease
  state.takeover = { sequence, predecessorId: previousCoordinatorId }
  if (previousCoordinatorId === coordinator.agentId) return
  for (const record of [...state.workItems.values()]) passOn(state, record, coordinator, occurredAt)
}

function passOn(state: GroupState, record: WorkRecord, { agentId, agentCardVersion }: Mission['coordinator'], now: string): void {
  const { owner } = record.item
  if (!owner || record.item.state !== 'blocked' || record.child?.state !== 'running') return
  const ownershipEpoch = record.ownershipEpoch + 1
  putWork(state, { ...record, ownershipEpoch, item: revised(record.item, now, { owner: { ...owner, agentId, agentCardVersion, ownershipEpoch, acceptedAt: now } }) })
}
