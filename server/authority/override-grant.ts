// A durable grant that lets one Command pass one limit, once.
import type { CooperationOverrideGrant } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { isHeldBackBy } from './cooperation.ts'
import { accept, OVERRIDE_EXTENSION } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, missionOver, neitherOwnerNorService, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import type { Decider, Evolver, GroupEvent, MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'
import { introduce } from './work-record.ts'

type Request = MemberRequest<'policy.grant_cooperation_override'>

/** `policy.grant_cooperation_override`, by the MissionOwner or a service under policy; the grant is new, so `expectedRevision` is 0. */
export const decideGrantOverride: Decider<'policy.grant_cooperation_override'> = (request) => {
  const { state, command, payload, env } = request
  const refusal =
    revisionConflict(command, 0) ??
    neitherOwnerNorService(request) ??
    notMember(request) ??
    idInUse(state, payload.grantId) ??
    wrongTarget(request) ??
    wrongExpiry(request) ??
    missionOver(request)
  if (refusal) return err(refusal)
  const { missionId, groupId } = state.mission
  const grant: CooperationOverrideGrant = { ...payload, missionId, groupId, approver: command.actor, grantedAt: env.now }
  return accept(request, { kind: 'policy.cooperation_override.granted', aggregateRevision: 1, payload: { cooperationOverrideGrant: grant } })
}

function notMember({ state, payload: { beneficiary } }: Request): Refusal {
  const membership = state.memberships.get(beneficiary.id)
  const isActive = membership?.state === 'active' && membership.member.type === beneficiary.type
  return isActive ? undefined : reject('AUTH_FORBIDDEN', 'the beneficiary is no active member of the Group')
}

function wrongTarget({ payload: { policyName, targetCommandKind } }: Request): Refusal {
  if (isHeldBackBy(policyName, targetCommandKind)) return undefined
  return reject('INVALID_COMMAND', `the limit ${policyName} does not hold ${targetCommandKind} back`)
}

function wrongExpiry({ state, payload: { expiresAt }, env }: Request): Refusal {
  if (!isAfter(expiresAt, env.now)) return reject('INVALID_COMMAND', 'the grant would have expired already')
  return isAfter(expiresAt, state.mission.deadline) ? reject('INVALID_COMMAND', 'the grant would outlast the Mission') : undefined
}

export const evolveOverrideGranted: Evolver<'policy.cooperation_override.granted'> = (state, { payload: { cooperationOverrideGrant: grant }, sequence }) => {
  state.overrides.set(grant.grantId, { grant })
  introduce(state, grant.grantId, sequence)
}

/** The grant that an accepted Command has used up, by its primary Event. */
export function overrideOf({ cause, extensions }: Pick<GroupEvent, 'cause' | 'extensions'>): string | undefined {
  if (cause.type !== 'command') return undefined
  const grantId = (extensions?.[OVERRIDE_EXTENSION]?.data as { grantId?: unknown } | undefined)?.grantId
  return typeof grantId === 'string' ? grantId : undefined
}

/** a grant is consumed with the acceptance of its Command, by the same Event. */
export function consumeOverride(state: GroupState, event: Pick<GroupEvent, 'cause' | 'extensions' | 'eventId' | 'occurredAt'>): void {
  const record = state.overrides.get(overrideOf(event) ?? '')
  if (record) state.overrides.set(record.grant.grantId, { grant: record.grant, consumedEventId: event.eventId, consumedAt: event.occurredAt })
}
