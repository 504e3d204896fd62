// One Group as a Worker's Scheduler sees it: the inbox folded, what is offered, and what of its own could start.
import type { EventDocument, WorkContract, WorkOffer, WorkOwner } from '../protocol/generated/types.ts'
import type { AgentStore } from './agent-store.ts'
import type { GroupEntry } from './authority-http.ts'
import type { QueuedItem } from './fair-order.ts'
import { GroupMirror } from './group-mirror.ts'

/** An offer that nobody has answered. */
export interface OpenOffer {
  readonly workItemId: string
  readonly offer: WorkOffer
  readonly contract: WorkContract
}

/** An owned item, ready to start. */
export interface ReadyWork {
  readonly contract: WorkContract
  readonly owner: WorkOwner
}

/** After so many Events their mirror takes their place in the store, so that it grows with the work and not with the log. */
const SAVE_EVERY = 500
/** Whoever works on it afterwards does so under another Ownership Epoch, if at all. */
const ENDS_OWNERSHIP: ReadonlySet<string> = new Set(['work.result.accepted', 'work.failed', 'work.cancelled'])
const ENDED: ReadonlySet<string> = new Set(['submitted', 'verified', 'failed', 'cancelled'])

export class WorkedGroup {
  readonly groupId: string
  readonly mirror: GroupMirror
  readonly #agentId: string
  readonly #store: AgentStore
  readonly #passedOver: Map<string, number>
  /** Sequence of this Agent's last Event about an item; until it is in the mirror, the mirror is behind. */
  readonly #acted = new Map<string, number>()
  /** The queue as the store has it. */
  #saved = ''
  #taken = 0

  constructor(agentId: string, store: AgentStore, { groupId, visibilityStartSequence }: GroupEntry) {
    this.groupId = groupId
    this.#agentId = agentId
    this.#store = store
    this.mirror = savedMirror(store, groupId)
    store.openGroup(groupId, visibilityStartSequence)
    for (const event of store.replay(groupId)) this.mirror.apply(event)
    this.#passedOver = new Map(store.queueOf(groupId))
  }

  /** Keeps the Event and takes it in; one that is here already changes nothing. */
  take(event: EventDocument): void {
    if (!this.#store.receive(event)) return
    this.mirror.apply(event)
    if (event.workItemId !== undefined && ENDS_OWNERSHIP.has(event.kind)) this.#store.forgetWork(this.groupId, event.workItemId)
    this.#taken += 1
    if (this.#taken % SAVE_EVERY === 0) this.#store.saveMirror(this.groupId, this.mirror.sequence, this.mirror.saved())
  }

  /** Epoch with which the Membership has ended, by the log; undefined while it lasts. */
  get leftAt(): number | undefined {
    const membership = this.mirror.memberships.get(this.#agentId)
    return membership?.state === 'ended' ? membership.membershipEpoch : undefined
  }

  /** Says by which Event an item was changed last. */
  acted(workItemId: string, event: EventDocument): void {
    this.#acted.set(workItemId, event.sequence ?? 0)
  }

  /** Open offers of items that the mirror is not behind with. */
  offers(): OpenOffer[] {
    return [...this.mirror.workItems.values()].flatMap(({ workItemId, contract }) => {
      const offer = this.mirror.offerTo(this.#agentId, workItemId)
      return offer === undefined || contract === undefined || this.#isBehind(workItemId) ? [] : [{ workItemId, offer, contract }]
    })
  }

  /**
   * Contract and owner of an item that could start now: owned, queued, with everything that it depends on verified. Of what a
   * latecomer was never shown the authority knows.
   */
  ready(workItemId: string): ReadyWork | undefined {
    const { mission, workItems } = this.mirror
    const { state, owner, contract } = workItems.get(workItemId) ?? {}
    const isMine = state === 'queued' && owner?.agentId === this.#agentId && !this.#isBehind(workItemId)
    if (!isMine || contract === undefined || mission?.state === 'cancelled' || mission?.state === 'failed') return undefined
    const isReady = contract.dependencyWorkItemIds.every((id) => (workItems.get(id)?.state ?? 'verified') === 'verified')
    return isReady ? { contract, owner } : undefined
  }

  /** The queue as the log has it, with what is remembered of each item's age. */
  queue(): QueuedItem[] {
    return [...this.mirror.workItems.keys()].flatMap((workItemId) => {
      const work = this.ready(workItemId)
      if (work === undefined) return []
      const { requestedUrgency, deadline } = work.contract
      return [{ groupId: this.groupId, workItemId, urgency: requestedUrgency, deadlineMs: Date.parse(deadline), passedOver: this.#passedOver.get(workItemId) ?? 0 }]
    })
  }

  /** Remembers the age of these items, here and in the store; what has come to its end is forgotten. */
  remember(items: readonly QueuedItem[]): void {
    for (const { workItemId, passedOver } of items) this.#passedOver.set(workItemId, passedOver)
    for (const workItemId of this.#passedOver.keys()) if (ENDED.has(this.mirror.workItems.get(workItemId)?.state ?? '')) this.#passedOver.delete(workItemId)
    const queue = [...this.#passedOver].map(([workItemId, passedOver]) => ({ workItemId, passedOver }))
    const saved = JSON.stringify(queue)
    if (saved === this.#saved) return
    this.#store.saveQueue(this.groupId, queue)
    this.#saved = saved
  }

  #isBehind(workItemId: string): boolean {
    return this.mirror.sequence < (this.#acted.get(workItemId) ?? 0)
  }
}

/** What the Events that are no longer in the inbox came to; where an older version of this code saved it, they are fetched again. */
function savedMirror(store: AgentStore, groupId: string): GroupMirror {
  const saved = store.mirror(groupId)
  const mirror = saved && GroupMirror.restored(saved.mirror)
  if (saved && !mirror) store.restartInbox(groupId)
  return mirror ?? new GroupMirror()
}
