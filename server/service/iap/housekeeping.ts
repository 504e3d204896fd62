// What the router keeps stays within its bounds: answers, ended tasks and results by number and by age. How much may wait for an agent is
// decided where it would be posted (mailboxes.ts); here it only ages.
import type { AgentId } from '../../../protocol/iap/types.ts'
import { instantFromEpochMs } from '../../../protocol/timestamp.ts'
import type { Log } from '../../log.ts'
import { RecentMap } from '../../recent-map.ts'
import type { Clock } from '../ports.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { IapAmount, IapCommit, IapStore } from './store-port.ts'
import type { TaskDesk } from './task-desk.ts'
import type { IapLimits, IapTimers } from './types.ts'

const sweepEveryMs = 24 * 3_600_000
/** A bound is looked at again when an eighth of it has come in addition. */
const share = 8
const countedAgents = 10_000
const nothing: IapAmount = { count: 0, bytes: 0 }

interface Needs {
  readonly store: Pick<IapStore, 'forgetReceived' | 'trimReceived' | 'forgetTasks' | 'trimTasks' | 'trimCache'>
  readonly desk: Pick<TaskDesk, 'forget'>
  readonly mailboxes: Pick<Mailboxes, 'expire'>
  readonly limits: IapLimits
  readonly clock: Clock
  readonly timers: IapTimers
  readonly diagnostics: Log
}

export class Housekeeping {
  readonly #needs: Needs
  /** Since the bound was looked at last. */
  readonly #answers = new RecentMap<AgentId, IapAmount>(countedAgents)
  readonly #tasks = new RecentMap<AgentId, IapAmount>(countedAgents)
  #results = nothing
  #timer: { cancel(): void } | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Looks at what is too old, now and once a day. */
  start(): void {
    this.#later(() => this.#sweep())
    this.#timer = this.#needs.timers.after(sweepEveryMs, () => this.start())
  }

  /** Resolves when what is to be done by now is done. */
  settled(): Promise<void> {
    return this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#running
  }

  /** Counts what was committed. */
  kept({ received, tasks, cache }: Pick<IapCommit, 'received' | 'tasks' | 'cache'>): void {
    const { store, desk, limits: { maxAnswers, maxEndedTasks, maxResults, resultsKeptMs } } = this.#needs
    for (const { agentId } of received) {
      const isDue = counted(this.#answers, agentId, { more: { count: 1, bytes: 0 }, bound: { count: maxAnswers, bytes: Infinity } })
      if (isDue) this.#later(() => store.trimReceived(agentId, maxAnswers))
    }
    for (const { proposerId, endedAt, bytes } of tasks) {
      const isDue = endedAt !== undefined && counted(this.#tasks, proposerId, { more: { count: 1, bytes }, bound: maxEndedTasks })
      if (isDue) this.#later(() => desk.forget(() => store.trimTasks(proposerId, maxEndedTasks)))
    }
    for (const { result } of cache) this.#results = sum(this.#results, { count: 1, bytes: Buffer.byteLength(result) })
    if (!isShareOf(this.#results, maxResults)) return
    this.#results = nothing
    this.#later(() => store.trimCache(this.#ago(resultsKeptMs), maxResults))
  }

  async #sweep(): Promise<void> {
    const { store, desk, mailboxes, limits: { answersKeptMs, tasksKeptMs, resultsKeptMs, maxResults } } = this.#needs
    await store.forgetReceived(this.#ago(answersKeptMs))
    await store.trimCache(this.#ago(resultsKeptMs), maxResults)
    await desk.forget(() => store.forgetTasks(this.#ago(tasksKeptMs)))
    await mailboxes.expire()
  }

  /** One thing at a time: none of it is urgent. */
  #later(act: () => Promise<void>): void {
    this.#running = this.#running
      .then(() => (this.#isStopped ? undefined : act()))
      .catch((fault: unknown) => this.#needs.diagnostics.warn({ err: fault }, 'what the I.A.P. router need not keep is kept for now'))
  }

  #ago(ms: number): string {
    return instantFromEpochMs(this.#needs.clock.nowMs() - ms)
  }
}

/** Adds to the agent's count; true, and the count begins anew, when a share of the bound has come together. */
function counted(counts: RecentMap<AgentId, IapAmount>, agentId: AgentId, { more, bound }: { readonly more: IapAmount; readonly bound: IapAmount }): boolean {
  const total = sum(counts.get(agentId) ?? nothing, more)
  const isDue = isShareOf(total, bound)
  counts.set(agentId, isDue ? nothing : total)
  return isDue
}

const sum = (a: IapAmount, b: IapAmount): IapAmount => ({ count: a.count + b.count, bytes: a.bytes + b.bytes })
const isShareOf = ({ count, bytes }: IapAmount, bound: IapAmount): boolean => count * share >= bound.count || bytes * share >= bound.bytes
