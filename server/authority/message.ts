// Talk. A Message never carries authority and costs the same however long the Conversation is.
import type { Conversation, Message } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { takesPart } from './conversation.ts'
import { messageExcess, noteRate, overLimits } from './cooperation.ts'
import { primaryDraft } from './draft.ts'
import { idInUse, missionOver, revisionConflict } from './fences.ts'
import { chargeDrafts, offlinePauses, reconciliationOf } from './offline-execution.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'
import { introduce } from './work-record.ts'

/** `message.post`, by any member; `expectedRevision` is the Group sequence, because a Message has no other aggregate. */
export const decidePostMessage: Decider<'message.post'> = (request) => {
  const { state, command, payload } = request
  const refusal = revisionConflict(command, state.sequence) ?? overLimits(request, [messageExcess(request)]) ?? missionOver(request) ?? idInUse(state, payload.messageId)
  if (refusal) return err(refusal)
  const conversation = conversationFor(request)
  if (!conversation.ok) return conversation
  const reconciliation = reconciliationOf(request)
  if (!reconciliation.ok) return reconciliation
  const { conversationId, primaryWorkItemId: workItemId } = conversation.value
  if (reconciliation.value && reconciliation.value.record.item.conversationId !== conversationId) return err(outsideItsWork())
  const charges = chargeDrafts(request, reconciliation.value)
  const posted = primaryDraft(request, {
    kind: 'message.posted',
    aggregateRevision: state.sequence + charges.length + 1,
    payload: { message: messageIn(conversationId, request) },
    conversationId,
    ...(workItemId !== undefined && { item: { workItemId, conversationId } }),
  })
  return ok([...charges, posted, ...offlinePauses(request, reconciliation.value)])
}

/** progress from offline is told in the work's own Conversation, not in another one about the same work. */
const outsideItsWork = (): Rejection => reject('AUTH_FORBIDDEN', 'progress from offline belongs in the Conversation of its work')

/** The one that the Command names, else the one of the WorkItem that it names, else the Group's main Conversation. */
function conversationFor({ state, command }: MemberRequest): Result<Conversation, Rejection> {
  const ofWork = command.workItemId === undefined ? undefined : state.workItems.get(command.workItemId)?.item.conversationId
  const conversation = state.conversations.get(command.conversationId ?? ofWork ?? state.group.mainConversationId)
  if (!conversation) return err(reject('INVALID_COMMAND', 'there is no such Conversation in this Group'))
  if (!takesPart(state, conversation, command.actor)) return err(reject('AUTH_FORBIDDEN', 'only its participants post in this Conversation'))
  const isElsewhere = command.workItemId !== undefined && command.workItemId !== conversation.primaryWorkItemId
  return isElsewhere ? err(reject('INVALID_COMMAND', 'this Conversation is not about that WorkItem')) : ok(conversation)
}

function messageIn(conversationId: string, { state, command, payload, env }: MemberRequest<'message.post'>): Message {
  const { messageId, content, mentions, references } = payload
  const { missionId, groupId } = state.mission
  // In canonical order, so that the many Messages are signed without a copy.
  return {
    author: command.actor,
    authority: false,
    committedAt: env.now,
    content,
    conversationId,
    groupId,
    kind: 'message',
    ...(mentions && { mentions }),
    messageId,
    missionId,
    ...(references && { references }),
  }
}

export const evolveMessagePosted: Evolver<'message.posted'> = (state, event) => {
  const { payload, sequence } = event
  const { messageId, conversationId, author } = payload.message
  noteRate(state, 'message_rate', event)
  state.messages.set(messageId, { conversationId, author })
  introduce(state, messageId, sequence)
  noteConfidential(state, conversationId, sequence)
}

/** Remembers an Event whose text is for the participants of its Conversation alone. */
export function noteConfidential(state: GroupState, conversationId: string, sequence: number): void {
  if (state.conversations.get(conversationId)?.access.mode === 'restricted') state.confidential.set(sequence, conversationId)
}
