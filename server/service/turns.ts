/** Runs tasks of one key in the order in which they asked, tasks of different keys side by side. */
export class Turns<Key> {
  readonly #last = new Map<Key, Promise<unknown>>()

  async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(task, task)
    const settled = turn.catch(() => undefined)
    this.#last.set(key, settled)
    try {
      return await turn
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }
}
