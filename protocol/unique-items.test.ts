import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { hasDuplicates } from './unique-items.ts'

describe('hasDuplicates (G-9)', () => {
  test.each<[unknown[], boolean]>([
    [[], false],
    [['a'], false],
    [['a', 'b'], false],
    [['a', 'b', 'a'], true],
    [[1, '1'], false],
    [[1, true], false],
    [[null, 'null'], false],
    [[0, -0], true],
    [
      [
        [1, 2],
        [2, 1],
      ],
      false,
    ],
    [
      [
        [1, 2],
        [1, 2],
      ],
      true,
    ],
    [[['a,b'], ['a', 'b']], false],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      true,
    ],
    [[{ a: 1 }, { a: 1, b: 2 }], false],
    [[{ 'a":1,"b': 2 }, { a: 1, b: 2 }], false],
    [[{ a: { b: [null] } }, { a: { b: [null] } }], true],
    [['__proto__', '__proto__'], true],
  ])('%o: %s', (items, expected) => {
    expect(hasDuplicates(items)).toBe(expected)
  })

  test('agrees with comparing every pair', () => {
    const json = fc.jsonValue({ maxDepth: 2 })
    fc.assert(
      fc.property(fc.array(json, { maxLength: 6 }), fc.boolean(), (values, repeat) => {
        // Through JSON text, because 0 and -0 are one JSON value but two to the reference comparison.
        const items = JSON.parse(JSON.stringify(repeat ? [...values, ...values.slice(0, 1)] : values)) as unknown[]
        const pairwise = items.some((a, i) => items.slice(i + 1).some((b) => isDeepStrictEqual(a, b)))
        expect(hasDuplicates(items)).toBe(pairwise)
      }),
    )
  })

  test('a hundred thousand objects take no pairwise comparison', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ type: 'agent', id: `urn:x:${index}` }))
    // Five billion comparisons would outlast the timeout many times over.
    expect(hasDuplicates(items)).toBe(false)
    expect(hasDuplicates([...items, { id: 'urn:x:0', type: 'agent' }])).toBe(true)
  })
})
