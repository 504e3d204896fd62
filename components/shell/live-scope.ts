/** Query key as tRPC builds it: path, then input. */
export type ConsoleQueryKey = readonly unknown[]

/** Whether growth of these Missions may have changed what the query of this key shows. */
export function isConcerned(queryKey: ConsoleQueryKey, missionIds: ReadonlySet<string>): boolean {
  const [path, options] = queryKey as [unknown, { input?: { missionId?: unknown } }?]
  if (!Array.isArray(path)) return false
  if (path[0] === 'approvals') return true
  if (path[0] !== 'missions') return false
  const missionId = options?.input?.missionId
  return typeof missionId !== 'string' || missionIds.has(missionId)
}
