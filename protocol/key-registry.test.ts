import { Point } from '@noble/ed25519'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from './base64url.ts'
import type { Actor } from './generated/types.ts'
import type { KeyBinding, KeyBoundary, RegistryFault } from './key-registry.ts'
import { addBoundary, extendRegistry, isValidAt, unavailableRegistry, validateRegistry } from './key-registry.ts'
import { ORGANIZATION, registryWith, testKey } from './testing/test-keys.ts'
import { parseTimestamp } from './timestamp.ts'

const owner: Actor = { type: 'human', id: 'urn:example:owner' }
const agent: Actor = { type: 'agent', id: 'urn:example:agent' }
const authority: Actor = { type: 'service', id: 'urn:example:authority' }
const ownerKey = testKey('owner', owner)
const agentKey = testKey('agent', agent)
const authorityKey = testKey('authority', authority)

const instant = (text: string) => {
  const parsed = parseTimestamp(text)
  if (parsed === undefined) throw new Error(`${text} is no timestamp`)
  return parsed
}
const noon = instant('2026-07-15T12:00:00Z')

function faultOf(bindings: readonly KeyBinding[], organizationId = ORGANIZATION): RegistryFault | undefined {
  const result = validateRegistry({ organizationId, bindings })
  return result.ok ? undefined : result.error
}

const ownerBinding = (changes: object): KeyBinding => ({ ...ownerKey.binding, ...changes })

