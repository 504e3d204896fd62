import { describe, expect, it } from 'vitest'
import { documentsText } from './documents-text.ts'

describe('documents on their way to the database', () => {
  it('are one text, each as it is, parts of larger buffers too', () => {
    const buffer = new TextEncoder().encode('{"a":"é\\n"}\ufeff{}')
    expect(documentsText([buffer.subarray(12), buffer.subarray(0, 12), new Uint8Array(0)])).toBe('\ufeff{}{"a":"é\\n"}')
  })

  it.each([
    ['bytes that are not UTF-8', [0x7b, 0xff, 0x7d]],
    ['half of a character', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a zero byte', [0x61, 0, 0x62]],
  ])('are never %s, which would arrive as something else', (_name, bytes) => {
    expect(() => documentsText([new TextEncoder().encode('{}'), Uint8Array.from(bytes)])).toThrow('a document is UTF-8 without U+0000')
  })
})
