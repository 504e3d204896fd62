// The fold of one task: its state after each record of the log.
import { invariant } from '../../../protocol/result.ts'
import { TaskStatus } from '../../../protocol/iap/task-status.ts'
import type { AgentId, TaskPartialResult } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import type { RecordOf, TaskRecord } from './records.ts'
import type { Holding, ReleaseCause, TaskState } from './types.ts'

const timeOf = (text: string): number => new Date(text).getTime()

const utf8 = new TextEncoder()

/** What a part counts for among those that are kept. */
export const bytesOfPart = ({ part }: TaskPartialResult): number => utf8.encode(JSON.stringify(part)).length

/** The state that the records of one task lead to, in the order of their ordinals. */
export function foldTask(records: readonly TaskRecord[]): TaskState | undefined {
  return records.reduce<TaskState | undefined>(evolveTask, undefined)
}

/** Throws InvariantViolation for a record that does not follow on the state. */
export function evolveTask(before: TaskState | undefined, record: TaskRecord): TaskState {
  invariant(record.ordinal === (before?.recordCount ?? 0), 'the records of a task are counted without a gap')
  const state = record.type === 'task_proposal' ? proposed(record) : changed(known(before), record)
  const lastRecordOf = record.author === ROUTER ? state.lastRecordOf : new Map(state.lastRecordOf).set(record.author, record.ordinal)
  return { ...state, lastRecordOf, recordCount: record.ordinal + 1 }
}

function known(state: TaskState | undefined): TaskState {
  invariant(state !== undefined, 'a task begins with its proposal')
  return state
}

const proposed = ({ taskId, content: { proposal, messageId } }: RecordOf<'task_proposal'>): TaskState => ({
  taskId,
  proposal,
  proposalMessageId: messageId,
  status: TaskStatus.PROPOSED,
  recordCount: 1,
  round: 0,
  eligible: new Map(),
  bids: [],
  released: new Map(),
  evidenceCount: 0,
  parts: { count: 0, bytes: 0 },
  contextCount: 0,
  consulted: new Set(),
  lastRecordOf: new Map(),
})

function changed(state: TaskState, record: Exclude<TaskRecord, RecordOf<'task_proposal'>>): TaskState {
  switch (record.type) {
    case 'task_broadcast':
      return broadcast(state, record)
    case 'task_bid': {
      const { bid, round, ineligible } = record.content
      return { ...state, bids: [...state.bids, { ordinal: record.ordinal, round, bid, ...(ineligible && { ineligible }) }] }
    }
    case 'task_assignment':
      return assigned(state, record)
    case 'task_acceptance': {
      const acceptance = { ordinal: record.ordinal, atMs: timeOf(record.at), timeoutMs: timeOf(record.content.timeoutAt) }
      return held({ ...state, status: TaskStatus.IN_PROGRESS }, { acceptance })
    }
    case 'task_rejection':
      return letGo(state, record.author, record.content.cause)
    case 'task_release':
      return letGo(state, record.content.agentId, record.content.cause)
    case 'task_fence':
      return heard(held(state, { assignmentId: record.content.assignmentId }))
    case 'assignee_lost':
      return held(state, { graceUntilMs: timeOf(record.content.graceUntil) })
    case 'assignee_returned':
      return heard(state)
    case 'task_partial_result': {
      const { part } = record.content
      const parts = { count: state.parts.count + 1, bytes: state.parts.bytes + bytesOfPart(part) }
      return held({ ...state, parts }, { partCount: part.index + 1 })
    }
    case 'context_transfer':
      return { ...state, contextCount: state.contextCount + 1, consulted: new Set(state.consulted).add(record.content.toAgent) }
    case 'task_result':
      if (record.content.refused !== undefined) return { ...state, evidenceCount: state.evidenceCount + 1 }
      return { ...state, status: record.content.result.status === 'completed' ? TaskStatus.COMPLETED : TaskStatus.FAILED }
    case 'task_failure':
      return { ...withoutWindow(state), status: TaskStatus.FAILED, failure: { code: record.content.code, reason: record.content.reason } }
    case 'task_cancellation':
      return { ...withoutWindow(state), status: TaskStatus.CANCELLED }
  }
}

const broadcast = (state: TaskState, { content }: RecordOf<'task_broadcast'>): TaskState => ({
  ...state,
  status: TaskStatus.BIDDING,
  round: content.round,
  eligible: new Map(content.eligible.map((agent) => [agent.agentId, agent])),
  windowClosesMs: timeOf(content.closesAt),
})

function assigned(state: TaskState, { ordinal, content }: RecordOf<'task_assignment'>): TaskState {
  const agent = state.eligible.get(content.agentId)
  const placed = state.bids.find((bid) => bid.ordinal === content.selection.winner)
  invariant(agent !== undefined && placed !== undefined, 'a task is given to an eligible bidder')
  const holding: Holding = {
    ordinal, agent, bid: placed.bid, assignmentId: content.assignmentId, acceptByMs: timeOf(content.acceptBy), deadlineMs: timeOf(content.deadline), partCount: 0,
  }
  return { ...withoutWindow(state), status: TaskStatus.ASSIGNED, holding }
}

function letGo({ holding: _holding, ...state }: TaskState, agentId: AgentId, cause: ReleaseCause): TaskState {
  return { ...state, status: TaskStatus.PROPOSED, released: new Map(state.released).set(agentId, cause) }
}

function held(state: TaskState, change: Partial<Holding>): TaskState {
  invariant(state.holding !== undefined, 'the task is in somebody’s hands')
  return { ...state, holding: { ...state.holding, ...change } }
}

function heard(state: TaskState): TaskState {
  invariant(state.holding !== undefined, 'the task is in somebody’s hands')
  const { graceUntilMs: _grace, ...holding } = state.holding
  return { ...state, holding }
}

function withoutWindow({ windowClosesMs: _closes, ...state }: TaskState): TaskState {
  return state
}
