// The Missions of a caller, and waiting for something to happen in them.
import { deadline } from './deadline.ts'
import type { OpenMission } from './mission.ts'
import type { ToolCall } from './tool.ts'

const finished: ReadonlySet<string> = new Set(['approved', 'failed', 'cancelled'])
/** Each one that is opened is folded. */
const maximumMissions = 50

/** Missions that the caller belongs to and that still go on. */
async function activeMissions(call: ToolCall): Promise<readonly OpenMission[]> {
  return (await missionsOf(call, false)).missions
}

/** At most `maximumMissions`; `isCut` says that there are more, `unreadable` names Groups that cannot be read now. */
export async function missionsOf({ service, principalId }: ToolCall, withFinished: boolean): Promise<{ missions: readonly OpenMission[]; unreadable: readonly string[]; isCut: boolean }> {
  const rows = (await service.readModels.missionsOf(principalId)).filter(({ state }) => withFinished || !finished.has(state))
  const { groups, unreadable } = await service.reads.groupsFor(principalId, rows.slice(0, maximumMissions).map(({ spaceId }) => spaceId))
  return { missions: groups, unreadable, isCut: rows.length > maximumMissions }
}

/** News from the caller's Missions, until the time is over or nobody waits any more. */
export interface News {
  /** What there is now, and then again whenever something has happened; ends when the wait is over. */
  looks(): AsyncIterable<readonly OpenMission[]>
}

/** Listening begins before each look, so that nothing falls between a look and the wait after it. */
export function newsOf(call: ToolCall, waitMs: number): News {
  const { service, principalId, signal } = call
  return {
    async *looks() {
      const untilMs = performance.now() + waitMs
      while (true) {
        const leftMs = Math.max(0, untilMs - performance.now())
        const wait = deadline(signal, leftMs)
        const growth = watchGrowth(call)
        try {
          const { revision } = await service.reads.memberships(principalId)
          const missions = await activeMissions(call)
          yield missions
          if (leftMs === 0 || signal.aborted) return
          const joined = service.reads.membershipsAfter(principalId, revision, leftMs, wait.signal)
          await Promise.race([growth.of(new Set(missions.map(({ state }) => state.groupId)), wait.signal), joined])
        } finally {
          wait.end()
          growth.close()
        }
      }
    },
  }
}

/** Resolves once one of these Groups has grown since the watch began. */
function watchGrowth({ service }: ToolCall): { of(groupIds: ReadonlySet<string>, signal: AbortSignal): Promise<void>; close(): void } {
  const grown = new Set<string>()
  let onGrown: ((spaceId: string) => void) | undefined
  const close = service.feeds.onGrowth((spaceId) => (onGrown ? onGrown(spaceId) : grown.add(spaceId)))
  return {
    of: (groupIds, signal) =>
      new Promise((resolve) => {
        onGrown = (spaceId) => groupIds.has(spaceId) && resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (signal.aborted) resolve()
        for (const spaceId of grown) onGrown(spaceId)
      }),
    close,
  }
}
