// The I.A.P. router's decisions about one task. No clock, no randomness, no I/O: a door brings facts in and carries outcomes out.
//
// What a door does with this core, in one transaction for each input:
//   1. Read the task's records from its Space, `foldTask` them (or keep the state that `evolveTask` leads to).
//   2. `decideTask(state, input, env)`. `env` is made from the roster (`eligibleAgents`, `standingOf` in roster.ts), the accounts that
//      `reputationChange` adds up, a fresh seed and the clock.
//   3. Append `records` in order: `content_type` is `contentTypeOf`, content `spaceContentOf`, sender the Node of `author` (the router's own for
//      `router`), `refs.messages` the Messages of the records that `refs` counts. `ordinal` is the expected version: where somebody else
//      appended it first, fold again and decide anew.
//   4. Put `messages` into the durable outbox of their `to`. Ids are derived, so a decision that is made again sends the same messages.
//   5. Answer `error`, if any, with an ERROR correlated with the sender's message; never when that was itself an ERROR.
//   6. Set one timer for `nextDue(state)`; when it rings, `decideTask(state, { type: 'due' }, env)`, again while that changes something.
// The log is trusted only as far as the router wrote it: other doors must refuse `content_type`s that begin with `iap/`.
// Sessions (HANDSHAKE, discovery, heartbeats, taking over) are in session.ts and roster.ts; the result cache's key is in result-cache.ts.
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import { isTerminal } from '../../../protocol/iap/task-status.ts'
import type { ErrorMessage, TaskId } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { decideDeparted, decideDue, decideLost, decideReturned } from './absence.ts'
import { decideBid, openWindow } from './award.ts'
import { decideContext } from './context.ts'
import { TaskDraft } from './task-draft.ts'
import type { TaskEnv, TaskInput, TaskOutcome, TaskState } from './types.ts'
import { decideAcceptance, decidePartialResult, decideRejection, decideResult } from './work.ts'

type ProposalInput = Extract<TaskInput, { readonly type: 'proposal' }>
type CancelInput = Extract<TaskInput, { readonly type: 'cancel' }>

/** What the input leads to. `state` is `undefined` for a task id that was not proposed yet. */
export function decideTask(state: TaskState | undefined, input: TaskInput, env: TaskEnv): TaskOutcome {
  if (input.type === 'proposal') return state === undefined ? decideProposal(input, env) : TaskDraft.on(state, env).refuse('VALIDATION_ERROR', 'this taskId was used before', 'task_id_taken')
  if (state === undefined) return { records: [], messages: [], ...('message' in input && { error: unknownTask(input.message.payload.taskId) }) }
  return decideKnown(TaskDraft.on(state, env), input)
}

function decideKnown(draft: TaskDraft, input: Exclude<TaskInput, ProposalInput>): TaskOutcome {
  switch (input.type) {
    case 'bid':
      return decideBid(draft, input.message)
    case 'acceptance':
      return decideAcceptance(draft, input.message)
    case 'rejection':
      return decideRejection(draft, input.message)
    case 'partial-result':
      return decidePartialResult(draft, input.message)
    case 'result':
      return decideResult(draft, input)
    case 'context':
      return decideContext(draft, input)
    case 'cancel':
      return decideCancel(draft, input)
    case 'departed':
      return decideDeparted(draft, input.agentId)
    case 'lost':
      return decideLost(draft, input.agentId)
    case 'returned':
      return decideReturned(draft, input.agentId, input.isTakeover)
    case 'due':
      return decideDue(draft)
  }
}

const unknownTask = (taskId: TaskId): ErrorMessage => errorPayload('VALIDATION_ERROR', 'there is no such task', { relatedTaskId: taskId, details: { reason: 'unknown_task' } })

function decideProposal({ message, cached }: ProposalInput, env: TaskEnv): TaskOutcome {
  const refused = proposalRefused(message, env)
  if (refused !== undefined) return { records: [], messages: [], error: refused }
  const { messageId, payload: proposal } = message
  const draft = TaskDraft.beginning(env, { messageId, proposal })
  if (cached === undefined) openWindow(draft)
  else answerFromCache(draft, cached.result)
  return draft.done()
}

/** Its end has to be told to the proposer, so there must be room for that; and one WorkItem is done by one task at a time. */
function proposalRefused({ from, payload: { taskId } }: ProposalInput['message'], env: TaskEnv): ErrorMessage | undefined {
  if (!env.standingOf(from).hasRoom) return errorPayload('AGENT_OVERLOAD', 'too much waits for this agent, which it has to take first', { relatedTaskId: taskId, details: { reason: 'mailbox_full' } })
  if (env.isWorkInHand()) return errorPayload('VALIDATION_ERROR', 'another task for this WorkItem has not ended', { relatedTaskId: taskId, details: { reason: 'work_item_in_hand' } })
  return undefined
}

function answerFromCache(draft: TaskDraft, cached: unknown): void {
  const { taskId, proposal, proposalMessageId } = draft.state
  const result = { taskId, status: 'completed' as const, result: cached }
  draft.append('task_result', ROUTER, [0], { messageId: proposalMessageId, result, isCached: true })
  draft.send(proposal.proposerId, 'TASK_RESULT', result, { metadata: { cached: true } })
}

/** The protocol has no message for it: both sides hear an ERROR with `details.cancel`, except whoever asked for it. */
function decideCancel(draft: TaskDraft, { by, reason }: CancelInput): TaskOutcome {
  const { taskId, status, proposal, holding } = draft.state
  if (isTerminal(status)) return draft.refuse('VALIDATION_ERROR', 'the task has ended', 'task_has_ended')
  draft.append('task_cancellation', by === proposal.proposerId ? by : ROUTER, [holding?.acceptance?.ordinal ?? holding?.ordinal ?? 0], { by, ...(reason !== undefined && { reason }) })
  const told = errorPayload('VALIDATION_ERROR', reason ?? 'the task was cancelled', { relatedTaskId: taskId, details: { cancel: true, reason: 'cancelled' } })
  for (const agentId of new Set([proposal.proposerId, ...(holding ? [holding.agent.agentId] : [])])) if (agentId !== by) draft.send(agentId, 'ERROR', told)
  return draft.done()
}