describe('registry evidence (A-62 to A-71)', () => {
  it('resolves keys of every Principal type under the rule that the document sets (A-61)', () => {
    const registry = registryWith(ownerKey, agentKey, authorityKey)
    const resolved = registry.resolve(ownerKey.binding.keyId, { rule: 'principal', principal: owner }, noon)
    expect(resolved.ok && resolved.value.binding).toBe(ownerKey.binding)
    expect(resolved.ok && encodeBase64url(resolved.value.publicKey)).toBe(ownerKey.binding.publicKey)
    expect(registry.resolve(authorityKey.binding.keyId, { rule: 'service' }, noon).ok).toBe(true)
  })

  it.each([
    ['an unknown key', 'urn:example:key:nobody', { rule: 'principal', principal: owner }, 'key-unknown'],
    ['another Principal', ownerKey.binding.keyId, { rule: 'principal', principal: agent }, 'signer-mismatch'],
    ['another type under the same id', ownerKey.binding.keyId, { rule: 'principal', principal: { ...owner, type: 'agent' } }, 'signer-mismatch'],
    ['a human where a service must sign', ownerKey.binding.keyId, { rule: 'service' }, 'signer-mismatch'],
  ] as const)('refuses %s', (_what, keyId, signer, fault) => {
    const registry = registryWith(ownerKey, agentKey, authorityKey)
    expect(registry.resolve(keyId, signer, noon)).toEqual({ ok: false, error: fault })
  })

  it('fails closed when the evidence could not be had', () => {
    expect(unavailableRegistry.resolve(ownerKey.binding.keyId, { rule: 'service' }, noon).ok).toBe(false)
  })

  it.each([
    ['a relative organization id', 'organizations/acme'],
    ['an organization id with a line feed', `${ORGANIZATION}\n`],
    ['an empty organization id', ''],
  ])('refuses %s', (_what, organizationId) => {
    expect(faultOf([ownerKey.binding], organizationId)).toBe('organization-id-invalid')
  })

  it.each([
    ['a relative key id', { keyId: 'owner' }, 'key-id-invalid'],
    ['a key id with a closing line feed', { keyId: 'urn:example:key\n' }, 'key-id-invalid'],
    ['a Principal id with a broken escape', { principal: { type: 'human', id: 'urn:example:%G0' } }, 'principal-invalid'],
    ['a Principal id outside ASCII', { principal: { type: 'human', id: 'https://例え.テスト/' } }, 'principal-invalid'],
    ['an unknown Principal type', { principal: { type: 'system', id: 'urn:example:x' } }, 'principal-invalid'],
    ['another algorithm', { algorithm: 'Ed448' }, 'algorithm-unsupported'],
    ['a leap second', { validFrom: '2026-06-30T23:59:60Z' }, 'time-invalid'],
    ['a malformed end', { history: [{ validUntil: 'soon' }] }, 'time-invalid'],
    ['a malformed recording time', { history: [{ recordedAt: '2026-07-01T00:00:00-00:00' }] }, 'time-invalid'],
    ['an end that moves later', { history: [{ validUntil: '2026-07-01T00:00:00Z' }, { validUntil: '2026-07-02T00:00:00Z' }] }, 'boundary-moved-later'],
    ['a padded key', { publicKey: `${ownerKey.binding.publicKey}=` }, 'public-key-encoding-invalid'],
    ['a key with 31 bytes', { publicKey: encodeBase64url(new Uint8Array(31)) }, 'public-key-invalid'],
    ['the identity as key', { publicKey: encodeBase64url(Point.ZERO.toBytes()) }, 'public-key-invalid'],
  ] as const)('refuses the whole registry for one binding with %s', (_what, changes, fault) => {
    expect(faultOf([agentKey.binding, ownerBinding(changes)])).toBe(fault)
    expect(faultOf([ownerBinding(changes), agentKey.binding])).toBe(fault)
  })

  it('takes identifiers longer than the wire cap (A-71)', () => {
    expect(faultOf([ownerBinding({ keyId: `urn:example:${'k'.repeat(600)}` })])).toBeUndefined()
  })

  it.each([
    ['a key id for another key', ownerBinding({ publicKey: agentKey.binding.publicKey }), 'key-id-rebound'],
    ['a key id for another Principal', ownerBinding({ principal: agent }), 'key-id-rebound'],
    ['a public key under an alias', ownerBinding({ keyId: 'urn:example:key:alias' }), 'public-key-reused'],
    ['a public key for another Principal', ownerBinding({ keyId: 'urn:example:key:other', principal: agent }), 'public-key-reused'],
    ['another start of validity', ownerBinding({ validFrom: '2026-01-02T00:00:00Z' }), 'valid-from-changed'],
  ] as const)('refuses reuse: %s (A-62)', (_what, second, fault) => {
    expect(faultOf([ownerKey.binding, second])).toBe(fault)
    const extended = extendRegistry(registryWith(ownerKey), second)
    expect(extended.ok ? undefined : extended.error).toBe(fault)
  })

  it('takes a repeated binding for the same binding, and the earlier of two ends', () => {
    const sameInstant = ownerBinding({ validFrom: '2026-01-01T01:00:00.000+01:00' })
    expect(faultOf([ownerKey.binding, sameInstant])).toBeUndefined()
    const ended = ownerBinding({ history: [{ revokedAt: '2026-07-15T12:00:00Z' }] })
    for (const bindings of [[ownerKey.binding, ended], [ended, ownerKey.binding]]) {
      const registry = validateRegistry({ organizationId: ORGANIZATION, bindings })
      if (!registry.ok) throw new Error(registry.error)
      expect(registry.value.resolve(ended.keyId, { rule: 'principal', principal: owner }, noon).ok).toBe(false)
    }
  })
})

