import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as portable from '../protocol/sha2.ts'
import * as native from './native-sha2.ts'

it('gives the digests of the module that it stands in for (A-13)', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(native.sha256Hex(bytes)).toBe(portable.sha256Hex(bytes))
      expect(new Uint8Array(native.sha512(bytes))).toEqual(portable.sha512(bytes))
    }),
  )
})
