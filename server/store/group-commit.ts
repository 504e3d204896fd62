// Group commit over Spaces: while a statement runs, the batches of other Spaces gather and go together in the next.
import type { AppendBatch, AppendOutcome } from '../service/ports.ts'

/** One commit in flight while the next one is prepared keeps both processes busy; more would only make the groups smaller. */
const MAX_IN_FLIGHT = 2
const MAX_BATCHES = 64

interface Waiting {
  readonly batch: AppendBatch
  readonly resolve: (outcome: AppendOutcome) => void
  readonly reject: (fault: unknown) => void
}

/** `write` takes batches of different Spaces and resolves after their commit with one outcome each. */
export class GroupCommit {
  private waiting: Waiting[] = []
  private inFlight = 0

  constructor(private readonly write: (batches: readonly AppendBatch[]) => Promise<readonly AppendOutcome[]>) {}

  /** Goes out at once when nothing is under way. Rejects when the write failed; the outcome is then unknown. */
  append(batch: AppendBatch): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ batch, resolve, reject })
      if (this.inFlight < MAX_IN_FLIGHT) void this.flush()
    })
  }

  private async flush(): Promise<void> {
    this.inFlight += 1
    for (let group = this.take(); group.length > 0; group = this.take()) {
      try {
        const outcomes = await this.write(group.map(({ batch }) => batch))
        group.forEach(({ resolve }, index) => resolve(outcomes[index]!))
      } catch (fault) {
        for (const { reject } of group) reject(fault)
      }
    }
    this.inFlight -= 1
  }

  /** The oldest waiting batches, at most one of each Space: a second one builds on the first. */
  private take(): Waiting[] {
    const spaces = new Set<string>()
    const group: Waiting[] = []
    const rest: Waiting[] = []
    for (const entry of this.waiting) {
      const isNext = group.length < MAX_BATCHES && !spaces.has(entry.batch.spaceId)
      spaces.add(entry.batch.spaceId)
      ;(isNext ? group : rest).push(entry)
    }
    this.waiting = rest
    return group
  }
}