describe('validity (A-64, A-65)', () => {
  const history: readonly KeyBoundary[] = [
    { recordedAt: '2026-02-01T00:00:00Z', validUntil: '2026-07-20T00:00:00Z' },
    { recordedAt: '2026-02-02T00:00:00Z', validUntil: '2026-07-15T14:00:00.5+02:00' },
    { recordedAt: '2026-02-03T00:00:00Z', revokedAt: '2026-07-18T00:00:00Z' },
  ]
  const ended = ownerBinding({ history })

  it.each([
    ['before the start', '2025-12-31T23:59:59.999999999999Z', false],
    ['at the start', '2026-01-01T00:00:00.000Z', true],
    ['just before the earliest end', '2026-07-15T12:00:00.49999999999999999999Z', true],
    ['at the earliest end', '2026-07-15T12:00:00.500Z', false],
    ['after it', '2026-07-16T00:00:00Z', false],
  ])('judges an instant %s by all of its digits', (_when, at, isValid) => {
    expect(isValidAt(ended, instant(at))).toBe(isValid)
    const registry = registryWith({ ...ownerKey, binding: ended })
    expect(registry.resolve(ended.keyId, { rule: 'principal', principal: owner }, instant(at)).ok).toBe(isValid)
  })

  it('counts revocation although validity ends later', () => {
    const revoked = ownerBinding({ history: [{ validUntil: '2027-01-01T00:00:00Z' }, { revokedAt: '2026-07-15T12:00:00Z' }] })
    expect(isValidAt(revoked, noon)).toBe(false)
  })

  it('is never given by a binding with malformed times', () => {
    expect(isValidAt(ownerBinding({ validFrom: 'always' }), noon)).toBe(false)
  })
})

describe('changes to a registry', () => {
  it('leave the old registry as it was', () => {
    const before = registryWith(ownerKey)
    const after = extendRegistry(before, agentKey.binding)
    if (!after.ok) throw new Error(after.error)
    expect(before.keys.has(agentKey.binding.keyId)).toBe(false)
    expect(after.value.keys.has(agentKey.binding.keyId)).toBe(true)
    expect(after.value.keyIds.get(agentKey.binding.publicKey)).toBe(agentKey.binding.keyId)
    expect(after.value.keys.get(ownerKey.binding.keyId)).toBe(before.keys.get(ownerKey.binding.keyId))
  })

  it('give the same registry for a binding it holds, without reviving a revoked key', () => {
    const revoked = addBoundary(registryWith(ownerKey), ownerKey.binding.keyId, { revokedAt: '2026-07-15T12:00:00Z' })
    if (!revoked.ok) throw new Error(revoked.error)
    const again = extendRegistry(revoked.value, ownerKey.binding)
    expect(again.ok && again.value).toBe(revoked.value)
    const resolved = revoked.value.resolve(ownerKey.binding.keyId, { rule: 'principal', principal: owner }, noon)
    expect(resolved).toEqual({ ok: false, error: 'outside-key-interval' })
  })

  it('move an end earlier, never later, and keep the earlier records', () => {
    const keyId = ownerKey.binding.keyId
    const first = addBoundary(registryWith(ownerKey), keyId, { validUntil: '2026-08-01T00:00:00Z' })
    if (!first.ok) throw new Error(first.error)
    expect(addBoundary(first.value, keyId, { validUntil: '2026-08-02T00:00:00Z' })).toEqual({ ok: false, error: 'boundary-moved-later' })
    expect(addBoundary(first.value, keyId, { validUntil: 'never' })).toEqual({ ok: false, error: 'time-invalid' })
    const second = addBoundary(first.value, keyId, { validUntil: '2026-07-01T00:00:00Z' })
    if (!second.ok) throw new Error(second.error)
    expect(second.value.keys.get(keyId)?.binding.history).toHaveLength(2)
    expect(second.value.resolve(keyId, { rule: 'principal', principal: owner }, noon).ok).toBe(false)
  })

  it('cannot end a key that is not there', () => {
    expect(addBoundary(registryWith(ownerKey), 'urn:example:key:nobody', {})).toEqual({ ok: false, error: 'key-unknown' })
  })

  it('hand out the same key bytes every time, so that they can key a cache', () => {
    const registry = registryWith(ownerKey)
    const ask = () => registry.resolve(ownerKey.binding.keyId, { rule: 'principal', principal: owner }, noon)
    const [one, other] = [ask(), ask()]
    expect(one.ok && other.ok && one.value.publicKey === other.value.publicKey).toBe(true)
  })
})
