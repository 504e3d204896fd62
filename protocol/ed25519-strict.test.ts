import { createPrivateKey, sign as nativeSign } from 'node:crypto'
import { etc, Point } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { publicKeyOf, signBytes } from './ed25519-sign.ts'
import { checkPublicKey, checkSignatureParts, hasReducedScalar, verifyStrict } from './ed25519-strict.ts'

const { n: L, p: P } = Point.CURVE()
const hex = (text: string) => etc.hexToBytes(text)
const message = new TextEncoder().encode('the exact revision and the exact artifacts')

function littleEndian(value: bigint, length = 32): Uint8Array {
  return Uint8Array.from({ length }, (_unused, at) => Number((value >> BigInt(8 * at)) & 255n))
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

const withSignBit = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 31 ? byte | 0x80 : byte))

/** The eight points whose order divides 8, generated from a point of full order. */
const torsion: readonly Point[] = (() => {
  for (let y = 2n; ; y++) {
    let point: Point
    try {
      point = Point.fromBytes(littleEndian(y))
    } catch {
      continue
    }
    const generator = point.multiply(L - 1n, false).add(point)
    if (generator.double().double().is0()) continue
    return Array.from({ length: 8 }, (_unused, k) => generator.multiply(BigInt(k), false))
  }
})()
const smallOrder = torsion.filter((point) => !point.is0())

/** A signer who knows every scalar: R = rB + shift, S = r + k·a for the public key given. */
function signWith(r: bigint, shift: Point, a: bigint, publicKey: Uint8Array): Uint8Array {
  const encodedR = Point.BASE.multiply(r, false).add(shift).toBytes()
  const k = toNumber(sha512(etc.concatBytes(encodedR, publicKey, message))) % L
  return etc.concatBytes(encodedR, littleEndian((r + k * a) % L))
}

const a = 0x1234567890abcdefn
const publicKey = Point.BASE.multiply(a).toBytes()

describe('public keys (A-59)', () => {
  it('accepts what honest signers hold', () => {
    expect(checkPublicKey(publicKey)).toBe(true)
    expect(checkPublicKey(publicKeyOf(new Uint8Array(32).fill(3)))).toBe(true)
  })

  it('has eight torsion points to test with, and refuses each of them', () => {
    expect(new Set(torsion.map((point) => point.toHex())).size).toBe(8)
    for (const point of torsion) expect(checkPublicKey(point.toBytes())).toBe(false)
  })

  it('refuses every mixed-order key, which cofactored libraries accept', () => {
    for (const point of smallOrder) expect(checkPublicKey(Point.BASE.multiply(a).add(point).toBytes())).toBe(false)
  })

  it('refuses each encoding of y that is not below p', () => {
    for (let y = 0n; y < 19n; y++) {
      expect(checkPublicKey(littleEndian(P + y))).toBe(false)
      expect(checkPublicKey(withSignBit(littleEndian(P + y)))).toBe(false)
    }
  })

  it.each([
    ['a negative zero beside y = 1', withSignBit(littleEndian(1n))],
    ['a negative zero beside y = -1', withSignBit(littleEndian(P - 1n))],
    ['a point off the curve', littleEndian(2n)],
    ['31 bytes', publicKey.subarray(0, 31)],
    ['33 bytes', etc.concatBytes(publicKey, new Uint8Array(1))],
    ['no bytes', new Uint8Array(0)],
  ])('refuses %s', (_fault, bytes) => {
    expect(checkPublicKey(bytes)).toBe(false)
  })
})

describe('signature parts (A-58)', () => {
  const good = signWith(77n, Point.ZERO, a, publicKey)
  const withR = (encodedR: Uint8Array) => etc.concatBytes(encodedR, good.subarray(32))
  const withS = (s: bigint) => etc.concatBytes(good.subarray(0, 32), littleEndian(s))

  it('accepts a good signature and the identity as R', () => {
    expect(checkSignatureParts(good)).toBe(true)
    expect(checkSignatureParts(withR(Point.ZERO.toBytes()))).toBe(true)
  })

  it('refuses small-order and mixed-order R', () => {
    for (const point of smallOrder) {
      expect(checkSignatureParts(withR(point.toBytes()))).toBe(false)
      expect(checkSignatureParts(withR(Point.BASE.multiply(77n).add(point).toBytes()))).toBe(false)
    }
  })

  it.each([
    ['y = p', littleEndian(P)],
    ['the identity written as p + 1', littleEndian(P + 1n)],
    ['the identity with a sign bit', withSignBit(littleEndian(1n))],
    ['a point off the curve', littleEndian(2n)],
  ])('refuses R that is %s', (_fault, encodedR) => {
    expect(checkSignatureParts(withR(encodedR))).toBe(false)
  })

  it.each([
    ['0', 0n, true],
    ['L - 1', L - 1n, true],
    ['L', L, false],
    ['S + L', toNumber(good.subarray(32)) + L, false],
    ['2^256 - 1', 2n ** 256n - 1n, false],
  ])('judges S = %s', (_name, s, accepted) => {
    expect(checkSignatureParts(withS(s))).toBe(accepted)
    expect(hasReducedScalar(withS(s))).toBe(accepted)
  })

  it('tells S from L by any one byte', () => {
    for (let place = 1n; place < L; place <<= 8n) {
      expect(hasReducedScalar(withS(L - place))).toBe(true)
      expect(hasReducedScalar(withS(L + place))).toBe(false)
    }
  })

  it.each([0, 63, 65])('refuses %i bytes', (length) => {
    expect(checkSignatureParts(new Uint8Array(length))).toBe(false)
  })
})

