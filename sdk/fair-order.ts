// Whose turn it is among the Groups that a Worker serves: weighted fair over Groups, ageing within each. No I/O, no clock.
import type { Urgency } from '../protocol/generated/types.ts'

/** An owned WorkItem that could start now. */
export interface QueuedItem {
  readonly groupId: string
  readonly workItemId: string
  /** What the contract asks for. It counts as a weight and never as a claim to be next. */
  readonly urgency: Urgency
  /** Of the contract, in milliseconds since 1970. */
  readonly deadlineMs: number
  /** How often another item of its Group was started before it; kept over a restart. */
  readonly passedOver: number
}

export interface FairOrderRules {
  /** Share of a Group in relation to the others, above 0. 1 when absent. */
  weightOf?(groupId: string): number
  /** Slots that a Group may hold at once. All of them when absent. */
  quotaOf?(groupId: string): number
}

/** One start costs a Group its weight's part of this, and less the more urgent the item is. */
export const URGENCY_FACTOR: Readonly<Record<Urgency, number>> = { routine: 1, normal: 2, high: 4, critical: 8 }
const URGENCY_RANK: Readonly<Record<Urgency, number>> = { routine: 0, normal: 1, high: 2, critical: 3 }
/** Starts of others in its Group after which an item counts as one class more urgent. */
export const AGEING_STEP = 4

/** Class of an item by urgency and age. It has no upper end: what has waited long enough comes before any newcomer. */
const rankOf = ({ urgency, passedOver }: Pick<QueuedItem, 'urgency' | 'passedOver'>): number =>
  URGENCY_RANK[urgency] + Math.floor(passedOver / AGEING_STEP)

export class FairOrder {
  readonly #rules: FairOrderRules
  readonly #queues = new Map<string, Map<string, QueuedItem>>()
  /** Virtual time at which each Group has used up what it was given. */
  readonly #spent = new Map<string, number>()
  #now = 0

  constructor(rules: FairOrderRules = {}) {
    this.#rules = rules
  }

  /** Adds an item, or replaces what was known of it. A Group that had nothing to do saves nothing up: it goes on from the present. */
  put(item: QueuedItem): void {
    const { groupId, workItemId } = item
    const queue = this.#queues.get(groupId)
    if (queue !== undefined) return void queue.set(workItemId, item)
    this.#spent.set(groupId, Math.max(this.#now, this.#spentBy(groupId)))
    this.#queues.set(groupId, new Map([[workItemId, item]]))
  }

  remove({ groupId, workItemId }: Pick<QueuedItem, 'groupId' | 'workItemId'>): void {
    const queue = this.#queues.get(groupId)
    queue?.delete(workItemId)
    if (queue?.size === 0) this.#queues.delete(groupId)
  }

  find(groupId: string, workItemId: string): QueuedItem | undefined {
    return this.#queues.get(groupId)?.get(workItemId)
  }

  /** Everything that waits, Group by Group. */
  waiting(): QueuedItem[] {
    return [...this.#queues.values()].flatMap((queue) => [...queue.values()])
  }

  /** The item whose turn it is, given the slots that each Group holds; undefined when none may start. */
  peek(held: ReadonlyMap<string, number> = new Map()): QueuedItem | undefined {
    const heads = [...this.#queues].filter(([groupId]) => (held.get(groupId) ?? 0) < this.#quotaOf(groupId)).map(([, queue]) => headOf(queue))
    return heads.reduce<QueuedItem | undefined>((best, head) => (best === undefined || this.#finishOf(head) < this.#finishOf(best) ? head : best), undefined)
  }

  /** Takes the item whose turn it is, and charges its Group. */
  take(held?: ReadonlyMap<string, number>): QueuedItem | undefined {
    const item = this.peek(held)
    if (item === undefined) return undefined
    const finish = this.#finishOf(item)
    this.#now = Math.max(this.#now, this.#spentBy(item.groupId))
    this.#spent.set(item.groupId, finish)
    this.remove(item)
    for (const other of this.#queues.get(item.groupId)?.values() ?? []) this.put({ ...other, passedOver: other.passedOver + 1 })
    return item
  }

  #spentBy(groupId: string): number {
    return this.#spent.get(groupId) ?? 0
  }

  #finishOf({ groupId, urgency }: QueuedItem): number {
    return this.#spentBy(groupId) + 1 / (this.#weightOf(groupId) * URGENCY_FACTOR[urgency])
  }

  #weightOf(groupId: string): number {
    return this.#rules.weightOf?.(groupId) ?? 1
  }

  #quotaOf(groupId: string): number {
    return this.#rules.quotaOf?.(groupId) ?? Infinity
  }
}

function headOf(queue: ReadonlyMap<string, QueuedItem>): QueuedItem {
  return [...queue.values()].reduce((best, item) => (isBefore(item, best) ? item : best))
}

const isBefore = (a: QueuedItem, b: QueuedItem): boolean =>
  rankOf(a) !== rankOf(b) ? rankOf(a) > rankOf(b) : a.passedOver !== b.passedOver ? a.passedOver > b.passedOver : a.deadlineMs < b.deadlineMs

/** Work that holds a slot. */
export interface RunningItem extends QueuedItem {
  readonly isAskedToPause: boolean
}

/**
 * The running item that should be asked to pause at its next safe point for `next`: the least urgent one, and only for
 * work that is asked for as high or critical and is of a higher class. Age protects: what was paused before comes
 * back with a higher class, so it cannot be paused for ever.
 */
export function slotToFree(running: readonly RunningItem[], next: QueuedItem): RunningItem | undefined {
  if (URGENCY_RANK[next.urgency] < URGENCY_RANK.high || running.some(({ isAskedToPause }) => isAskedToPause)) return undefined
  const least = running.reduce<RunningItem | undefined>((found, item) => (found === undefined || rankOf(item) < rankOf(found) ? item : found), undefined)
  return least !== undefined && rankOf(least) < rankOf(next) ? least : undefined
}

/** What a paused item comes back as. */
export const afterPause = (item: QueuedItem): QueuedItem => ({ ...item, passedOver: item.passedOver + AGEING_STEP })
