import { getPublicKey, hashes, sign } from '@noble/ed25519'
import { sha512 } from '#sha2'

hashes.sha512 = sha512

/** Public key (32 bytes) of an RFC 8032 seed (32 bytes). */
export const publicKeyOf = (seed: Uint8Array): Uint8Array => getPublicKey(seed)

/**
 * Pure Ed25519 signature (64 bytes) of the message. The public key is derived from the seed inside, because signing
 * against a public key of the caller's choosing would reveal the private key.
 */
export const signBytes = (seed: Uint8Array, message: Uint8Array): Uint8Array => sign(message, seed)
