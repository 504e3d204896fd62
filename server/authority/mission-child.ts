// A WorkItem becomes a Mission of its own: the item is blocked, and the Parent Coordinator owns both.
import type { CapabilityRef, Mission, MissionCreateChildPayload, ResourceGrant, SelectionBasis, WorkContract, WorkOwner } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { childBudgetRefused, openChildAccount } from './budget.ts'
import { capabilityPins } from './capability.ts'
import { beyondCapabilities, beyondResources } from './ceilings.ts'
import { childDepthExcess, overLimits } from './cooperation.ts'
import { unfitToCoordinate } from './coordinator.ts'
import { eventIdOf, followingDraft, leaseIdOf, primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { coordinatorLeaseOver, idInUse, missionNotActive, notCoordinator, notInState, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import { foundingMembership, foundingOf, incoherentMission, mainConversationIdOf } from './mission-create.ts'
import { stocktakingDue } from './mission-reconcile.ts'
import { policySpaceIdOf } from './policy.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { ParentLink, WorkRecord } from './types.ts'
import { childRunning, fenced, findWork, introduce, noteStep, putWork, revised, withdrawn, workOf } from './work-record.ts'

type Request = MemberRequest<'mission.create_child'>

const depthBelow = ({ parent }: Mission): number => (parent?.depth ?? 0) + 1

/**
 * `mission.create_child`, in the Group of the parent. The answer is `mission.child.created`; the Event behind it founds the
 * child's Group. What comes of the child later reaches the item by reactions.
 */
export const decideCreateChild: Decider<'mission.create_child'> = (request) => {
  const { state, command, payload, env } = request
  const found = findWork(state, payload.parentWorkItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, state.mission.revision) ??
    notCoordinator(request) ??
    widerThanWork(payload, record.item.contract) ??
    childBudgetRefused(state, payload.parentWorkItemId, payload.budget) ??
    overLimits(request, [childDepthExcess(request, depthBelow(state.mission))]) ??
    laxPolicy(request, record.item.contract) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    stocktakingDue(request) ??
    childRunning(record) ??
    notInState(record, 'open', 'offered', 'queued', 'active', 'blocked') ??
    unusableIds(request) ??
    incoherentMission(payload, command.actor, env) ??
    laterThanWork(payload, record.item.contract) ??
    unfitToCoordinate(payload.coordinatorAgentId, env)
  return refusal ? err(refusal) : ok([childCreated(request, record), childFounded(request, record)])
}

/** permissions and capabilities within those of the item, which are within the ceilings of this Mission. */
function widerThanWork({ allowedResources, capabilities }: MissionCreateChildPayload, contract: WorkContract): Refusal {
  return (
    beyondResources(allowedResources ?? [], contract.allowedResources, 'the parent work') ??
    beyondCapabilities(capabilities ?? [], contract.requiredCapabilities, 'the parent work')
  )
}

/** The child gates dangerous work where its parent does; work that is dangerous itself is approved by the root human too. */
function laxPolicy({ state: { mission }, payload: { approvalPolicy }, env }: Request, { sideEffectRisk }: WorkContract): Refusal {
  const isGated = mission.approvalPolicy.highRiskExecutionApproval
  if (isGated && !approvalPolicy.highRiskExecutionApproval) return reject('INVALID_COMMAND', 'the parent Mission gates dangerous work, so the child has to')
  if (approvalPolicy.finalHumanApproval || !env.policy.risk[sideEffectRisk].rootHumanApproval) return undefined
  return reject('INVALID_COMMAND', `by policy a child Mission for work with ${sideEffectRisk} effects needs finalHumanApproval`, { details: { policyVersion: env.policy.version } })
}

function unusableIds({ state, command, payload, env }: Request): Refusal {
  const { missionId, groupId, parentWorkItemId } = payload
  if (command.workItemId !== undefined && command.workItemId !== parentWorkItemId) {
    return reject('INVALID_COMMAND', 'envelope and payload name different WorkItems')
  }
  if (!isIdentifier(mainConversationIdOf(groupId))) return reject('INVALID_COMMAND', 'this Group id leaves no room for Conversation ids')
  // The Organization's own Spaces may still be empty.
  if (groupId === env.organizationId || groupId === policySpaceIdOf(env.organizationId)) return reject('INVALID_COMMAND', 'this Group id cannot be used')
  return idInUse(state, missionId) ?? idInUse(state, groupId)
}

function laterThanWork({ deadline }: MissionCreateChildPayload, contract: WorkContract): Refusal {
  return isAfter(deadline, contract.deadline) ? reject('INVALID_COMMAND', 'the child Mission would end after the work it is for') : undefined
}

function childCreated(request: Request, record: WorkRecord) {
  const { state, payload } = request
  const { missionId, revision } = state.mission
  const { parentWorkItemId, title, coordinatorAgentId, budget, deadline, failurePolicy } = payload
  const owner = ownerOf(request, record)
  return primaryDraft(request, {
    kind: 'mission.child.created',
    aggregateRevision: revision + 1,
    item: record.item,
    payload: {
      parentMissionId: missionId,
      parentWorkItemId,
      childMissionId: payload.missionId,
      childGroupId: payload.groupId,
      title,
      coordinatorAgentId,
      budget,
      deadline,
      failurePolicy: failurePolicy ?? 'block_parent_work_item',
      owner,
      selectionBasis: basisOf(request, record, owner.capabilityPins),
    },
  })
}

/** O-1: the Parent Coordinator owns the item while the child works on it, at an Ownership Epoch that fences whoever had it. */
function ownerOf({ command, env, signingHash }: Request, record: WorkRecord): WorkOwner {
  const agentId = command.actor.id
  const card = env.cardOf(agentId)
  const { requiredCapabilities } = record.item.contract
  invariant(card, 'a Coordinator has an Agent Card')
  return {
    agentId,
    agentCardVersion: card.cardVersion,
    capabilityPins: capabilityPins(card, requiredCapabilities) ?? requiredCapabilities,
    ownershipEpoch: fenced(record).ownershipEpoch + 1,
    ownershipLeaseId: leaseIdOf(signingHash, 'ownership'),
    acceptedAt: env.now,
  }
}

function basisOf({ payload, env }: Request, { item }: WorkRecord, verifiedMatches: CapabilityRef[]): SelectionBasis {
  return {
    requiredCapabilities: item.contract.requiredCapabilities,
    verifiedMatches,
    authorizationEligible: true,
    availabilityEstimate: env.now,
    expectedCost: payload.budget.financialLimit ?? 0,
    reliabilityEvidence: [],
    policyRulesApplied: ['child-mission'],
  }
}

/** The root human sees the whole tree. */
function childFounded(request: Request, record: WorkRecord) {
  const { state, payload, env, signingHash } = request
  const { mission } = state
  const parent = { missionId: mission.missionId, workItemId: record.item.workItemId, depth: depthBelow(mission) }
  const founding = foundingOf(payload, request, env, { parent })
  const rootOwner = state.parentLink?.rootOwner ?? mission.missionOwner
  const parentLink: ParentLink = {
    groupId: state.groupId,
    eventId: eventIdOf(signingHash),
    coordinatorEpoch: mission.coordinator.coordinatorEpoch,
    rootOwner,
    ...ceilingsOf(payload, record.item.contract),
  }
  const memberships = [...founding.memberships, foundingMembership(founding.mission, rootOwner, 'observer')]
  const event = { kind: 'mission.created', aggregateRevision: founding.mission.revision, payload: { ...founding, memberships, parentLink } } as const
  return { ...followingDraft(request, 1, event), foundsGroupId: payload.groupId }
}

function ceilingsOf(payload: MissionCreateChildPayload, contract: WorkContract): { allowedResources: ResourceGrant[]; capabilities: CapabilityRef[] } {
  return { allowedResources: payload.allowedResources ?? contract.allowedResources, capabilities: payload.capabilities ?? contract.requiredCapabilities }
}

export const evolveChildCreated: Evolver<'mission.child.created'> = (state, event) => {
  const { parentWorkItemId, childMissionId, childGroupId, title, budget, failurePolicy, owner, selectionBasis } = event.payload
  const record = fenced(workOf(state, parentWorkItemId))
  const item = revised(withdrawn(record.item), event.occurredAt, { state: 'blocked', owner, selectionBasis })
  const blocker = { reason: `The child Mission “${title}” works on it.`, unblockCondition: 'The child Mission ends.' }
  const child = { missionId: childMissionId, groupId: childGroupId, title, failurePolicy, state: 'running' } as const
  putWork(state, { ...record, item, ownershipEpoch: owner.ownershipEpoch, blocker, child })
  openChildAccount(state, childMissionId, budget, parentWorkItemId)
  state.mission = { ...state.mission, revision: state.mission.revision + 1 }
  for (const id of [childMissionId, childGroupId]) introduce(state, id, event.sequence)
  noteStep(state, parentWorkItemId, event)
}
