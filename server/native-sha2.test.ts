import * as portable from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as native from './native-sha2.ts'

it.each(['sha256', 'sha512'] as const)('%s gives the digests of the library that it stands in for (A-13)', (name) => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void expect(new Uint8Array(native[name](bytes))).toEqual(portable[name](bytes))))
})
