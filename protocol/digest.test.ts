import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveUrn, isSha256Hash, sha256Hash } from './digest.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('content hashes (A-13)', () => {
  it('writes the digest of known inputs', () => {
    expect(sha256Hash(bytesOf(''))).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256Hash(bytesOf('abc'))).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it.each(['sha256:', 'sha256:' + 'A'.repeat(64), 'sha256:' + 'a'.repeat(63), `sha256:${'a'.repeat(64)}\n`, 'a'.repeat(64)])(
    'does not take %j for a hash',
    (text) => {
      expect(isSha256Hash(text)).toBe(false)
    },
  )

  it('recognises what it wrote', () => {
    expect(isSha256Hash(sha256Hash(bytesOf('x')))).toBe(true)
  })
})

describe('derived identifiers', () => {
  it('have the version and variant of RFC 9562 version 8', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(deriveUrn(...parts)).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      }),
    )
  })

  it('depend on where one part ends and the next begins', () => {
    expect(deriveUrn('ab', 'c')).not.toBe(deriveUrn('a', 'bc'))
    expect(deriveUrn('a')).not.toBe(deriveUrn('a', ''))
    expect(deriveUrn('é')).not.toBe(deriveUrn('e\u0301'))
  })

  it.each([0, 1, 255, 256, 1_300, 70_000])('are made of each part behind its length in 32 bits, of %d bytes too', (length) => {
    const part = 'x'.repeat(length)
    const framed = new Uint8Array(length + 8)
    new DataView(framed.buffer).setUint32(0, length)
    framed.set(bytesOf(part), 4)
    const hash = sha256Hash(framed).slice('sha256:'.length)
    const urn = deriveUrn(part, '').slice('urn:uuid:'.length).replaceAll('-', '')
    // Without the six bits of version and variant.
    expect([urn.slice(0, 12), urn.slice(13, 16), urn.slice(17)]).toEqual([hash.slice(0, 12), hash.slice(13, 16), hash.slice(17, 32)])
  })

  it('never change for the same parts', () => {
    expect(deriveUrn('event', 'urn:example:group', '7')).toBe(deriveUrn('event', 'urn:example:group', '7'))
    expect(deriveUrn()).toBe('urn:uuid:e3b0c442-98fc-8c14-9afb-f4c8996fb924')
  })
})
