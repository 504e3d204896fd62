// Bearer tokens of Agents: made once, kept as hashes, known by heart for a few seconds, ended on every node.
import { randomBytes, randomUUID } from 'node:crypto'
import { err, ok } from '../../../protocol/result.ts'
import { addSeconds, instantFromEpochMs } from '../../../protocol/timestamp.ts'
import { DueTimers } from '../due-timers.ts'
import type { Clock, CredentialStore, KeptToken, PrincipalRecord, WakeUps } from '../ports.ts'
import { tokenHashOf } from '../secret-token.ts'
import { DoorPresence } from './door-presence.ts'
import type { DoorTokens, TokenDoor, TokenRecord } from './types.ts'

export const tokenDoors = ['ioa', 'mcp', 'iap'] as const satisfies readonly TokenDoor[]
const maximumTtlSeconds = 10 * 366 * 24 * 60 * 60
const maximumLabel = 200
/** What is remembered of a token is looked up again after this, in case the news of its end was lost. */
const memoryMs = 5_000

interface Needs {
  readonly store: Pick<CredentialStore, 'addToken' | 'findToken' | 'revokeToken' | 'listTokens'>
  /** Tells and hears, by the id of the token, that one was revoked. */
  readonly wakeUps: WakeUps
  readonly clock: Clock
  /** Asks the Directory where this node does not know the Principal yet. */
  readonly principal: (id: string) => Promise<PrincipalRecord | undefined>
  readonly onFault: (fault: unknown) => void
}

interface Known { readonly token: KeptToken; readonly checkedAtMs: number }

export class IssuedTokens implements DoorTokens {
  readonly #needs: Needs
  /** Tokens in force that were shown to this node, by hash. */
  readonly #known = new Map<string, Known>()
  readonly #hashOf = new Map<string, string>()
  readonly #lookups = new Map<string, Promise<KeptToken | undefined>>()
  readonly #listeners = new Set<(tokenId: string) => void>()
  readonly #presence: DoorPresence
  readonly #ends: DueTimers
  readonly #unsubscribe: () => void

  constructor(needs: Needs) {
    this.#needs = needs
    this.#presence = new DoorPresence(needs.clock)
    this.#ends = new DueTimers(needs.clock, (tokenId) => this.#review(tokenId))
    this.#unsubscribe = needs.wakeUps.subscribe(
      (tokenId) => this.#review(tokenId),
      () => [...this.#hashOf.keys()].forEach((tokenId) => this.#review(tokenId)),
    )
  }