describe('verification (A-60)', () => {
  it.each([
    [
      'RFC 8032 test 1',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      'RFC 8032 test 2',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
  ])('accepts %s', (_name, key, text, signature) => {
    expect(verifyStrict(hex(key), hex(text), hex(signature))).toBe(true)
  })

  it('accepts the identity as R when the equation holds', () => {
    expect(verifyStrict(publicKey, message, signWith(0n, Point.ZERO, a, publicKey))).toBe(true)
  })

  it('refuses R = rB + torsion, which cofactored libraries accept', () => {
    for (const point of smallOrder) {
      expect(verifyStrict(publicKey, message, signWith(77n, point, a, publicKey))).toBe(false)
      expect(verifyStrict(publicKey, message, signWith(0n, point, a, publicKey))).toBe(false)
    }
  })

  it('refuses S + L for an otherwise good signature', () => {
    const good = signWith(77n, Point.ZERO, a, publicKey)
    const raised = etc.concatBytes(good.subarray(0, 32), littleEndian(toNumber(good.subarray(32)) + L))
    expect(verifyStrict(publicKey, message, good)).toBe(true)
    expect(verifyStrict(publicKey, message, raised)).toBe(false)
  })

  it('refuses mixed-order keys even where the equation holds by luck', () => {
    for (const point of smallOrder) {
      const mixed = Point.BASE.multiply(a).add(point).toBytes()
      for (let r = 1n; r <= 8n; r++) expect(verifyStrict(mixed, message, signWith(r, Point.ZERO, a, mixed))).toBe(false)
    }
  })

  it('takes no Ed25519ctx and no Ed25519ph for Ed25519 (A-57)', () => {
    const ascii = (text: string) => new TextEncoder().encode(text)
    /** RFC 8032 section 5.1: the prefix dom2(F, C) before what is hashed, and the message or its hash. */
    const signAs = (dom: Uint8Array, text: Uint8Array) => {
      const encodedR = Point.BASE.multiply(77n).toBytes()
      const k = toNumber(sha512(etc.concatBytes(dom, encodedR, publicKey, text))) % L
      return etc.concatBytes(encodedR, littleEndian((77n + k * a) % L))
    }
    const dom2 = (flag: number) => etc.concatBytes(ascii('SigEd25519 no Ed25519 collisions'), Uint8Array.of(flag, 0))
    expect(verifyStrict(publicKey, message, signAs(new Uint8Array(0), message))).toBe(true)
    expect(verifyStrict(publicKey, message, signAs(dom2(0), message))).toBe(false)
    expect(verifyStrict(publicKey, message, signAs(dom2(1), sha512(message)))).toBe(false)
    expect(verifyStrict(publicKey, message, signAs(new Uint8Array(0), sha512(message)))).toBe(false)
  })

  it('answers false, and throws nothing, for bytes of the wrong shape', () => {
    expect(verifyStrict(new Uint8Array(0), message, new Uint8Array(0))).toBe(false)
    expect(verifyStrict(publicKey, message, new Uint8Array(64).fill(255))).toBe(false)
  })

  it('signs as the platform does and notices any flipped bit', () => {
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(seeds, fc.uint8Array({ maxLength: 80 }), fc.nat(), (seed, text, flip) => {
        const signature = signBytes(seed, text)
        const pkcs8 = etc.concatBytes(hex('302e020100300506032b657004220420'), seed)
        const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
        expect(signature).toEqual(Uint8Array.from(nativeSign(null, text, key)))
        expect(verifyStrict(publicKeyOf(seed), text, signature)).toBe(true)
        const bit = flip % 512
        const flipped = signature.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        expect(verifyStrict(publicKeyOf(seed), text, flipped)).toBe(false)
      }),
      { numRuns: 25 },
    )
  })
})
