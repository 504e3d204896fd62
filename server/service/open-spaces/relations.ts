// What lies above and below a Message of an open Space. Only ids are walked over, never the Messages themselves; what was walked
// is kept for the next page, for nothing above a Message ever changes, and below it there is only more.
import type { OpenSpaceStore } from '../ports.ts'
import { MaxHeap } from './max-heap.ts'
import { RecentMap } from '../../recent-map.ts'

/** Above and below one Message. Who wants to walk further is refused. */
export const maximumRelated = 200_000

/** Walks whose state is kept. */
const maximumWalks = 16
/** Messages looked at in one query. */
const step = { least: 64, most: 1_000 }
/** Ends of an ascent that are followed in one query. */
const frontier = 16
/** Below this many descendants they are fetched by one query. */
const fewDescendants = 1_000
/** Replies of one page of a descent. */
const repliesPage = 5_000

type Source = Pick<OpenSpaceStore, 'parentsAbove' | 'descendants' | 'repliesAfter'>

export class Relations {
  readonly #store: Source
  readonly #ascents = new RecentMap<string, Ascent>(maximumWalks)
  readonly #descents = new RecentMap<string, Descent>(maximumWalks)

  constructor(store: Source) {
    this.#store = store
  }

  /** Sequences of the newest ancestors, ascending: as many as are wanted or, with `after`, all behind it. Undefined when they are too many. */
  async ancestors(spaceId: string, sequence: number, wanted: { readonly newest: number } | { readonly after: number }): Promise<readonly number[] | undefined> {
    const key = `${spaceId}\n${sequence}`
    const ascent = this.#ascents.get(key) ?? new Ascent(this.#store, spaceId, sequence)
    this.#ascents.set(key, ascent)
    return ascent.reach(wanted)
  }

  /** Sequences of all descendants, ascending. Undefined when they are too many. */
  async descendants(spaceId: string, sequence: number): Promise<readonly number[] | undefined> {
    const key = `${spaceId}\n${sequence}`
    const kept = this.#descents.get(key)
    const few = kept ? undefined : await this.#store.descendants(spaceId, sequence, fewDescendants)
    if (few) return [...few].sort((a, b) => a - b)
    const descent = kept ?? new Descent(this.#store, spaceId, sequence)
    this.#descents.set(key, descent)
    return descent.reach()
  }
}

/** One after another: a walk has one state. */
class Turns {
  #last: Promise<unknown> = Promise.resolve()
  take<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act, act)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

/** Ancestors from the newest on: a Message comes after all that refer to it, because these are newer. */
class Ascent {
  readonly #store: Source
  readonly #spaceId: string
  readonly #turns = new Turns()
  readonly #open = new MaxHeap()
  readonly #parents = new Map<number, readonly number[]>()
  /** Descending, the Message itself first. */
  readonly #found: number[] = []

  constructor(store: Source, spaceId: string, sequence: number) {
    this.#store = store
    this.#spaceId = spaceId
    this.#open.push(sequence)
  }

  reach(wanted: { readonly newest: number } | { readonly after: number }): Promise<readonly number[] | undefined> {
    return this.#turns.take(async () => {
      const lacks = () => ('newest' in wanted ? this.#found.length <= wanted.newest : this.#open.largest! > wanted.after)
      while (this.#open.size > 0 && lacks()) {
        if (this.#found.length > maximumRelated) return undefined
        await this.#ascend('newest' in wanted ? wanted.newest - this.#found.length : step.most)
      }
      const above = this.#found.slice(1)
      return ('newest' in wanted ? above.slice(0, wanted.newest) : above.filter((sequence) => sequence > wanted.after)).reverse()
    })
  }

  async #ascend(expected: number): Promise<void> {
    const next = this.#open.largest!
    if (!this.#parents.has(next)) await this.#look(expected)
    this.#found.push(this.#open.pop()!)
    for (const parent of this.#parents.get(next)!) this.#open.push(parent)
    this.#parents.delete(next)
  }

  async #look(expected: number): Promise<void> {
    const ends = this.#open.first(frontier).filter((sequence) => !this.#parents.has(sequence))
    const limit = Math.min(step.most, Math.max(step.least, expected))
    for (const [child, parents] of await this.#store.parentsAbove(this.#spaceId, ends, limit)) this.#parents.set(child, parents)
  }
}

/** Descendants by one pass over what was replied later: a Message lies below where one that it refers to does. */
class Descent {
  readonly #store: Source
  readonly #spaceId: string
  readonly #turns = new Turns()
  readonly #below: Set<number>
  #lookedTo: number

  constructor(store: Source, spaceId: string, sequence: number) {
    this.#store = store
    this.#spaceId = spaceId
    this.#below = new Set([sequence])
    this.#lookedTo = sequence
  }

  reach(): Promise<readonly number[] | undefined> {
    return this.#turns.take(async () => {
      for (let isMore = true; isMore; ) {
        const replies = await this.#store.repliesAfter(this.#spaceId, this.#lookedTo, repliesPage)
        for (const { child, parent } of replies) if (this.#below.has(parent)) this.#below.add(child)
        this.#lookedTo = replies.at(-1)?.child ?? this.#lookedTo
        isMore = replies.length > 0
        if (this.#below.size > maximumRelated) return undefined
      }
      return [...this.#below].slice(1)
    })
  }
}
