import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength } from './code-point-length.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 2],
  ['😀😀', 2],
  ['\ud83d', 1],
  ['\ude00\ud83d', 2],
  ['\ud83d\ud83d\ude00', 2],
])('%j has %d code points (G-6)', (text, expected) => {
  expect(codePointLength(text)).toBe(expected)
})

test('counts what string iteration visits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const text = a + b.slice(1)
      expect(codePointLength(text)).toBe([...text].length)
    }),
  )
})
