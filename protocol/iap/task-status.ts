// Where a task stands.

export const TaskStatus = {
  PROPOSED: 'proposed',
  BIDDING: 'bidding',
  ASSIGNED: 'assigned',
  IN_PROGRESS: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const
export type TaskStatus = (typeof TaskStatus)[keyof typeof TaskStatus]

const ENDS: ReadonlySet<TaskStatus> = new Set<TaskStatus>([TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED])

/** Whether nothing can happen to the task any more. */
export const isTerminal = (status: TaskStatus): boolean => ENDS.has(status)
