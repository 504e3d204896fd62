// The Key Registry of one Organization: immutable bindings beside an append-only validity history.
import { decodeBase64url } from './base64url.ts'
import { checkPublicKey } from './ed25519-strict.ts'
import type { Actor } from './generated/types.ts'
import { isUri } from './identifier.ts'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import type { Instant } from './timestamp.ts'
import { compareInstants, parseTimestamp } from './timestamp.ts'

/** One entry of a validity history. An end is exclusive and, once recorded, only ever moves earlier. */
export type KeyBoundary = { readonly recordedAt?: string; readonly validUntil?: string; readonly revokedAt?: string }

/** A key id bound forever to one Principal and one public key, base64url of 32 bytes. */
export type KeyBinding = {
  readonly keyId: string
  readonly principal: Actor
  readonly algorithm: 'Ed25519'
  readonly publicKey: string
  readonly validFrom: string
  readonly history: readonly KeyBoundary[]
  readonly use?: 'authority' | 'conversation'
}

/** Every binding of one Organization at one authoritative revision. */
export type RegistryEvidence = { readonly organizationId: string; readonly bindings: readonly KeyBinding[] }

/** Why Registry evidence, or a change to a registry, is refused. */
export type RegistryFault =
  | 'organization-id-invalid'
  | 'key-id-invalid'
  | 'principal-invalid'
  | 'algorithm-unsupported'
  | 'time-invalid'
  | 'boundary-moved-later'
  | 'public-key-encoding-invalid'
  | 'public-key-invalid'
  | 'key-id-rebound'
  | 'valid-from-changed'
  | 'public-key-reused'
  | 'key-unknown'

/** Why a key does not serve a document. All of them look the same outside. */
export type KeyFault = 'registry-unavailable' | 'key-unknown' | 'signer-mismatch' | 'outside-key-interval'

/** Whom a key must belong to: this exact Principal, or any service of the Organization. */
export type SignerRule = { readonly rule: 'principal'; readonly principal: Actor } | { readonly rule: 'service' }

/**
 * A binding whose key has passed A-59. `publicKey` is the same array every time, so that it can key a cache.
 * The key is valid from `from` on and before `end`, the earliest boundary on record.
 */
export type ResolvedKey = {
  readonly organizationId: string
  readonly binding: KeyBinding
  readonly publicKey: Uint8Array
  readonly from: Instant
  readonly end: Instant | undefined
}

/** The seam through which verification asks for keys. */
export interface KeyResolver {
  resolve(keyId: string, signer: SignerRule, at: Instant): Result<ResolvedKey, KeyFault>
}

/** A resolver whose evidence could not be obtained or is invalid: resolution fails closed. */
export const unavailableRegistry: KeyResolver = { resolve: () => err('registry-unavailable') }

/** Registry evidence that has passed every rule. A value: a change gives a new registry. */
export interface ValidatedRegistry extends KeyResolver {
  readonly organizationId: string
  /** By key id. */
  readonly keys: ReadonlyMap<string, ResolvedKey>
  /** Key ids by public key (base64url). */
  readonly keyIds: ReadonlyMap<string, string>
}

/**
 * Validates whole-registry evidence before any key id is looked at: one bad binding, related or not, refuses it all
 * . Costs about a millisecond of point arithmetic per key.
 */
export function validateRegistry(evidence: RegistryEvidence): Result<ValidatedRegistry, RegistryFault> {
  const { organizationId } = evidence
  if (!isUri(organizationId)) return err('organization-id-invalid')
  const candidates: ResolvedKey[] = []
  for (const binding of evidence.bindings) {
    const candidate = readBinding(organizationId, binding)
    if (!candidate.ok) return candidate
    candidates.push(candidate.value)
  }
  const keys = new Map<string, ResolvedKey>()
  const keyIds = new Map<string, string>()
  for (const candidate of candidates) {
    const { keyId, publicKey } = candidate.binding
    const admitted = admitKey(candidate, keys.get(keyId), keyIds.get(publicKey))
    if (!admitted.ok) return admitted
    keys.set(keyId, admitted.value)
    keyIds.set(publicKey, keyId)
  }
  return ok(registryOf(organizationId, keys, keyIds))
}

/**
 * A registry with one more binding, under the same rules; the same registry when it says nothing new.
 * Copies the index: enrolments are rare beside look-ups.
 */
export function extendRegistry(
  registry: ValidatedRegistry,
  binding: KeyBinding,
): Result<ValidatedRegistry, RegistryFault> {
  const candidate = readBinding(registry.organizationId, binding)
  if (!candidate.ok) return candidate
  const known = registry.keys.get(binding.keyId)
  const admitted = admitKey(candidate.value, known, registry.keyIds.get(binding.publicKey))
  if (!admitted.ok) return admitted
  return ok(admitted.value === known ? registry : withKey(registry, admitted.value))
}

/** A registry in which a known key ends at a boundary that is new or earlier, never later. */
export function addBoundary(
  registry: ValidatedRegistry,
  keyId: string,
  boundary: KeyBoundary,
): Result<ValidatedRegistry, RegistryFault> {
  const known = registry.keys.get(keyId)
  if (known === undefined) return err('key-unknown')
  const ended = withHistory(known, [boundary])
  return ended.ok ? ok(withKey(registry, ended.value)) : ended
}

