// Where decisions about tasks are made and kept: one batch at a time, each batch one commit. What was committed is handed on.
import { randomBytes } from 'node:crypto'
import { deriveUrn, sha256Hash } from '../../../protocol/digest.ts'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import { isTerminal } from '../../../protocol/iap/task-status.ts'
import type { AgentId, CapabilityRecord, ErrorMessage, IAPMessage, TaskId } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { invariant } from '../../../protocol/result.ts'
import { nextDue } from '../../authority/iap/absence.ts'
import { decideTask } from '../../authority/iap/decide-task.ts'
import { evolveTask, foldTask } from '../../authority/iap/evolve-task.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import { addRecords, NO_RECORD, reputationChange } from '../../authority/iap/reputation.ts'
import type { HeldTasks, Roster } from '../../authority/iap/roster.ts'
import { eligibleAgents, standingOf } from '../../authority/iap/roster.ts'
import { judgeRepeat } from '../../authority/iap/session.ts'
import type { RouterRules, TaskEnv, TaskInput, TaskState } from '../../authority/iap/types.ts'
import { RecentMap } from '../../recent-map.ts'
import type { Clock } from '../ports.ts'
import type { CapabilitySchemas } from './capability-schemas.ts'
import type { Mailboxes } from './mailboxes.ts'
import { amountOf } from './mailboxes.ts'
import type { IapAccountRow, IapAmount, IapCacheRow, IapOutboxRow, IapReceivedRow, IapRecordRow, IapStore, IapTaskRow, KeptIapMessage, TaskWork } from './store-port.ts'

/** A message of an agent that is answered once, and the same way ever after. */
export interface Received { readonly message: IAPMessage; readonly contentHash: string }

export interface TaskJob {
  readonly taskId: TaskId
  readonly input: TaskInput
  readonly received?: Received
  /** Of a proposal: where its records go, and under which key its result may be kept. */
  readonly setting?: Pick<IapTaskRow, 'spaceId' | 'cacheKey' | 'work'>
}

interface Task { readonly row: IapTaskRow; readonly state: TaskState }
interface Waiting extends TaskJob { resolve(answers: readonly IAPMessage[]): void; reject(fault: unknown): void }

export interface DeskNeeds {
  readonly store: IapStore
  readonly clock: Clock
  readonly rules: RouterRules
  readonly roster: Roster
  readonly schemas: CapabilitySchemas
  readonly mailboxes: Pick<Mailboxes, 'hasRoom'>
  /** After a commit, in order. */
  readonly onCommitted: (messages: readonly KeptIapMessage[], taskIds: readonly TaskId[]) => void
  /** Something could not be decided or kept: `unread` may hold tasks now. */
  readonly onFault: () => void
  /** The records of an open task lead nowhere: it stands still, and the others go on. */
  readonly onUnreadable: (taskId: TaskId, fault: unknown) => void
}

const maximumBatch = 64
const maximumAttempts = 5
/** Tasks whose records are asked for at once. */
const maximumRead = 1_000
const endedTasksKept = 500
const answersRemembered = 1_000
/** Capabilities of one agent whose tasks are counted. */
const maximumAccounts = 1_024

/** What one batch adds up to before it is committed. */
interface Draft {
  readonly tasks: Map<TaskId, IapTaskRow>
  readonly records: IapRecordRow[]
  readonly outbox: IapOutboxRow[]
  /** Of the outbox, for each agent. */
  readonly posted: Map<AgentId, IapAmount>
  readonly received: IapReceivedRow[]
  readonly accounts: Map<string, IapAccountRow>
  readonly cache: IapCacheRow[]
  readonly answers: (readonly IAPMessage[])[]
}

export class TaskDesk {
  readonly #needs: DeskNeeds
  /** Every task that has not ended, and some that have. */
  readonly #tasks = new Map<TaskId, Task>()
  #accounts = new Map<AgentId, Map<string, IapAccountRow>>()
  /** Tasks of which memory said more than the store, and which could not be read again since. */
  readonly #unread = new Set<TaskId>()
  #areAccountsUnread = false
  /** Answers of just now. */
  readonly #answered = new RecentMap<string, IapReceivedRow>(answersRemembered)
  readonly #queue: Waiting[] = []
  readonly #chores: (() => Promise<void>)[] = []
  #running: Promise<void> | undefined

  constructor(needs: DeskNeeds) {
    this.#needs = needs
  }

  /** Reads what goes on. */
  async load(): Promise<void> {
    const rows = await this.#needs.store.openTasks()
    for (let start = 0; start < rows.length; start += maximumRead) {
      const unreadable = await this.#fold(rows.slice(start, start + maximumRead))
      for (const [taskId, fault] of unreadable) this.#needs.onUnreadable(taskId, fault)
    }
    await this.#loadAccounts()
  }

