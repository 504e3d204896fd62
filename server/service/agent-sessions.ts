// Live Agent runtimes: the signed handshake, one current session per Agent, presence.
import { randomBytes } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { PresenceRecord } from '../../protocol/generated/types.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { addSeconds, instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { SignatureVerifier } from '../../protocol/verify-document.ts'
import type { ReplacedSession } from '../authority/session-replaced.ts'
import type { AgentMirror } from './agent-mirror.ts'
import { Challenges } from './challenges.ts'
import { DueTimers } from './due-timers.ts'
import type { Clock, Directory } from './ports.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { RegistryService } from './registry-service.ts'
import { newToken, tokenHashOf } from './secret-token.ts'
import type { AgentSession, Challenge, SessionEnd, Sessions } from './service.ts'
import { Turns } from './turns.ts'

const challengeSeconds = 60
const sessionSeconds = 12 * 60 * 60
/** Presence is stale after this, whatever end it names. */
const presenceMs = 120_000

interface Needs {
  readonly directory: Pick<Directory, 'nextSessionEpoch'>
  readonly keys: RegistryMirror
  readonly agents: AgentMirror
  readonly registry: RegistryService
  readonly verifySignature: SignatureVerifier
  readonly clock: Clock
  /** Public origin of this server. */
  readonly audience: string
  /** Whether a door that takes tokens sees the Agent. */
  readonly isActiveAtDoors: (agentId: string) => boolean
  /** When such a door last saw it, in milliseconds since 1970. */
  readonly lastSeenAtDoorsMs: (agentId: string) => number | undefined
  /** Ends every Execution Lease that earlier sessions of the Agent hold. */
  readonly revokeLeases: (session: ReplacedSession) => Promise<void>
}

type Hello = Parameters<Sessions['challenge']>[0]
type Response = Parameters<Sessions['accept']>[0]

export class AgentSessions implements Sessions {
  readonly #needs: Needs
  readonly #challenges: Challenges
  /** The newest session that each Agent opened here; what is older is fenced and forgotten. */
  readonly #newest = new Map<string, { readonly session: AgentSession; readonly tokenHash: string; isConnected: boolean }>()
  readonly #byTokenHash = new Map<string, AgentSession>()
  /** When the connection of an Agent's session closed, in milliseconds since 1970. */
  readonly #leftMs = new Map<string, number>()
  /** By Agent; in memory alone. */
  readonly #presence = new Map<string, { readonly presence: PresenceRecord; readonly endsMs: number }>()
  readonly #handshakes = new Turns<string>()
  readonly #listeners = new Set<(session: AgentSession, why: SessionEnd) => void>()
  /** When the session of each Agent will be over. */
  readonly #ends: DueTimers

