// live: tells a page that a mission Space of the caller's grew, or the open Space that it shows, so that it reads again. The head is
// the cursor; a lost wake-up costs nothing.
import { tracked } from '@trpc/server'
import { z } from 'zod'
import type { AuthorityService } from '../../service/service.ts'
import { identifierText } from './session.ts'
import { signInFirst, signedInProcedure } from './trpc.ts'

type Growth =
  | { readonly missionId: string; readonly groupId: string; readonly head: number }
  /** An open Space. */
  | { readonly spaceId: string; readonly head: number }

/** So long at most does a stream on which nothing happens outlive its session. */
const sessionCheckMs = 60_000

export const live = signedInProcedure
  .input(z.strictObject({ missionId: identifierText.optional(), spaceId: z.string().min(1).max(512).optional(), lastEventId: z.string().max(200).optional() }))
  .subscription(async function* ({ ctx, input, signal }) {
    const grown = collectGrowth(ctx.service, signal)
    try {
      for (const row of await ctx.service.readModels.missionsOf(ctx.me.principalId)) grown.add(row.spaceId)
      if (input.spaceId !== undefined) grown.add(input.spaceId)
      while (!signal?.aborted) {
        if (grown.isCheckDue() && !(await ctx.isStillSignedIn())) throw signInFirst()
        for (const spaceId of grown.take()) {
          const found = spaceId === input.spaceId ? await openGrowthOf(ctx.service, spaceId) : await missionGrowthOf(ctx.service, ctx.me.principalId, spaceId)
          if (!found || (input.missionId && 'missionId' in found && found.missionId !== input.missionId)) continue
          if (!(await ctx.isStillSignedIn())) throw signInFirst()
          yield tracked(`${spaceId}@${found.head}`, found)
        }
        await grown.wait()
      }
    } finally {
      grown.stop()
    }
  })

/** Membership, like the session, is asked again for every value, so a person who was removed hears nothing more. */
async function missionGrowthOf(service: AuthorityService, principalId: string, spaceId: string): Promise<Growth | undefined> {
  // Open Spaces grow often, and their growth is for the pages that show them.
  if (service.openSpaces.isOpen(spaceId)) return undefined
  const [found] = (await service.reads.groupsFor(principalId, [spaceId])).groups
  return found && { missionId: found.state.mission.missionId, groupId: spaceId, head: found.state.sequence }
}

async function openGrowthOf({ openSpaces }: AuthorityService, spaceId: string): Promise<Growth | undefined> {
  const newest = await openSpaces.read(spaceId, { mode: 'all' }, { limit: 1 })
  return newest.ok ? { spaceId, head: newest.value.at(-1)?.sequence ?? 0 } : undefined
}

/** Spaces that grew since the last `take`, each once: a busy Space cannot fill memory. To be stopped by whoever began. */
function collectGrowth(service: AuthorityService, signal: AbortSignal | undefined) {
  const pending = new Set<string>()
  let isCheckDue = false
  let wake: () => void = () => {}
  const add = (spaceId: string) => {
    pending.add(spaceId)
    wake()
  }
  const unsubscribe = service.feeds.onGrowth(add)
  const timer = setInterval(() => {
    isCheckDue = true
    wake()
  }, sessionCheckMs).unref()
  signal?.addEventListener('abort', () => wake())
  return {
    add,
    take: () => {
      const spaces = [...pending]
      pending.clear()
      return spaces
    },
    /** True once for each time that the session is to be looked at. */
    isCheckDue: () => {
      const isDue = isCheckDue
      isCheckDue = false
      return isDue
    },
    wait: () => (pending.size > 0 || isCheckDue || signal?.aborted ? Promise.resolve() : new Promise<void>((resolve) => (wake = resolve))),
    stop: () => {
      clearInterval(timer)
      unsubscribe()
    },
  }
}
