// spaces.*: open Spaces, in which a signed-in person is a Node like every other. Reading and writing take no membership there.
import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import type { Result } from '../../../protocol/result.ts'
import type { NodeInfo, SpaceRefusal } from '../../service/open-spaces/types.ts'
import { shownMembers, spaceGraph, spaceMessages, spaceNames, spaceSummary, spaceView } from '../../service/view/space-view.ts'
import type { ConsoleContext, SignedIn } from './context.ts'
import { messagesBelow } from './space-pages.ts'
import { notFound, router, signedInProcedure } from './trpc.ts'

type Context = ConsoleContext & { me: SignedIn }

/** Ids of Spaces, Messages and Nodes are opaque here. */
const idText = z.string().min(1).max(512)
const space = z.strictObject({ spaceId: idText })
const sequence = z.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const page = space.extend({ before: sequence.optional(), limit: z.number().int().min(1).max(500) })
const text = z.string().trim().min(1).max(100_000)

async function openPage({ service }: Context, { spaceId, before, limit }: z.infer<typeof page>) {
  const found = await messagesBelow(service.openSpaces, spaceId, before, limit)
  if (!found) throw notFound('This Space')
  const { messages } = found
  const edges = messages.length === 0 ? [] : await service.readModels.graphEdges(spaceId, messages.map((message) => message.sequence))
  return { ...found, edges, names: await spaceNames(service, service.openSpaces.nodes, messages) }
}

async function myNode({ service, me }: Context): Promise<NodeInfo> {
  const node = await service.openSpaces.nodes.ofPrincipal(me.principalId)
  if (!node) throw notFound('Your account')
  return node
}

async function send(ctx: Context, spaceId: string, content: object, { messages, nodes }: { readonly messages: readonly string[]; readonly nodes: readonly string[] }) {
  const { nodeId } = await myNode(ctx)
  const { messageId, sequence: at } = accepted(await ctx.service.openSpaces.send(nodeId, spaceId, { content: JSON.stringify(content), messages, nodes }))
  return { messageId, sequence: at }
}

const codes = {
  not_found: 'NOT_FOUND',
  invalid_input: 'BAD_REQUEST',
  forbidden: 'FORBIDDEN',
  conflict: 'CONFLICT',
  too_large: 'PAYLOAD_TOO_LARGE',
  quota_exceeded: 'FORBIDDEN',
  busy: 'TOO_MANY_REQUESTS',
} as const satisfies Record<SpaceRefusal['category'], TRPCError['code']>

function accepted<T>(outcome: Result<T, SpaceRefusal>): T {
  if (outcome.ok) return outcome.value
  throw new TRPCError({ code: codes[outcome.error.category], message: outcome.error.reason })
}

export const spacesRouter = router({
  /** By name, those after the given one. */
  list: signedInProcedure.input(z.strictObject({ after: z.string().max(512).optional(), limit: z.number().int().min(1).max(200) })).query(async ({ ctx, input }) => {
    const { nodeId } = await myNode(ctx)
    const found = await ctx.service.openSpaces.overviews(nodeId, { limit: input.limit + 1, ...(input.after !== undefined && { after: input.after }) })
    return { spaces: found.slice(0, input.limit).map(spaceSummary), hasMore: found.length > input.limit }
  }),

  view: signedInProcedure.input(space).query(async ({ ctx, input }) => {
    const { nodeId } = await myNode(ctx)
    const found = await ctx.service.openSpaces.overview(nodeId, input.spaceId, shownMembers)
    if (!found) throw notFound('This Space')
    return spaceView(found, nodeId, ctx.service)
  }),

  messages: signedInProcedure.input(page).query(async ({ ctx, input }) => {
    const { messages, edges, names, hasOlder } = await openPage(ctx, input)
    return { messages: spaceMessages(messages, edges, names), hasOlder }
  }),

  graph: signedInProcedure.input(page).query(async ({ ctx, input }) => {
    const { messages, edges, names, hasOlder, head } = await openPage(ctx, input)
    return { ...spaceGraph(messages, edges, names), head, total: head, hasOlder }
  }),

  /** Creates the Space of this name or joins it. */
  enter: signedInProcedure.input(z.strictObject({ name: z.string().max(512), description: z.string().max(10_000), tags: z.array(z.string().max(512)).max(64).optional() })).mutation(async ({ ctx, input }) => {
    const { name, description, tags } = input
    const { nodeId } = await myNode(ctx)
    const { spaceId } = accepted(await ctx.service.openSpaces.enter(nodeId, { name, description, ...(tags && { tags }) }))
    return { spaceId }
  }),

  post: signedInProcedure.input(space.extend({ text, messages: z.array(idText).max(1_000), nodes: z.array(idText).max(1_000) })).mutation(({ ctx, input }) => {
    const { spaceId, text: said, messages, nodes } = input
    return send(ctx, spaceId, { text: said }, { messages, nodes })
  }),

  /** Answers a checkpoint: a Message like any other. It decides nothing that the log of a Mission would have to show. */
  answer: signedInProcedure.input(space.extend({ checkpoint: idText, option: text, feedback: text.optional() })).mutation(({ ctx, input }) => {
    const { spaceId, checkpoint, option, feedback } = input
    return send(ctx, spaceId, { option, ...(feedback !== undefined && { feedback }) }, { messages: [checkpoint], nodes: [] })
  }),
})
