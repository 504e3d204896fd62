// Runs a Worker: takes offers, orders owned work of all Groups into slots, pauses for urgent work, and says when things will be done.
import type { DeclineReason, WorkContract, WorkOffer } from '../protocol/generated/types.ts'
import { WORK_OFFER_DECLINE } from '../protocol/kinds.ts'
import type { WorkingClient } from './agent-client.ts'
import type { AgentStore } from './agent-store.ts'
import type { GroupEntry } from './authority-http.ts'
import type { ExecutionLease } from './artifact-manifest.ts'
import type { BackoffOptions } from './backoff.ts'
import { backoffMs, delay } from './backoff.ts'
import { withExecutionLease } from './execution-lease.ts'
import type { FairOrderRules, QueuedItem } from './fair-order.ts'
import { afterPause, FairOrder, slotToFree } from './fair-order.ts'
import { forecast, forecastSentence } from './forecast.ts'
import { newId, workConversation } from './ids.ts'
import type { Receipt, Refusal } from './refusal.ts'
import { SubscriptionRefused } from './refusal.ts'
import type { Ending } from './slot.ts'
import { LeaseLost, Slot } from './slot.ts'
import type { OpenOffer, ReadyWork } from './worked-group.ts'
import { WorkedGroup } from './worked-group.ts'

export interface SchedulerOptions extends FairOrderRules {
  /** Also the client's `cursors` and `outbox`. */
  readonly store: AgentStore
  /** Executions at once: the maximum concurrency of the Agent's card. */
  readonly slots: number
  /**
   * Whether to take an offer of this work, or why not; false says `capability`. What is not taken is declined at once, so
   * that the Coordinator need not wait. Work with a gate or side effects needs a Worker that knows of them.
   */
  accepts(contract: WorkContract): boolean | DeclineReason
  /**
   * Does the work of one slot. A thrown fault ends the execution without a word to the Group: the lease runs out, and the
   * item is started again.
   */
  execute(slot: Slot): Promise<Ending>
  /** Of ownership, 900 when absent: an item that waits longer for its turn may be reassigned. */
  readonly ownershipSeconds?: number
  /** Of an execution, 300 when absent. It is renewed. */
  readonly leaseSeconds?: number
  /** Between attempts at what did not work out, from one second up to a minute when absent. */
  readonly retry?: BackoffOptions
  readonly report: (line: string) => void
}

const DEFAULT_OWNERSHIP_SECONDS = 900
const DEFAULT_RETRY: BackoffOptions = { firstMs: 1_000, maxMs: 60_000 }
/** Refusals that may end by themselves. */
const PASSING: ReadonlySet<string> = new Set(['BACKPRESSURE', 'RATE_LIMITED', 'INTERNAL_ERROR'])
/** States of a Membership in which there may be something to do. */
const WORKING: ReadonlySet<string> = new Set(['active', 'provisional'])
/** Before anything was measured. */
const FIRST_MEAN_MS = 60_000

interface Running {
  readonly item: QueuedItem
  readonly pause: AbortController
  readonly lost: AbortController
  leaseId?: string
  /** The log has shown this lease; when it shows another or none, the execution is over. */
  isSeen: boolean
}

/** Works in every Group in which the Agent is a Worker, now and later, until the client is over and every slot is empty. */
export async function runScheduler(client: WorkingClient, options: SchedulerOptions): Promise<void> {
  const scheduler = new Scheduler(client, options)
  await scheduler.run()
}

class Scheduler {
  readonly #client: WorkingClient
  readonly #options: SchedulerOptions
  readonly #order: FairOrder
  readonly #groups = new Map<string, WorkedGroup>()
  readonly #retry: BackoffOptions
  /** The Agent's Memberships as they were listed last. */
  #memberships: ReadonlyMap<string, GroupEntry> = new Map()
  /** Groups that are followed, also while an attempt is waited for. */
  readonly #followed = new Set<string>()
  /** Membership Epochs up to which there is nothing in a Group any more: it was refused for good, or left. A list may be older than that. */
  readonly #closed = new Map<string, number>()
  readonly #running = new Map<string, Running>()
  readonly #tasks = new Set<Promise<void>>()
  /** Offers that were answered or refused, and items that may not be started again yet. */
  readonly #settled = new Set<string>()
  /** Executions in a row that came to nothing, by WorkItem, and answers that were refused in passing, by offer. */
  readonly #attempts = new Map<string, number>()
  readonly #over = new AbortController()
  #meanMs = FIRST_MEAN_MS
  /** What was last said of the capacity. */
  #saidCapacity = ''

