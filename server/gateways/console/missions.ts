// missions.* and approvals.*: reads of mission Spaces that the caller is a member of.
import { z } from 'zod'
import { encodeBase64url } from '../../../protocol/base64url.ts'
import type { MembershipRow, MissionRow } from '../../authority/read-models.ts'
import { withholding } from '../../authority/visibility.ts'
import { approvalView } from '../../service/view/approval-view.ts'
import { graphPage } from '../../service/view/graph-view.ts'
import { amendmentSequences, logLine, messageView } from '../../service/view/message-view.ts'
import { artifactViews, missionSummary, missionView } from '../../service/view/mission-view.ts'
import { namingFor } from '../../service/view/participants.ts'
import { offerView } from '../../service/view/offer-view.ts'
import type { StatusContext } from '../../service/view/status-line.ts'
import type { FoundGroup } from '../../service/service.ts'
import type { MissionSummary, UnreadableMission } from '../../service/views.ts'
import type { ConsoleContext, SignedIn } from './context.ts'
import { identifierText } from './session.ts'
import { noneReadable, notFound, router, signedInProcedure } from './trpc.ts'

type Context = ConsoleContext & { me: SignedIn }
interface OpenGroup extends FoundGroup { readonly view: StatusContext }

const mission = z.strictObject({ missionId: identifierText })
const sequence = z.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const page = mission.extend({ before: sequence.optional(), limit: z.number().int().min(1).max(500) })

async function openGroup(ctx: Context, groupId: string | undefined): Promise<OpenGroup> {
  const found = groupId ? await ctx.service.reads.groupFor(ctx.me.principalId, groupId) : undefined
  if (!found) throw notFound('This mission')
  return { ...found, view: contextOf(ctx, found) }
}

const contextOf = ({ service, me }: Context, { state }: FoundGroup): StatusContext => ({ name: namingFor(service, state), me: me.principalId, now: service.clock.now() })

const openMission = async (ctx: Context, missionId: string) => openGroup(ctx, await ctx.service.reads.groupIdOfMission(missionId))

/** The caller's Missions that can be read, and what is indexed of those that cannot now. */
async function ownMissions({ service, me }: Context): Promise<{ readonly groups: readonly FoundGroup[]; readonly unreadable: readonly MissionRow[] }> {
  const rows = await service.readModels.missionsOf(me.principalId)
  const { groups, unreadable } = await service.reads.groupsFor(me.principalId, rows.map(({ spaceId }) => spaceId))
  return { groups, unreadable: rows.filter(({ spaceId }) => unreadable.includes(spaceId)) }
}

async function summaries(ctx: Context): Promise<MissionSummary[]> {
  const { groups, unreadable } = await ownMissions(ctx)
  // An empty list would say that there are none.
  if (groups.length === 0 && unreadable.length > 0) throw noneReadable()
  return groups.map((group) => missionSummary(group.state, contextOf(ctx, group))).sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
}

/** `visibilityStartSequence` is the first sequence that the member sees; 0 and 1 both mean everything. */
const hiddenThrough = ({ visibilityStartSequence }: MembershipRow) => Math.max(visibilityStartSequence - 1, 0)

/** Sequences that this member may see, newest `limit` below `before`, ascending. */
function visibleRange({ state, membership }: OpenGroup, before: number | undefined, limit: number): { after: number; count: number; hasOlder: boolean } {
  const end = Math.min(before ?? state.sequence + 1, state.sequence + 1) - 1
  const after = Math.max(end - limit, hiddenThrough(membership))
  return { after, count: Math.max(end - after, 0), hasOlder: after > hiddenThrough(membership) }
}

