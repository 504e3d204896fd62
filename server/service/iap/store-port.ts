// What the I.A.P. router keeps: the records of its tasks, what waits for agents, what they were answered.
import type { CapabilityRecord } from '../../../protocol/iap/types.ts'

export interface IapTaskRow {
  readonly taskId: string
  readonly spaceId: string
  readonly proposerId: string
  readonly status: string
  readonly isOver: boolean
  /** Of its records, in UTF-8. */
  readonly bytes: number
  readonly endedAt?: string
  /** Under which its result may be kept for like proposals. */
  readonly cacheKey?: string
  readonly work?: TaskWork
}

/** The WorkItem that a task is done for, as it stood when the task was proposed. */
export interface TaskWork {
  readonly groupId: string
  readonly workItemId: string
  readonly requiredCapabilities: readonly { readonly id: string; readonly version: string }[]
  /** Principals of the Group's workers; nobody else is asked. */
  readonly workerIds: readonly string[]
}

/** Whether the records of the task stand in the Group whose work it is for. They did not always: a task keeps the Space that it began in. */
export const standsInItsGroup = (task: IapTaskRow): task is IapTaskRow & { readonly work: TaskWork } => task.work !== undefined && task.work.groupId === task.spaceId

/** Noted where the id of a record would be: its Group does not take it. */
export const REFUSED = 'refused'

/** `record` is JSON text. */
export interface IapRecordRow { readonly taskId: string; readonly ordinal: number; readonly record: string }
/** `messageId`: of the Message or the record in the Space, once it is there. */
export interface KeptIapRecord extends IapRecordRow { readonly messageId?: string }

export interface IapOutboxRow { readonly agentId: string; readonly messageId: string; readonly message: string; readonly createdAt: string }
export interface KeptIapMessage { readonly agentId: string; readonly entry: number; readonly messageId: string; readonly message: string }

/** How much there is of something, or may be; `bytes` of its text in UTF-8. */
export interface IapAmount { readonly count: number; readonly bytes: number }

export interface IapReceivedRow {
  readonly agentId: string
  readonly messageId: string
  readonly contentHash: string
  /** JSON text of an array of messages. */
  readonly answers: string
  readonly receivedAt: string
}

export interface IapAccountRow { readonly agentId: string; readonly capabilityId: string; readonly record: CapabilityRecord }
export interface IapCacheRow { readonly cacheKey: string; readonly result: string; readonly taskId: string; readonly storedAt: string }

/** Everything that some decisions lead to. */
export interface IapCommit {
  readonly tasks: readonly IapTaskRow[]
  readonly records: readonly IapRecordRow[]
  readonly outbox: readonly IapOutboxRow[]
  readonly received: readonly IapReceivedRow[]
  readonly accounts: readonly IapAccountRow[]
  readonly cache: readonly IapCacheRow[]
}

export interface IapStore {
  /** All or nothing. `conflict` when a record of that ordinal is there already. Otherwise the new entries of the outbox, ascending. */
  commit(commit: IapCommit): Promise<readonly KeptIapMessage[] | 'conflict'>
  openTasks(): Promise<readonly IapTaskRow[]>
  /** Tasks with records that stand in no Space yet. */
  unpublishedTasks(): Promise<readonly string[]>
  /** Tasks whose WorkItem may still have to hear of them. */
  tasksAtWork(): Promise<readonly IapTaskRow[]>
  /** Nothing more is to be done for the WorkItem of this task. */
  workOver(taskId: string): Promise<void>
  findTask(taskId: string): Promise<IapTaskRow | undefined>
  /** Of these tasks, by task and ordinal. */
  records(taskIds: readonly string[]): Promise<readonly KeptIapRecord[]>
  /** Of this task from this ordinal on, by ordinal. */
  recordsFrom(taskId: string, ordinal: number): Promise<readonly KeptIapRecord[]>
  /** Records of the task that stand in no Space yet, by ordinal. */
  unpublished(taskId: string): Promise<readonly IapRecordRow[]>
  /** Of these records the Messages, as far as they have one, by ordinal. */
  messageIdsOf(taskId: string, ordinals: readonly number[]): Promise<ReadonlyMap<number, string>>
  published(taskId: string, ordinal: number, messageId: string): Promise<void>
  /** The next ones after the entry, ascending. */
  waiting(agentId: string, after: number, limit: number): Promise<readonly KeptIapMessage[]>
  /** The agent has these. What was still there of them. */
  delivered(agentId: string, entries: readonly number[]): Promise<IapAmount>
  /** Of every agent for whom something waits. */
  backlogs(): Promise<ReadonlyMap<string, IapAmount>>
  /** Gives up the agent's messages from before; where there were any, the notice waits in their place. */
  expire(notice: IapOutboxRow, before: string): Promise<{ readonly gone: IapAmount; readonly added: readonly KeptIapMessage[] }>
  findReceived(agentId: string, messageId: string): Promise<IapReceivedRow | undefined>
  forgetReceived(before: string): Promise<void>
  /** Keeps the newest so many of an agent. */
  trimReceived(agentId: string, keep: number): Promise<void>
  /** Forgets tasks that ended before, with their records; not before all of them stand in their Space and the WorkItem, if any, has heard. */
  forgetTasks(endedBefore: string): Promise<readonly string[]>
  /** The same for what goes beyond the bound of a proposer's ended tasks. */
  trimTasks(proposerId: string, keep: IapAmount): Promise<readonly string[]>
  accounts(): Promise<readonly IapAccountRow[]>
  cached(cacheKey: string): Promise<IapCacheRow | undefined>
  /** Forgets results from before, and the oldest beyond the bound. */
  trimCache(before: string, keep: IapAmount): Promise<void>
}
