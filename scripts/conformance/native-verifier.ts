import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { encodeBase64url } from '../../protocol/base64url.ts'
import type { SignatureVerifier } from '../../protocol/verify-document.ts'

const keys = new WeakMap<Uint8Array, KeyObject>()

/** Stage 6 by the platform. Exact only for public keys that have passed A-59, which the registry guarantees. */
export const verifyNatively: SignatureVerifier = (publicKey, message, signature) =>
  verify(null, message, keyObjectOf(publicKey), signature)

function keyObjectOf(publicKey: Uint8Array): KeyObject {
  const known = keys.get(publicKey)
  if (known !== undefined) return known
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(publicKey) }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  keys.set(publicKey, key)
  return key
}
