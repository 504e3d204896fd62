const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const FOREIGN = 255

const sextets = new Uint8Array(128).fill(FOREIGN)
for (let sextet = 0; sextet < ALPHABET.length; sextet++) sextets[ALPHABET.charCodeAt(sextet)] = sextet

const ascii = new TextDecoder()
const alphabetBytes = new TextEncoder().encode(ALPHABET)

/** Unpadded base64url of the bytes (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil((bytes.length * 4) / 3))
  let written = 0
  let held = 0
  let heldBits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    heldBits += 8
    while (heldBits >= 6) {
      heldBits -= 6
      text[written++] = alphabetBytes[(held >> heldBits) & 63]!
    }
    held &= (1 << heldBits) - 1
  }
  if (heldBits > 0) text[written] = alphabetBytes[(held << (6 - heldBits)) & 63]!
  return ascii.decode(text)
}

/**
 * Bytes of a canonical base64url text, or undefined: padding, a foreign character, white space, an impossible length
 * and unused bits that are not zero all refuse, so that no byte string has two spellings.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let written = 0
  let held = 0
  let heldBits = 0
  for (let at = 0; at < text.length; at++) {
    const sextet = sextets[text.charCodeAt(at)] ?? FOREIGN
    if (sextet === FOREIGN) return undefined
    held = (held << 6) | sextet
    heldBits += 6
    if (heldBits >= 8) {
      heldBits -= 8
      bytes[written++] = held >> heldBits
      held &= (1 << heldBits) - 1
    }
  }
  return held === 0 ? bytes : undefined
}
