import { describe, expect, it } from 'vitest'
import { match, substitute } from './transcript-matcher.ts'

describe('IAP 1.18 transcript matchers', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: { b: [] } }, { a: { b: [] } }, true],
    [{ a: 1 }, undefined, false],
    [[1], [1, 2], false],
    [[{ a: 1 }], [{ a: 1, b: 2 }], true],
    [{ $type: 'array' }, [], true],
    [{ $type: 'object' }, [], false],
    [{ $in: ['x', { a: 1 }] }, { a: 1, b: 1 }, true],
    [{ $in: ['x'] }, 'y', false],
    [{ a: { $absent: true } }, {}, true],
    [{ a: { $absent: true } }, { a: null }, false],
    [{ $contains: 2 }, [1, 2], true],
    [{ $contains: 2 }, 'no list', false],
    [{ $not: { $contains: 2 }, $contains: 1 }, [1, 2], false],
    [{ $capture: 'x' }, undefined, false],
    [null, null, true],
  ])('%j against %j: %s', (matcher, value, fits) => expect(match(matcher, value) !== undefined).toBe(fits))

  it('keep what they capture, and only when all of it matches', () => {
    expect(match({ a: { $capture: 'x', $type: 'number' }, b: { $capture: 'y' } }, { a: 1, b: [2] })).toEqual({ x: 1, y: [2] })
    expect(match({ a: { $capture: 'x', $type: 'string' } }, { a: 1 })).toBeUndefined()
  })

  it('put values into texts; a text that is one name alone becomes the value', () => {
    const valueOf = (name: string) => ({ run: 'r1', n: 7 })[name]
    expect(substitute({ 'k-{{run}}': ['x-{{run}}', '{{n}}', 5] }, valueOf)).toEqual({ 'k-r1': ['x-r1', 7, 5] })
    expect(() => substitute('{{unheard}}', valueOf)).toThrow(RangeError)
  })
})
