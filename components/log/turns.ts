/**
 * Runs tasks one at a time and lets the page breathe before each, so that a screenful of signature checks never holds
 * up a key press.
 */
export function createTurns(pause: () => Promise<unknown>): <T>(task: () => T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const turn = last.then(pause).then(task)
    last = turn.catch(() => undefined)
    return turn
  }
}
