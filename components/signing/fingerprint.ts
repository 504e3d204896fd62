import { decodeBase64url } from '../../protocol/base64url.ts'
import { sha256Hash } from '../../protocol/digest.ts'

/** Hash by which a person recognises a key: SHA-256 of its 32 bytes. */
export const fingerprintOf = (publicKey: string): string => sha256Hash(decodeBase64url(publicKey) ?? new Uint8Array())
