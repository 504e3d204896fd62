// An Agent without a key of its own: its custodial key, its card and its first token, in one step.
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { termsFault } from './door-tokens.ts'
import type { Custody, Doors, TokenDoor, TokenRecord } from './types.ts'

export type NewAgent = Parameters<Custody['adopt']>[0] & {
  readonly doors: readonly TokenDoor[]
  /** Without it the token does not expire. */
  readonly ttlSeconds?: number
}

/** `token` is shown once. Nothing is made for terms that no token could be issued on. */
export async function addAgentWithToken({ custody, tokens }: Doors, { doors, ttlSeconds, ...agent }: NewAgent): Promise<Result<{ readonly agentId: string; readonly keyId: string; readonly token: string; readonly record: TokenRecord }, { reason: string }>> {
  const fault = doors.length === 0 ? 'a token is for one door at least' : termsFault(agent.name, ttlSeconds)
  if (fault !== undefined) return err({ reason: fault })
  const adopted = await custody.adopt(agent)
  if (!adopted.ok) return adopted
  const issued = await tokens.issue({ principalId: adopted.value.agentId, doors, label: agent.name, ...(ttlSeconds !== undefined && { ttlSeconds }) })
  return issued.ok ? ok({ ...adopted.value, ...issued.value }) : issued
}