  constructor(client: WorkingClient, options: SchedulerOptions) {
    this.#client = client
    this.#options = options
    this.#order = new FairOrder(options)
    this.#retry = options.retry ?? DEFAULT_RETRY
  }

  async run(): Promise<void> {
    void this.#client.over.then(() => this.#over.abort())
    for await (const groups of this.#client.watchGroups()) {
      this.#memberships = new Map(groups.map((entry) => [entry.groupId, entry]))
      for (const entry of groups) this.#followOnce(entry)
    }
    for (const { lost } of this.#running.values()) lost.abort()
    await Promise.all(this.#tasks)
  }

  #start(task: Promise<void>): void {
    const watched = task.catch((fault: unknown) => this.#report(fault)).finally(() => this.#tasks.delete(watched))
    this.#tasks.add(watched)
  }

  /** Begins to follow a Group in which the Agent is a Worker or has been offered to become one, unless it is followed already. */
  #followOnce(entry: GroupEntry): void {
    const { groupId, role, state, membershipEpoch } = entry
    const isClosed = (this.#closed.get(groupId) ?? 0) >= membershipEpoch
    if (role !== 'worker' || !WORKING.has(state) || this.#followed.has(groupId) || isClosed) return
    this.#followed.add(groupId)
    this.#start(this.#keepFollowing(entry).finally(() => this.#unfollowed(entry)))
  }

  /** The Agent may have come back meanwhile. */
  #unfollowed({ groupId, membershipEpoch }: GroupEntry): void {
    this.#followed.delete(groupId)
    const present = this.#memberships.get(groupId)
    if (present !== undefined && present.membershipEpoch > membershipEpoch && !this.#over.signal.aborted) this.#followOnce(present)
  }

  /** Until the Membership or the client ends; after a fault again from where the inbox stands, unless that cannot help. */
  async #keepFollowing(entry: GroupEntry): Promise<void> {
    const { groupId, membershipEpoch } = entry
    for (let attempt = 0; !this.#over.signal.aborted; ) {
      const before = this.#options.store.received(groupId)
      try {
        return await this.#follow(this.#memberships.get(groupId) ?? entry)
      } catch (fault) {
        this.#report(fault)
        if (fault instanceof SubscriptionRefused) return void this.#closed.set(groupId, membershipEpoch)
        if (this.#options.store.received(groupId) > before) attempt = 0
        await delay(backoffMs(attempt++, this.#retry), this.#over.signal)
      }
    }
  }

  /** Acts only once the history is in, because what is due depends on all of it; a candidate is shown nothing but its offer. */
  async #follow(entry: GroupEntry): Promise<void> {
    const { groupId, head, state } = entry
    const { store } = this.#options
    const group = new WorkedGroup(this.#client.agentId, store, entry)
    this.#groups.set(groupId, group)
    const look = () => (state === 'provisional' || store.received(groupId) >= head) && this.#look(group)
    try {
      look()
      for await (const event of this.#client.subscribe(groupId, { after: store.received(groupId) })) {
        group.take(event)
        look()
      }
    } finally {
      this.#groups.delete(groupId)
      for (const item of this.#order.waiting()) if (item.groupId === groupId) this.#order.remove(item)
    }
    if (group.leftAt === undefined) return
    this.#closed.set(groupId, group.leftAt)
    store.forgetGroup(groupId)
  }

  /** What the Group's Events make due. */
  #look(group: WorkedGroup): void {
    if (this.#groups.get(group.groupId) !== group) return this.#fill()
    for (const offer of group.offers()) this.#consider(group, offer)
    for (const running of this.#running.values()) if (running.item.groupId === group.groupId) watchLease(running, group)
    this.#requeue(group)
    this.#fill()
  }

  #consider(group: WorkedGroup, { workItemId, offer, contract }: OpenOffer): void {
    if (this.#settled.has(offer.offerId)) return
    const reason = whyDeclined(contract, this.#options.accepts(contract), Date.now())
    this.#settled.add(offer.offerId)
    this.#start(reason === undefined ? this.#accept(group, { workItemId, offer, contract }) : this.#decline(group, { workItemId, offer, contract }, reason))
  }

  async #decline(group: WorkedGroup, { workItemId, offer, contract }: OpenOffer, reason: DeclineReason): Promise<void> {
    const receipt = await this.#client.submit(WORK_OFFER_DECLINE, { workItemId, offerId: offer.offerId, reason }, { groupId: group.groupId, workItemId })
    if (receipt.ok) return this.#answered(offer)
    this.#options.report(`could not decline “${contract.goal}”: ${receipt.error.message}`)
    this.#considerLater(group, offer, receipt.error)
  }

  #answered({ offerId }: WorkOffer): void {
    this.#attempts.delete(offerId)
  }

  /** An answer that was refused in passing is given again, for as long as the offer stands; any other refusal is the last word. */
  #considerLater(group: WorkedGroup, { offerId }: WorkOffer, { code, retryAfterMs = 0 }: Refusal): void {
    if (PASSING.has(code)) this.#postpone(group, offerId, retryAfterMs)
    else this.#attempts.delete(offerId)
  }

  async #accept(group: WorkedGroup, { workItemId, offer, contract }: OpenOffer): Promise<void> {
    const payload = {
      workItemId,
      offerId: offer.offerId,
      ownershipLeaseSeconds: this.#options.ownershipSeconds ?? DEFAULT_OWNERSHIP_SECONDS,
      scheduleEstimate: this.#forecast(contract),
    }
    const receipt = await this.#client.submit('work.accept_offer', payload, { groupId: group.groupId, workItemId })
    if (receipt.ok) return this.#answered(offer)
    this.#options.report(`did not get “${contract.goal}”: ${receipt.error.message}`)
    this.#considerLater(group, offer, receipt.error)
  }

  /** Makes the order agree with the log. */
  #requeue(group: WorkedGroup): void {
    const queue = group.queue().filter(({ workItemId }) => !this.#running.has(workItemId) && !this.#settled.has(workItemId))
    const ready = new Set(queue.map(({ workItemId }) => workItemId))
    for (const item of this.#order.waiting()) {
      if (item.groupId === group.groupId && !ready.has(item.workItemId)) this.#order.remove(item)
    }
    for (const item of queue) this.#order.put(item)
    group.remember(queue)
  }

  /** Gives free slots to those whose turn it is, and asks for one when urgent work has to wait. */
  #fill(): void {
    while (this.#running.size < this.#options.slots && !this.#over.signal.aborted) {
      const item = this.#order.take(this.#held())
      const group = this.#groups.get(item?.groupId ?? '')
      if (item === undefined || group === undefined) break
      group.remember(this.#order.waiting().filter(({ groupId }) => groupId === item.groupId))
      this.#running.set(item.workItemId, { item, pause: new AbortController(), lost: new AbortController(), isSeen: false })
      this.#start(this.#occupy(group, item))
    }
    const next = this.#order.peek(this.#held())
    const running = [...this.#running.values()].map(({ item, pause }) => ({ ...item, isAskedToPause: pause.signal.aborted }))
    const asked = next && slotToFree(running, next)
    if (asked !== undefined) this.#running.get(asked.workItemId)?.pause.abort()
    this.#reportCapacity()
  }

  #reportCapacity(): void {
    const { slots } = this.#options
    const activeSlots = this.#running.size
    const capacity = { maxSlots: slots, activeSlots, availableSlots: slots - activeSlots, queuedItems: this.#order.waiting().length }
    const said = JSON.stringify(capacity)
    if (said === this.#saidCapacity || this.#over.signal.aborted) return
    this.#saidCapacity = said
    this.#start(this.#client.reportPresence(capacity))
  }

  #held(): Map<string, number> {
    const held = new Map<string, number>()
    for (const { item } of this.#running.values()) held.set(item.groupId, (held.get(item.groupId) ?? 0) + 1)
    return held
  }

  /** One execution in one slot; whatever comes of it, the slot is free afterwards. */
  async #occupy(group: WorkedGroup, item: QueuedItem): Promise<void> {
    const startedMs = Date.now()
    try {
      const work = group.ready(item.workItemId)
      if (work !== undefined) await this.#execute(group, item, work)
      this.#attempts.delete(item.workItemId)
      this.#meanMs = (this.#meanMs + Date.now() - startedMs) / 2
    } catch (fault) {
      if (!(fault instanceof LeaseLost)) this.#report(fault)
      this.#postpone(group, item.workItemId)
    } finally {
      this.#running.delete(item.workItemId)
      this.#look(group)
    }
  }

  async #execute(group: WorkedGroup, item: QueuedItem, { contract, owner }: ReadyWork): Promise<void> {
    const { groupId, workItemId } = item
    const running = this.#running.get(workItemId)!
    const { store, leaseSeconds } = this.#options
    const request = { groupId, workItemId, ownershipEpoch: owner.ownershipEpoch, ...(leaseSeconds !== undefined && { leaseSeconds }) }
    const { sessionEpoch } = await this.#client.session()
    const done = await withExecutionLease(this.#client, request, async (lease, expired) => {
      running.leaseId = lease.executionLeaseId
      watchLease(running, group)
      const lost = AbortSignal.any([expired, running.lost.signal])
      const ending = await this.#options.execute(new Slot(this.#client, store, { lease, contract, owner, sessionEpoch, lost, pause: running.pause.signal }))
      if (lost.aborted) throw new LeaseLost('the execution lease is over')
      await this.#end(group, item, { lease, contract, ending })
    })
    if (!done.ok) throw new Error(`could not start “${contract.goal}”: ${done.error.message} (${done.error.code})`)
  }

  /** Submits what ends the execution; a paused item rejoins its queue with a higher age. */
  async #end(group: WorkedGroup, item: QueuedItem, { lease, contract, ending }: { lease: ExecutionLease; contract: WorkContract; ending: Ending }): Promise<void> {
    const { workItemId } = item
    if (ending.ends === 'pause' || ending.ends === 'block') this.#options.store.saveCheckpoint(lease, { progress: ending.progress, state: ending.state ?? null })
    if (ending.ends === 'pause') group.remember([afterPause(item)])
    const receipt = await this.#submitEnd(lease, ending)
    if (!receipt.ok) throw new LeaseLost(`${receipt.error.code}: ${receipt.error.message}`)
    group.acted(workItemId, receipt.value)
    if (ending.ends === 'pause') this.#start(this.#announce(item, contract))
  }

  #submitEnd({ groupId, workItemId, ownershipEpoch, executionLeaseId }: ExecutionLease, ending: Ending): Promise<Receipt> {
    const cited = { workItemId, ownershipEpoch, executionLeaseId }
    const target = { groupId, workItemId }
    switch (ending.ends) {
      case 'submit':
        return this.#client.submit('work.submit', { ...cited, artifactHashes: ending.artifactHashes, evidence: ending.evidence }, target)
      case 'pause':
        return this.#client.submit('work.checkpoint', { ...cited, progress: ending.progress }, target)
      case 'block':
        return this.#client.submit('work.block', { ...cited, progress: ending.progress, reason: ending.reason, unblockCondition: ending.unblockCondition }, target)
      case 'fail':
        return this.#client.submit('work.fail', { ...cited, reason: ending.reason, evidence: ending.evidence }, target)
    }
  }

  /** A pause changes what was said at the acceptance; the new forecast goes to the item's Conversation. */
  async #announce({ groupId, workItemId }: QueuedItem, contract: WorkContract): Promise<void> {
    const text = forecastSentence(this.#forecast(contract))
    const payload = { messageId: newId(), content: [{ type: 'text' as const, text }], authority: false as const }
    const receipt = await this.#client.submit('message.post', payload, { groupId, workItemId, conversationId: workConversation(groupId, workItemId) })
    if (!receipt.ok) this.#options.report(`could not say when “${contract.goal}” goes on: ${receipt.error.message}`)
  }

  #forecast({ deadline }: WorkContract) {
    const load = { nowMs: Date.now(), slots: this.#options.slots, active: this.#running.size, queued: this.#order.waiting().length, meanMs: this.#meanMs }
    return forecast(load, Date.parse(deadline))
  }

  /** Leaves an item or an offer alone for a while, longer each time. */
  #postpone(group: WorkedGroup, id: string, leastMs = 0): void {
    const attempts = this.#attempts.get(id) ?? 0
    this.#attempts.set(id, attempts + 1)
    this.#settled.add(id)
    void delay(Math.max(leastMs, backoffMs(attempts, this.#retry)), this.#over.signal).then(() => {
      this.#settled.delete(id)
      if (!this.#over.signal.aborted) this.#look(group)
    })
  }

  #report(fault: unknown): void {
    if (!this.#over.signal.aborted) this.#options.report(fault instanceof Error ? fault.message : String(fault))
  }
}

/** Why an offer is declined; undefined when it is taken. Nobody can commit to a deadline that has passed. */
export function whyDeclined({ deadline }: WorkContract, answer: boolean | DeclineReason, nowMs: number): DeclineReason | undefined {
  if (answer === false) return 'capability'
  if (answer !== true) return answer
  return Date.parse(deadline) <= nowMs ? 'deadline' : undefined
}

/** Tells a running execution what the log says of its lease. */
function watchLease(running: Running, { mirror }: WorkedGroup): void {
  const { executionLease, preemption } = mirror.workItems.get(running.item.workItemId) ?? {}
  if (running.leaseId !== undefined && executionLease?.leaseId === running.leaseId) running.isSeen = true
  else if (running.isSeen) running.lost.abort(new LeaseLost('the log ended this execution'))
  if (running.isSeen && preemption !== undefined) running.pause.abort()
}
