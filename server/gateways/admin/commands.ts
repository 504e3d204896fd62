// What an operator may do on the machine of the server. The same functions serve the running server and a stopped one.
import { open, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { CAPABILITY_ID, CAPABILITY_ID_MAXIMUM, CAPABILITY_VERSION } from '../../../protocol/capability-text.ts'
import type { EventDocument, PolicyChangedPayload } from '../../../protocol/generated/types.ts'
import { isIdentifier } from '../../../protocol/identifier.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { isStorable } from '../../authority/storable-text.ts'
import { tokenDoors } from '../../service/doors/door-tokens.ts'
import { addAgentWithToken, addKeyHolder } from '../../service/doors/new-agent.ts'
import type { TokenDoor, TokenRecord } from '../../service/doors/types.ts'
import type { KeptRuling, RegisteredKey } from '../../service/ports.ts'
import type { AuthorityService } from '../../service/service.ts'

type Service = Pick<AuthorityService, 'archives' | 'doors' | 'identities' | 'organization' | 'policy' | 'reads' | 'sessions' | 'verifyLog'>

/** Why a command was not carried out, in words for the operator. */
export type AdminRefusal = { readonly reason: string }
type Outcome = Promise<Result<unknown, AdminRefusal>>

/** Versions of the policy in one answer. */
const maximumHistory = 100
/** Entries in one answer, and the one below which they begin. */
const newestFirst = { limit: z.number().int().min(1).max(500).default(100), before: z.number().int().min(1).optional() }
const day = 24 * 60 * 60
const days = z.number().int().min(1).max(3653)
const id = z.string().refine(isIdentifier, 'must be an absolute URI')
const publicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'the public key is 32 bytes in base64url without padding, 43 characters')
const capability = z.strictObject({ id: z.string().regex(CAPABILITY_ID, 'a capability id looks like release.report').max(CAPABILITY_ID_MAXIMUM), version: z.string().regex(CAPABILITY_VERSION, 'a capability version looks like 1.0.0') })
const doors = z.array(z.enum(tokenDoors)).min(1)
const label = z.string().trim().min(1).max(200)

