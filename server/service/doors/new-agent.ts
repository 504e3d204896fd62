// An Agent with its first key: with one that the server holds and a token, in one step, or with one of its own.
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { AuthorityService } from '../service.ts'
import { termsFault } from './door-tokens.ts'
import type { Custody, TokenDoor, TokenRecord } from './types.ts'

type Service = Pick<AuthorityService, 'doors' | 'identities'>
type Refusable<T> = Promise<Result<T, { reason: string }>>

export type NewAgent = Parameters<Custody['adopt']>[0] & {
  readonly doors: readonly TokenDoor[]
  /** Without it the token does not expire. */
  readonly ttlSeconds?: number
}

/** `token` is shown once. Nothing is made for terms that no token could be issued on. */
export async function addAgentWithToken(service: Service, { doors, ttlSeconds, ...agent }: NewAgent): Refusable<{ readonly agentId: string; readonly keyId: string; readonly token: string; readonly record: TokenRecord }> {
  const { custody, tokens } = service.doors
  const fault = doors.length === 0 ? 'a token is for one door at least' : termsFault(agent.name, ttlSeconds)
  if (fault !== undefined) return err({ reason: fault })
  const adopted = await givenKey(service, agent.agentId, () => custody.adopt(agent))
  if (!adopted.ok) return adopted
  const issued = await tokens.issue({ principalId: adopted.value.agentId, doors, label: agent.name, ...(ttlSeconds !== undefined && { ttlSeconds }) })
  return issued.ok ? ok({ ...adopted.value, ...issued.value }) : issued
}

/** An Agent that holds its own key. */
export const addKeyHolder = (service: Service, agent: Parameters<AuthorityService['identities']['addAgent']>[0]) =>
  givenKey(service, agent.agentId, () => service.identities.addAgent(agent))

/**
 * Everybody who has the access key of a Node can have a token of it until it has a key. Such tokens end with the first key: nobody
 * shall work in Missions, or read them, by what was shared before there were any. They end before the key is given, so that no fault
 * leaves both; a refused key costs the Node no more than to ask for a token again. Afterwards end those that were taken meanwhile.
 */
async function givenKey<T>({ doors: { tokens }, identities }: Service, agentId: string | undefined, give: () => Refusable<T>): Refusable<T> {
  if (agentId === undefined || identities.keysOf(agentId).length > 0) return give()
  await endTokens(tokens, agentId)
  const given = await give()
  if (given.ok) await endTokens(tokens, agentId)
  return given
}

async function endTokens(tokens: Service['doors']['tokens'], agentId: string): Promise<void> {
  const inForce = (await tokens.list([agentId])).filter(({ revokedAt }) => revokedAt === undefined)
  await Promise.all(inForce.map(({ tokenId }) => tokens.revoke(tokenId)))
}
