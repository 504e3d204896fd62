// The task in somebody's hands: acceptance, rejection, partial results, the result. What comes under an old fence changes nothing.
import { TaskStatus } from '../../../protocol/iap/task-status.ts'
import type { AgentId, IAPMessageOf } from '../../../protocol/iap/types.ts'
import { award, timeAllowedMs } from './award.ts'
import { bytesOfPart } from './evolve-task.ts'
import type { TaskDraft } from './task-draft.ts'
import type { Holding, TaskInput, TaskOutcome } from './types.ts'

type ResultInput = Extract<TaskInput, { readonly type: 'result' }>

/** Results that were not applied are kept up to this number, so that nobody fills the Space with them. */
const EVIDENCE_KEPT = 32

/** Parts of one task, over all who had it, are kept up to this number and these bytes. */
const PARTS_KEPT = 1_024
const PART_BYTES_KEPT = 4 * 1024 * 1024

export function decideAcceptance(draft: TaskDraft, { messageId, from, payload }: IAPMessageOf<'TASK_ACCEPTANCE'>): TaskOutcome {
  const holding = ownHolding(draft, from, payload.assignmentId)
  if (holding === undefined) return draft.refuse('VALIDATION_ERROR', 'this agent does not have the task', 'stale_assignment')
  // Said twice, or again for work that was kept over a new session.
  if (holding.acceptance !== undefined) return draft.done()
  if (draft.env.nowMs >= holding.acceptByMs) return draft.refuse('VALIDATION_ERROR', 'the time to accept is over', 'acceptance_too_late')
  draft.append('task_acceptance', from, [holding.ordinal], { messageId, assignmentId: holding.assignmentId, timeoutAt: draft.time(timeAllowedMs(draft)) })
  return draft.done()
}

export function decideRejection(draft: TaskDraft, { messageId, from, payload }: IAPMessageOf<'TASK_REJECTION'>): TaskOutcome {
  const holding = ownHolding(draft, from, payload.assignmentId)
  if (holding === undefined) return draft.refuse('VALIDATION_ERROR', 'this agent does not have the task', 'stale_assignment')
  if (holding.acceptance !== undefined) return draft.refuse('VALIDATION_ERROR', 'the task was accepted already', 'already_accepted')
  const { code, reason } = payload
  const cause = code === 'AGENT_OVERLOAD' ? 'overloaded' : 'rejected'
  draft.append('task_rejection', from, [holding.ordinal], { messageId, assignmentId: holding.assignmentId, cause, ...(reason !== undefined && { reason }) })
  award(draft)
  return draft.done()
}

/** Applied once, for the agent that accepted, under its fence, in time and in the shape it promised; everything else is evidence. */
export function decideResult(draft: TaskDraft, input: ResultInput): TaskOutcome {
  const { messageId, from, payload } = input.message
  const holding = ownHolding(draft, from, payload.assignmentId)
  const refused = resultRefused(draft, holding, input)
  if (refused !== undefined) return keepAsEvidence(draft, input, refused)
  const { acceptance } = holding!
  const latencyMs = draft.env.nowMs - acceptance!.atMs
  draft.append('task_result', from, [acceptance!.ordinal], { messageId, result: payload, latencyMs })
  draft.send(draft.state.proposal.proposerId, 'TASK_RESULT', payload, { metadata: { agentId: from, latencyMs } })
  return draft.done()
}

/** Passed on in order; a proposer that does not know of parts gets the result only. */
export function decidePartialResult(draft: TaskDraft, { messageId, from, payload }: IAPMessageOf<'TASK_PARTIAL_RESULT'>): TaskOutcome {
  const holding = ownHolding(draft, from, payload.assignmentId)
  if (holding?.acceptance === undefined) return draft.refuse('VALIDATION_ERROR', 'this agent is not at work on the task', 'stale_assignment')
  if (draft.env.nowMs >= holding.acceptance.timeoutMs) return draft.refuse('VALIDATION_ERROR', 'the time for the task is over', 'late')
  if (payload.index !== holding.partCount) return draft.refuse('VALIDATION_ERROR', 'parts are counted from 0 without a gap', 'part_out_of_order')
  const { proposal: { proposerId }, parts } = draft.state
  const isFull = parts.count >= PARTS_KEPT || parts.bytes + bytesOfPart(payload) > PART_BYTES_KEPT
  if (isFull) return draft.refuse('VALIDATION_ERROR', 'no more parts of this task are taken; its result is', 'too_many_parts')
  const { speaksAdditions, hasRoom } = draft.env.standingOf(proposerId)
  if (speaksAdditions && !hasRoom) return draft.refuse('AGENT_OVERLOAD', 'too much waits for the proposer; the result of the task is taken', 'mailbox_full')
  draft.append('task_partial_result', from, [holding.acceptance.ordinal], { messageId, assignmentId: holding.assignmentId, part: payload })
  if (speaksAdditions) draft.send(proposerId, 'TASK_PARTIAL_RESULT', payload, { metadata: { agentId: from } })
  return draft.done()
}

/** The task as this agent holds it. A message that names no fence speaks for the present one. */
function ownHolding({ state: { status, holding } }: TaskDraft, agentId: AgentId, assignmentId: string | undefined): Holding | undefined {
  const isHeld = status === TaskStatus.ASSIGNED || status === TaskStatus.IN_PROGRESS
  return isHeld && holding?.agent.agentId === agentId && (assignmentId ?? holding.assignmentId) === holding.assignmentId ? holding : undefined
}

function resultRefused({ env }: TaskDraft, holding: Holding | undefined, { outputFault, message }: ResultInput): string | undefined {
  if (holding === undefined) return 'stale_assignment'
  if (holding.acceptance === undefined) return 'not_accepted'
  if (env.nowMs >= holding.acceptance.timeoutMs) return 'late'
  return outputFault !== undefined && message.payload.status === 'completed' ? 'output_does_not_fit' : undefined
}

function keepAsEvidence(draft: TaskDraft, { message, outputFault }: ResultInput, refused: string): TaskOutcome {
  const { lastRecordOf, evidenceCount } = draft.state
  const refs = [lastRecordOf.get(message.from) ?? 0]
  if (evidenceCount < EVIDENCE_KEPT) draft.append('task_result', message.from, refs, { messageId: message.messageId, result: message.payload, refused })
  return draft.refuse('VALIDATION_ERROR', refused === 'output_does_not_fit' ? `the result does not fit: ${outputFault}` : 'the result was kept and not applied', refused)
}