const commands = {
  'invite create': command(
    { name: z.string().max(200).default(''), isAdmin: z.boolean().default(false), ttlSeconds: z.number().int().min(60).max(90 * day).default(7 * day) },
    async ({ identities, organization }, input) => {
      const { token, expiresAt } = await identities.invite(input)
      return ok({ link: invitationLink(organization.origin, token), expiresAt, isAdmin: input.isAdmin })
    },
  ),
  'agent add': command(
    {
      name: z.string().trim().min(1).max(200),
      publicKey: publicKey.optional(),
      isCustodial: z.boolean().default(false),
      doors: doors.optional(),
      days: days.optional(),
      capabilities: z.array(capability).min(1),
      maxConcurrency: z.number().int().min(1).max(1000).optional(),
      agentId: id.optional(),
      keyId: id.optional(),
    },
    (service, { isCustodial, ...input }) => (isCustodial ? addCustodialAgent(service, withoutUndefined(input)) : addWithOwnKey(service, withoutUndefined(input))),
  ),
  'agent list': command({}, async ({ identities, sessions }) =>
    ok(identities.cards().map(({ agentId, displayName, status, cardVersion, capabilities, maxConcurrency }) => ({
      agentId, name: displayName, status, cardVersion, maxConcurrency,
      capabilities: capabilities.map((capability) => `${capability.id}@${capability.version}`),
      online: sessions.isOnline(agentId),
    }))),
  ),
  'token create': command({ agent: z.string().min(1).max(2048), doors, label: label.optional(), days: days.optional() }, async (service, input) => {
    const found = agentNamed(service, input.agent)
    if (!found.ok) return found
    const issued = await service.doors.tokens.issue({ principalId: found.value, doors: input.doors, label: input.label ?? 'made by the operator', ...ttlOf(input.days) })
    return issued.ok ? ok({ token: issued.value.token, ...tokenView(service, issued.value.record) }) : issued
  }),
  'token list': command({ principalId: id.optional() }, async (service, { principalId }) =>
    ok((await service.doors.tokens.list(principalId === undefined ? undefined : [principalId])).map((record) => tokenView(service, record))),
  ),
  'token revoke': command({ tokenId: id }, async ({ doors: { tokens } }, { tokenId }) => ((await tokens.revoke(tokenId)) ? ok({ tokenId, revoked: true }) : err({ reason: 'there is no such token' }))),
  'access-key create': command({ label, days: days.optional() }, async ({ doors: { accessKeys } }, input) => {
    const { accessKey, record } = await accessKeys.create({ label: input.label, ...ttlOf(input.days) })
    return ok({ accessKey, ...record })
  }),
  'access-key list': command({}, async ({ doors: { accessKeys } }) => ok(await accessKeys.list())),
  'access-key revoke': command({ accessKeyId: id }, async ({ doors: { accessKeys } }, { accessKeyId }) =>
    (await accessKeys.revoke(accessKeyId)) ? ok({ accessKeyId, revoked: true }) : err({ reason: 'there is no such access key' }),
  ),
  'service add': command({ name: z.string().trim().min(1).max(200), publicKey, serviceId: id.optional(), keyId: id.optional() }, async ({ identities }, input) => {
    const added = await identities.addService(withoutUndefined(input))
    return added.ok ? ok({ serviceId: added.value.principal.id, keyId: added.value.keyId }) : added
  }),
  'service list': command({}, async ({ identities, policy }) =>
    ok(identities.principals().filter(({ principal }) => principal.type === 'service').map(({ principal: { id: serviceId }, name }) => ({
      serviceId,
      name,
      keys: identities.keysOf(serviceId).map(({ keyId }) => keyId),
      mayDo: policy.current.services.find(({ principalId }) => principalId === serviceId)?.kinds ?? [],
    }))),
  ),
  'key list': command({ principalId: id.optional() }, async ({ identities }, { principalId }) => {
    const holders = identities.principals().filter(({ principal }) => principalId === undefined || principal.id === principalId)
    if (holders.length === 0) return err({ reason: 'there is no such Principal' })
    return ok(holders.flatMap(({ principal, name }) => identities.keysOf(principal.id).map((key) => keyView(key, name))))
  }),
  'key revoke': command({ keyId: id, at: z.string().optional() }, async ({ identities }, { keyId, at }) => {
    const revoked = await identities.revokeKey(keyId, at)
    return revoked.ok ? ok(keyView(revoked.value, identities.principal(revoked.value.principal.id)?.name ?? '')) : revoked
  }),
  'space list': command({}, async ({ reads }) => ok(await reads.allSpaces())),
  'space state': command({ groupId: id }, async ({ reads }, { groupId }) => {
    const fingerprint = await reads.fingerprintOf(groupId)
    return fingerprint ? ok({ groupId, ...fingerprint }) : err({ reason: 'there is no such Group' })
  }),
  'space archive': command({ groupId: id, isHistoryOffline: z.boolean().default(false) }, ({ archives }, { groupId, isHistoryOffline }) => archives.archive(groupId, { isHistoryOffline })),
  'space export': command({ groupId: id, file: z.string().refine(isAbsolute, 'must be an absolute path').max(4096) }, async ({ archives }, { groupId, file }) => {
    const lines = await archives.export(groupId)
    return lines ? writeNew(file, lines) : err({ reason: 'there is no such Group' })
  }),
  'policy show': command({}, async ({ policy: { spaceId, current } }) => ok({ spaceId, policy: current })),
  'policy history': command({ after: z.number().int().min(0).default(0) }, async ({ policy }, { after }) =>
    ok((await policy.history(after, maximumHistory)).map(({ event }) => policyChangeView(event))),
  ),
  'policy profiles': command({}, async ({ policy: { profiles } }) => ok(profiles)),
  'policy log': command({ groupId: id.optional(), ...newestFirst }, async ({ policy }, { groupId, before, limit }) =>
    ok((await policy.rulings({ limit, ...(groupId !== undefined && { spaceId: groupId }), ...(before !== undefined && { before }) })).map(rulingView)),
  ),
  'policy failures': command({ groupId: id, ...newestFirst }, async ({ policy }, { groupId, before, limit }) =>
    ok(await policy.failures({ spaceId: groupId, limit, ...(before !== undefined && { before }) })),
  ),
  'log verify': command({}, async ({ verifyLog }) => ok(await verifyLog())),
}

export type AdminCommand = keyof typeof commands
const adminCommands = Object.keys(commands) as AdminCommand[]

/** Runs an operator's command; unknown commands and malformed arguments are refused in words. */
export async function runAdminCommand(service: Service, name: string, args: unknown): Outcome {
  const known = Object.hasOwn(commands, name) ? commands[name as AdminCommand] : undefined
  return known ? known(service, args) : err({ reason: `unknown command "${name}"; known are ${adminCommands.join(', ')}` })
}

/** The page on which a person takes up an invitation. Browsers keep what stands behind `#`, and the page sends it in a body: no request line holds it. */
export const invitationLink = (origin: string, token: string): string => `${origin}/enrol#${token}`

