// Context between two agents of a task: who may send it, and what the log keeps of it.
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import { isTerminal } from '../../../protocol/iap/task-status.ts'
import type { AgentId } from '../../../protocol/iap/types.ts'
import type { TaskDraft } from './task-draft.ts'
import type { TaskInput, TaskOutcome, TaskState } from './types.ts'

type ContextInput = Extract<TaskInput, { readonly type: 'context' }>

/** Whether the agent proposed the task or has it. */
export const isPartyTo = ({ proposal, holding }: TaskState, agentId: AgentId): boolean => proposal.proposerId === agentId || holding?.agent.agentId === agentId

/** Context of one task is passed on up to this number of times: each leaves a record. */
const CONTEXTS_KEPT = 1_024

/** Parties speak to anybody. Who had the task hands over, and who was sent context of it answers; both speak to parties alone. */
const mayPass = (state: TaskState, fromAgent: AgentId, toAgent: AgentId): boolean =>
  isPartyTo(state, fromAgent) || (isPartyTo(state, toAgent) && (state.released.has(fromAgent) || state.consulted.has(fromAgent)))

/** Agents that the task has to do with, and who are therefore known to exist. */
const isKnownTo = (state: TaskState, agentId: AgentId): boolean => isPartyTo(state, agentId) || state.eligible.has(agentId) || state.released.has(agentId) || state.consulted.has(agentId)

/** An absent receiver that the task knows gets it later if the sender asked for that with `metadata.queue`. */
export function decideContext(draft: TaskDraft, { message, content }: ContextInput): TaskOutcome {
  const { messageId, payload, metadata } = message
  const refused = contextRefused(draft, message)
  if (refused !== undefined) return draft.refuse('CONTEXT_TRANSFER_FAILED', 'the context cannot be passed on', refused)
  if ('fault' in content) return failedTransfer(draft, content.fault)
  const { fromAgent, toAgent, contextType, compression = 'none' } = payload
  const { holding } = draft.state
  draft.append('context_transfer', fromAgent, [holding?.acceptance?.ordinal ?? holding?.ordinal ?? 0], { messageId, fromAgent, toAgent, contextType, compression, ...content })
  draft.send(toAgent, 'CONTEXT_TRANSFER', payload, { from: fromAgent, correlationId: messageId, metadata })
  return draft.done()
}

function contextRefused({ state, env }: TaskDraft, { payload: { fromAgent, toAgent }, metadata }: ContextInput['message']): string | undefined {
  if (isTerminal(state.status)) return 'task_has_ended'
  if (fromAgent === toAgent || !mayPass(state, fromAgent, toAgent)) return 'not_permitted'
  if (state.contextCount >= CONTEXTS_KEPT) return 'too_many_contexts'
  const { isOnline, hasRoom } = env.standingOf(toAgent)
  if (!isOnline && !(metadata?.queue === true && isKnownTo(state, toAgent))) return 'receiver_offline'
  return hasRoom ? undefined : 'mailbox_full'
}

const failedTransfer = (draft: TaskDraft, fault: string): TaskOutcome =>
  draft.done(errorPayload('CONTEXT_TRANSFER_FAILED', fault, { relatedTaskId: draft.state.taskId, details: { reason: 'content_refused' } }))
