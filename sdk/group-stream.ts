// One Group as a gapless sequence of Events for one consumer, over as many connections as it takes.
import type { EventDocument } from '../protocol/generated/types.ts'
import type { Deferred } from './deferred.ts'
import { deferred } from './deferred.ts'

/** Events held for a slow consumer; beyond it they are fetched again later instead of being kept. */
const MAX_BUFFERED = 1_000

export interface GroupStreamHost {
  /** Asks for everything after this sequence; what was asked for before no longer counts. */
  requestFrom(sequence: number): void
  /** The consumer has finished with every Event up to this sequence. */
  onProcessed(sequence: number): void
}

/** `unasked`: Events were left out for want of room. `asked`: they, or those of a gap, have been asked for. */
type Missing = 'nothing' | 'unasked' | 'asked'

export class GroupStream implements AsyncIterable<EventDocument> {
  readonly groupId: string
  readonly #host: GroupStreamHost
  readonly #buffer: EventDocument[] = []
  /** Sequence of the last Event taken in. */
  #position: number
  #missing: Missing = 'nothing'
  #arrival: Deferred<void> = deferred()
  #end: { readonly fault?: Error } | undefined

  constructor(groupId: string, after: number, host: GroupStreamHost) {
    this.groupId = groupId
    this.#position = after
    this.#host = host
  }

  /** Everything up to here has arrived. */
  get position(): number {
    return this.#position
  }

  /** Takes in one Event of this Group: repeated ones are dropped, and a gap is asked for. */
  push(event: EventDocument): void {
    const sequence = event.sequence ?? 0
    if (this.#end !== undefined || sequence <= this.#position || this.#missing === 'unasked') return
    if (sequence > this.#position + 1) return this.#ask()
    if (this.#buffer.length >= MAX_BUFFERED) {
      this.#missing = 'unasked'
      return this.#announce()
    }
    this.#missing = 'nothing'
    this.#position = sequence
    this.#buffer.push(event)
    this.#announce()
  }

  /** Moves past sequences that this Agent may not see. */
  skipTo(sequence: number): void {
    if (sequence <= this.#position) return
    this.#position = sequence
    this.#announce()
  }

  /** No further Events will come; those that are here are still handed out. */
  end(fault?: Error): void {
    this.#end ??= fault === undefined ? {} : { fault }
    this.#announce()
  }

  /** Resolves when everything up to this sequence has arrived, or cannot arrive before the consumer goes on. */
  async reaches(sequence: number): Promise<void> {
    const mayArrive = () => this.#end === undefined && this.#missing !== 'unasked'
    while (this.#position < sequence && mayArrive()) await this.#arrival.promise
  }

  /** To be iterated once. An Event counts as processed when the next one is asked for. */
  async *[Symbol.asyncIterator](): AsyncGenerator<EventDocument, void, void> {
    for (;;) {
      const event = this.#buffer.shift()
      if (event !== undefined) {
        yield event
        this.#host.onProcessed(event.sequence ?? 0)
      } else if (this.#end !== undefined) {
        if (this.#end.fault !== undefined) throw this.#end.fault
        return
      } else {
        if (this.#missing === 'unasked') this.#ask()
        await this.#arrival.promise
      }
    }
  }

  /** Once per gap: Events that were already on their way still come, and are no further gap. */
  #ask(): void {
    if (this.#missing === 'asked') return
    this.#missing = 'asked'
    this.#host.requestFrom(this.#position)
  }

  #announce(): void {
    this.#arrival.resolve()
    this.#arrival = deferred()
  }
}
