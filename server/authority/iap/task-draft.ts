// A decision in the making: records that already count for what follows, and messages with derived ids.
import { deriveUrn } from '../../../protocol/digest.ts'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import type { IAPErrorCode } from '../../../protocol/iap/error-codes.ts'
import type { IAPPayloads, MessageType } from '../../../protocol/iap/message-type.ts'
import type { AgentId, ErrorMessage, IAPMessage } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { instantFromEpochMs } from '../../../protocol/timestamp.ts'
import { evolveTask } from './evolve-task.ts'
import type { RecordContents, RecordType, TaskRecord } from './records.ts'
import type { TaskEnv, TaskOutcome, TaskState } from './types.ts'

interface Sending {
  readonly from?: AgentId
  readonly correlationId?: string
  readonly metadata?: Record<string, unknown> | undefined
}

export class TaskDraft {
  readonly env: TaskEnv
  readonly #records: TaskRecord[] = []
  readonly #messages: IAPMessage[] = []
  #state: TaskState

  private constructor(env: TaskEnv, state: TaskState) {
    this.env = env
    this.#state = state
  }

  /** A decision about a task that exists. */
  static on(state: TaskState, env: TaskEnv): TaskDraft {
    return new TaskDraft(env, state)
  }

  /** A decision that begins with the record of a proposal. */
  static beginning(env: TaskEnv, content: RecordContents['task_proposal']): TaskDraft {
    const { taskId, proposerId } = content.proposal
    const record: TaskRecord = { taskId, ordinal: 0, refs: [], author: proposerId, at: instantFromEpochMs(env.nowMs), type: 'task_proposal', content }
    const draft = new TaskDraft(env, evolveTask(undefined, record))
    draft.#records.push(record)
    return draft
  }

  /** The task as the records so far leave it. */
  get state(): TaskState {
    return this.#state
  }

  /** The time of the decision plus some milliseconds, RFC 3339. */
  time(afterMs = 0): string {
    return instantFromEpochMs(this.env.nowMs + afterMs)
  }

  append<T extends RecordType>(type: T, author: AgentId, refs: readonly number[], content: RecordContents[T]): void {
    const record = { taskId: this.#state.taskId, ordinal: this.#state.recordCount, refs, author, at: this.time(), type, content } as unknown as TaskRecord
    this.#records.push(record)
    this.#state = evolveTask(this.#state, record)
  }

  /** Must follow a record of the same decision, whose ordinal keeps the message id from being derived twice. */
  send<T extends MessageType>(to: AgentId, type: T, payload: IAPPayloads[T], { from = ROUTER, correlationId = this.#state.proposalMessageId, metadata }: Sending = {}): void {
    const messageId = this.derive('iap-message', this.#messages.length, to, type)
    const message = composeMessage(type, { messageId, from, to, timestamp: this.time(), correlationId, ...(metadata !== undefined && { metadata }) }, payload)
    this.#messages.push(message as unknown as IAPMessage)
  }

  /** An id that this point of this task alone leads to. */
  derive(purpose: string, ...parts: readonly (string | number)[]): string {
    const { proposal, proposalMessageId, recordCount } = this.#state
    return deriveUrn(purpose, proposal.proposerId, proposalMessageId, proposal.taskId, ...[recordCount, ...parts].map(String))
  }

  done(error?: ErrorMessage): TaskOutcome {
    return { records: this.#records, messages: this.#messages, ...(error && { error }) }
  }

  /** The outcome with an error about this task; `reason` is for programs. */
  refuse(code: IAPErrorCode, message: string, reason: string): TaskOutcome {
    return this.done(errorPayload(code, message, { relatedTaskId: this.#state.taskId, details: { reason } }))
  }
}
