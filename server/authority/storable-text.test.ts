import { describe, expect, it } from 'vitest'
import { isStorable, storableText } from './storable-text.ts'

describe('what can be stored', () => {
  it.each([['a text', 'Ölga 🙂'], ['nothing', undefined], ['null', null], ['a number', 1], ['a tree', { name: ['a', { b: 'c' }], isAdmin: true }]])('is %s', (_, value) => {
    expect(isStorable(value)).toBe(true)
  })

  it.each([
    ['U+0000', 'a\0'],
    ['the first half of a pair alone', 'a\ud83d'],
    ['the second half of a pair alone', '\ude42a'],
    ['one of them deep inside', { names: ['a', { b: 'c\0' }] }],
    ['one of them in the name of a member', { 'a\0': 1 }],
  ])('is not %s', (_, value) => {
    expect(isStorable(value)).toBe(false)
  })

  it('of a text from the log is all but U+0000', () => {
    expect(storableText('a\0b\0')).toBe('a\uFFFDb\uFFFD')
  })
})
