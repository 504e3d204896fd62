// Tasks as far as they are committed, read on from where they were read last: a task may have a thousand records, and is looked at after each.
import type { TaskId } from '../../../protocol/iap/types.ts'
import { evolveTask } from '../../authority/iap/evolve-task.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import type { TaskState } from '../../authority/iap/types.ts'
import type { IapStore } from './store-port.ts'
import { REFUSED } from './store-port.ts'

export interface CommittedTask {
  readonly task: TaskState | undefined
  /** Without the parts of results, which stand in the journal alone. */
  readonly records: readonly TaskRecord[]
  /** Whether its Group does not take one of them. */
  readonly isRefused: boolean
}

/** `next`: the first ordinal that is new, or of which it was not noted yet where the record stands. */
type Progress = CommittedTask & { readonly next: number }

const unread: Progress = { task: undefined, records: [], isRefused: false, next: 0 }

export class TaskReader {
  readonly #store: Pick<IapStore, 'recordsFrom'>
  readonly #read = new Map<TaskId, Progress>()

  constructor(store: Pick<IapStore, 'recordsFrom'>) {
    this.#store = store
  }

  /** One read of a task at a time. Throws InvariantViolation where its records lead nowhere. */
  async read(taskId: TaskId): Promise<CommittedTask> {
    const before = this.#read.get(taskId) ?? unread
    const rows = await this.#store.recordsFrom(taskId, before.next)
    const added = rows.filter(({ ordinal }) => ordinal >= (before.task?.recordCount ?? 0)).map(({ record }) => JSON.parse(record) as TaskRecord)
    const task = added.reduce<TaskState | undefined>(evolveTask, before.task)
    const records = [...before.records, ...added.filter(({ type }) => type !== 'task_partial_result')]
    const isRefused = before.isRefused || rows.some(({ messageId }) => messageId === REFUSED)
    const next = rows.find(({ messageId }) => messageId === undefined)?.ordinal ?? task?.recordCount ?? 0
    const progress = { task, records, isRefused, next }
    this.#read.set(taskId, progress)
    return progress
  }

  forget(taskId: TaskId): void {
    this.#read.delete(taskId)
  }
}
