/**
 * A trigger for a task that must see the newest state but never run twice at once: calls during a run lead to exactly
 * one more run after it. The task handles its own failures.
 */
export function coalesce(task: () => Promise<unknown>): () => void {
  let isRunning = false
  let isWanted = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      await task()
    }
    isRunning = false
  }
  return () => {
    isWanted = true
    if (!isRunning) void run()
  }
}
