// A WorkItem comes into being: contract fixed, budget allocated, Conversation opened.
import { canonicalText } from '../../protocol/canonical-json.ts'
import type { Conversation, WorkAuthorizePayload, WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import { err } from '../../protocol/result.ts'
import { allocationRefused, openAccount } from './budget.ts'
import { contractRefused, widerResources } from './contract.ts'
import { depthExcess, depthOf, overLimits } from './cooperation.ts'
import { ceilingReached, commitUnder, reaches } from './delegation.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, missionNotActive, revisionConflict } from './fences.ts'
import { stocktakingDue } from './mission-reconcile.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'
import { entitlementOf, entitlementOver, notEntitled } from './work-authority.ts'
import { introduce, isUnfinished, noteStep, putWork } from './work-record.ts'

const TITLE_LENGTH = 500

export const workConversationIdOf = (groupId: string, workItemId: string): string => `${groupId}:work:${workItemId}`

/** `work.authorize`; the WorkItem does not exist yet, so its `expectedRevision` is 0. */
export const decideAuthorize: Decider<'work.authorize'> = (request) => {
  const { state, command, payload } = request
  const refusal =
    revisionConflict(command, 0) ??
    notEntitled(request, { at: payload.parentWorkItemId, levelsBelow: 1, requiredCapabilities: payload.contract.requiredCapabilities }) ??
    replacesOutOfReach(state, payload) ??
    unusableId(state, payload.workItemId) ??
    wrongParent(state, payload) ??
    allocationRefused(state, payload.parentWorkItemId ?? state.mission.missionId, payload.contract.budget) ??
    ceilingReached(state, payload.delegationGrantId, payload.workItemId, payload.contract.budget) ??
    overLimits(request, [depthExcess(request, depthOf(state, payload.parentWorkItemId))]) ??
    entitlementOver(request) ??
    missionNotActive(request) ??
    stocktakingDue(request) ??
    wrongProposal(state, payload) ??
    wrongReplacement(state, payload) ??
    contractRefused(request, payload.contract, payload.workItemId)
  if (refusal) return err(refusal)
  const item = newWorkItem(request)
  const { proposalId, parentWorkItemId, replacesWorkItemId } = payload
  return accept(request, {
    kind: 'work.authorized',
    aggregateRevision: item.revision,
    item,
    payload: {
      workItem: item,
      conversation: conversationOf(item),
      ...(proposalId !== undefined && { proposalId }),
      ...(parentWorkItemId !== undefined && { parentWorkItemId }),
      ...(replacesWorkItemId !== undefined && { replacesWorkItemId }),
      ...entitlementOf(payload),
    },
  })
}

function unusableId(state: GroupState, workItemId: string): Refusal {
  if (isIdentifier(workConversationIdOf(state.groupId, workItemId))) return idInUse(state, workItemId)
  return reject('INVALID_COMMAND', 'this WorkItem id leaves no room for a Conversation id')
}

function wrongParent(state: GroupState, { contract, parentWorkItemId }: WorkAuthorizePayload): Refusal {
  if (parentWorkItemId === undefined) return undefined
  const parent = state.workItems.get(parentWorkItemId)
  if (!parent) return reject('INVALID_COMMAND', 'the parent WorkItem does not exist')
  if (!isUnfinished(parent)) return reject('INVALID_STATE_TRANSITION', `the parent WorkItem is ${parent.item.state}`)
  return widerResources(contract, parent.item.contract)
}

/** What is authorized from a proposal is what was proposed. */
function wrongProposal({ proposals }: GroupState, { proposalId, contract, parentWorkItemId }: WorkAuthorizePayload): Refusal {
  if (proposalId === undefined) return undefined
  const proposal = proposals.get(proposalId)
  if (!proposal) return reject('INVALID_COMMAND', 'there is no such proposal')
  if (proposal.status !== 'open') return reject('INVALID_STATE_TRANSITION', 'the proposal has been authorized')
  const isSame = proposal.parentWorkItemId === parentWorkItemId && canonicalText(proposal.contract) === canonicalText(contract)
  return isSame ? undefined : reject('REVISION_CONFLICT', 'contract or parent differ from the proposal')
}

/** an alternative takes the place of work that has ended without a result. */
function wrongReplacement({ workItems }: GroupState, { replacesWorkItemId }: WorkAuthorizePayload): Refusal {
  if (replacesWorkItemId === undefined) return undefined
  const replaced = workItems.get(replacesWorkItemId)?.item.state
  if (replaced === undefined) return reject('INVALID_COMMAND', 'the WorkItem to replace does not exist')
  if (replaced === 'failed' || replaced === 'cancelled') return undefined
  return reject('INVALID_STATE_TRANSITION', `the WorkItem to replace is ${replaced}`)
}

/** A delegate replaces nothing that lies outside its Grant. */
function replacesOutOfReach(state: GroupState, { delegationGrantId, replacesWorkItemId }: WorkAuthorizePayload): Refusal {
  if (delegationGrantId === undefined || replacesWorkItemId === undefined || reaches(state, delegationGrantId, replacesWorkItemId)) return undefined
  return reject('AUTH_FORBIDDEN', 'the Delegation Grant does not reach the WorkItem to replace')
}

function newWorkItem({ state, command, payload, env }: MemberRequest<'work.authorize'>): WorkItem {
  const { missionId, groupId } = state.mission
  const proposal = payload.proposalId === undefined ? undefined : state.proposals.get(payload.proposalId)
  return {
    workItemId: payload.workItemId,
    missionId,
    groupId,
    conversationId: workConversationIdOf(groupId, payload.workItemId),
    revision: 1,
    state: 'open',
    exclusive: payload.exclusive ?? true,
    contract: payload.contract,
    createdBy: proposal?.proposedBy ?? command.actor,
    authorizedBy: command.actor,
    createdAt: env.now,
  }
}

function conversationOf({ workItemId, contract, authorizedBy, createdBy, createdAt, ...item }: WorkItem): Conversation {
  return {
    conversationId: item.conversationId,
    missionId: item.missionId,
    groupId: item.groupId,
    type: 'work_item',
    primaryWorkItemId: workItemId,
    title: [...contract.goal].slice(0, TITLE_LENGTH).join(''),
    access: { mode: 'group' },
    createdBy: authorizedBy ?? createdBy,
    createdAt,
    state: 'active',
    revision: 1,
  }
}

export const evolveAuthorized: Evolver<'work.authorized'> = (state, event) => {
  const { workItem, conversation, delegationGrantId, overrideReason: _reason, ...links } = event.payload
  const { workItemId } = workItem
  putWork(state, { item: workItem, ownershipEpoch: 0, evidence: [], acceptedEvidence: [], attempts: 0, ...links })
  openAccount(state, workItemId, workItem.contract.budget, links.parentWorkItemId ?? state.mission.missionId)
  commitUnder(state, delegationGrantId, workItemId, workItem.contract.budget)
  state.conversations.set(conversation.conversationId, conversation)
  const proposal = links.proposalId === undefined ? undefined : state.proposals.get(links.proposalId)
  if (proposal) state.proposals.set(proposal.proposalId, { ...proposal, status: 'authorized' })
  state.mission = { ...state.mission, revision: state.mission.revision + 1 }
  introduce(state, workItemId, event.sequence)
  introduce(state, conversation.conversationId, event.sequence)
  noteStep(state, workItemId, event)
}
