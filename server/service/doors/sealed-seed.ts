// Seeds of custodial keys at rest: AES-256-GCM under the Organization's secret, bound to the Principal and the key that they belong to.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { encodeCanonical } from '../../../protocol/canonical-json.ts'

const algorithm = 'aes-256-gcm'
const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16
const seedBytes = 32

/** Whose key it is: what the seal is bound to. */
export interface SealedFor { readonly principalId: string; readonly keyId: string }

/** The sealed seed was made under another secret, for another key, or is not one. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** Format version, nonce, ciphertext and tag. `secret` and `seed` have 32 bytes. */
export function sealSeed(secret: Uint8Array, owner: SealedFor, seed: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagBytes }).setAAD(boundTo(owner))
  return new Uint8Array(Buffer.concat([Uint8Array.of(formatVersion), nonce, cipher.update(seed), cipher.final(), cipher.getAuthTag()]))
}

/** The 32 bytes of the seed; throws SealBroken. */
export function openSeed(secret: Uint8Array, owner: SealedFor, sealed: Uint8Array): Uint8Array {
  if (sealed.length !== 1 + nonceBytes + seedBytes + tagBytes || sealed[0] !== formatVersion) throw new SealBroken(`the sealed key ${owner.keyId} is in no known form`)
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const [ciphertext, tag] = [sealed.subarray(1 + nonceBytes, -tagBytes), sealed.subarray(-tagBytes)]
  const decipher = createDecipheriv(algorithm, secret, nonce, { authTagLength: tagBytes }).setAAD(boundTo(owner)).setAuthTag(tag)
  try {
    return new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()]))
  } catch (cause) {
    throw new SealBroken(`the key ${owner.keyId} was sealed under another secret or for another Principal`, { cause })
  }
}

const boundTo = ({ principalId, keyId }: SealedFor) => encodeCanonical({ keyId, principalId, purpose: 'countersign.custody' })
