/** Query key as tRPC builds it: path, then input. */
export type ConsoleQueryKey = readonly unknown[]

/** Which logs grew, by id. */
export interface Grown { readonly missionIds: ReadonlySet<string>; readonly spaceIds: ReadonlySet<string> }

/** Whether this growth may have changed what the query of this key shows. */
export function isConcerned(queryKey: ConsoleQueryKey, { missionIds, spaceIds }: Grown): boolean {
  const [path, options] = queryKey as [unknown, { input?: { missionId?: unknown; spaceId?: unknown } }?]
  if (!Array.isArray(path)) return false
  const { missionId, spaceId } = options?.input ?? {}
  if (path[0] === 'spaces') return typeof spaceId === 'string' && spaceIds.has(spaceId)
  if (path[0] === 'approvals') return missionIds.size > 0
  if (path[0] !== 'missions') return false
  return typeof missionId === 'string' ? missionIds.has(missionId) : missionIds.size > 0
}

const SPACE_PAGE = /^\/spaces\/([^/]+)/

/** The open Space that the page at this path shows. */
export function spaceAt(path: string): string | undefined {
  const found = SPACE_PAGE.exec(path)?.[1]
  return found === undefined ? undefined : decodeURIComponent(found)
}
