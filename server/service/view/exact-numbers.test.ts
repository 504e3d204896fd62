import { describe, expect, it } from 'vitest'
import { withExactNumbers } from './exact-numbers.ts'

describe('numbers that are to be shown', () => {
  it.each([
    ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
    ['{"a":[0.1,-2,1e3,0,1.50]}', { a: [0.1, -2, 1000, 0, 1.5] }],
    ['{"a":1e999}', { a: '1e999' }],
    ['{"a":9007199254740993,"b":9007199254740991}', { a: '9007199254740993', b: 9007199254740991 }],
    ['{"12345678901234567890":"say \\"12345678901234567890\\""}', { '12345678901234567890': 'say "12345678901234567890"' }],
  ])('of %s keep their digits', (json, shown) => {
    expect(JSON.parse(withExactNumbers(json))).toEqual(shown)
  })
})
