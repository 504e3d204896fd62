import { describe, expect, it } from 'vitest'
import { visibleText } from './visible-text.ts'

describe('visibleText', () => {
  it('writes out bidi controls, zero-width characters and other controls', () => {
    expect(visibleText('pay\u202Eevil\u2066\u200B\u0007\uFEFF')).toBe('pay⟨U+202E⟩evil⟨U+2066⟩⟨U+200B⟩⟨U+0007⟩⟨U+FEFF⟩')
  })

  it('writes out tag characters, which lie outside the first plane', () => {
    expect(visibleText('a\u{E0041}b')).toBe('a⟨U+E0041⟩b')
  })

  it('keeps tabs, line breaks and every ordinary letter', () => {
    expect(visibleText('Zeile\r\n\tzwei – שלום, 你好 👍')).toBe('Zeile\n\tzwei – שלום, 你好 👍')
  })

  it('counts blank lines instead of letting them hide what follows', () => {
    expect(visibleText(`top${'\n'.repeat(200)}bottom`)).toBe('top\n⟨199 blank lines⟩\nbottom')
    expect(visibleText('one\n\ntwo')).toBe('one\n\ntwo')
  })
})
