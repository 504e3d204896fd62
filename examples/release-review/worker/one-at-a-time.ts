/** Runs tasks one after another, in the order in which they came; a task that fails does not stop the next. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }
}