export const missionsRouter = router({
  list: signedInProcedure.query(({ ctx }) => summaries(ctx)),

  /** What `list` and `approvals.list` leave out. */
  unreadable: signedInProcedure.query(async ({ ctx }): Promise<UnreadableMission[]> => (await ownMissions(ctx)).unreadable.map(({ missionId, title }) => ({ missionId, title }))),

  view: signedInProcedure.input(mission).query(async ({ ctx, input }) => {
    const { state, view } = await openMission(ctx, input.missionId)
    return missionView(state, view)
  }),

  conversation: signedInProcedure.input(page.extend({ conversationId: identifierText.optional() })).query(async ({ ctx, input }) => {
    const { state, membership, view } = await openMission(ctx, input.missionId)
    const { conversationId, before, limit } = input
    const filter = { ...(conversationId && { conversationId }), ...(before && { before }), limit: limit + 1 }
    const found = await ctx.service.readModels.messageSequences(state.groupId, filter)
    const visible = found.filter((at) => at > hiddenThrough(membership)).sort((a, b) => b - a)
    const entries = await ctx.service.reads.entries(ctx.me.principalId, state.groupId, visible.slice(0, limit))
    const posted = [...entries].sort((a, b) => a.sequence - b.sequence)
    const later = await ctx.service.reads.entries(ctx.me.principalId, state.groupId, amendmentSequences(posted, state))
    return { messages: posted.map((entry) => messageView(entry, later, state, view.name)), hasOlder: visible.length > limit }
  }),

  graph: signedInProcedure.input(page).query(async ({ ctx, input }) => {
    const group = await openMission(ctx, input.missionId)
    const { after, count, hasOlder } = visibleRange(group, input.before, input.limit)
    const { state, membership, view } = group
    const entries = count === 0 ? [] : await ctx.service.reads.range(ctx.me.principalId, state.groupId, after, count)
    const edges = await ctx.service.readModels.graphEdges(state.groupId, entries.map((entry) => entry.sequence))
    const visible = edges.filter((edge) => edge.parent > hiddenThrough(membership) && withholding(state, ctx.me.principalId, edge.child)?.because !== 'restricted')
    return { ...graphPage(entries, visible, state, view.name), head: state.sequence, total: state.sequence - hiddenThrough(membership), hasOlder }
  }),

  log: signedInProcedure.input(page).query(async ({ ctx, input }) => {
    const group = await openMission(ctx, input.missionId)
    const { after, count, hasOlder } = visibleRange(group, input.before, input.limit)
    const entries = count === 0 ? [] : await ctx.service.reads.range(ctx.me.principalId, group.state.groupId, after, count)
    return { lines: entries.map((entry) => logLine(entry, group.state, group.view.name)), hasOlder }
  }),

  event: signedInProcedure.input(mission.extend({ sequence })).query(async ({ ctx, input }) => {
    const { state, membership } = await openMission(ctx, input.missionId)
    const [entry] = input.sequence > hiddenThrough(membership) ? await ctx.service.reads.entries(ctx.me.principalId, state.groupId, [input.sequence]) : []
    if (!entry) throw notFound('This entry')
    const command = await ctx.service.reads.commandBytes(ctx.me.principalId, state.groupId, input.sequence)
    return { bytes: encodeBase64url(entry.bytes), ...(command && { commandBytes: encodeBase64url(command) }) }
  }),

  artifacts: signedInProcedure.input(mission).query(async ({ ctx, input }) => {
    const { state, view } = await openMission(ctx, input.missionId)
    return artifactViews(state, view)
  }),

  offer: signedInProcedure.input(mission.extend({ workItemId: identifierText })).query(async ({ ctx, input }) => {
    const { state, view } = await openMission(ctx, input.missionId)
    const found = offerView(state, input.workItemId, view, (agentId) => ctx.service.identities.cardOf(agentId))
    if (!found) throw notFound('This work item')
    return found
  }),

  /** People of the Organization, who can be brought into a Mission. */
  colleagues: signedInProcedure.query(({ ctx }) => ctx.service.identities.principals().filter(({ principal }) => principal.type === 'human').map(({ principal: { id }, name }) => ({ id, name }))),

  approval: signedInProcedure.input(mission).query(async ({ ctx, input }) => {
    const { state, view } = await openMission(ctx, input.missionId)
    return approvalView(state, view)
  }),
})

export const approvalsRouter = router({
  list: signedInProcedure.query(async ({ ctx }) => (await summaries(ctx)).filter(({ waitingOnMe, startsWaitingOnMe }) => waitingOnMe || startsWaitingOnMe > 0)),
})