  /** Resolves with what the sender is answered, once it is committed; rejects on a fault, and nothing has happened then. */
  submit(job: TaskJob): Promise<readonly IAPMessage[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...job, resolve, reject })
      this.#running ??= this.#work()
    })
  }

  /** Forgets the tasks that the store forgets, between two batches: nothing is decided meanwhile about a task that is half there. */
  forget(forgetStored: () => Promise<readonly TaskId[]>): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = async () => {
        for (const taskId of await forgetStored()) this.#tasks.delete(taskId)
      }
      this.#chores.push(() => forget().then(resolve, reject))
      this.#running ??= this.#work()
    })
  }

  /** Tasks that have not ended. */
  open(): readonly TaskState[] {
    return [...this.#tasks.values()].filter(({ row }) => !row.isOver).map(({ state }) => state)
  }

  /** Tasks that may be open and are not remembered, because the store failed. The next input brings them back. */
  get unread(): readonly TaskId[] {
    return [...this.#unread]
  }

  async find(taskId: TaskId): Promise<TaskState | undefined> {
    const unreadable = this.#tasks.has(taskId) ? undefined : await this.#recall([taskId])
    if (unreadable?.has(taskId)) throw unreadable.get(taskId)
    return this.#tasks.get(taskId)?.state
  }

  recordOf(agentId: AgentId, capabilityId: string): CapabilityRecord | undefined {
    return this.#accounts.get(agentId)?.get(capabilityId)?.record
  }

  /** Of a task that is remembered or open. */
  rowOf(taskId: TaskId): IapTaskRow | undefined {
    return this.#tasks.get(taskId)?.row
  }

  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0 || this.#chores.length > 0) {
      await this.#chores.shift()?.()
      const batch = this.#queue.splice(0, maximumBatch)
      if (batch.length === 0) continue
      try {
        await this.#settle(batch)
      } catch (fault) {
        await this.#isolate(batch, fault)
      }
    }
    // In the same turn as the look at the queue: whoever submits next finds that nobody works.
    this.#running = undefined
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    const answers = await this.#attempt(batch, 1)
    batch.forEach((job, index) => job.resolve(answers[index]!))
  }

  /** One job that cannot be decided or kept costs the others nothing: each is tried alone, unless the store itself is away. */
  async #isolate(batch: readonly Waiting[], fault: unknown): Promise<void> {
    const isStoreThere = await this.#forget(batch).then(() => true, () => false)
    this.#needs.onFault()
    if (batch.length === 1 || !isStoreThere) return batch.forEach((job) => job.reject(fault))
    for (const [index, job] of batch.entries()) {
      try {
        await this.#settle([job])
      } catch (own) {
        job.reject(own)
        if (await this.#forget([job]).then(() => false, () => true)) return batch.slice(index + 1).forEach((other) => other.reject(own))
      }
    }
  }

  async #attempt(batch: readonly Waiting[], attempt: number): Promise<readonly (readonly IAPMessage[])[]> {
    const unreadable = await this.#recall([...new Set(batch.map(({ taskId }) => taskId).filter((taskId) => !this.#tasks.has(taskId)))])
    if (this.#areAccountsUnread) await this.#loadAccounts()
    const draft = emptyDraft()
    for (const job of batch) {
      if (unreadable.has(job.taskId)) throw unreadable.get(job.taskId)
      draft.answers.push(this.#decide(job, draft))
    }
    const committed = await this.#needs.store.commit({ ...draft, tasks: [...draft.tasks.values()], accounts: [...draft.accounts.values()] })
    if (committed === 'conflict') {
      invariant(attempt < maximumAttempts, 'somebody else decides these tasks all the time')
      await this.#forget(batch)
      return this.#attempt(batch, attempt + 1)
    }
    for (const row of draft.received) this.#answered.set(answeredKey(row.agentId, row.messageId), row)
    this.#needs.onCommitted(committed, [...draft.tasks.keys()])
    this.#dropEnded()
    return draft.answers
  }

  /** Decides one input on what the batch has led to so far, and adds its outcome to the batch. */
  #decide({ taskId, input, received, setting }: TaskJob, draft: Draft): readonly IAPMessage[] {
    const earlier = received && this.#earlier(received, draft)
    if (earlier !== undefined) return earlier
    const task = this.#tasks.get(taskId)
    const outcome = decideTask(task?.state, input, this.#env(task, input, { work: task?.row.work ?? setting?.work, draft }))
    let state = task?.state
    for (const record of outcome.records) {
      this.#account(state, record, draft)
      state = evolveTask(state, record)
    }
    const at = this.#needs.clock.now()
    if (state !== undefined && outcome.records.length > 0) this.#keep(task, state, outcome.records, { draft, setting, at })
    post(draft, outcome.messages.map((message) => ({ agentId: message.to, messageId: message.messageId, message: JSON.stringify(message), createdAt: at })))
    const answers = received && outcome.error ? [answerTo(received.message, outcome.error, at)] : []
    if (received) draft.received.push({ agentId: received.message.from, messageId: received.message.messageId, contentHash: received.contentHash, answers: JSON.stringify(answers), receivedAt: at })
    return answers
  }

  /**
   * What a message was answered that came twice at nearly the same time, as it does when an agent sends again over a new connection what
   * is still in hand from the old one: whoever asked the store then found nothing.
   */
  #earlier({ message, contentHash }: Received, { received }: Draft): readonly IAPMessage[] | undefined {
    const row = received.find(({ agentId, messageId }) => agentId === message.from && messageId === message.messageId) ?? this.#answered.get(answeredKey(message.from, message.messageId))
    const judged = judgeRepeat(row?.contentHash, contentHash)
    if (judged === 'new') return undefined
    return judged === 'repeat' ? (JSON.parse(row!.answers) as readonly IAPMessage[]) : [answerTo(message, judged.error, this.#needs.clock.now())]
  }

  #keep(task: Task | undefined, state: TaskState, records: readonly TaskRecord[], { draft, setting, at }: { draft: Draft; setting: TaskJob['setting']; at: string }): void {
    const { taskId, status, proposal } = state
    const place = task?.row ?? setting
    invariant(place !== undefined, 'a task has a Space')
    const { spaceId, cacheKey, work } = place
    const rows = records.map((record) => ({ taskId, ordinal: record.ordinal, record: JSON.stringify(record) }))
    const bytes = rows.reduce((sum, { record }) => sum + Buffer.byteLength(record), task?.row.bytes ?? 0)
    const endedAt = task?.row.endedAt ?? (isTerminal(status) ? at : undefined)
    const row: IapTaskRow = { taskId, spaceId, proposerId: proposal.proposerId, status, isOver: isTerminal(status), bytes, ...(endedAt !== undefined && { endedAt }), ...(cacheKey !== undefined && { cacheKey }), ...(work && { work }) }
    this.#tasks.set(taskId, { row, state })
    draft.tasks.set(taskId, row)
    draft.records.push(...rows)
    if (cacheKey !== undefined) draft.cache.push(...records.flatMap((record) => cacheable(record, { cacheKey, taskId, storedAt: at })))
  }

  #account(before: TaskState | undefined, record: TaskRecord, draft: Draft): void {
    const change = reputationChange(before, record)
    if (change === undefined) return
    const { agentId, capabilityId, added } = change
    const own = this.#accounts.get(agentId) ?? new Map<string, IapAccountRow>()
    if (!own.has(capabilityId) && own.size >= maximumAccounts) return
    const row = { agentId, capabilityId, record: addRecords(own.get(capabilityId)?.record ?? NO_RECORD, added) }
    this.#accounts.set(agentId, own.set(capabilityId, row))
    draft.accounts.set(`${agentId}\n${capabilityId}`, row)
  }

  #env(task: Task | undefined, input: TaskInput, { work, draft }: { readonly work: TaskWork | undefined; readonly draft: Draft }): TaskEnv {
    const { clock, rules, roster, schemas, mailboxes } = this.#needs
    const presence = { roster, held: this.#held(), hasRoom: (agentId: AgentId) => mailboxes.hasRoom(agentId, draft.posted.get(agentId)) }
    const proposal = input.type === 'proposal' ? input.message.payload : task?.state.proposal
    return {
      nowMs: clock.nowMs(),
      seed: randomBytes(16).toString('hex'),
      rules,
      candidates: () => (proposal ? eligibleAgents(work ? { ...presence, roster: workersOf(roster, work) } : presence, proposal, ({ inputSchema }) => schemas.faultOf(inputSchema, proposal.input) === undefined) : { eligible: [], busy: 0 }),
      standingOf: (agentId) => standingOf(presence, agentId),
      recordOf: (agentId, capabilityId) => this.recordOf(agentId, capabilityId) ?? NO_RECORD,
      isWorkInHand: () => work !== undefined && this.#isInHand(work),
    }
  }

  #isInHand({ groupId, workItemId }: TaskWork): boolean {
    return [...this.#tasks.values()].some(({ row: { isOver, work } }) => !isOver && work?.groupId === groupId && work.workItemId === workItemId)
  }

  #held(): HeldTasks {
    const held = new Map<AgentId, number>()
    for (const { holding } of this.open()) if (holding) held.set(holding.agent.agentId, (held.get(holding.agent.agentId) ?? 0) + 1)
    return held
  }

  /** Reads tasks that are not remembered. */
  async #recall(taskIds: readonly TaskId[]): Promise<ReadonlyMap<TaskId, unknown>> {
    if (taskIds.length === 0) return new Map()
    const rows = await Promise.all(taskIds.map((taskId) => this.#needs.store.findTask(taskId)))
    const unreadable = await this.#fold(rows.flatMap((row) => row ?? []))
    for (const taskId of taskIds) this.#unread.delete(taskId)
    return unreadable
  }

  /** Answers with what is wrong with those whose records lead nowhere. */
  async #fold(rows: readonly IapTaskRow[]): Promise<ReadonlyMap<TaskId, unknown>> {
    const unreadable = new Map<TaskId, unknown>()
    const kept = await this.#needs.store.records(rows.map(({ taskId }) => taskId))
    const byTask = new Map<TaskId, string[]>(rows.map(({ taskId }) => [taskId, []]))
    for (const { taskId, record } of kept) byTask.get(taskId)?.push(record)
    for (const row of rows) {
      try {
        const state = foldTask(byTask.get(row.taskId)!.map((record) => JSON.parse(record) as TaskRecord))
        invariant(state !== undefined, 'a task begins with its proposal')
        this.#tasks.set(row.taskId, { row, state })
      } catch (fault) {
        unreadable.set(row.taskId, fault)
      }
    }
    return unreadable
  }

  /** What was decided was not committed: memory says what the store says. */
  async #forget(batch: readonly TaskJob[]): Promise<void> {
    const open = new Set(batch.map(({ taskId }) => taskId))
    for (const taskId of open) {
      this.#tasks.delete(taskId)
      this.#unread.add(taskId)
    }
    this.#areAccountsUnread = true
    await this.#recall([...open])
    await this.#loadAccounts()
  }

  async #loadAccounts(): Promise<void> {
    const accounts = new Map<AgentId, Map<string, IapAccountRow>>()
    for (const row of await this.#needs.store.accounts()) accounts.set(row.agentId, (accounts.get(row.agentId) ?? new Map<string, IapAccountRow>()).set(row.capabilityId, row))
    this.#accounts = accounts
    this.#areAccountsUnread = false
  }

  #dropEnded(): void {
    const ended = [...this.#tasks.values()].filter(({ row }) => row.isOver)
    for (const { row } of ended.slice(0, Math.max(0, ended.length - endedTasksKept))) this.#tasks.delete(row.taskId)
  }
}

