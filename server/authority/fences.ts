// Checks that several Commands share. Each answers the refusal or nothing, so a decider reads as the order of A-221:
// authorization, Session, Membership, Coordinator Epoch, revision, role, delegation, budget, policy, lease, transition.
import type { Actor, Lease, Membership } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import { GROUP_ARCHIVE, IAP_RECORD, WORK_OFFER_DECLINE } from '../../protocol/kinds.ts'
import { STAND_IN_EXTENSION } from '../../protocol/stand-in.ts'
import { OVERRIDE_EXTENSION } from './draft.ts'
import { isLive } from './lease.ts'
import type { MemberRequest } from './request.ts'
import type { DecisionEnv, GroupState, VerifiedCommand, WorkRecord } from './types.ts'

export type Refusal = Rejection | undefined

/** An unknown Group and one that is hidden from the caller look the same. */
export const groupNotFound = (): Rejection => reject('GROUP_NOT_FOUND', 'there is no such Group')

/** What a conversation key may sign: it talks, takes its own words back and proposes. */
const TALK: ReadonlySet<string> = new Set(['message.post', 'message.correct', 'message.retract', 'work.propose'])

/** Everything but talk takes a key with authority. */
export function keyTooWeak({ command, keyUse }: VerifiedCommand): Refusal {
  if (keyUse !== 'conversation' || TALK.has(command.kind)) return undefined
  return reject('AUTH_FORBIDDEN', 'a conversation key may only talk and propose')
}

/** only the current Session of an Agent changes state; people have none. */
export function staleSession({ actor, sessionEpoch }: MemberRequest['command'], env: DecisionEnv): Refusal {
  if (actor.type !== 'agent' || sessionEpoch === env.sessionEpochOf(actor.id)) return undefined
  return reject('AUTH_STALE_SESSION', 'this Agent has a newer session')
}

/** All that a provisional member may do: take the offer that it came by, or turn it down. */
const ANSWERS: ReadonlySet<string> = new Set(['work.accept_offer', WORK_OFFER_DECLINE])

/** a changed Membership fences its old epoch; one that has ended admits nothing. */
export function staleMembership(command: MemberRequest['command'], membership: Membership): Refusal {
  if (command.membershipEpoch !== membership.membershipEpoch) return reject('MEMBERSHIP_STALE', 'the Membership has changed')
  if (membership.state === 'active') return undefined
  if (membership.state === 'provisional' && ANSWERS.has(command.kind)) return undefined
  return reject('MEMBERSHIP_REQUIRED', 'the Membership is not active')
}

/** a Coordinator Epoch that is cited must be the current one. */
export function staleCoordinator({ command, state }: Pick<MemberRequest, 'command' | 'state'>): Refusal {
  const { coordinatorEpoch } = command
  if (coordinatorEpoch === undefined || coordinatorEpoch === state.mission.coordinator.coordinatorEpoch) return undefined
  return reject('AUTH_STALE_COORDINATOR', 'the Mission has a newer Coordinator Epoch')
}

/**
 * what is left of an earlier Coordinator Epoch. Judged before the Membership, which changes with the
 * Coordinator, so that a predecessor learns that it was replaced and not merely that its Membership has moved on.
 */
export function supersededCoordinator({ command, state }: Pick<MemberRequest, 'command' | 'state'>): Refusal {
  const { coordinatorEpoch } = command
  if (coordinatorEpoch === undefined || coordinatorEpoch >= state.mission.coordinator.coordinatorEpoch) return undefined
  return staleCoordinator({ command, state })
}

/**
 * a child Mission belongs to whoever coordinates its parent. A replaced Coordinator stays on record as the owner
 * until the child has heard of it, and can do nothing with that.
 */
export function supersededOwner({ command, state }: Pick<MemberRequest, 'command' | 'state'>, { coordinates }: DecisionEnv): Refusal {
  const { parent } = state.mission
  if (!parent || !isOwnerOfMission(state, command.actor) || coordinates(command.actor.id, parent.missionId)) return undefined
  return reject('AUTH_STALE_COORDINATOR', 'another Agent coordinates the parent Mission')
}

/** `current` is the revision of the aggregate that the kind tests (O-7). */
export function revisionConflict({ expectedRevision }: MemberRequest['command'], current: number): Refusal {
  if (expectedRevision === undefined || expectedRevision === current) return undefined
  return reject('REVISION_CONFLICT', 'the object has changed since it was read', { expectedRevision, currentRevision: current })
}

/** what lets a service act is Organization policy alone, for the very kind that it sends; the Organization's own services do the one thing that they are there for. */
export function notUnderPolicy({ actor, kind }: MemberRequest['command'], { policy, authority, router }: DecisionEnv): Refusal {
  if ((kind === GROUP_ARCHIVE && isSame(actor, authority)) || (kind === IAP_RECORD && isSame(actor, router))) return undefined
  const rights = policy.services.find(({ principalId }) => principalId === actor.id)
  if (rights?.kinds.some((allowed) => allowed === kind)) return undefined
  return reject('AUTH_FORBIDDEN', 'no policy lets this service do this', { details: { policyVersion: policy.version } })
}

/** The authority's to set: the mark of a consumed grant, and that of what stands in for words which a reader may not see. */
const RESERVED = [OVERRIDE_EXTENSION, STAND_IN_EXTENSION]

