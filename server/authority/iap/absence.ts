// What time and absence do to a task: windows that close, acceptances that stay away, deadlines, agents that are gone or come back.
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import { TaskStatus } from '../../../protocol/iap/task-status.ts'
import type { AgentId } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { award, closeIfAllReplied, failTask } from './award.ts'
import type { TaskDraft } from './task-draft.ts'
import type { Holding, ReleaseCause, TaskOutcome, TaskState } from './types.ts'

/** When something is due for the task unless somebody acts before, in milliseconds since the epoch. Known from the state alone, so timers survive a restart. */
export function nextDue({ status, windowClosesMs, holding }: TaskState): number | undefined {
  if (status === TaskStatus.BIDDING) return windowClosesMs
  if (status === TaskStatus.ASSIGNED) return holding?.acceptByMs
  if (status !== TaskStatus.IN_PROGRESS || holding?.acceptance === undefined) return undefined
  return Math.min(holding.acceptance.timeoutMs, holding.graceUntilMs ?? Infinity)
}

/** More records than a task comes to by its work: from then on no coming and going of its holder is recorded, and who goes has it no longer. */
const RECORDS_OF_HOLDER = 4_096

export function decideDue(draft: TaskDraft): TaskOutcome {
  const { state, env } = draft
  if (env.nowMs < (nextDue(state) ?? Infinity)) return draft.done()
  if (state.status === TaskStatus.BIDDING) award(draft)
  else if (state.status === TaskStatus.ASSIGNED) release(draft, 'not_accepted')
  else if (env.nowMs >= state.holding!.acceptance!.timeoutMs) timeOut(draft)
  else release(draft, 'offline')
  return draft.done()
}

/** It took its leave: whatever it had is given to the next at once. */
export function decideDeparted(draft: TaskDraft, agentId: AgentId): TaskOutcome {
  if (draft.state.status === TaskStatus.BIDDING) closeIfAllReplied(draft)
  else if (holdingOf(draft, agentId) !== undefined) release(draft, 'disconnected')
  return draft.done()
}

/** It is not heard any more: accepted work waits for it, other work does not. */
export function decideLost(draft: TaskDraft, agentId: AgentId): TaskOutcome {
  if (draft.state.status === TaskStatus.BIDDING) closeIfAllReplied(draft)
  const holding = holdingOf(draft, agentId)
  if (holding === undefined || holding.graceUntilMs !== undefined) return draft.done()
  const { assignmentId, acceptance } = holding
  if (acceptance === undefined || draft.state.recordCount >= RECORDS_OF_HOLDER) release(draft, 'offline')
  else draft.append('assignee_lost', ROUTER, [acceptance.ordinal], { assignmentId, agentId, graceUntil: draft.time(draft.env.rules.graceMs) })
  return draft.done()
}

/** It is back: it keeps its work, under a new fence when two sessions were open at once. */
export function decideReturned(draft: TaskDraft, agentId: AgentId, isTakeover: boolean): TaskOutcome {
  const holding = holdingOf(draft, agentId)
  if (holding === undefined) return draft.done()
  const refs = [holding.acceptance?.ordinal ?? holding.ordinal]
  // A fence that cannot be told would only shut its holder out.
  if (isTakeover && draft.env.standingOf(agentId).hasRoom && draft.state.recordCount < RECORDS_OF_HOLDER) renewFence(draft, holding, refs)
  else if (holding.graceUntilMs !== undefined) draft.append('assignee_returned', ROUTER, refs, { assignmentId: holding.assignmentId, agentId })
  return draft.done()
}

function holdingOf({ state: { status, holding } }: TaskDraft, agentId: AgentId): Holding | undefined {
  const isHeld = status === TaskStatus.ASSIGNED || status === TaskStatus.IN_PROGRESS
  return isHeld && holding?.agent.agentId === agentId ? holding : undefined
}

function release(draft: TaskDraft, cause: ReleaseCause): void {
  const { ordinal, acceptance, assignmentId, agent } = draft.state.holding!
  draft.append('task_release', ROUTER, [acceptance?.ordinal ?? ordinal], { assignmentId, agentId: agent.agentId, cause })
  award(draft)
}

function timeOut(draft: TaskDraft): void {
  const { taskId, holding } = draft.state
  const reason = 'the task was not done in time'
  failTask(draft, 'TASK_TIMEOUT', reason, [holding!.acceptance!.ordinal])
  draft.send(holding!.agent.agentId, 'ERROR', errorPayload('TASK_TIMEOUT', reason, { relatedTaskId: taskId, details: { assignmentId: holding!.assignmentId } }))
}

function renewFence(draft: TaskDraft, { assignmentId: replaces, agent, bid, acceptance, acceptByMs, deadlineMs }: Holding, refs: readonly number[]): void {
  const { taskId, proposal } = draft.state
  const assignmentId = draft.derive('iap-assignment')
  draft.append('task_fence', ROUTER, refs, { assignmentId, replaces, agentId: agent.agentId })
  const times = { acceptBy: draft.time(acceptByMs - draft.env.nowMs), deadline: draft.time((acceptance?.timeoutMs ?? deadlineMs) - draft.env.nowMs) }
  draft.send(agent.agentId, 'TASK_ASSIGNMENT', { taskId, proposal, bid, assignmentId, ...times }, { metadata: { resumed: true, accepted: acceptance !== undefined } })
}
