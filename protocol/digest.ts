import { sha256Hex } from '#sha2'
import { UTF8_BYTES_PER_UNIT } from './utf8.ts'

const utf8 = new TextEncoder()
const SHA256_HASH = /^sha256:[0-9a-f]{64}$/

/** Content hash of the bytes: `sha256:` and 64 lower-case hex digits. */
export const sha256Hash = (bytes: Uint8Array): string => `sha256:${sha256Hex(bytes)}`

export const isSha256Hash = (text: string): boolean => SHA256_HASH.test(text)

/**
 * The same parts always give the same `urn:uuid:`, different parts never do: SHA-256 over the parts, each preceded by
 * its UTF-8 length in 32 bits, cut to the layout of RFC 9562 version 8.
 */
export function deriveUrn(...parts: string[]): string {
  const framed = roomFor(parts.reduce((size, part) => size + 4 + part.length * UTF8_BYTES_PER_UNIT, 0))
  let at = 0
  for (const part of parts) {
    const { written } = utf8.encodeInto(part, framed.subarray(at + 4))
    framed[at] = written >>> 24
    framed[at + 1] = written >>> 16
    framed[at + 2] = written >>> 8
    framed[at + 3] = written
    at += 4 + written
  }
  const hex = sha256Hex(framed.subarray(0, at))
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16) & 3]!
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** By the two bits below those of the variant. */
const VARIANTS = ['8', '9', 'a', 'b']
const scratch = new Uint8Array(4_096)

/** Read by the digest at once, so that nothing else can need it meanwhile. */
const roomFor = (size: number): Uint8Array => (size <= scratch.length ? scratch : new Uint8Array(size))
