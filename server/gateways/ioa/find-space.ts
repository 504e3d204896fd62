// Which kind of Space a path names. Open ones are asked for first: nearly all are.
import { RecentMap } from '../../recent-map.ts'
import type { IoaService } from './exchange.ts'
import { MissionSpaces } from './mission-space.ts'
import type { NodeIds } from './node-ids.ts'
import type { FindSpace } from './space.ts'
import { OpenSpace } from './space.ts'

const remembered = 10_000

export function spacesOf(service: IoaService, nodeIds: NodeIds): { readonly findSpace: FindSpace; readonly missions: MissionSpaces } {
  const missions = new MissionSpaces(service, nodeIds)
  /** Ids of open Spaces, which stay open Spaces. */
  const known = new RecentMap<string, true>(remembered)
  const findSpace: FindSpace = async (caller, spaceId) => {
    const open = new OpenSpace(service.openSpaces, spaceId, caller.nodeId)
    if (known.get(spaceId)) return open
    if ((await service.openSpaces.find(spaceId)) === undefined) return (await missions.find(caller, spaceId)) ?? open
    known.set(spaceId, true)
    return open
  }
  return { findSpace, missions }
}
