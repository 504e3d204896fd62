// Conversations besides the Group's own and those of WorkItems: for a review, or for a few.
import type { Actor, Conversation } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { CONVERSATION_OPEN, CONVERSATION_OPENED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { actingLeaseOver, idInUse, isCoordinator, isOwnerOfMission, isSame, missionOver, neitherOwnerNorCoordinator, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'
import { workConversationIdOf } from './work-authorize.ts'
import { introduce } from './work-record.ts'

/**
 * `conversation.open`, by owner or Coordinator. Participants alone post in it, owner and Coordinator besides; everybody in
 * the Group reads a review, and nobody else reads a restricted one. `expectedRevision` is 0.
 */
export const decideOpenConversation: Decider<typeof CONVERSATION_OPEN> = (request) => {
  const { state, command, payload } = request
  const refusal =
    revisionConflict(command, 0) ??
    neitherOwnerNorCoordinator(request) ??
    unusableId(state, payload.conversationId) ??
    strangers(state, payload.participants) ??
    unknownWork(request) ??
    actingLeaseOver(request) ??
    missionOver(request)
  if (refusal) return err(refusal)
  const { conversationId, workItemId } = payload
  return accept(request, {
    kind: 'ext.countersign.conversation.opened',
    aggregateRevision: 1,
    payload: { conversation: conversationOf(request) },
    conversationId,
    ...(workItemId !== undefined && { item: { workItemId, conversationId } }),
  })
}

/** The ids of WorkItem Conversations are kept for them, also for work that does not exist yet. */
function unusableId(state: GroupState, conversationId: string): Refusal {
  if (!conversationId.startsWith(workConversationIdOf(state.groupId, ''))) return idInUse(state, conversationId)
  return reject('INVALID_COMMAND', 'this id belongs to the Conversation of a WorkItem')
}

function strangers(state: GroupState, participants: readonly Actor[]): Refusal {
  const isMember = ({ id, type }: Actor): boolean => {
    const membership = state.memberships.get(id)
    return membership?.state === 'active' && membership.member.type === type
  }
  return participants.every(isMember) ? undefined : reject('INVALID_COMMAND', 'only active members can take part')
}

function unknownWork({ state, payload: { workItemId } }: MemberRequest<typeof CONVERSATION_OPEN>): Refusal {
  if (workItemId === undefined || state.workItems.has(workItemId)) return undefined
  return reject('INVALID_COMMAND', 'there is no such WorkItem')
}

function conversationOf({ state, command, payload, env }: MemberRequest<typeof CONVERSATION_OPEN>): Conversation {
  const { conversationId, type, title, participants, workItemId } = payload
  const { missionId, groupId } = state.mission
  return {
    conversationId,
    missionId,
    groupId,
    type,
    title,
    access: { mode: type === 'restricted' ? 'restricted' : 'group', members: participants },
    createdBy: command.actor,
    createdAt: env.now,
    state: 'active',
    revision: 1,
    ...(workItemId !== undefined && { primaryWorkItemId: workItemId }),
  }
}

export const evolveConversationOpened: Evolver<typeof CONVERSATION_OPENED> = (state, { payload: { conversation }, sequence }) => {
  state.conversations.set(conversation.conversationId, conversation)
  introduce(state, conversation.conversationId, sequence)
}

/** Whether this Principal takes part: everybody does where nobody is named, owner and Coordinator always. */
export function takesPart(state: GroupState, { access }: Conversation, actor: Actor): boolean {
  const isNamed = access.members?.some((member) => isSame(member, actor)) ?? true
  return isNamed || isOwnerOfMission(state, actor) || isCoordinator(state, actor)
}

/** Whether this member of the Group may read what is said there; the human at the root reads all of it. */
export function mayRead(state: GroupState, conversation: Conversation, principalId: string): boolean {
  if (conversation.access.mode === 'group' || state.parentLink?.rootOwner.id === principalId) return true
  const member = state.memberships.get(principalId)?.member
  return member !== undefined && takesPart(state, conversation, member)
}
