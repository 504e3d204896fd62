import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DiffLine } from './text-diff.ts'
import { diffLines, diffParts } from './text-diff.ts'

const side = (lines: readonly DiffLine[], hidden: DiffLine['kind']): string =>
  lines.filter((line) => line.kind !== hidden).map((line) => line.text).join('\n')
const marks = (lines: readonly DiffLine[]): string => lines.map((line) => ({ same: ' ', removed: '-', added: '+' })[line.kind] + line.text).join('|')

describe('text difference', () => {
  it.each([
    ['nothing changed', 'a\nb', 'a\nb', ' a| b'],
    ['one line changed', 'a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
    ['lines added and removed', 'a\nb\nc\nd', 'b\nc\ne\nd', '-a| b| c|+e| d'],
    ['a line moved', 'a\nb\nc', 'b\nc\na', '-a| b| c|+a'],
    ['lines that end in CR LF on both sides', 'a\r\nb\r\n', 'a\r\nx\r\n', ' a|-b|+x| '],
    ['line ends changed', 'a\r\nb\r\n', 'a\nb\n', '-a\r|-b\r|+a|+b| '],
    ['one line end changed', 'a\r\nb\r\n', 'a\r\nb\n', ' a\r|-b\r|+b| '],
  ])('%s', (_, before, after, expected) => {
    expect(marks(diffLines(before, after))).toBe(expected)
  })

  it('tells the whole of both texts, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map((lines) => lines.join('\n'))
    fc.assert(fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after)
      expect(side(lines, 'added')).toBe(before)
      expect(side(lines, 'removed')).toBe(after)
    }))
  })

  it('stays true and quick for texts that share nothing', () => {
    const text = (prefix: string) => Array.from({ length: 20_000 }, (_, line) => `${prefix}${line}`).join('\n')
    const lines = diffLines(text('a'), text('b'))
    expect(lines).toHaveLength(40_000)
    expect(side(lines, 'added')).toBe(text('a'))
  })

  it('numbers each side on its own', () => {
    expect(diffLines('a\nb', 'x\nb')).toEqual([
      { kind: 'removed', text: 'a', before: 1 },
      { kind: 'added', text: 'x', after: 1 },
      { kind: 'same', text: 'b', before: 2, after: 2 },
    ])
  })

  it('leaves out what is far from a change and counts it', () => {
    const before = Array.from({ length: 20 }, (_, line) => `line ${line}`)
    const after = before.with(10, 'new')
    const parts = diffParts(diffLines(before.join('\n'), after.join('\n')))
    expect(parts.map((part) => part.type === 'skipped' ? part.lines : part.lines.length)).toEqual([7, 8, 6])
    expect(diffParts(diffLines('a', 'a'))).toEqual([{ type: 'skipped', lines: 1 }])
  })
})
