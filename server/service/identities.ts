// People, Agents and their keys, over the Organization's Directory.
import { randomUUID } from 'node:crypto'
import { decodeBase64url } from '../../protocol/base64url.ts'
import { HELD_BY_AGENT } from '../../protocol/custody.ts'
import type { Actor, AgentCard } from '../../protocol/generated/types.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { addSeconds, isTimestamp } from '../../protocol/timestamp.ts'
import type { SignatureVerifier } from '../../protocol/verify-document.ts'
import type { AgentMirror } from './agent-mirror.ts'
import type { Invitations } from './invitations.ts'
import type { Clock, Directory, KeyUse, PrincipalRecord, RegisteredKey, Registration, RegistrationOutcome } from './ports.ts'
import type { PolicyMirror } from './policy-mirror.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { CardRequest, RegistryService } from './registry-service.ts'
import type { Identities, NewKey } from './service.ts'

interface Needs {
  /** Keys that the server itself signs with. */
  readonly ownKeyIds: readonly string[]
  readonly directory: Pick<Directory, 'register' | 'listPrincipals'>
  readonly keys: RegistryMirror
  readonly policies: PolicyMirror
  readonly agents: AgentMirror
  readonly invitations: Invitations
  readonly registry: RegistryService
  readonly verifySignature: SignatureVerifier
  readonly clock: Clock
  /** Tells other nodes that the Directory has changed. */
  readonly announce: () => void
}

type Refused = { reason: string }
const refuse = (reason: string) => err<Refused>({ reason })

export class DirectoryIdentities implements Identities {
  readonly #needs: Needs
  readonly #principals = new Map<string, PrincipalRecord>()

  private constructor(needs: Needs) {
    this.#needs = needs
  }

  static async load(needs: Needs): Promise<DirectoryIdentities> {
    const identities = new DirectoryIdentities(needs)
    await identities.refresh()
    return identities
  }

  /** Takes over what other nodes have registered since. */
  async refresh(): Promise<void> {
    const records = await this.#needs.directory.listPrincipals()
    // What was registered here while they were read is not among them; nothing of a Principal ever changes or goes.
    for (const record of records) this.#principals.set(record.principal.id, record)
  }

  /** A Principal that was stored together with something else. */
  stored(record: PrincipalRecord): void {
    this.#principals.set(record.principal.id, record)
    this.#needs.announce()
  }

