import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeUtf8 } from './utf8.ts'

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 6_000 }), { maxLength: 40 })

it('gives the bytes of TextEncoder, which later texts leave as they are', () => {
  fc.assert(
    fc.property(texts, (all) => {
      const encoded = all.map(encodeUtf8)
      expect(encoded.map((bytes) => new TextDecoder().decode(bytes))).toEqual(all.map((text) => text.toWellFormed()))
    }),
  )
})

it('fills a slab to its end and begins another', () => {
  // With the digit before it, as much as a slab is asked for at once.
  const long = '€'.repeat(2_729)
  const encoded = Array.from({ length: 7 }, (_, index) => encodeUtf8(`${index}${long}`))
  expect(encoded.map((bytes) => new TextDecoder().decode(bytes))).toEqual(Array.from({ length: 7 }, (_, index) => `${index}${long}`))
})
