import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const utf8 = new TextEncoder()
/** At most, for each UTF-16 code unit. */
const UTF8_BYTES_PER_UNIT = 3
const SHA256_HASH = /^sha256:[0-9a-f]{64}$/

/** Content hash of the bytes: `sha256:` and 64 lower-case hex digits. */
export const sha256Hash = (bytes: Uint8Array): string => `sha256:${bytesToHex(sha256(bytes))}`

export const isSha256Hash = (text: string): boolean => SHA256_HASH.test(text)

/**
 * The same parts always give the same `urn:uuid:`, different parts never do: SHA-256 over the parts, each preceded by
 * its UTF-8 length in 32 bits, cut to the layout of RFC 9562 version 8.
 */
export function deriveUrn(...parts: string[]): string {
  const framed = new Uint8Array(parts.reduce((size, part) => size + 4 + part.length * UTF8_BYTES_PER_UNIT, 0))
  const view = new DataView(framed.buffer)
  let at = 0
  for (const part of parts) {
    const { written } = utf8.encodeInto(part, framed.subarray(at + 4))
    view.setUint32(at, written)
    at += 4 + written
  }
  const uuid = sha256(framed.subarray(0, at)).slice(0, 16)
  uuid[6] = (uuid[6]! & 0x0f) | 0x80
  uuid[8] = (uuid[8]! & 0x3f) | 0x80
  const hex = bytesToHex(uuid)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
