import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from './base64url.ts'

describe('base64url (A-12)', () => {
  it('round-trips every byte string and agrees with the platform encoder', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = encodeBase64url(bytes)
        expect(text).toBe(Buffer.from(bytes).toString('base64url'))
        expect(decodeBase64url(text)).toEqual(bytes)
      }),
    )
  })

  it('accepts a text only when re-encoding gives it back', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const bytes = decodeBase64url(text)
        expect(bytes === undefined || encodeBase64url(bytes) === text).toBe(true)
      }),
    )
  })

  it.each([
    ['padding', 'AQ=='],
    ['one padding sign', 'AQI='],
    ['unused bits in a two-character tail', 'AR'],
    ['unused bits in a three-character tail', 'AQJ'],
    ['an inner space', 'A Q'],
    ['a foreign character', 'A!Q'],
    ['the standard alphabet, plus', '+AAA'],
    ['the standard alphabet, slash', '/AAA'],
    ['a closing line feed', 'AQ\n'],
    ['an impossible length', 'A'],
    ['an impossible length after whole groups', 'AAAAA'],
    ['a character outside ASCII', 'AQ\u0101A'],
  ])('refuses %s', (_fault, text) => {
    expect(decodeBase64url(text)).toBeUndefined()
  })

  it.each([
    ['', []],
    ['AQ', [1]],
    ['-_8', [251, 255]],
  ])('decodes %j', (text, bytes) => {
    expect(decodeBase64url(text)).toEqual(Uint8Array.from(bytes))
  })
})
