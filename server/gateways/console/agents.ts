// agents.* and accessKeys.*: who can be asked to coordinate or work; and, for administrators, how more of them come in.
import { z } from 'zod'
import { CAPABILITY_ID, CAPABILITY_ID_MAXIMUM, CAPABILITY_VERSION } from '../../../protocol/capability-text.ts'
import { HELD_BY_SERVER } from '../../../protocol/custody.ts'
import type { AgentCard } from '../../../protocol/generated/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { addAgentWithToken } from '../../service/doors/new-agent.ts'
import { tokenDoors } from '../../service/doors/door-tokens.ts'
import type { TokenDoor, TokenRecord } from '../../service/doors/types.ts'
import type { AuthorityService } from '../../service/service.ts'
import { keyView } from './key-view.ts'
import { identifierText } from './session.ts'
import { adminProcedure, badRequest, notFound, router, signedInProcedure } from './trpc.ts'

const daySeconds = 24 * 60 * 60
const label = z.string().trim().min(1).max(200)
const days = z.number().int().min(1).max(3653).optional()
const ttlOf = (lasting: number | undefined) => (lasting === undefined ? {} : { ttlSeconds: lasting * daySeconds })

const newAgent = {
  name: label,
  capabilities: z.array(z.strictObject({ id: z.string().max(CAPABILITY_ID_MAXIMUM).regex(CAPABILITY_ID), version: z.string().max(100).regex(CAPABILITY_VERSION) })).min(1).max(50),
}

export const agentsRouter = router({
  list: signedInProcedure.query(async ({ ctx: { service } }) => {
    const cards = service.identities.cards()
    const inForce = (await service.doors.tokens.list(cards.map(({ agentId }) => agentId))).filter((token) => isInForce(token, service.clock.now()))
    const open = new Set(inForce.flatMap(({ principalId, doors }) => doors.map((door) => `${door} ${principalId}`)))
    return { agents: cards.map((card) => agentView(service, card, tokenDoors.filter((door) => open.has(`${door} ${card.agentId}`)))) }
  }),

  /** An Agent that holds its own key. */
  addKeyHolder: adminProcedure.input(z.strictObject({ ...newAgent, publicKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/) })).mutation(async ({ ctx, input }) => {
    const { agentId, keyId } = granted(await ctx.service.identities.addAgent(input))
    return { agentId, keyId }
  }),

  /** An Agent whose key the server holds, with its token; that and an access key, which it needs to enter open Spaces over IOA, are in no later answer. */
  addTokenHolder: adminProcedure.input(z.strictObject({ ...newAgent, door: z.enum(tokenDoors), days })).mutation(async ({ ctx: { service }, input: { door, days: lasting, ...agent } }) => {
    const { agentId, token } = granted(await addAgentWithToken(service, { ...agent, doors: [door], ...ttlOf(lasting) }))
    if (door !== 'ioa') return { agentId, token }
    const { accessKey } = await service.doors.accessKeys.create({ label: agent.name, ...ttlOf(lasting) })
    return { agentId, token, accessKey }
  }),

  tokens: adminProcedure.query(async ({ ctx: { service } }) => (await service.doors.tokens.list()).map((record) => tokenView(service, record))),

  issueToken: adminProcedure.input(z.strictObject({ agentId: identifierText, doors: z.array(z.enum(tokenDoors)).min(1).max(3), label, days })).mutation(async ({ ctx: { service }, input }) => {
    const { agentId, doors, days: lasting } = input
    const { token } = granted(await service.doors.tokens.issue({ principalId: agentId, doors, label: input.label, ...ttlOf(lasting) }))
    return { agentId, token }
  }),

  revokeToken: adminProcedure.input(z.strictObject({ tokenId: identifierText })).mutation(async ({ ctx, input }) => {
    if (!(await ctx.service.doors.tokens.revoke(input.tokenId))) throw notFound('This token')
    return { ok: true }
  }),
})

export const accessKeysRouter = router({
  list: adminProcedure.query(({ ctx }) => ctx.service.doors.accessKeys.list()),

  create: adminProcedure.input(z.strictObject({ label, days })).mutation(async ({ ctx, input }) => {
    const { accessKey } = await ctx.service.doors.accessKeys.create({ label: input.label, ...ttlOf(input.days) })
    return { accessKey }
  }),

  revoke: adminProcedure.input(z.strictObject({ accessKeyId: identifierText })).mutation(async ({ ctx, input }) => {
    if (!(await ctx.service.doors.accessKeys.revoke(input.accessKeyId))) throw notFound('This access key')
    return { ok: true }
  }),
})

function granted<T>(outcome: Result<T, { reason: string }>): T {
  if (!outcome.ok) throw badRequest(outcome.error.reason)
  return outcome.value
}

const isInForce = ({ revokedAt, expiresAt }: TokenRecord, now: string) => revokedAt === undefined && (expiresAt === undefined || now < expiresAt)

function agentView({ identities, doors, sessions }: AuthorityService, { agentId, displayName, capabilities, cardVersion, status, issuedAt }: AgentCard, tokensOpen: readonly TokenDoor[]) {
  const custody = new Set(identities.keysOf(agentId).map(keyView).flatMap((key) => (key.revokedAt === undefined ? [key.custody] : [])))
  const lastSeenAt = sessions.lastSeenAt(agentId)
  return {
    agentId,
    name: displayName,
    capabilities: capabilities.map(({ id, version }) => ({ id, version })),
    cardVersion,
    status,
    since: issuedAt,
    /** Who holds its keys, in words. */
    custody: [...custody].join(' and ') || 'no key',
    isCustodial: doors.custody.holds(agentId),
    /** Those that are open to it: by a token in force, or by a key of its own. */
    doors: [...tokensOpen, ...([...custody].some((holder) => holder !== HELD_BY_SERVER) ? (['mwp'] as const) : [])],
    online: sessions.isOnline(agentId),
    /** Since the server started. */
    ...(lastSeenAt !== undefined && { lastSeenAt }),
  }
}

function tokenView({ identities }: AuthorityService, { tokenId, principalId, doors, label: about, createdAt, expiresAt, revokedAt }: TokenRecord) {
  return { tokenId, agentId: principalId, agentName: identities.principal(principalId)?.name ?? 'Unknown agent', doors, label: about, createdAt, ...(expiresAt !== undefined && { expiresAt }), ...(revokedAt !== undefined && { revokedAt }) }
}