export function reservedExtension({ command: { extensions } }: VerifiedCommand): Refusal {
  const reserved = extensions && RESERVED.find((extension) => Object.hasOwn(extensions, extension))
  return reserved ? reject('INVALID_COMMAND', `the extension ${reserved} is set by the authority`) : undefined
}

export const isSame = (a: Actor, b: Actor): boolean => a.type === b.type && a.id === b.id

export const isOwnerOfMission = (state: GroupState, actor: Actor): boolean => isSame(state.mission.missionOwner, actor)

export function isCoordinator(state: GroupState, actor: Actor): boolean {
  return actor.type === 'agent' && actor.id === state.mission.coordinator.agentId
}

/** the right comes from the Coordinator lease, so the Command has to cite its epoch. */
export function notCoordinator({ state, command }: MemberRequest): Refusal {
  if (!isCoordinator(state, command.actor)) return reject('AUTH_FORBIDDEN', 'only the current Coordinator may do this')
  if (command.coordinatorEpoch !== undefined) return undefined
  return reject('AUTH_STALE_COORDINATOR', 'the Command does not cite the Coordinator Epoch')
}

/** the epoch is right, but the lease behind it has run out. */
export function coordinatorLeaseOver({ state, env }: MemberRequest): Refusal {
  if (isLive(state.coordinatorLease, env.now)) return undefined
  return reject('WORK_LEASE_EXPIRED', 'the Coordinator lease has run out')
}

export function notMissionOwner({ state, command }: MemberRequest): Refusal {
  return isOwnerOfMission(state, command.actor) ? undefined : reject('AUTH_FORBIDDEN', 'only the MissionOwner may do this')
}

/** for the few Commands that policy may open to a service; one that is not under policy has not come this far. */
export function neitherOwnerNorService(request: MemberRequest): Refusal {
  return request.command.actor.type === 'service' ? undefined : notMissionOwner(request)
}

export function neitherOwnerNorCoordinator(request: MemberRequest): Refusal {
  return isOwnerOfMission(request.state, request.command.actor) ? undefined : notCoordinator(request)
}

/** For what owner and Coordinator may both do: the owner needs no lease. */
export function actingLeaseOver(request: MemberRequest): Refusal {
  return isOwnerOfMission(request.state, request.command.actor) ? undefined : coordinatorLeaseOver(request)
}

export function missionNotActive({ state }: Pick<MemberRequest, 'state'>): Refusal {
  if (state.mission.state === 'active') return undefined
  return reject('INVALID_STATE_TRANSITION', `the Mission is ${state.mission.state}`)
}

/** `approved`, `cancelled` and `failed` are final. */
export function missionOver({ state }: Pick<MemberRequest, 'state'>): Refusal {
  if (state.mission.state === 'active' || state.mission.state === 'awaiting_approval') return undefined
  return reject('INVALID_STATE_TRANSITION', `the Mission is ${state.mission.state}`)
}

/** Identifiers name one thing within a Group, whatever its kind, so that a reference has one meaning. */
export function idInUse(state: GroupState, id: string): Refusal {
  return state.sequenceOf.has(id) ? reject('INVALID_COMMAND', 'this id is already in use in the Group') : undefined
}

/** an older Ownership Epoch is stale, the current one belongs to one Agent. */
export function notOwner({ command }: MemberRequest, record: WorkRecord, ownershipEpoch: number): Refusal {
  if (ownershipEpoch !== record.ownershipEpoch) return reject('WORK_STALE_OWNERSHIP', 'the WorkItem has a newer Ownership Epoch')
  if (command.actor.type === 'agent' && record.item.owner?.agentId === command.actor.id) return undefined
  return reject('AUTH_FORBIDDEN', 'another Agent owns this WorkItem')
}

/** the promise to start or finish has a limit. */
export function ownershipLeaseOver({ env }: MemberRequest, { ownershipLease }: WorkRecord): Refusal {
  return isLive(ownershipLease, env.now) ? undefined : reject('WORK_LEASE_EXPIRED', 'the ownership lease has run out')
}

/** the cited lease is the one in force, held in this Session and not run out. */
export function executionLeaseOver({ env, command }: MemberRequest, { executionLease }: WorkRecord, leaseId: string): Refusal {
  if (executionLease?.leaseId !== leaseId) return reject('WORK_LEASE_EXPIRED', 'this Execution Lease is no longer in force')
  if (isLive(executionLease, env.now) && isBoundTo(executionLease, command.sessionEpoch)) return undefined
  return reject('WORK_LEASE_EXPIRED', 'the Execution Lease has run out')
}

/** A lease of an earlier Session is as good as revoked, even before the authority has recorded so. */
const isBoundTo = (lease: Lease, sessionEpoch: number | undefined): boolean => lease.sessionEpoch === sessionEpoch

/** Ownership and Execution Lease together: what every Command of an executing Worker needs. */
export function leasesOver(request: MemberRequest, record: WorkRecord, leaseId: string): Refusal {
  return ownershipLeaseOver(request, record) ?? executionLeaseOver(request, record, leaseId)
}

export function notInState({ item }: WorkRecord, ...allowed: readonly string[]): Refusal {
  if (allowed.includes(item.state)) return undefined
  return reject('INVALID_STATE_TRANSITION', `the WorkItem is ${item.state}`)
}