  constructor(needs: Needs) {
    this.#needs = needs
    this.#challenges = new Challenges(needs.clock, challengeSeconds)
    this.#ends = new DueTimers(needs.clock, (agentId) => this.#review(agentId))
    needs.agents.onEpoch((agentId) => this.#review(agentId))
    needs.keys.onBoundary(({ principal }) => this.#review(principal.id))
  }

  async challenge(hello: Hello): Promise<Result<Challenge, Rejection>> {
    if (this.#validAgentKey(hello) === undefined) return refused()
    const serverNonce = encodeBase64url(randomBytes(32))
    const { challengeId, bytes, expiresAt } = this.#challenges.issue(this.#transcript({ ...hello, serverNonce }))
    return ok({ challengeId, serverNonce, challenge: encodeBase64url(bytes), expiresAt })
  }

  async accept(response: Response): Promise<Result<AgentSession, Rejection>> {
    const transcript = this.#challenges.recall(response.challengeId, this.#transcript(response))
    const publicKey = this.#validAgentKey(response)
    const signature = decodeBase64url(response.signature)
    if (transcript === undefined || publicKey === undefined || signature?.length !== 64) return refused()
    if (!(await this.#needs.verifySignature(publicKey, transcript, signature))) return refused()
    if (!this.#challenges.spend(response.challengeId)) return refused()
    // One at a time for each Agent, so that epochs are granted in the order in which they are recorded.
    return this.#handshakes.run(response.agentId, () => this.#open(response.agentId, response.keyId))
  }

  byToken(token: string): AgentSession | undefined {
    const session = this.#byTokenHash.get(tokenHashOf(token))
    return session && this.isCurrent(session) ? session : undefined
  }

  isCurrent(session: AgentSession): boolean {
    return this.endOf(session) === undefined
  }

  endOf({ agentId, keyId, sessionEpoch, expiresAt }: AgentSession): SessionEnd | undefined {
    const { agents, clock, keys } = this.#needs
    if (sessionEpoch !== agents.sessionEpochOf(agentId)) return 'replaced'
    if (expiresAt <= clock.now()) return 'expired'
    return keys.validKey(keyId) === undefined ? 'key-ended' : undefined
  }

  onEnded(listener: (session: AgentSession, why: SessionEnd) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  isOnline(agentId: string): boolean {
    const newest = this.#newest.get(agentId)
    const isConnected = newest !== undefined && newest.isConnected && this.isCurrent(newest.session)
    return isConnected || this.#needs.isActiveAtDoors(agentId)
  }

  lastSeenAt(agentId: string): string | undefined {
    if (this.isOnline(agentId)) return this.#needs.clock.now()
    const seenMs = Math.max(this.#leftMs.get(agentId) ?? 0, this.#needs.lastSeenAtDoorsMs(agentId) ?? 0)
    return seenMs === 0 ? undefined : instantFromEpochMs(seenMs)
  }

  notePresence({ agentId, sessionEpoch }: AgentSession, presence: PresenceRecord): Rejection | undefined {
    if (presence.agentId !== agentId) return reject('AUTH_FORBIDDEN', 'an Agent speaks for its own presence alone')
    if (presence.sessionEpoch !== sessionEpoch) return reject('AUTH_STALE_SESSION', 'this presence is of another session')
    const endsMs = Math.min(Date.parse(presence.expiresAt), this.#needs.clock.nowMs() + presenceMs)
    this.#presence.set(agentId, { presence, endsMs })
    return undefined
  }

  presenceOf(agentId: string): PresenceRecord | undefined {
    const noted = this.#presence.get(agentId)
    const isFresh = noted !== undefined && noted.endsMs > this.#needs.clock.nowMs() && noted.presence.sessionEpoch === this.#needs.agents.sessionEpochOf(agentId)
    return isFresh && this.isOnline(agentId) ? noted.presence : undefined
  }

  ended(session: AgentSession): void {
    const newest = this.#newest.get(session.agentId)
    if (newest?.session !== session) return
    newest.isConnected = false
    this.#leftMs.set(session.agentId, this.#needs.clock.nowMs())
    this.#presence.delete(session.agentId)
  }

  stop(): void {
    this.#ends.stop()
  }

  /** The older sessions are fenced first, then the new epoch is recorded and their leases end; only then may the Agent act. */
  async #open(agentId: string, keyId: string): Promise<Result<AgentSession, Rejection>> {
    const sessionEpoch = await this.#needs.directory.nextSessionEpoch(agentId)
    this.#needs.agents.raiseEpoch(agentId, sessionEpoch)
    const opened = await this.#needs.registry.openSession({ agentId, keyId, sessionEpoch })
    if (!opened.ok) return opened
    await this.#needs.revokeLeases({ agentId, sessionEpoch, causeEventId: opened.value })
    const token = newToken()
    const session: AgentSession = { agentId, keyId, sessionEpoch, expiresAt: addSeconds(this.#needs.clock.now(), sessionSeconds), token }
    const tokenHash = tokenHashOf(token)
    this.#byTokenHash.set(tokenHash, session)
    this.#newest.set(agentId, { session, tokenHash, isConnected: true })
    this.#review(agentId)
    return ok(session)
  }

  /** Forgets the Agent's session and tells of it when it is over, or looks again when it will be. */
  #review(agentId: string): void {
    const newest = this.#newest.get(agentId)
    if (newest === undefined) return
    const { session, tokenHash } = newest
    const why = this.endOf(session)
    this.#ends.schedule(agentId, why === undefined ? this.#dueOf(session) : undefined)
    if (why === undefined) return
    if (newest.isConnected) this.#leftMs.set(agentId, this.#needs.clock.nowMs())
    this.#newest.delete(agentId)
    this.#byTokenHash.delete(tokenHash)
    for (const listener of [...this.#listeners]) listener(session, why)
  }

  #dueOf({ keyId, expiresAt }: AgentSession): string {
    const ends = this.#needs.keys.key(keyId)!.history.flatMap(({ validUntil, revokedAt }) => [validUntil, revokedAt])
    return ends.reduce<string>((first, end) => (end !== undefined && Date.parse(end) < Date.parse(first) ? end : first), expiresAt)
  }

  /** The public key when this Agent has a card that was not revoked and the key is its own and valid now. */
  #validAgentKey({ agentId, keyId }: Pick<Hello, 'agentId' | 'keyId'>): Uint8Array | undefined {
    const card = this.#needs.agents.cardOf(agentId)
    const valid = this.#needs.keys.validKey(keyId)
    const { principal } = valid?.key ?? {}
    return card && card.status !== 'revoked' && principal?.type === 'agent' && principal.id === agentId ? valid?.publicKey : undefined
  }

  /** What both sides bind themselves to; the challenge adds its id and its end. */
  #transcript({ agentId, keyId, clientNonce, serverNonce }: Hello & Pick<Response, 'serverNonce'>) {
    return { agentId, keyId, clientNonce, serverNonce, audience: this.#needs.audience, protocolVersion: '0.1', purpose: 'missionweaveprotocol.session' }
  }
}

const refused = () => err(reject('AUTH_INVALID_SIGNATURE', 'The handshake could not be verified.'))
