// Group commit over Spaces: while a statement runs, the batches of other Spaces gather and go together in the next.
import type { AppendBatch, AppendOutcome } from '../service/ports.ts'

const MAX_BATCHES = 64
/** Of all documents of a group, unless the first batch alone is larger: they are joined to one text, and one statement of them holds up the event loop. */
const MAX_BYTES = 4 * 1024 * 1024

/** What became of each batch, in order; rejected where its outcome is unknown or the fault is ours. */
export type AppendsSettled = readonly PromiseSettledResult<AppendOutcome>[]

interface Waiting {
  readonly batch: AppendBatch
  readonly bytes: number
  readonly resolve: (outcome: AppendOutcome) => void
  readonly reject: (fault: unknown) => void
}

/** `write` takes batches of different Spaces and resolves after their commit. One write is under way at a time: a second would only halve the groups. */
export class GroupCommit {
  readonly #write: (batches: readonly AppendBatch[]) => Promise<AppendsSettled>
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(write: (batches: readonly AppendBatch[]) => Promise<AppendsSettled>) {
    this.#write = write
  }

  /** Goes out at once when nothing is under way. Rejects when the write failed; the outcome is then unknown. */
  append(batch: AppendBatch): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, bytes: sizeOf(batch), resolve, reject })
      if (!this.#isWriting) void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#isWriting = true
    for (let group = this.#take(); group.length > 0; group = this.#take()) {
      try {
        const settled = await this.#write(group.map(({ batch }) => batch))
        group.forEach((entry, index) => settle(entry, settled[index]!))
      } catch (fault) {
        for (const { reject } of group) reject(fault)
      }
    }
    this.#isWriting = false
  }

  /** The oldest waiting batches, at most one of each Space: a second one builds on the first. */
  #take(): Waiting[] {
    const spaces = new Set<string>()
    const group: Waiting[] = []
    const rest: Waiting[] = []
    let bytes = 0
    for (const entry of this.#waiting) {
      bytes += entry.bytes
      const isNext = group.length < MAX_BATCHES && (group.length === 0 || bytes <= MAX_BYTES) && !spaces.has(entry.batch.spaceId)
      spaces.add(entry.batch.spaceId)
      ;(isNext ? group : rest).push(entry)
    }
    this.#waiting = rest
    return group
  }
}

const sizeOf = ({ events, receipts }: AppendBatch): number =>
  events.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) + receipts.reduce((sum, { commandBytes }) => sum + commandBytes.byteLength, 0)

function settle({ resolve, reject }: Waiting, result: PromiseSettledResult<AppendOutcome>): void {
  if (result.status === 'fulfilled') resolve(result.value)
  else reject(result.reason)
}
