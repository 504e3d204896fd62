import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../base64url.ts'
import { publicKeyOf, signBytes } from '../ed25519-sign.ts'
import type { Actor } from '../generated/types.ts'
import type { KeyBinding, ValidatedRegistry } from '../key-registry.ts'
import { validateRegistry } from '../key-registry.ts'

export const ORGANIZATION = 'urn:example:organization'

/** A key pair fixed by its name, bound to the Principal from the start of 2026 on. */
export type TestKey = { readonly binding: KeyBinding; readonly sign: (bytes: Uint8Array) => Uint8Array }

export function testKey(name: string, principal: Actor, changes: Partial<KeyBinding> = {}): TestKey {
  const seed = sha256(new TextEncoder().encode(name))
  const binding: KeyBinding = {
    keyId: `urn:example:key:${name}`,
    principal,
    algorithm: 'Ed25519',
    publicKey: encodeBase64url(publicKeyOf(seed)),
    validFrom: '2026-01-01T00:00:00Z',
    history: [],
    ...changes,
  }
  return { binding, sign: (bytes) => signBytes(seed, bytes) }
}

/** The registry of these keys; throws when they do not make one. */
export function registryWith(...keys: readonly TestKey[]): ValidatedRegistry {
  const registry = validateRegistry({ organizationId: ORGANIZATION, bindings: keys.map(({ binding }) => binding) })
  if (!registry.ok) throw new Error(registry.error)
  return registry.value
}
