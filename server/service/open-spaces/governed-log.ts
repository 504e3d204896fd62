// The log as actors of Groups see it: Messages of open Spaces are no Events, and their Space is no Group.
import type { SpaceLog } from '../ports.ts'
import { RecentMap } from '../../recent-map.ts'

const rememberedSpaces = 1_000

/** An actor reads before it asks for a head, so that whatever it might take for another node's Events is known by then. */
export function governedLog(log: SpaceLog): SpaceLog {
  const open = new RecentMap<string, true>(rememberedSpaces)
  const governed: Pick<SpaceLog, 'read' | 'head'> = {
    async read(spaceId, after, limit) {
      const entries = await log.read(spaceId, after, limit)
      if (entries[0]?.kind !== 'open.message') return entries
      open.set(spaceId, true)
      return []
    },
    head: (spaceId) => (open.get(spaceId) ? Promise.resolve(0) : log.head(spaceId)),
  }
  return Object.assign(Object.create(log) as SpaceLog, governed)
}
