// The Organization's Registry at work: it issues Agent Cards and opens sessions, by signed Commands on the one command path.
import { randomUUID } from 'node:crypto'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { AgentCapability, AgentCard, OrganizationScopedKind, PublicKey } from '../../protocol/generated/types.ts'
import { AGENT_CARD_REGISTER, SESSION_OPEN } from '../../protocol/kinds.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { signDocument } from '../../protocol/signed-documents.ts'
import { validateDocument } from '../../protocol/validate.ts'
import type { OrganizationEnv } from '../authority/types.ts'
import { decodeEvent } from './event-bytes.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import type { Clock, Directory } from './ports.ts'
import type { SubmitOutcome } from './service.ts'

/** A handshake that was proved, and the Session Epoch reserved for it. */
export type Handshake = NonNullable<OrganizationEnv['handshake']>

/** A card before the Registry vouches for it. */
export interface CardRequest {
  readonly agentId: string
  readonly cardVersion: number
  readonly displayName: string
  readonly publicKeys: readonly PublicKey[]
  readonly capabilities: readonly { id: string; version: string }[]
  readonly maxConcurrency: number
}

/** A card that keeps to its schema, and the Action ID that will register it. */
export interface PreparedCard { readonly actionId: string; readonly card: AgentCard }

interface Needs {
  readonly organization: OrganizationKeys
  /** Public origin of the server: where its Agents are reached. */
  readonly origin: string
  readonly clock: Clock
  readonly directory: Pick<Directory, 'putCard'>
  readonly submit: (command: Uint8Array, handshake?: Handshake) => Promise<SubmitOutcome>
}

// The schema that an operator-registered capability promises: any JSON value. It lies in the URI itself, so nobody has to fetch it.
const anyValueSchema = 'data:application/schema+json,%7B%7D'
const anyValueSchemaHash = sha256Hash(new TextEncoder().encode('{}'))

export class RegistryService {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Signs a card, unregistered; the operator's registration is the evidence for its capabilities. */
  async prepareCard(request: CardRequest): Promise<Result<PreparedCard, { reason: string }>> {
    const { organization, clock, origin } = this.#needs
    const actionId = newUrn()
    const card: AgentCard = await this.#sign(
      {
        agentId: request.agentId,
        organizationId: organization.organizationId,
        cardVersion: request.cardVersion,
        displayName: request.displayName,
        owner: organization.registry.principal,
        status: 'active' as const,
        protocolVersions: ['0.1' as const],
        endpoints: [{ transport: 'wss' as const, uri: `wss://${new URL(origin).host}/mwp` }],
        publicKeys: [...request.publicKeys],
        capabilities: request.capabilities.map((capability) => capabilityOf(capability, actionId)),
        maxConcurrency: request.maxConcurrency,
        issuedAt: clock.now(),
      },
      'issuedAt',
    )
    const fault = validateDocument('agent-card', card)
    return fault ? err({ reason: `the Agent Card cannot be issued: ${fault.path} ${fault.message}` }) : ok({ actionId, card })
  }

  /** Registers a prepared card. */
  async issueCard({ actionId, card }: PreparedCard): Promise<Result<AgentCard, Rejection>> {
    const submitted = await this.#submit(AGENT_CARD_REGISTER, actionId, { card })
    if (!submitted.ok) return submitted
    await this.#needs.directory.putCard(card, encodeCanonical(card))
    return ok(card)
  }

  /** Records that a Session Epoch was granted to the Agent; gives the id of the Event that says so. */
  async openSession(handshake: Handshake): Promise<Result<string, Rejection>> {
    const opened = await this.#submit(SESSION_OPEN, newUrn(), { agentId: handshake.agentId }, handshake)
    return opened.ok ? ok(decodeEvent(opened.value).eventId) : opened
  }

  /** Gives the bytes of the Event. */
  async #submit(kind: OrganizationScopedKind, actionId: string, payload: object, handshake?: Handshake): Promise<Result<Uint8Array, Rejection>> {
    const { organization, clock, submit } = this.#needs
    const unsigned = { protocolVersion: '0.1', actionId, actor: organization.registry.principal, kind, correlationId: actionId, issuedAt: clock.now(), payload }
    const outcome = await submit(encodeCanonical(await this.#sign(unsigned, 'issuedAt')), handshake)
    return outcome.ok ? ok(outcome.eventBytes) : err(outcome.rejection)
  }

  #sign<T extends object>(document: T, protectedTime: string & keyof T) {
    const { keyId, sign } = this.#needs.organization.registry
    return signDocument(document, protectedTime, keyId, sign)
  }
}

const newUrn = () => `urn:uuid:${randomUUID()}`

function capabilityOf({ id, version }: { id: string; version: string }, registrationId: string): AgentCapability {
  return {
    id,
    version,
    inputSchema: anyValueSchema,
    inputSchemaHash: anyValueSchemaHash,
    outputSchema: anyValueSchema,
    outputSchemaHash: anyValueSchemaHash,
    constraints: {},
    verifiedEvidence: [registrationId],
  }
}
