// People and Agents who come to a running server with the clients of the SDK, each with keys of their own.
import { randomBytes } from 'node:crypto'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { publicKeyOf } from '../../protocol/ed25519-sign.ts'
import type { CapabilityRef, EventDocument, WorkContract } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import type { Receipt } from '../../sdk/index.ts'
import { HumanClient } from '../../sdk/index.ts'
import type { AuthorityService } from '../service/service.ts'
import { workContract } from './documents.ts'

interface Host { readonly origin: string; readonly service: AuthorityService }

/** What `AgentClient.connect` takes of an Agent. */
export interface AgentAccount { readonly agentId: string; readonly keyId: string; readonly seed: Uint8Array }

/** An administrator, enrolled by invitation. */
export async function enrol({ service, origin }: Host, name: string): Promise<HumanClient> {
  const { token } = await service.identities.invite({ name, isAdmin: true, ttlSeconds: 60 })
  return HumanClient.enrol(origin, { token, name })
}

/** An Agent that holds its own key. */
export async function register({ service }: Pick<Host, 'service'>, name: string, capabilities: readonly CapabilityRef[], maxConcurrency = 1): Promise<AgentAccount> {
  const seed = new Uint8Array(randomBytes(32))
  const added = await service.identities.addAgent({ name, publicKey: encodeBase64url(publicKeyOf(seed)), capabilities, maxConcurrency })
  invariant(added.ok, added.ok ? '' : added.error.reason)
  const { agentId, keyId } = added.value
  return { agentId, keyId, seed }
}

/** The Event of a Command that the test takes to be accepted. */
export function accepted(receipt: Receipt): EventDocument {
  if (!receipt.ok) throw new Error(`${receipt.error.code}: ${receipt.error.message}`)
  return receipt.value
}

/** A deadline on the clock of a real server. */
export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

/** The contract of a report that somebody with this capability writes, due on the clock of a real server. */
export const reportContract = (capability: CapabilityRef, changes: Partial<WorkContract> = {}): WorkContract =>
  workContract({
    goal: 'Write the report',
    requiredDeliverables: [{ deliverableId: 'report', description: 'The report.', mediaType: 'text/markdown', schema: 'urn:test:report' }],
    allowedResources: [],
    requiredCapabilities: [capability],
    deadline: inHours(24),
    ...changes,
  })
