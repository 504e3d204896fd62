// The Key Registry in memory: validated once at start, extended key by key, never trusted from a partial view.
import { isDeepStrictEqual } from 'node:util'
import type { KeyBoundary, KeyFault, KeyResolver, RegistryFault, ResolvedKey, SignerRule, ValidatedRegistry } from '../../protocol/key-registry.ts'
import { addBoundary, extendRegistry, isValidAt, validateRegistry } from '../../protocol/key-registry.ts'
import type { Result } from '../../protocol/result.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import type { Instant } from '../../protocol/timestamp.ts'
import { parseTimestamp } from '../../protocol/timestamp.ts'
import type { Clock, Directory, RegisteredKey } from './ports.ts'

type KeyStore = Pick<Directory, 'loadKeys' | 'addKey' | 'addKeyBoundary'>

export class RegistryMirror implements KeyResolver {
  readonly #store: KeyStore
  readonly #clock: Clock
  #registry: ValidatedRegistry
  #revision: number
  readonly #keys = new Map<string, RegisteredKey>()
  readonly #keysOf = new Map<string, readonly string[]>()
  readonly #listeners = new Set<(key: RegisteredKey) => void>()

  private constructor(store: KeyStore, clock: Clock, registry: ValidatedRegistry, revision: number) {
    this.#store = store
    this.#clock = clock
    this.#registry = registry
    this.#revision = revision
  }

  /** Throws InvariantViolation when the stored Registry breaks a rule: resolution fails closed. */
  static async load(store: KeyStore, clock: Clock, organizationId: string): Promise<RegistryMirror> {
    const { revision, keys } = await store.loadKeys()
    const validated = validateRegistry({ organizationId, bindings: keys })
    invariant(validated.ok, `the stored Key Registry is invalid: ${validated.ok || validated.error}`)
    const mirror = new RegistryMirror(store, clock, validated.value, revision)
    for (const key of keys) mirror.#remember(key)
    return mirror
  }

  resolve(keyId: string, signer: SignerRule, at: Instant): Result<ResolvedKey, KeyFault> {
    return this.#registry.resolve(keyId, signer, at)
  }

  /** Revision of the stored Registry that this mirror has seen. */
  get revision(): number {
    return this.#revision
  }

  key(keyId: string): RegisteredKey | undefined {
    return this.#keys.get(keyId)
  }

  keysOf(principalId: string): readonly RegisteredKey[] {
    return (this.#keysOf.get(principalId) ?? []).map((keyId) => this.#keys.get(keyId)!)
  }

  /** The key and its checked bytes when it is valid at authority time. */
  validKey(keyId: string): { readonly key: RegisteredKey; readonly publicKey: Uint8Array } | undefined {
    const key = this.#keys.get(keyId)
    const at = parseTimestamp(this.#clock.now())
    const resolved = this.#registry.keys.get(keyId)
    return key && at && resolved && isValidAt(key, at) ? { key, publicKey: resolved.publicKey } : undefined
  }

  /** Called when a known key got an end or an earlier one, on whichever node. Returns an unsubscribe function. */
  onBoundary(listener: (key: RegisteredKey) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Registers a key for good; the same binding again is the same key. */
  async add(key: RegisteredKey): Promise<Result<RegisteredKey, { reason: string }>> {
    const check = this.check(key)
    if (!check.ok) return check
    if ((await this.#store.addKey(key)) === 'taken') return this.taken()
    this.stored([key])
    return ok(this.#keys.get(key.keyId)!)
  }

  /** Takes over keys that the store has just bound. */
  stored(keys: readonly RegisteredKey[]): void {
    for (const key of keys) if (!this.#keys.has(key.keyId)) this.#admit(key)
  }

  /** Looks who was faster with a key that the store did not bind, and says so. */
  async taken(): Promise<Result<never, { reason: string }>> {
    await this.refresh()
    return err({ reason: registryFaults['public-key-reused'] })
  }

  /** Whether this key could be bound, as far as this node knows. */
  check(key: RegisteredKey): Result<true, { reason: string }> {
    const extended = extendRegistry(this.#registry, key)
    return extended.ok ? ok(true) : err({ reason: registryFaults[extended.error] })
  }

  /** Ends a key's validity at `at`; an earlier end that was recorded before stays. */
  async revoke(keyId: string, at: string): Promise<Result<RegisteredKey, { reason: string }>> {
    const boundary = { revokedAt: at, recordedAt: this.#clock.now() }
    const changed = addBoundary(this.#registry, keyId, boundary)
    if (!changed.ok) return err({ reason: registryFaults[changed.error] })
    await this.#store.addKeyBoundary(keyId, boundary)
    this.#end(keyId, [boundary])
    return ok(this.#keys.get(keyId)!)
  }

  /** Takes over what other nodes have registered or revoked since. */
  async refresh(): Promise<void> {
    const { revision, keys } = await this.#store.loadKeys()
    if (revision <= this.#revision) return
    for (const key of keys) {
      if (this.#keys.has(key.keyId)) this.#end(key.keyId, key.history)
      else this.#admit(key)
    }
    this.#revision = revision
  }

  /** Adds what is new of these boundaries to the Registry as it is now. One that would end the key later changes nothing, as in the store. */
  #end(keyId: string, boundaries: readonly KeyBoundary[]): void {
    const known = this.#keys.get(keyId)!
    const before = this.#registry
    for (const boundary of boundaries) {
      if (known.history.some((other) => isDeepStrictEqual(other, boundary))) continue
      const changed = addBoundary(this.#registry, keyId, boundary)
      if (changed.ok) this.#registry = changed.value
    }
    if (this.#registry !== before) this.#remember({ ...known, history: this.#registry.keys.get(keyId)!.binding.history })
  }

  #admit(key: RegisteredKey): void {
    const extended = extendRegistry(this.#registry, key)
    invariant(extended.ok, `the stored Key Registry is invalid: ${extended.ok || extended.error}`)
    this.#registry = extended.value
    this.#remember(key)
  }

  #remember(key: RegisteredKey): void {
    const holder = key.principal.id
    const isKnown = this.#keys.has(key.keyId)
    if (!isKnown) this.#keysOf.set(holder, [...(this.#keysOf.get(holder) ?? []), key.keyId])
    this.#keys.set(key.keyId, key)
    if (isKnown) for (const listener of [...this.#listeners]) listener(key)
  }
}

const registryFaults: Record<RegistryFault, string> = {
  'organization-id-invalid': 'the organization id is not an absolute URI',
  'key-id-invalid': 'the key id is not an absolute URI',
  'principal-invalid': 'the holder of the key is not a valid Principal',
  'algorithm-unsupported': 'only Ed25519 keys can be registered',
  'time-invalid': 'a time of the key is not a valid timestamp',
  'boundary-moved-later': 'the end of a key can only move earlier',
  'public-key-encoding-invalid': 'the public key is not 32 bytes in base64url without padding',
  'public-key-invalid': 'the public key is not a safe Ed25519 key',
  'valid-from-changed': 'this key is already registered with another start time',
  'key-id-rebound': 'this key id already belongs to another key',
  'public-key-reused': 'this public key is already registered',
  'key-unknown': 'there is no such key',
}
