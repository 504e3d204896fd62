// Puts what was decided into the Spaces: each record a Message in the name of its author, referring to the Messages that it rests on;
// in the Space of a Mission, an Event of the router's that says whose words they are.
import { createHash } from 'node:crypto'
import type { Rejection } from '../../../protocol/error-codes.ts'
import type { TaskId } from '../../../protocol/iap/types.ts'
import { contentTypeOf, spaceContentOf } from '../../authority/iap/records.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import type { Log } from '../../log.ts'
import type { MessageDraft, OpenSpaces, SpaceMessage } from '../open-spaces/types.ts'
import { Turns } from '../turns.ts'
import type { AgentNodes } from './agent-nodes.ts'
import type { GroupRecorder } from './group-recorder.ts'
import type { IapStore, TaskWork } from './store-port.ts'
import { REFUSED, standsInItsGroup } from './store-port.ts'
import type { IapTimers } from './types.ts'

const retryMs = 5_000
/** So many of a sender's newest Messages are looked through for one whose id was not noted any more. */
const lookBack = 1_000

/** Open Spaces as the router writes to them. */
export interface RecordSpaces extends Pick<OpenSpaces, 'search'> {
  readonly sendRecord: OpenSpaces['send']
}

interface Needs {
  readonly store: Pick<IapStore, 'findTask' | 'unpublished' | 'messageIdsOf' | 'published'>
  readonly spaces: RecordSpaces
  readonly groups: Pick<GroupRecorder, 'put'>
  readonly nodes: Pick<AgentNodes, 'enter' | 'nodeIdOf'>
  /** A Group does not take a record, and will not: it stays in the journal alone. */
  readonly onRefused: (taskId: TaskId, rejection: Rejection) => void
  readonly timers: IapTimers
  readonly diagnostics: Log
}

export class SpacePublisher {
  readonly #needs: Needs
  readonly #turns = new Turns<TaskId>()
  readonly #waiting = new Map<TaskId, Promise<void>>()
  readonly #retries = new Set<{ cancel(): void }>()
  #isStopped = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Publishes what the task has that is not in its Space yet. `isUnsure`: an earlier run may have published without noting it. */
  publish(taskId: TaskId, isUnsure = false): void {
    if (this.#isStopped) return
    const turn = this.#turns.run(taskId, () => this.#publish(taskId, isUnsure)).catch((fault: unknown) => this.#again(taskId, fault))
    this.#waiting.set(taskId, turn)
    void turn.then(() => this.#waiting.get(taskId) === turn && this.#waiting.delete(taskId))
  }

  async settled(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.all(this.#waiting.values())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const retry of this.#retries) retry.cancel()
    await this.settled()
  }

  #again(taskId: TaskId, fault: unknown): void {
    this.#needs.diagnostics.error({ err: fault, taskId }, 'records of a task are not in their Space yet')
    if (this.#isStopped) return
    const retry = this.#needs.timers.after(retryMs, () => {
      this.#retries.delete(retry)
      this.publish(taskId, true)
    })
    this.#retries.add(retry)
  }

  async #publish(taskId: TaskId, isUnsure: boolean): Promise<void> {
    const { store } = this.#needs
    const [task, rows] = await Promise.all([store.findTask(taskId), store.unpublished(taskId)])
    if (task === undefined) return
    let mayBeThere = isUnsure
    for (const row of rows) {
      const record = JSON.parse(row.record) as TaskRecord
      if (standsInItsGroup(task)) {
        await store.published(taskId, row.ordinal, await this.#putInGroup(record, task.work))
        continue
      }
      const earlier = mayBeThere ? await this.#findEarlier(record, task.spaceId) : undefined
      const messageId = earlier ?? (await this.#send(record, task.spaceId))
      await store.published(taskId, row.ordinal, messageId)
      // Only the first one can have been published before its id was noted.
      mayBeThere = false
    }
  }

  /** The id of the record; of a part of a result, of which there may be a thousand, that of the acceptance under which it came. */
  async #putInGroup(record: TaskRecord, work: TaskWork): Promise<string> {
    const ids = await this.#needs.store.messageIdsOf(record.taskId, record.refs)
    const refs = record.refs.flatMap((ordinal) => ids.get(ordinal) ?? [])
    if (record.type === 'task_partial_result') return refs[0]!
    const put = await this.#needs.groups.put(record, work, refs)
    if (put.ok) return put.value
    this.#needs.onRefused(record.taskId, put.error)
    return REFUSED
  }

  async #send(record: TaskRecord, spaceId: string): Promise<string> {
    const { nodes, spaces, store } = this.#needs
    const senderId = await nodes.enter(record.author, spaceId)
    const messageIds = await store.messageIdsOf(record.taskId, record.refs)
    const messages = [...new Set(record.refs)].flatMap((ordinal) => messageIds.get(ordinal) ?? [])
    const draft = { contentType: contentTypeOf(record), messages, nodes: await this.#named(record) }
    const content = JSON.stringify(spaceContentOf(record))
    const sent = await spaces.sendRecord(senderId, spaceId, { ...draft, content })
    if (sent.ok) return sent.value.messageId
    if (sent.error.category === 'busy') throw new Error(`a Space does not take a record yet: ${sent.error.reason}`)
    // What no Space takes as it is stands there by its hash; the journal has the whole of it.
    const standIn = await spaces.sendRecord(senderId, spaceId, { ...draft, content: standInFor(record, content) })
    if (!standIn.ok) throw new Error(`a Space refuses a record: ${standIn.error.reason}`)
    return standIn.value.messageId
  }

  /** Those whom the record is for, besides everybody. */
  async #named(record: TaskRecord): Promise<MessageDraft['nodes']> {
    if (record.type !== 'task_assignment' && record.type !== 'task_release') return []
    return [await this.#needs.nodes.nodeIdOf(record.content.agentId)]
  }

  async #findEarlier(record: TaskRecord, spaceId: string): Promise<string | undefined> {
    const senderId = await this.#needs.nodes.enter(record.author, spaceId)
    const found = await this.#needs.spaces.search({ spaceId, senderId }, { limit: lookBack })
    return found.ok ? found.value.findLast((message) => isOf(record, message))?.messageId : undefined
  }
}

function isOf(record: TaskRecord, { contentType, bytes }: SpaceMessage): boolean {
  if (contentType !== contentTypeOf(record)) return false
  const { content } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly content: { readonly taskId?: unknown; readonly ordinal?: unknown; readonly at?: unknown } }
  return content.taskId === record.taskId && content.ordinal === record.ordinal && content.at === record.at
}

function standInFor({ taskId, ordinal, refs, author, at }: TaskRecord, content: string): string {
  const omitted = { sha256: createHash('sha256').update(content).digest('hex'), size: Buffer.byteLength(content) }
  return JSON.stringify({ taskId, ordinal, refs, author, at, omitted })
}