  principal = (id: string): PrincipalRecord | undefined => this.#principals.get(id)
  principals = (): readonly PrincipalRecord[] => [...this.#principals.values()]
  services = (): readonly PrincipalRecord[] => this.principals().filter(({ principal: { type, id } }) => type === 'service' && !this.#isOwn(id))
  keysOf = (principalId: string): readonly RegisteredKey[] => this.#needs.keys.keysOf(principalId)
  key = (keyId: string): RegisteredKey | undefined => this.#needs.keys.key(keyId)
  cardOf = (agentId: string): AgentCard | undefined => this.#needs.agents.cardOf(agentId)
  cards = (): readonly AgentCard[] => this.#needs.agents.cards()
  invite: Identities['invite'] = (input) => this.#needs.invitations.invite(input)
  lookInvitation: Identities['lookInvitation'] = (token) => this.#needs.invitations.look(token)

  async enrol(input: Parameters<Identities['enrol']>[0]): ReturnType<Identities['enrol']> {
    const invitation = await this.#needs.invitations.find(input.token)
    if (typeof invitation === 'string') return refuse(invitation)
    const name = input.name.trim()
    if (name === '' || name.length > 200) return refuse('a name of 1 to 200 characters is needed')
    if (!input.keys.some((key) => key.use === 'authority')) return refuse('a key for decisions is needed')
    if (new Set(input.keys.map((key) => key.publicKey)).size < input.keys.length) return refuse('each key must be a different one')
    const principal: Actor = { type: 'human', id: newUrn() }
    const keys = input.keys.map((key) => this.#personalKey(principal, key))
    for (const [index, key] of keys.entries()) {
      const proved = await this.#checkNewKey(key, input.challenge, input.keys[index]!.proof)
      if (!proved.ok) return proved
    }
    const now = this.#needs.clock.now()
    const record = { principal, name, isAdmin: invitation.isAdmin, createdAt: now }
    const registered = await this.#register({ invitation: { tokenHash: invitation.tokenHash, at: now }, principal: record, keys })
    return registered.ok ? ok({ principal, keys }) : registered
  }

  async addKey(input: Parameters<Identities['addKey']>[0]): ReturnType<Identities['addKey']> {
    const record = this.#principals.get(input.principalId)
    if (record?.principal.type !== 'human') return refuse('there is no such person')
    const authorizing = this.#needs.keys.validKey(input.authorizedBy)?.key
    if (authorizing?.principal.id !== input.principalId || authorizing.keyUse !== 'authority') {
      return refuse('a new key must be authorized by one of your keys for decisions')
    }
    if (!(await this.verifyWithKey(input.authorizedBy, input.authorizationBytes, input.authorization))) {
      return refuse('the authorization of the new key is not signed by the key that it names')
    }
    const key = this.#personalKey(record.principal, input.key)
    const proved = await this.#checkNewKey(key, input.challenge, input.key.proof)
    if (!proved.ok) return proved
    const added = await this.#needs.keys.add(key)
    this.#needs.announce()
    return added
  }

  async addAgent(input: Parameters<Identities['addAgent']>[0]): ReturnType<Identities['addAgent']> {
    const agentId = input.agentId ?? this.#unfinishedAgent(input.publicKey) ?? newUrn()
    if (!isIdentifier(agentId)) return refuse('the agent id must be an absolute URI')
    const known = this.#principals.get(agentId)
    if (known && known.principal.type !== 'agent') return refuse('this id belongs to a Principal that is no Agent')
    if (input.capabilities.length === 0) return refuse('at least one capability is needed')
    const principal: Actor = { type: 'agent', id: agentId }
    const key = this.#agentKey(principal, input)
    const check = this.#needs.keys.check(key)
    if (!check.ok) return check
    // Nothing is written for an Agent that could not be given a card.
    const prepared = await this.#needs.registry.prepareCard(this.#cardRequest(agentId, input, key))
    if (!prepared.ok) return prepared
    const record = known ?? { principal, name: input.name, isAdmin: false, createdAt: this.#needs.clock.now() }
    const registered = await this.#register({ principal: record, keys: [key] })
    if (!registered.ok) return registered
    const issued = await this.#needs.registry.issueCard(prepared.value)
    return issued.ok ? ok({ agentId, keyId: key.keyId, cardVersion: issued.value.cardVersion }) : refuse(issued.error.message)
  }

  async addService({ name, publicKey, serviceId, keyId }: Parameters<Identities['addService']>[0]): ReturnType<Identities['addService']> {
    const holder = this.#serviceWith(publicKey)
    const principal: Actor = { type: 'service', id: serviceId ?? holder ?? newUrn() }
    if (!isIdentifier(principal.id)) return refuse('the service id must be an absolute URI')
    const known = this.#principals.get(principal.id)
    if (known && known.principal.type !== 'service') return refuse('this id belongs to a Principal that is no service')
    if (this.#isOwn(principal.id)) return refuse('this id belongs to the Organization itself')
    const key = this.#keyOf(principal, { keyUse: 'service', publicKey, custody: 'held by the service', label: name, ...(keyId !== undefined && { keyId }) })
    const check = this.#needs.keys.check(key)
    if (!check.ok) return check
    const record = known ?? { principal, name, isAdmin: false, createdAt: this.#needs.clock.now() }
    const registered = await this.#register({ principal: record, keys: [key] })
    return registered.ok ? ok(key) : registered
  }

  async revokeKey(keyId: string, at?: string): ReturnType<Identities['revokeKey']> {
    const key = this.#needs.keys.key(keyId)
    if (key === undefined) return refuse('there is no such key')
    if (this.#needs.ownKeyIds.includes(keyId)) return refuse('the keys of the Organization itself cannot be revoked here')
    if (at !== undefined && !isTimestamp(at)) return refuse('the time must be an RFC 3339 timestamp')
    const revoked = await this.#needs.keys.revoke(keyId, at ?? this.#needs.clock.now())
    this.#needs.announce()
    return revoked
  }

  async verifyWithKey(keyId: string, message: Uint8Array, signature: string): Promise<boolean> {
    const valid = this.#needs.keys.validKey(keyId)
    return valid !== undefined && this.#isSignature(valid.publicKey, message, signature)
  }

  async #checkNewKey(key: RegisteredKey, challenge: Uint8Array, proof: string): Promise<Result<true, Refused>> {
    // The Registry's point check comes first: under an unchecked key a signature proves nothing.
    const check = this.#needs.keys.check(key)
    if (!check.ok) return check
    const isProved = await this.#isSignature(decodeBase64url(key.publicKey)!, challenge, proof)
    return isProved ? ok(true) : refuse('the proof of possession does not verify under the key')
  }

  async #isSignature(publicKey: Uint8Array, message: Uint8Array, signature: string): Promise<boolean> {
    const bytes = decodeBase64url(signature)
    return bytes?.length === 64 && (await this.#needs.verifySignature(publicKey, message, bytes))
  }

  async #register(registration: Registration): Promise<Result<true, Refused>> {
    const { directory, keys, announce } = this.#needs
    const outcome = await directory.register(registration)
    if (outcome === 'key-taken') return keys.taken()
    if (outcome !== 'registered') return refuse(registrationFaults[outcome])
    const { principal } = registration.principal
    if (!this.#principals.has(principal.id)) this.#principals.set(principal.id, registration.principal)
    keys.stored(registration.keys)
    announce()
    return ok(true)
  }

  /** The Agent that holds this key and has no card, because its registration was interrupted. */
  #unfinishedAgent(publicKey: string): string | undefined {
    const agents = this.principals().filter(({ principal }) => principal.type === 'agent' && this.cardOf(principal.id) === undefined)
    return agents.find(({ principal }) => this.keysOf(principal.id).some((key) => key.publicKey === publicKey))?.principal.id
  }

  #cardRequest(agentId: string, input: Parameters<Identities['addAgent']>[0], added: RegisteredKey): CardRequest {
    const others = this.keysOf(agentId).filter(({ keyId }) => keyId !== added.keyId)
    return {
      agentId,
      cardVersion: (this.cardOf(agentId)?.cardVersion ?? 0) + 1,
      displayName: input.name,
      publicKeys: [...others, added].map(({ keyId, algorithm, publicKey, validFrom }) => ({ keyId, algorithm, publicKey, validFrom })),
      capabilities: input.capabilities,
      maxConcurrency: input.maxConcurrency ?? 1,
    }
  }

  #personalKey(principal: Actor, { use, publicKey, custody, label }: NewKey): RegisteredKey {
    return this.#newKey({ principal, keyUse: use, publicKey, custody, label, keyId: newUrn() })
  }

  #agentKey(principal: Actor, { publicKey, keyId, name, custody = HELD_BY_AGENT }: Parameters<Identities['addAgent']>[0]): RegisteredKey {
    return this.#keyOf(principal, { keyUse: 'agent', publicKey, custody, label: name, ...(keyId !== undefined && { keyId }) })
  }

  /** The service of others that holds this key. */
  #serviceWith(publicKey: string): string | undefined {
    return this.services().find(({ principal }) => this.keysOf(principal.id).some((key) => key.publicKey === publicKey))?.principal.id
  }

  #isOwn(principalId: string): boolean {
    return this.keysOf(principalId).some((key) => this.#needs.ownKeyIds.includes(key.keyId))
  }

  /** The key that the Principal has under these terms already, or a new one. */
  #keyOf(principal: Actor, { publicKey, keyId, ...words }: { keyUse: KeyUse; publicKey: string; custody: string; label: string; keyId?: string }): RegisteredKey {
    const known = this.keysOf(principal.id).find((key) => key.publicKey === publicKey && (keyId ?? key.keyId) === key.keyId)
    return known ?? this.#newKey({ principal, publicKey, ...words, keyId: keyId ?? newUrn() })
  }

  /** Valid from one freshness window ago, so that a holder whose clock is a little behind can sign at once. */
  #newKey(key: { principal: Actor; keyUse: KeyUse; publicKey: string; custody: string; label: string; keyId: string }): RegisteredKey {
    return { ...key, algorithm: 'Ed25519', validFrom: addSeconds(this.#needs.clock.now(), -this.#needs.policies.current.freshnessSeconds), history: [] }
  }
}

const registrationFaults: Record<Exclude<RegistrationOutcome, 'registered' | 'key-taken'>, string> = {
  'invitation-used': 'this invitation was just used',
  'principal-taken': 'this id belongs to a Principal of another type',
}

const newUrn = () => `urn:uuid:${randomUUID()}`
