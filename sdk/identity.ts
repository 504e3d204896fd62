import { createPrivateKey, sign } from 'node:crypto'
import type { Actor, Signature } from '../protocol/generated/types.ts'
import type { Signer } from '../protocol/signed-documents.ts'
import { signDocument } from '../protocol/signed-documents.ts'

const SEED_BYTES = 32
/** PKCS #8 header of an Ed25519 private key (RFC 8410); the 32 bytes of the seed follow it. */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A Principal together with one of its registered keys. */
export class Identity {
  readonly principal: Actor
  readonly keyId: string
  /** Pure Ed25519 over the exact bytes; 64 bytes. */
  readonly sign: Signer

  /** `seed` is the RFC 8032 private key, 32 bytes; throws RangeError for any other length. */
  constructor(principal: Actor, keyId: string, seed: Uint8Array) {
    if (seed.length !== SEED_BYTES) throw new RangeError(`the seed, an Agent's private key, must be ${SEED_BYTES} bytes, not ${seed.length}`)
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' })
    this.principal = principal
    this.keyId = keyId
    this.sign = (bytes) => sign(null, bytes, key)
  }

  /** Signs a document of this Principal; `protectedTime` names its protected time member. */
  signDocument<T extends object>(document: T, protectedTime: string & keyof T): Promise<T & { signature: Signature }> {
    return signDocument(document, protectedTime, this.keyId, this.sign)
  }
}
