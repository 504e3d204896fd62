import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const utf8 = new TextEncoder()
const SHA256_HASH = /^sha256:[0-9a-f]{64}$/

/** Content hash of the bytes: `sha256:` and 64 lower-case hex digits. */
export const sha256Hash = (bytes: Uint8Array): string => `sha256:${bytesToHex(sha256(bytes))}`

export const isSha256Hash = (text: string): boolean => SHA256_HASH.test(text)

/**
 * The same parts always give the same `urn:uuid:`, different parts never do: SHA-256 over the parts, each preceded by
 * its UTF-8 length in 32 bits, cut to the layout of RFC 9562 version 8.
 */
export function deriveUrn(...parts: string[]): string {
  const encoded = parts.map((part) => utf8.encode(part))
  const framed = new Uint8Array(encoded.reduce((size, bytes) => size + 4 + bytes.length, 0))
  let at = 0
  for (const bytes of encoded) {
    new DataView(framed.buffer).setUint32(at, bytes.length)
    framed.set(bytes, at + 4)
    at += 4 + bytes.length
  }
  const uuid = sha256(framed).slice(0, 16)
  uuid[6] = (uuid[6]! & 0x0f) | 0x80
  uuid[8] = (uuid[8]! & 0x3f) | 0x80
  const hex = bytesToHex(uuid)
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `urn:uuid:${groups.join('-')}`
}