/** Of the agents online those that belong to the Group. */
const workersOf = (roster: Roster, { workerIds }: TaskWork): Roster => new Map([...roster].filter(([, { principalId }]) => workerIds.includes(principalId)))

const emptyDraft = (): Draft => ({ tasks: new Map(), records: [], outbox: [], posted: new Map(), received: [], accounts: new Map(), cache: [], answers: [] })
const answeredKey = (agentId: AgentId, messageId: string): string => `${agentId}\n${messageId}`

function post({ outbox, posted }: Draft, rows: readonly IapOutboxRow[]): void {
  outbox.push(...rows)
  for (const row of rows) {
    const [before, { count, bytes }] = [posted.get(row.agentId) ?? { count: 0, bytes: 0 }, amountOf(row)]
    posted.set(row.agentId, { count: before.count + count, bytes: before.bytes + bytes })
  }
}

/** An ERROR of the router; the same message always gets the same one. */
export function answerTo({ messageId, from }: Pick<IAPMessage, 'messageId' | 'from'>, error: ErrorMessage, at: string): IAPMessage {
  return composeMessage('ERROR', { messageId: deriveUrn('iap-answer', from, messageId), from: ROUTER, to: from, timestamp: at, correlationId: messageId }, error)
}

/** When something is due next among these tasks. */
export const earliestDue = (tasks: readonly TaskState[]): number => tasks.reduce((earliest, task) => Math.min(earliest, nextDue(task) ?? Infinity), Infinity)

/** A result that the router applied and that did not come from the cache itself. */
function cacheable(record: TaskRecord, row: Omit<IapCacheRow, 'result'>): readonly IapCacheRow[] {
  if (record.type !== 'task_result') return []
  const { result, refused, isCached } = record.content
  return refused === undefined && isCached !== true && result.status === 'completed' ? [{ ...row, result: JSON.stringify(result.result) }] : []
}

/** What tells two messages of one id apart. */
export const contentHashOf = (message: IAPMessage): string => sha256Hash(new TextEncoder().encode(sortedText(message)))

/** JSON text with the members of every object in order. */
const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'object' && member !== null && !Array.isArray(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member))
