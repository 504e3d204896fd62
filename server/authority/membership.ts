// Who belongs to the Group, in which role and since when.
import type { Actor, Membership, MembershipChangePayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { isCardValid } from './capability.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import {
  actingLeaseOver,
  isCoordinator,
  isOwnerOfMission,
  missionOver,
  neitherOwnerNorCoordinator,
  revisionConflict,
} from './fences.ts'
import { isLive } from './lease.ts'
import { membershipIdOf, WHOLE_GROUP } from './mission-create.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'
import { introduce, ownershipHold } from './work-record.ts'

/** `membership.change`: admits somebody, or gives a member another role; `expectedRevision` is the Membership Epoch, 0 for a newcomer. */
export const decideChangeMembership: Decider<'membership.change'> = (request) => {
  const { state, command, payload } = request
  const current = state.memberships.get(payload.member.id)
  const refusal =
    revisionConflict(command, current?.membershipEpoch ?? 0) ??
    neitherOwnerNorCoordinator(request) ??
    boundToMission(state, payload.member) ??
    reservedRole(payload) ??
    wrongMember(request, current) ??
    actingLeaseOver(request) ??
    missionOver(request) ??
    losesItsWork(request, payload)
  if (refusal) return err(refusal)
  const membership = grantedMembership(request, payload)
  return accept(request, { kind: 'membership.changed', aggregateRevision: membership.membershipEpoch, payload: { membership } })
}

/** The Memberships of owner and Coordinator follow the Mission; nobody changes or ends them here, nor the root owner's. */
function boundToMission(state: GroupState, member: Actor): Refusal {
  if (state.parentLink?.rootOwner.id === member.id) return reject('AUTH_FORBIDDEN', 'the root MissionOwner sees every Mission below its own')
  if (!isOwnerOfMission(state, member) && !isCoordinator(state, member)) return undefined
  return reject('AUTH_FORBIDDEN', 'the Memberships of MissionOwner and Coordinator belong to the Mission')
}

function reservedRole({ role }: MembershipChangePayload): Refusal {
  if (role !== 'mission_owner' && role !== 'coordinator') return undefined
  return reject('AUTH_FORBIDDEN', `the role ${role} is not given by membership.change`)
}

function wrongMember({ payload, env }: MemberRequest<'membership.change'>, current: Membership | undefined): Refusal {
  const { member } = payload
  if (member.type === 'service') return reject('INVALID_COMMAND', 'a service acts under policy, not as a member')
  if (current && current.member.type !== member.type) return reject('INVALID_COMMAND', 'this Principal is of another type')
  if (member.type === 'human') return undefined
  const card = env.cardOf(member.id)
  return card && isCardValid(card, env.now) ? undefined : reject('INVALID_COMMAND', 'the Agent has no valid Agent Card')
}

/** a member with live work stays, and stays a worker, until the work is done or handed on. */
export function losesItsWork({ state, env }: MemberRequest, { member, role }: { member: Actor; role?: Membership['role'] }): Refusal {
  if (role === 'worker') return undefined
  const owned = [...(state.ownedBy.get(member.id) ?? [])].flatMap((id) => state.workItems.get(id) ?? [])
  const live = owned.find((record) => record.item.state === 'submitted' || isLive(ownershipHold(record), env.now))
  if (!live) return undefined
  return reject('INVALID_STATE_TRANSITION', 'this member still owns work', { details: { workItemId: live.item.workItemId } })
}

/** The Membership at its next epoch; what the grant leaves open stays as it was while the Membership goes on. */
export function grantedMembership({ state, env }: Pick<MemberRequest, 'state' | 'env'>, grant: MembershipChangePayload): Membership {
  const { missionId, groupId } = state.mission
  const { member, role, scopes, visibilityStartSequence } = grant
  const current = state.memberships.get(member.id)
  const isContinued = current?.state === 'active'
  return {
    membershipId: membershipIdOf(groupId, member.id),
    missionId,
    groupId,
    member,
    role,
    state: 'active',
    membershipEpoch: (current?.membershipEpoch ?? 0) + 1,
    scopes: scopes ?? (isContinued ? current.scopes : WHOLE_GROUP),
    visibilityStartSequence: visibilityStartSequence ?? (isContinued ? current.visibilityStartSequence : 0),
    grantedAt: isContinued ? current.grantedAt : env.now,
    activatedAt: isContinued ? (current.activatedAt ?? env.now) : env.now,
  }
}

/** `membership.end`. */
export const decideEndMembership: Decider<'membership.end'> = (request) => {
  const { state, command, payload, env } = request
  const current = state.memberships.get(payload.member.id)
  const refusal =
    revisionConflict(command, current?.membershipEpoch ?? 0) ??
    neitherOwnerNorCoordinator(request) ??
    boundToMission(state, payload.member) ??
    actingLeaseOver(request) ??
    missionOver(request)
  if (refusal) return err(refusal)
  if (current?.member.type !== payload.member.type || current.state === 'ended') {
    return err(reject('INVALID_COMMAND', 'this Principal is not a member'))
  }
  const stays = losesItsWork(request, payload)
  if (stays) return err(stays)
  const membership = endedMembership(current, env.now)
  return accept(request, {
    kind: 'membership.ended',
    aggregateRevision: membership.membershipEpoch,
    payload: { membership, reason: payload.reason },
  })
}

export function endedMembership(membership: Membership, now: string): Membership {
  return { ...membership, state: 'ended', membershipEpoch: membership.membershipEpoch + 1, endedAt: now }
}

export const evolveMembership: Evolver<'membership.changed' | 'membership.ended'> = (state, { payload, sequence, workItemId }) => {
  const { membership } = payload
  const { id } = membership.member
  state.memberships.set(id, membership)
  introduce(state, id, sequence)
  if (membership.state === 'provisional' && workItemId !== undefined) state.candidacies.set(id, { workItemId, through: sequence })
  if (membership.state === 'active') state.candidacies.delete(id)
  if (isTemporary(membership)) state.temporary.add(id)
  else state.temporary.delete(id)
}

/** Whoever came by an offer has been given a Context Package; a Membership that is granted by hand since names none. */
const isTemporary = ({ state, contextPackageId }: Membership): boolean => state !== 'ended' && contextPackageId !== undefined
