// The Spaces in use on this node, one actor each.
import type { EventDocument } from '../../protocol/generated/types.ts'
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { Reaction } from '../authority/reactions.ts'
import type { Log } from '../log.ts'
import { DueTimers } from './due-timers.ts'
import type { LogEntry } from './ports.ts'
import type { ActorNeeds, WorkOutcome } from './space-actor.ts'
import { SpaceActor } from './space-actor.ts'
import type { SpaceFold, SpaceWork } from './space-fold.ts'

const maximumActors = 512
/** After a timer that could not be recorded. */
const retryMs = 10_000

type Needs = Omit<ActorNeeds, 'onLoaded' | 'onCommitted' | 'onFounded' | 'onIdle'> & {
  readonly diagnostics: Log
  /** Events that this node has just committed, before their senders are answered. */
  readonly onCommitted: (spaceId: string, entries: readonly LogEntry[], memberIds: readonly string[]) => void
  /** What committed Events call for in other Spaces. */
  readonly onReactions: (reactions: readonly Reaction[]) => void
  /** Events read from the log, up to this head. */
  readonly onRead: (spaceId: string, events: readonly EventDocument[], head: number) => void
}

export class SpaceActors {
  readonly #needs: Needs
  readonly #actorNeeds: ActorNeeds
  /** Least recently used first. */
  readonly #actors = new Map<string, SpaceActor>()
  /** New ones, until they have come to rest for the first time with anything in them. */
  readonly #untried = new Map<string, SpaceActor>()
  readonly #timers: DueTimers
  /** Until when the timers of these Spaces wait, in milliseconds since 1970: one is being recorded, or could not be. */
  readonly #heldUntilMs = new Map<string, number>()
  #isStopping = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#timers = new DueTimers(needs.clock, (spaceId) => void this.#expire(spaceId))
    this.#actorNeeds = {
      ...needs,
      onCommitted: (spaceId, entries, { rows, reactions }, fold) => {
        this.#heldUntilMs.delete(spaceId)
        this.#schedule(spaceId, fold.nextDue())
        needs.onCommitted(spaceId, entries, rows.memberships.map((row) => row.memberId))
        if (reactions.length > 0) needs.onReactions(reactions)
      },
      onFounded: ({ spaceId, events, rows }) => {
        // Somebody may have asked for the Group before it was there.
        this.fallBehind(spaceId)
        needs.onCommitted(spaceId, events, rows.memberships.map((row) => row.memberId))
      },
      onIdle: (actor) => this.#rested(actor),
      onLoaded: (spaceId, events, fold) => {
        this.#schedule(spaceId, fold.nextDue())
        needs.onRead(spaceId, events, fold.head)
      },
    }
  }

  submit(spaceId: string, work: SpaceWork): Promise<WorkOutcome> {
    return this.#actorOf(spaceId).submit(work)
  }

  /** The committed fold; it stays as it is until the caller awaits something else. */
  read(spaceId: string): Promise<SpaceFold> {
    return this.#actorOf(spaceId).read()
  }

  /** The fold that is at hand, at least as far as the last commit of this node; undefined where it has to be read. */
  latest(spaceId: string): SpaceFold | undefined {
    return this.#find(spaceId)?.latest
  }

  /** The Spaces that this node keeps in memory. */
  get spaceIds(): readonly string[] {
    return [...this.#actors.keys(), ...this.#untried.keys()]
  }

  /** Another node may have written to the Space. */
  fallBehind(spaceId: string): void {
    this.#find(spaceId)?.fallBehind()
  }

  /** What is read of the Space next holds everything that any node had committed before this call. */
  async catchUp(spaceId: string): Promise<void> {
    await this.#find(spaceId)?.catchUp()
  }

  /** Resolves when all that may have been decided before this call has been committed or refused, however much more comes. */
  async batchesOver(): Promise<void> {
    await Promise.all(this.#all.map((actor) => actor.batchOver()))
  }

  /** Loads Spaces, one after another, so that their timers run although nobody has touched them since the start. What cannot be read now is tried again. */
  async watch(spaceIds: readonly string[]): Promise<void> {
    for (const spaceId of spaceIds) {
      if (this.#isStopping) return
      await this.read(spaceId).catch((fault: unknown) => {
        this.#needs.diagnostics.error({ err: fault, spaceId }, 'the timers of a Mission do not run yet')
        this.#expireAgain(spaceId)
      })
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#timers.stop()
    await Promise.all(this.#all.map((actor) => actor.drained()))
  }

  get #all(): readonly SpaceActor[] {
    return [...this.#actors.values(), ...this.#untried.values()]
  }

  async #expire(spaceId: string): Promise<void> {
    this.#hold(spaceId)
    try {
      const { type } = await this.submit(spaceId, { type: 'due' })
      if (type === 'refused') this.#expireAgain(spaceId)
      else this.#heldUntilMs.delete(spaceId)
    } catch (fault) {
      this.#needs.diagnostics.error({ err: fault, spaceId }, 'a timer could not be recorded yet')
      this.#expireAgain(spaceId)
    }
  }

  #expireAgain(spaceId: string): void {
    this.#timers.schedule(spaceId, instantFromEpochMs(this.#hold(spaceId)))
  }

  #hold(spaceId: string): number {
    const untilMs = this.#needs.clock.nowMs() + retryMs
    this.#heldUntilMs.set(spaceId, untilMs)
    return untilMs
  }

  /** A Space that is read before its timer is recorded has the same one again, which would be over at once. */
  #schedule(spaceId: string, dueAt: string | undefined): void {
    const heldUntilMs = this.#heldUntilMs.get(spaceId)
    const isHeld = dueAt !== undefined && heldUntilMs !== undefined && Date.parse(dueAt) < heldUntilMs
    this.#timers.schedule(spaceId, isHeld ? instantFromEpochMs(heldUntilMs) : dueAt)
  }

  #actorOf(spaceId: string): SpaceActor {
    const known = this.#find(spaceId)
    const actor = known ?? new SpaceActor(spaceId, this.#actorNeeds)
    if (known === undefined) this.#untried.set(spaceId, actor)
    // Used last now.
    else if (this.#actors.delete(spaceId)) this.#actors.set(spaceId, actor)
    return actor
  }

  #find(spaceId: string): SpaceActor | undefined {
    return this.#actors.get(spaceId) ?? this.#untried.get(spaceId)
  }

  /** Only a Space with something in it takes a place: whoever asks for Groups that do not exist crowds out nobody. */
  #rested(actor: SpaceActor): void {
    const { spaceId, isEmpty } = actor
    if (isEmpty && this.#actors.get(spaceId) === actor) this.#actors.delete(spaceId)
    if (this.#untried.get(spaceId) !== actor) return
    this.#untried.delete(spaceId)
    if (isEmpty) return
    this.#actors.set(spaceId, actor)
    this.#evict(actor)
  }

  /** Idle Spaces leave memory, oldest use first; their timers stay. */
  #evict(newest: SpaceActor): void {
    for (const [spaceId, actor] of this.#actors) {
      if (this.#actors.size <= maximumActors) return
      if (actor.isIdle && actor !== newest) this.#actors.delete(spaceId)
    }
  }
}
