// The strict Ed25519 profile. Libraries differ on every point it settles, and none settles all of them.
import { etc, Point } from '@noble/ed25519'
import { sha512 } from '#sha2'

const POINT_BYTES = 32
const SIGNATURE_BYTES = 64
const GROUP_ORDER = Point.CURVE().n
const GROUP_ORDER_BYTES = etc.hexToBytes(GROUP_ORDER.toString(16).padStart(2 * POINT_BYTES, '0')).reverse()

/**
 * Whether the bytes are a public key of the profile: 32 bytes, canonical, on the curve, in the prime-order subgroup
 * and not the identity. Takes about a millisecond: ask once per key.
 */
export function checkPublicKey(bytes: Uint8Array): boolean {
  const point = decodePoint(bytes)
  return point !== undefined && !point.is0() && point.isTorsionFree()
}

/** Whether a signature is 64 bytes long with 0 ≤ S < L; the cheap half of checkSignatureParts. */
export function hasReducedScalar(signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false
  for (let at = POINT_BYTES - 1; at >= 0; at--) {
    const difference = signature[POINT_BYTES + at]! - GROUP_ORDER_BYTES[at]!
    if (difference !== 0) return difference < 0
  }
  return false
}

/**
 * Whether R is a canonical encoding of a point of the prime-order subgroup, identity allowed, and S < L.
 * Takes about a millisecond.
 */
export function checkSignatureParts(signature: Uint8Array): boolean {
  return hasReducedScalar(signature) && decodePoint(signature.subarray(0, POINT_BYTES))?.isTorsionFree() === true
}

/**
 * Pure RFC 8032 verification with the cofactorless equation [S]B = R + [k]A and every check on A, R and S.
 * Takes several milliseconds; never throws.
 */
export function verifyStrict(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return checkPublicKey(publicKey) && verifyWithCheckedKey(publicKey, message, signature)
}

/**
 * verifyStrict for a key that has passed checkPublicKey. Then [S]B - [k]A lies in the prime-order subgroup, so equality
 * with its one canonical encoding proves everything that A-58 asks of R without looking at R again.
 */
export function verifyWithCheckedKey(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (!hasReducedScalar(signature)) return false
  const encodedR = signature.subarray(0, POINT_BYTES)
  const k = littleEndian(sha512(etc.concatBytes(encodedR, publicKey, message))) % GROUP_ORDER
  const s = littleEndian(signature.subarray(POINT_BYTES))
  const kA = Point.fromBytes(publicKey).multiply(k, false)
  const expectedR = Point.BASE.multiply(s, false).subtract(kA).toBytes()
  return expectedR.every((byte, at) => byte === encodedR[at])
}

/** The point, or undefined when the bytes are not its one canonical encoding. */
function decodePoint(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== POINT_BYTES) return undefined
  try {
    return Point.fromBytes(bytes)
  } catch {
    return undefined
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]!)
  return value
}
