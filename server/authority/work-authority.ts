// Who may authorize and offer work: the Coordinator in office, a delegate under its Grant, the MissionOwner in an emergency.
import { reject } from '../../protocol/error-codes.ts'
import type { DelegatedUse } from './delegation.ts'
import { outsideGrant } from './delegation.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, isCoordinator, isOwnerOfMission, notCoordinator } from './fences.ts'
import type { MemberRequest } from './request.ts'

type Request = MemberRequest<'work.authorize' | 'work.offer'>

/**
 * AUTH_FORBIDDEN and the codes of a Grant that is over for whoever has no right to this; INVALID_COMMAND when
 * the Command claims a second right besides the one its actor has.
 */
export function notEntitled(request: Request, use: DelegatedUse): Refusal {
  const { state, command, payload } = request
  if (isCoordinator(state, command.actor)) return notCoordinator(request) ?? claims(payload, 'delegationGrantId') ?? claims(payload, 'overrideReason')
  if (isOverride(request)) return claims(payload, 'delegationGrantId')
  return outsideGrant(request, use) ?? claims(payload, 'overrideReason')
}

/** a person steps in and says why; without a reason it is no emergency. */
function isOverride({ state, command, payload }: Request): boolean {
  return command.actor.type === 'human' && isOwnerOfMission(state, command.actor) && payload.overrideReason !== undefined
}

function claims(payload: Request['payload'], member: 'delegationGrantId' | 'overrideReason'): Refusal {
  if (payload[member] === undefined) return undefined
  return reject('INVALID_COMMAND', member === 'overrideReason' ? 'only the MissionOwner overrides' : 'only a delegate cites a Delegation Grant')
}

/** the Coordinator acts under its lease; a delegate and the MissionOwner do not need it. */
export function entitlementOver(request: Request): Refusal {
  return isCoordinator(request.state, request.command.actor) ? coordinatorLeaseOver(request) : undefined
}

/** What the Event keeps of the right that was used. */
export function entitlementOf({ delegationGrantId, overrideReason }: Request['payload']): Pick<Request['payload'], 'delegationGrantId' | 'overrideReason'> {
  return { ...(delegationGrantId !== undefined && { delegationGrantId }), ...(overrideReason !== undefined && { overrideReason }) }
}