function command<Shape extends z.ZodRawShape>(shape: Shape, run: (service: Service, input: z.infer<z.ZodObject<Shape>>) => Outcome) {
  const schema = z.strictObject(shape)
  return async (service: Service, args: unknown): Outcome => {
    if (!isStorable(args)) return err({ reason: 'an argument holds a character that cannot be kept: U+0000, or half of a surrogate pair' })
    const parsed = schema.safeParse(args ?? {})
    if (!parsed.success) return err({ reason: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`).join('; ') })
    return run(service, parsed.data as z.infer<z.ZodObject<Shape>>)
  }
}

type AgentInput = Omit<Parameters<AuthorityService['identities']['addAgent']>[0], 'publicKey' | 'custody'> & { readonly publicKey?: string; readonly doors?: readonly TokenDoor[]; readonly days?: number }

async function addWithOwnKey(service: Service, { publicKey: key, doors: toOpen, days: lasting, ...agent }: AgentInput): Outcome {
  if (toOpen !== undefined || lasting !== undefined) return err({ reason: 'doors, days: a token is for an Agent whose key the server holds (--custodial); this one holds its own' })
  if (key === undefined) return err({ reason: 'publicKey: the key of the Agent is needed, or isCustodial' })
  return addKeyHolder(service, { ...agent, publicKey: key })
}

async function addCustodialAgent(service: Service, { publicKey: key, keyId, doors: toOpen, days: lasting, ...agent }: AgentInput): Outcome {
  if (key !== undefined || keyId !== undefined) return err({ reason: 'publicKey, keyId: the server makes the key of a custodial Agent' })
  if (toOpen === undefined) return err({ reason: `doors: one or more of ${tokenDoors.join(', ')} are needed` })
  const added = await addAgentWithToken(service, { ...agent, doors: toOpen, ...ttlOf(lasting) })
  if (!added.ok) return added
  const { agentId, keyId: heldKeyId, token, record } = added.value
  return ok({ agentId, keyId: heldKeyId, token, tokenId: record.tokenId, doors: record.doors, ...(record.expiresAt !== undefined && { expiresAt: record.expiresAt }) })
}

const ttlOf = (lasting: number | undefined) => (lasting === undefined ? {} : { ttlSeconds: lasting * day })

/** By its id, or by a name that only one Agent has. */
function agentNamed({ identities }: Service, text: string): Result<string, AdminRefusal> {
  const agents = identities.principals().filter(({ principal }) => principal.type === 'agent')
  const found = agents.filter(({ principal, name }) => principal.id === text || name === text)
  if (found.length > 1) return err({ reason: `${found.length} Agents are called "${text}": say which by its id` })
  return found[0] ? ok(found[0].principal.id) : err({ reason: `there is no Agent "${text}"` })
}

function tokenView({ identities }: Service, { principalId, ...record }: TokenRecord) {
  return { ...record, agentId: principalId, agent: identities.principal(principalId)?.name ?? '' }
}

/** Readable for its owner alone, as it holds what members may not read; a file that is there already stays as it is. */
async function writeNew(file: string, lines: AsyncIterable<Uint8Array>): Outcome {
  try {
    const target = await open(file, 'wx', 0o600)
    await pipeline(lines, target.createWriteStream({ flush: true }))
    return ok({ file, bytes: (await stat(file)).size })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') return err({ reason: `${file} is there already` })
    if (code === undefined) throw cause
    return err({ reason: `${file} cannot be written: ${code}` })
  }
}

function keyView({ keyId, publicKey, principal, keyUse, label, custody, validFrom, history }: RegisteredKey, holder: string) {
  const ends = history.flatMap(({ validUntil, revokedAt }) => [validUntil, revokedAt].filter((end) => end !== undefined))
  return { keyId, publicKey, principalId: principal.id, type: principal.type, holder, use: keyUse, label, custody, validFrom, ...(ends.length > 0 && { endsAt: ends.sort()[0] }) }
}

const rulingView = ({ actor, spaceId: groupId, ...ruling }: KeptRuling) => ({ ...ruling, groupId, actorId: actor.id, actorType: actor.type })

function policyChangeView({ eventId, actor, occurredAt, payload }: EventDocument) {
  const { policy, reason } = payload as unknown as PolicyChangedPayload
  return { version: policy.version, changedBy: actor.id, at: occurredAt, reason, eventId, policy }
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }
const withoutUndefined = <T extends object>(value: T): Defined<T> => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>
