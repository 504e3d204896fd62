import { describe, expect, it } from 'vitest'
import { indentExact, memberOf, readExact, writeExact } from './exact-json.ts'

describe('JSON that keeps its digits', () => {
  const text = ' { "n" : 12345678901234567890 , "e":1E+2, "list":[ ], "o" : {}, "s":"a\\"b\\\\", "deep":[{"x":-0.10},null,true,""] } '

  it('gives every scalar back as it was written', () => {
    expect(writeExact(readExact(text))).toBe('{"n":12345678901234567890,"e":1E+2,"list":[],"o":{},"s":"a\\"b\\\\","deep":[{"x":-0.10},null,true,""]}')
  })

  it('indents as JSON.stringify does', () => {
    const value = { a: [1, { b: [] }, {}], 'quo"ted': 'x', 'ünï': { c: null } }
    expect(indentExact(readExact(JSON.stringify(value)))).toBe(JSON.stringify(value, null, 2))
  })

  it('finds members of objects only, by their decoded names', () => {
    const tree = readExact('{"\\u0061":{"b":1}}')
    expect(memberOf(memberOf(tree, 'a'), 'b')).toBe('1')
    expect(memberOf(memberOf(tree, 'a'), 'c')).toBeUndefined()
    expect(memberOf(readExact('[1]'), '0')).toBeUndefined()
  })

  it('reads long strings and many members in linear time', () => {
    const long = JSON.stringify({ s: 'x'.repeat(2_000_000), list: Array.from({ length: 20_000 }, (_, index) => index) })
    expect(writeExact(readExact(long))).toBe(long)
  })
})
