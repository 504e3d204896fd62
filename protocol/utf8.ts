const SLAB_BYTES = 16_384
/** What may be longer has a buffer of its own. */
const MAXIMUM_CUT = 8_192
/** UTF-8 has at most so many bytes for each UTF-16 code unit. */
export const UTF8_BYTES_PER_UNIT = 3

const encoder = new TextEncoder()
let slab = new Uint8Array(SLAB_BYTES)
let taken = 0

/**
 * UTF-8 of the text. Short ones are cut from a slab that others share, because a buffer of its own costs each more than the encoding:
 * look at the bytes, never at their `buffer`.
 */
export function encodeUtf8(text: string): Uint8Array {
  const most = text.length * UTF8_BYTES_PER_UNIT
  if (most > MAXIMUM_CUT) return encoder.encode(text)
  if (taken + most > SLAB_BYTES) {
    slab = new Uint8Array(SLAB_BYTES)
    taken = 0
  }
  const start = taken
  taken += encoder.encodeInto(text, slab.subarray(start)).written
  return slab.subarray(start, taken)
}
