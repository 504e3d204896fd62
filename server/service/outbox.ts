// Reactions on their way from one Space to another. They wait in the store from the commit that calls for them to the commit that
// records them; this only sees to it that somebody does. What a lost node leaves behind, a later look finds.
import type { Reaction } from '../authority/reactions.ts'
import type { Log } from '../log.ts'
import type { ReactionKey, SpaceLog } from './ports.ts'
import type { WorkOutcome } from './space-actor.ts'
import type { SpaceWork } from './space-fold.ts'

const pageSize = 256
const lookEveryMs = 30_000

interface Needs {
  readonly log: Pick<SpaceLog, 'pendingReactions'>
  readonly submit: (spaceId: string, work: SpaceWork) => Promise<WorkOutcome>
  readonly diagnostics: Log
}

export class Outbox {
  readonly #needs: Needs
  readonly #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Works off what is waiting, now and again from time to time. */
  start(): void {
    this.#timer = setInterval(() => this.#track(this.#look()), lookEveryMs)
    this.#timer.unref()
    this.#track(this.#look())
  }

  /** Reactions that this node has just committed. */
  take(reactions: readonly Reaction[]): void {
    if (this.#isStopped) return
    for (const reaction of reactions) this.#track(this.#deliver(reaction))
  }

  /** Resolves when nothing is under way any more; what is left waits for the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** All that waits, page by page, so that what has to wait on holds nothing else up. What somebody has recorded meanwhile leaves nothing to record. */
  async #look(): Promise<void> {
    try {
      for (let last: ReactionKey | undefined; !this.#isStopped; ) {
        const waiting = await this.#needs.log.pendingReactions(pageSize, last)
        await Promise.all(waiting.map(({ reaction }) => this.#deliver(JSON.parse(reaction) as Reaction)))
        last = waiting.at(-1)
        if (waiting.length < pageSize) return
      }
    } catch (fault) {
      this.#needs.diagnostics.error({ err: fault }, 'waiting reactions could not be read')
    }
  }

  async #deliver(reaction: Reaction): Promise<void> {
    const { targetGroupId: spaceId, eventId } = reaction
    try {
      const { type } = await this.#needs.submit(spaceId, { type: 'reaction', reaction })
      if (type !== 'done') this.#needs.diagnostics.warn({ spaceId, eventId }, 'a reaction has to wait')
    } catch (fault) {
      this.#needs.diagnostics.error({ err: fault, spaceId, eventId }, 'a reaction could not be recorded yet')
    }
  }

  #track(delivery: Promise<void>): void {
    this.#running.add(delivery)
    void delivery.finally(() => this.#running.delete(delivery))
  }
}
