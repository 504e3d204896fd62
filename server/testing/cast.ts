// The Principals of the tests: always the same people, Agents and services, with ids that read well in a failure.
import { deriveUrn, sha256Hash } from '../../protocol/digest.ts'
import type { Actor, AgentCard, Signature } from '../../protocol/generated/types.ts'

/** Always the same identifier for the same name. */
export const urnOf = (name: string): string => deriveUrn('test', name)

/** Always the same content hash for the same name. */
export const hashOf = (name: string): string => sha256Hash(new TextEncoder().encode(name))

const principal = (type: Actor['type'], name: string): Actor => ({ type, id: urnOf(`${type} ${name}`) })

export const organizationId = urnOf('organization')
export const groupAuthority = principal('service', 'group authority')
export const registry = principal('service', 'registry')
export const router = principal('service', 'router')

/** MissionOwner. */
export const ada = principal('human', 'Ada')
/** A person who may become a member. */
export const ben = principal('human', 'Ben')
/** Coordinator. */
export const cora = principal('agent', 'Cora')
/** Workers. */
export const wim = principal('agent', 'Wim')
export const wanda = principal('agent', 'Wanda')
/** May become a work delegate. */
export const dora = principal('agent', 'Dora')
/** Join by an offer alone, if at all. */
export const nora = principal('agent', 'Nora')
export const nils = principal('agent', 'Nils')
/** Belongs to no Group. */
export const otto = principal('agent', 'Otto')

export const START = '2026-11-29T12:00:00.000Z'

/** Stands where a signature has been verified by somebody else. */
export const verifiedSignature = (createdAt: string): Signature => ({
  algorithm: 'Ed25519',
  keyId: urnOf('key'),
  createdAt,
  value: 'A'.repeat(86),
})

export const CAPABILITY = 'release.inventory'

/** Capabilities are given as `id@version`. */
export function agentCard(agent: Actor, changes: Partial<AgentCard> = {}, capabilities = [`${CAPABILITY}@1.2.0`]): AgentCard {
  return {
    agentId: agent.id,
    organizationId,
    cardVersion: 1,
    displayName: 'Test agent',
    owner: ada,
    status: 'active',
    protocolVersions: ['0.1'],
    endpoints: [{ transport: 'wss', uri: 'wss://agents.example/mwp' }],
    publicKeys: [{ keyId: urnOf('key'), algorithm: 'Ed25519', publicKey: 'A'.repeat(43), validFrom: START }],
    capabilities: capabilities.map((capability) => {
      const [id = '', version = ''] = capability.split('@')
      const schema = { inputSchema: 'urn:example:in', inputSchemaHash: hashOf('in'), outputSchema: 'urn:example:out', outputSchemaHash: hashOf('out') }
      return { id, version, ...schema, constraints: {}, verifiedEvidence: [urnOf('verified')] }
    }),
    maxConcurrency: 2,
    issuedAt: START,
    signature: verifiedSignature(START),
    ...changes,
  }
}
