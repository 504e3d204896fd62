// The Authorization Service: short-lived, least-privilege tokens for Agents that execute work, and their verification.
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { SignatureVerifier } from '../../protocol/verify-document.ts'
import type { TokenGrant, TokenMoment, TokenRequest, TokenUse } from '../authority/execution-token.ts'
import { grantToken, tokenRefused } from '../authority/execution-token.ts'
import type { ServiceIdentity } from './organization-keys.ts'
import type { Clock } from './ports.ts'
import type { AgentSession, Reads, Sessions } from './service.ts'

const FORMAT = 'countersign.execution-token.v1'

export interface ExecutionToken {
  /** base64url of the RFC 8785 claims, a dot, base64url of the Group Authority's signature over those bytes. */
  readonly token: string
  readonly expiresAt: string
}

interface Needs {
  readonly authority: ServiceIdentity
  readonly reads: Pick<Reads, 'groupFor'>
  readonly sessions: Pick<Sessions, 'isCurrent'>
  readonly agents: Pick<TokenMoment, 'cardOf' | 'sessionEpochOf'>
  /** What is read afterwards of the Group and of Agents holds all that any node had committed before. */
  readonly catchUp: (groupId: string) => Promise<void>
  readonly verifySignature: SignatureVerifier
  readonly clock: Clock
}

export class ExecutionTokens {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** A token for what this Agent executes in this Group; GROUP_NOT_FOUND for unknown and hidden Groups alike. */
  async issue(session: AgentSession, groupId: string, request: TokenRequest): Promise<Result<ExecutionToken, Rejection>> {
    const { reads, sessions, authority, catchUp } = this.#needs
    await catchUp(groupId)
    const group = await reads.groupFor(session.agentId, groupId)
    if (!sessions.isCurrent(session)) return err(reject('AUTH_STALE_SESSION', 'this session has ended'))
    if (!group) return err(reject('GROUP_NOT_FOUND', 'there is no such Group'))
    const { agentId, sessionEpoch } = session
    const granted = grantToken(group.state, { agentId, sessionEpoch }, request, this.#moment())
    if (!granted.ok) return granted
    const claims = encodeCanonical({ format: FORMAT, issuer: authority.principal.id, keyId: authority.keyId, ...granted.value })
    const signature = await authority.sign(claims)
    return ok({ token: `${encodeBase64url(claims)}.${encodeBase64url(signature)}`, expiresAt: granted.value.expiresAt })
  }

  /** What the token grants, if it allows this use at this moment. AUTH_INVALID_SIGNATURE for what this authority never signed. */
  async verify(token: string, use: TokenUse): Promise<Result<TokenGrant, Rejection>> {
    const grant = await this.#signedGrant(token)
    if (!grant) return err(reject('AUTH_INVALID_SIGNATURE', 'this is no token of this authority'))
    const { reads, catchUp } = this.#needs
    await catchUp(grant.groupId)
    const group = await reads.groupFor(grant.agentId, grant.groupId)
    if (!group) return err(reject('MEMBERSHIP_REQUIRED', 'the Agent is no longer a member'))
    const refusal = tokenRefused(group.state, grant, use, this.#moment())
    return refusal ? err(refusal) : ok(grant)
  }

  #moment(): TokenMoment {
    const { agents, clock } = this.#needs
    return { now: clock.now(), cardOf: (agentId) => agents.cardOf(agentId), sessionEpochOf: (agentId) => agents.sessionEpochOf(agentId) }
  }

  async #signedGrant(token: string): Promise<TokenGrant | undefined> {
    const parts = token.split('.').map(decodeBase64url)
    const [claims, signature] = parts
    if (parts.length !== 2 || claims === undefined || signature?.length !== 64) return undefined
    const publicKey = decodeBase64url(this.#needs.authority.publicKey)
    if (publicKey === undefined || !(await this.#needs.verifySignature(publicKey, claims, signature))) return undefined
    // Signed by this authority, so it is JSON; whether it is a token says its format, which no other document has.
    const signed = JSON.parse(new TextDecoder().decode(claims)) as { readonly format?: unknown }
    return signed.format === FORMAT ? (signed as unknown as TokenGrant) : undefined
  }
}