/** Whether a key is valid at the instant, by the earliest boundaries ever recorded; malformed times never are. */
export function isValidAt(binding: KeyBinding, at: Instant): boolean {
  const interval = readInterval(binding)
  return interval.ok && contains(interval.value, at)
}

/** Principals are the same when type and id both are, byte for byte. */
export const isSamePrincipal = (one: Actor, other: Actor): boolean => one.type === other.type && one.id === other.id

type Interval = Pick<ResolvedKey, 'from' | 'end'>

function registryOf(
  organizationId: string,
  keys: ReadonlyMap<string, ResolvedKey>,
  keyIds: ReadonlyMap<string, string>,
): ValidatedRegistry {
  const resolve: KeyResolver['resolve'] = (keyId, signer, at) => {
    const key = keys.get(keyId)
    if (key === undefined) return err('key-unknown')
    if (!mayHold(key.binding.principal, signer)) return err('signer-mismatch')
    return contains(key, at) ? ok(key) : err('outside-key-interval')
  }
  return { organizationId, keys, keyIds, resolve }
}

function withKey(registry: ValidatedRegistry, key: ResolvedKey): ValidatedRegistry {
  const { keyId, publicKey } = key.binding
  const keys = new Map(registry.keys).set(keyId, key)
  return registryOf(registry.organizationId, keys, new Map(registry.keyIds).set(publicKey, keyId))
}

/** Judges one binding by itself: identifiers without the cap on their length, times, and the key. */
function readBinding(organizationId: string, binding: KeyBinding): Result<ResolvedKey, RegistryFault> {
  if (!isUri(binding.keyId)) return err('key-id-invalid')
  if (!PRINCIPAL_TYPES.has(binding.principal.type) || !isUri(binding.principal.id)) return err('principal-invalid')
  if (binding.algorithm !== 'Ed25519') return err('algorithm-unsupported')
  const interval = readInterval(binding)
  if (!interval.ok) return interval
  const publicKey = decodeBase64url(binding.publicKey)
  if (publicKey === undefined) return err('public-key-encoding-invalid')
  if (!checkPublicKey(publicKey)) return err('public-key-invalid')
  return ok({ organizationId, binding, publicKey, ...interval.value })
}

const PRINCIPAL_TYPES: ReadonlySet<string> = new Set(['agent', 'human', 'service'])

/** Judges a binding beside the others: what a key id and a public key mean never changes. */
function admitKey(
  candidate: ResolvedKey,
  known: ResolvedKey | undefined,
  keyIdOfPublicKey: string | undefined,
): Result<ResolvedKey, RegistryFault> {
  const { binding } = candidate
  if (known !== undefined && !bindsTheSame(known.binding, binding)) return err('key-id-rebound')
  if (keyIdOfPublicKey !== undefined && keyIdOfPublicKey !== binding.keyId) return err('public-key-reused')
  if (known === undefined) return ok(candidate)
  if (compareInstants(known.from, candidate.from) !== 0) return err('valid-from-changed')
  return isEarlier(candidate.end, known.end) ? withHistory(known, binding.history) : ok(known)
}

function withHistory(known: ResolvedKey, later: readonly KeyBoundary[]): Result<ResolvedKey, RegistryFault> {
  const binding = { ...known.binding, history: [...known.binding.history, ...later] }
  const interval = readInterval(binding)
  return interval.ok ? ok({ ...known, binding, ...interval.value }) : interval
}

const bindsTheSame = (one: KeyBinding, other: KeyBinding): boolean =>
  one.publicKey === other.publicKey && isSamePrincipal(one.principal, other.principal)

const mayHold = (principal: Actor, signer: SignerRule): boolean =>
  signer.rule === 'service' ? principal.type === 'service' : isSamePrincipal(principal, signer.principal)

function readInterval({ validFrom, history }: KeyBinding): Result<Interval, RegistryFault> {
  const from = parseTimestamp(validFrom)
  const recorded = history.map(({ recordedAt }) => recordedAt === undefined || parseTimestamp(recordedAt) !== undefined)
  if (from === undefined || recorded.includes(false)) return err('time-invalid')
  const validUntil = effectiveEnd(history.map((boundary) => boundary.validUntil))
  if (!validUntil.ok) return validUntil
  const revokedAt = effectiveEnd(history.map((boundary) => boundary.revokedAt))
  if (!revokedAt.ok) return revokedAt
  return ok({ from, end: isEarlier(revokedAt.value, validUntil.value) ? revokedAt.value : validUntil.value })
}

/** The last, and therefore earliest, of the recorded ends of one sort. */
function effectiveEnd(texts: readonly (string | undefined)[]): Result<Instant | undefined, RegistryFault> {
  let earliest: Instant | undefined
  for (const text of texts) {
    if (text === undefined) continue
    const end = parseTimestamp(text)
    if (end === undefined) return err('time-invalid')
    if (isEarlier(earliest, end)) return err('boundary-moved-later')
    earliest = end
  }
  return ok(earliest)
}

/** Whether one end of validity lies before another; a key without an end outlasts every other. */
const isEarlier = (one: Instant | undefined, other: Instant | undefined): boolean =>
  one !== undefined && (other === undefined || compareInstants(one, other) < 0)

const contains = ({ from, end }: Interval, at: Instant): boolean =>
  compareInstants(from, at) <= 0 && (end === undefined || compareInstants(at, end) < 0)
