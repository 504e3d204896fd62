import type { CursorStore } from './cursor-store.ts'

const SAVE_AFTER_MS = 200

/** The durable position of one Group: saved and then acknowledged soon after it moved, not at every Event. */
export class Progress {
  readonly #groupId: string
  readonly #store: CursorStore
  readonly #acknowledge: (sequence: number) => void
  readonly #onFault: (fault: Error) => void
  #processed = 0
  #saved = 0
  #timer: NodeJS.Timeout | undefined

  constructor(
    groupId: string,
    store: CursorStore,
    handlers: { acknowledge(sequence: number): void; onFault(fault: Error): void },
  ) {
    this.#groupId = groupId
    this.#store = store
    this.#acknowledge = handlers.acknowledge
    this.#onFault = handlers.onFault
  }

  moveTo(sequence: number): void {
    this.#processed = sequence
    this.#timer ??= setTimeout(() => void this.flush().catch(this.#onFault), SAVE_AFTER_MS)
  }

  /** Saves what is not saved yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#processed === this.#saved) return
    const sequence = this.#processed
    await this.#store.save(this.#groupId, sequence)
    this.#saved = sequence
    this.#acknowledge(sequence)
  }
}
