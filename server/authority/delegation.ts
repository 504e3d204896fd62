// Delegation Grants: the Coordinator lets a member authorize and offer work below one WorkItem, within limits.
import type { Budget, CapabilityRef, DelegationGrant, WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { firstExcess, limitsOf, NOTHING, sumOf } from './amounts.ts'
import { budgetNotContained, exceeded } from './budget.ts'
import { meets } from './capability.ts'
import { depthExcess, overLimits } from './cooperation.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, idInUse, isCoordinator, missionNotActive, notCoordinator, notInState, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import { stocktakingDue } from './mission-reconcile.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { Amounts, DecisionEnv, Delegation, GroupState } from './types.ts'
import { findWork, introduce, UNFINISHED } from './work-record.ts'

/** `membership.grant_delegation`; `expectedRevision` is the grantee's Membership Epoch. */
export const decideGrantDelegation: Decider<'membership.grant_delegation'> = (request) => {
  const { state, command, payload } = request
  const membershipEpoch = state.memberships.get(payload.granteeAgentId)?.membershipEpoch ?? 0
  const target = findWork(state, payload.targetWorkItemId)
  const refusal =
    revisionConflict(command, membershipEpoch) ??
    notCoordinator(request) ??
    notDelegate(state, payload.granteeAgentId) ??
    idInUse(state, payload.grantId) ??
    grantedTooMuch(payload.budget, state.mission.budget) ??
    overLimits(request, [depthExcess(request, payload.maxDescendantDepth)]) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    stocktakingDue(request)
  if (refusal) return err(refusal)
  if (!target.ok) return target
  const untimely = notInState(target.value, ...UNFINISHED) ?? wrongExpiry(request)
  if (untimely) return err(untimely)
  return accept(request, {
    kind: 'membership.delegation.granted',
    aggregateRevision: membershipEpoch,
    item: target.value.item,
    payload: { delegationGrant: grantOf(request, membershipEpoch) },
  })
}

function grantOf({ state, payload, env }: MemberRequest<'membership.grant_delegation'>, granteeMembershipEpoch: number): DelegationGrant {
  const { missionId, groupId, coordinator } = state.mission
  return {
    ...payload,
    missionId,
    groupId,
    granteeMembershipEpoch,
    coordinatorEpoch: coordinator.coordinatorEpoch,
    grantedBy: { type: 'agent', id: coordinator.agentId },
    grantedAt: env.now,
  }
}

/** the role makes eligible, nothing more. */
function notDelegate({ memberships }: GroupState, agentId: string): Refusal {
  const membership = memberships.get(agentId)
  const isDelegate = membership?.state === 'active' && membership.role === 'work_delegate' && membership.member.type === 'agent'
  return isDelegate ? undefined : reject('AUTH_FORBIDDEN', 'this Agent is no work delegate of the Group')
}

/** A Grant always names a currency; it matters once there is money in it. */
function grantedTooMuch({ financialLimit, ...counts }: Required<Budget>, missionBudget: Budget): Refusal {
  return budgetNotContained(financialLimit === 0 ? counts : { ...counts, financialLimit }, missionBudget)
}

/** whatever a Grant says, the Organization's policy bounds how far below its target it reaches. */
function tooDeep({ env }: Pick<Surroundings, 'env'>, depth: number): Refusal {
  const limit = env.policy.maximumDepth.delegation
  return depth <= limit ? undefined : reject('RATE_LIMITED', `work is delegated at most ${limit} levels deep`, { details: { depth, limit } })
}

function wrongExpiry({ state, payload: { expiresAt }, env }: MemberRequest<'membership.grant_delegation'>): Refusal {
  if (!isAfter(expiresAt, env.now)) return reject('INVALID_COMMAND', 'the Grant would have expired already')
  return isAfter(expiresAt, state.mission.deadline) ? reject('INVALID_COMMAND', 'the Grant would outlast the Mission') : undefined
}

/** What a delegate wants to do to its target or below. */
export interface DelegatedUse {
  /** WorkItem that is offered, or that new work goes below; none when the Command leaves it open. */
  readonly at: string | undefined
  /** 1 for new work, which lies one level below `at`. */
  readonly levelsBelow: 0 | 1
  readonly requiredCapabilities: readonly CapabilityRef[]
}

/** the cited Grant is in force for this actor and covers the place, its depth and the capabilities. */
export function outsideGrant(request: MemberRequest<'work.authorize' | 'work.offer'>, use: DelegatedUse): Refusal {
  const { state, payload, command } = request
  const grant = payload.delegationGrantId === undefined ? undefined : state.delegations.get(payload.delegationGrantId)?.grant
  if (grant?.granteeAgentId !== command.actor.id) return reject('AUTH_FORBIDDEN', 'the Command cites no Delegation Grant that this Agent holds')
  return notDelegate(state, command.actor.id) ?? grantOver(request, grant) ?? outOfScope(request, grant, use)
}

interface Surroundings { readonly state: GroupState; readonly env: Pick<DecisionEnv, 'now' | 'policy'> }

/** The Grant under which the Agent may offer this WorkItem now, if it has one. */
export function grantToOffer(around: Surroundings, agentId: string, { workItemId, contract }: WorkItem): DelegationGrant | undefined {
  const { delegations, memberships } = around.state
  if (notDelegate(around.state, agentId)) return undefined
  const use = { at: workItemId, levelsBelow: 0, requiredCapabilities: contract.requiredCapabilities } as const
  const isInForce = (grant: DelegationGrant) => grant.granteeAgentId === agentId && !grantOver({ ...around, membership: memberships.get(agentId) }, grant) && !outOfScope(around, grant, use)
  return [...delegations.values()].map(({ grant }) => grant).find(isInForce)
}

/** a changed Membership, another Coordinator or the end of its time end a Grant; so does the end of its target, in the fold. */
function grantOver({ state, membership, env }: Surroundings & Pick<MemberRequest, 'membership'>, grant: DelegationGrant): Refusal {
  if (grant.granteeMembershipEpoch !== membership?.membershipEpoch) return reject('MEMBERSHIP_STALE', 'the Membership has changed since the Grant')
  if (grant.coordinatorEpoch !== state.mission.coordinator.coordinatorEpoch || !isCoordinator(state, grant.grantedBy)) {
    return reject('AUTH_STALE_COORDINATOR', 'an earlier Coordinator gave this Grant')
  }
  return isAfter(grant.expiresAt, env.now) ? undefined : reject('WORK_LEASE_EXPIRED', 'the Delegation Grant has expired')
}

function outOfScope(request: Surroundings, grant: DelegationGrant, { at, levelsBelow, requiredCapabilities }: DelegatedUse): Refusal {
  const levels = at === undefined ? undefined : levelsBetween(request.state, grant.targetWorkItemId, at)
  if (levels === undefined) return reject('AUTH_FORBIDDEN', 'the Delegation Grant does not reach this WorkItem')
  const depth = levels + levelsBelow
  if (depth > grant.maxDescendantDepth) return reject('AUTH_FORBIDDEN', 'the work lies deeper than the Delegation Grant allows', { details: { depth, limit: grant.maxDescendantDepth } })
  const uncovered = requiredCapabilities.find((required) => !grant.allowedCapabilities.some((allowed) => meets(required, allowed)))
  if (uncovered) return reject('AUTH_FORBIDDEN', 'the Delegation Grant does not cover a required capability', { details: { capability: uncovered } })
  // New work meets the same limit with all others, where an override may lift it.
  return levelsBelow === 0 ? tooDeep(request, depth) : undefined
}

/** How many levels below `rootId` the WorkItem lies: 0 for the root itself, nothing when it is elsewhere. */
function levelsBetween({ workItems }: GroupState, rootId: string, workItemId: string): number | undefined {
  let levels = 0
  for (let at: string | undefined = workItemId; at !== undefined; at = workItems.get(at)?.parentWorkItemId) {
    if (at === rootId) return levels
    levels += 1
  }
  return undefined
}

/** Whether the WorkItem is the target of the Grant or lies below it. */
export function reaches(state: GroupState, grantId: string, workItemId: string): boolean {
  const delegation = state.delegations.get(grantId)
  return delegation !== undefined && levelsBetween(state, delegation.grant.targetWorkItemId, workItemId) !== undefined
}

/** all that is created or offered under one Grant stays within every ceiling; what is both counts once, ended work still counts. */
export function ceilingReached({ delegations }: GroupState, grantId: string | undefined, workItemId: string, budget: Budget): Refusal {
  const delegation = grantId === undefined ? undefined : delegations.get(grantId)
  if (!delegation) return undefined
  const { grant } = delegation
  if (budget.financialLimit !== undefined && budget.currency !== grant.budget.currency) return exceeded('financial', 'the Delegation Grant is in another currency')
  const excess = firstExcess(sumOf(committedElsewhere(delegation, workItemId), limitsOf(budget)), limitsOf(grant.budget))
  return excess && exceeded(excess, `the Delegation Grant does not cover this much ${excess}`)
}

function committedElsewhere({ committed }: Delegation, workItemId: string): Amounts {
  return [...committed].filter(([id]) => id !== workItemId).reduce((sum, [, amounts]) => sumOf(sum, amounts), NOTHING)
}

export const evolveDelegationGranted: Evolver<'membership.delegation.granted'> = (state, { payload, sequence }) => {
  const { delegationGrant: grant } = payload
  state.delegations.set(grant.grantId, { grant, committed: new Map() })
  introduce(state, grant.grantId, sequence)
}

/** Counts the WorkItem against the Grant that it was created or offered under, if there is one. */
export function commitUnder(state: GroupState, grantId: string | undefined, workItemId: string, budget: Budget): void {
  const delegation = grantId === undefined ? undefined : state.delegations.get(grantId)
  if (!delegation) return
  const committed = new Map(delegation.committed).set(workItemId, limitsOf(budget))
  state.delegations.set(delegation.grant.grantId, { ...delegation, committed })
}