  async issue({ principalId, doors, label, ttlSeconds }: Parameters<DoorTokens['issue']>[0]): ReturnType<DoorTokens['issue']> {
    const fault = faultOf(doors, label, ttlSeconds) ?? (await this.#holderFault(principalId))
    if (fault !== undefined) return err({ reason: fault })
    const token = randomBytes(32).toString('hex')
    const now = this.#needs.clock.now()
    const ordered = tokenDoors.filter((door) => doors.includes(door))
    const record: TokenRecord = { tokenId: `urn:uuid:${randomUUID()}`, principalId, doors: ordered, label: label.trim(), createdAt: now, ...(ttlSeconds !== undefined && { expiresAt: addSeconds(now, ttlSeconds) }) }
    await this.#needs.store.addToken({ ...record, tokenHash: tokenHashOf(token) })
    return ok({ token, record })
  }

  async find(token: string, door: TokenDoor): Promise<TokenRecord | undefined> {
    if (!isTokenText(token)) return undefined
    const hash = tokenHashOf(token)
    const known = this.#known.get(hash)
    const isFresh = known !== undefined && this.#needs.clock.nowMs() - known.checkedAtMs < memoryMs && this.#isInForce(known.token)
    const kept = isFresh ? known.token : await this.#lookUp(hash)
    if (!kept?.doors.includes(door)) return undefined
    this.#presence.called(kept.principalId)
    return recordOf(kept)
  }

  isKnown = (token: string): boolean => isTokenText(token) && this.#known.has(tokenHashOf(token))
  connected = (principalId: string): (() => void) => this.#presence.connected(principalId)
  isActive = (principalId: string): boolean => this.#presence.isActive(principalId)
  lastSeenMs = (principalId: string): number | undefined => this.#presence.lastSeenMs(principalId)

  onEnded(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async revoke(tokenId: string): Promise<boolean> {
    const revoked = await this.#needs.store.revokeToken(tokenId, this.#needs.clock.now())
    if (revoked === undefined) return false
    this.#needs.wakeUps.publish(tokenId)
    await this.#lookAgain(revoked.tokenHash)
    return true
  }

  list = async (principalIds?: readonly string[]): Promise<readonly TokenRecord[]> => (await this.#needs.store.listTokens(principalIds)).map(recordOf)

  stop(): void {
    this.#ends.stop()
    this.#unsubscribe()
  }

  async #holderFault(principalId: string): Promise<string | undefined> {
    const type = (await this.#needs.principal(principalId))?.principal.type
    if (type === 'agent') return undefined
    return type === undefined ? 'there is no such Agent' : 'a token is for an Agent: people and services sign with keys of their own'
  }

  /** One question for all who ask at the same time. */
  #lookUp(hash: string): Promise<KeptToken | undefined> {
    const pending = this.#lookups.get(hash) ?? this.#read(hash).finally(() => this.#lookups.delete(hash))
    this.#lookups.set(hash, pending)
    return pending
  }

  async #read(hash: string): Promise<KeptToken | undefined> {
    const checkedAtMs = this.#needs.clock.nowMs()
    const token = await this.#needs.store.findToken(hash)
    if (token === undefined || !this.#isInForce(token)) {
      this.#forget(hash)
      return undefined
    }
    const isNew = !this.#known.has(hash)
    this.#known.set(hash, { token, checkedAtMs })
    this.#hashOf.set(token.tokenId, hash)
    // News that came while a new one was being read found nothing to look up again.
    if (isNew) this.#reviewAfter(token.tokenId, memoryMs)
    else this.#ends.schedule(token.tokenId, token.expiresAt)
    return token
  }

  #isInForce({ revokedAt, expiresAt }: KeptToken): boolean {
    return revokedAt === undefined && (expiresAt === undefined || Date.parse(expiresAt) > this.#needs.clock.nowMs())
  }

  /** Looks up again what is known under this id, if anything is. */
  #review(tokenId: string): void {
    const hash = this.#hashOf.get(tokenId)
    if (hash === undefined) return
    this.#lookAgain(hash).catch((fault: unknown) => {
      this.#needs.onFault(fault)
      this.#reviewAfter(tokenId, memoryMs)
    })
  }

  #reviewAfter(tokenId: string, ms: number): void {
    this.#ends.schedule(tokenId, instantFromEpochMs(this.#needs.clock.nowMs() + ms))
  }

  /** Not before a look that is under way has ended: it may have begun too early to see what there is to see. */
  async #lookAgain(hash: string): Promise<void> {
    await this.#lookups.get(hash)?.catch(() => undefined)
    await this.#lookUp(hash)
  }

  #forget(hash: string): void {
    const known = this.#known.get(hash)
    if (known === undefined) return
    const { tokenId } = known.token
    this.#known.delete(hash)
    this.#hashOf.delete(tokenId)
    this.#ends.schedule(tokenId, undefined)
    for (const listener of [...this.#listeners]) listener(tokenId)
  }
}

/** Whether it has the form of a token or an access key; anything else is looked up nowhere. */
export const isTokenText = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Why a label or a time to live is none; undefined when both are fine. */
export function termsFault(label: string, ttlSeconds: number | undefined): string | undefined {
  if (label.trim() === '' || label.length > maximumLabel || label.includes('\0') || !label.isWellFormed()) return `a label of 1 to ${maximumLabel} characters is needed`
  if (ttlSeconds !== undefined && (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > maximumTtlSeconds)) return 'the time to live is a whole number of seconds, ten years at most'
  return undefined
}

function faultOf(doors: readonly string[], label: string, ttlSeconds: number | undefined): string | undefined {
  if (doors.length === 0) return 'a token is for one door at least'
  if (!doors.every((door) => (tokenDoors as readonly string[]).includes(door))) return `the doors that take tokens are ${tokenDoors.join(', ')}`
  return termsFault(label, ttlSeconds)
}

function recordOf({ tokenHash: _tokenHash, doors, ...kept }: KeptToken): TokenRecord {
  return { ...kept, doors: doors as readonly TokenDoor[] }
}
