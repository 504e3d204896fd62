// Ed25519 on OpenSSL's thread pool: the event loop stays free while a signature is made or checked.
import type { KeyObject } from 'node:crypto'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { SignatureVerifier } from '../../protocol/verify-document.ts'

const signAsync = promisify<null, Uint8Array, KeyObject, Buffer>(sign)
const verifyAsync = promisify<null, Uint8Array, KeyObject, Uint8Array, boolean>(verify)

// DER framing of a bare 32-byte key: SubjectPublicKeyInfo and PKCS #8 (RFC 8410).
const publicKeyFrame = Buffer.from('302a300506032b6570032100', 'hex')
const privateKeyFrame = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Stage 6 for public keys that the Registry has point-checked: OpenSSL compares the encoding of R, so what it
 * accepts under such a key needs no further arithmetic. Key objects are cached by the Registry's own array.
 */
export function createNativeVerifier(): SignatureVerifier {
  const keys = new WeakMap<Uint8Array, KeyObject>()
  return (publicKey, message, signature) => {
    let key = keys.get(publicKey)
    if (key === undefined) {
      key = createPublicKey({ key: Buffer.concat([publicKeyFrame, publicKey]), format: 'der', type: 'spki' })
      keys.set(publicKey, key)
    }
    return verifyAsync(null, message, key, signature)
  }
}

export interface NativeSigner {
  readonly publicKey: Uint8Array
  /** On the thread pool. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
  /** At once, in about 60 µs: for a single signature that is less than the way to the pool and back takes on a busy machine. */
  readonly signNow: (message: Uint8Array) => Uint8Array
}

/** Signs with the key of this 32-byte seed; the public half is derived, never given. */
export function createNativeSigner(seed: Uint8Array): NativeSigner {
  const key = createPrivateKey({ key: Buffer.concat([privateKeyFrame, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(publicKeyFrame.length)
  return { publicKey, sign: (message) => signAsync(null, message, key), signNow: (message) => sign(null, message, key) }
}
