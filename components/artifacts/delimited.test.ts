import { describe, expect, it } from 'vitest'
import { parseDelimited } from './delimited.ts'

describe('delimited text', () => {
  it.each<[string, string, string[][]]>([
    ['plain records', 'a,b\nc,d', [['a', 'b'], ['c', 'd']]],
    ['a final line end', 'a,b\r\n', [['a', 'b']]],
    ['an empty text', '', []],
    ['empty fields and an empty line', 'a,,\n\nb', [['a', '', ''], [''], ['b']]],
    ['quotes around separators, line ends and quotes', '"a,1","b\nc","d ""e"""\n', [['a,1', 'b\nc', 'd "e"']]],
    ['a quote inside a field', 'a "b",c', [['a "b"', 'c']]],
    ['a trailing separator', 'a,', [['a', '']]],
    ['a last field that is quoted and empty', 'a,""', [['a', '']]],
  ])('%s', (_, text, records) => {
    expect(parseDelimited(text, ',')).toEqual(records)
  })

  it('separates by tabs when told so', () => {
    expect(parseDelimited('a,b\tc', '\t')).toEqual([['a,b', 'c']])
  })
})
