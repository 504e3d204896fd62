// A worker of the release review: takes offers that it can fulfil and does the work as soon as what it builds on is verified.
import type { EventDocument, WorkContract } from '../../../protocol/generated/types.ts'
import type { AgentClient } from '../../../sdk/index.ts'
import { GroupMirror } from '../../../sdk/index.ts'
import type { Desk, Reading } from '../group-desk.ts'
import { isFinal, workInGroups } from '../group-desk.ts'
import type { Job } from '../review-jobs.ts'
import { jobOf } from '../review-jobs.ts'
import type { OwnedWork } from './execution.ts'
import { Postponements } from '../postponements.ts'
import { execute } from './execution.ts'
import { OneAtATime } from './one-at-a-time.ts'

const OWNERSHIP_SECONDS = 900

export interface WorkerOptions {
  readonly jobs: readonly Job[]
  /** Folder under review. */
  readonly folder: string
  readonly report: (line: string) => void
}

/** Works in every Group that this Agent is brought into, until the client is over; one execution at a time. */
export function runWorker(client: AgentClient, options: WorkerOptions): Promise<void> {
  const slot = new OneAtATime()
  return workInGroups(client, 'worker', ({ groupId }, reading) => new WorkerDesk(client, { ...options, groupId, reading, slot }), options.report)
}

interface DeskOptions extends WorkerOptions {
  readonly groupId: string
  readonly reading: Reading
  readonly slot: OneAtATime
}

class WorkerDesk implements Desk {
  readonly #client: AgentClient
  readonly #options: DeskOptions
  readonly #mirror = new GroupMirror()
  /** WorkItems that are being executed, or wait for the slot. */
  readonly #running = new Set<string>()
  readonly #refused = new Postponements()

  constructor(client: AgentClient, options: DeskOptions) {
    this.#client = client
    this.#options = options
  }

  take(event: EventDocument): void {
    this.#mirror.apply(event)
  }

  get isDone(): boolean {
    return isFinal(this.#mirror)
  }

  async act(): Promise<number | undefined> {
    const nowMs = Date.now()
    for (const workItemId of [...this.#mirror.workItems.keys()]) {
      if (!this.#refused.isDue(workItemId, nowMs)) continue
      await this.#considerOffer(workItemId, nowMs)
      const work = this.#readyWork(workItemId)
      if (work !== undefined) void this.#carryOut(work)
    }
    return this.#refused.nextMs(nowMs)
  }

  /** Accepts an offer that fits: a job of ours, no side effects, no gate, time left. */
  async #considerOffer(workItemId: string, nowMs: number): Promise<void> {
    const contract = this.#mirror.workItems.get(workItemId)?.contract
    const offer = this.#mirror.offerTo(this.#client.agentId, workItemId)
    if (offer === undefined || contract === undefined || Date.parse(offer.expiresAt) <= nowMs || Date.parse(contract.deadline) <= nowMs) return
    const isFit = this.#jobIn(contract) !== undefined && contract.sideEffectRisk === 'none' && contract.executionApproval === 'not_required'
    if (!isFit) return
    const { groupId, reading } = this.#options
    const payload = { workItemId, offerId: offer.offerId, ownershipLeaseSeconds: OWNERSHIP_SECONDS }
    const receipt = await this.#client.submit('work.accept_offer', payload, { groupId, workItemId })
    if (receipt.ok) await reading.reached(receipt.value.sequence)
    else this.#refused.postpone(workItemId, nowMs)
  }

  /** The work in this item, once it is ours and waiting, and everything that it depends on is verified. */
  #readyWork(workItemId: string): OwnedWork | undefined {
    const item = this.#mirror.workItems.get(workItemId)
    if (item?.state !== 'queued' || item.owner?.agentId !== this.#client.agentId || this.#running.has(workItemId)) return undefined
    const { contract, owner } = item
    const job = contract && this.#jobIn(contract)
    const isReady = contract?.dependencyWorkItemIds.every((id) => this.#mirror.workItems.get(id)?.state === 'verified')
    if (contract === undefined || job === undefined || isReady !== true) return undefined
    const { groupId, folder } = this.#options
    return { groupId, mirror: this.#mirror, job, workItemId, contract, owner, folder }
  }

  #jobIn(contract: WorkContract): Job | undefined {
    const job = jobOf(contract)
    return job !== undefined && this.#options.jobs.includes(job) ? job : undefined
  }

  /** A lease that is lost on the way is no loss: the item comes back to the queue and is started again. */
  async #carryOut(work: OwnedWork): Promise<void> {
    const { workItemId } = work
    const { slot, reading } = this.#options
    this.#running.add(workItemId)
    try {
      const outcome = await slot.run(() => execute(this.#client, work))
      if (!outcome.ok) return this.#interrupted(work, `${outcome.error.message} (${outcome.error.code})`)
      this.#refused.forget(workItemId)
      await reading.reached(outcome.value.sequence)
    } catch (fault) {
      this.#interrupted(work, fault instanceof Error ? fault.message : String(fault))
    } finally {
      this.#running.delete(workItemId)
      reading.wake()
    }
  }

  #interrupted({ workItemId, contract }: OwnedWork, why: string): void {
    const attempts = this.#refused.postpone(workItemId, Date.now())
    if (attempts === 1) this.#options.report(`has to start “${contract.goal}” again: ${why}`)
  }
}
