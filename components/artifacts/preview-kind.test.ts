import { describe, expect, it } from 'vitest'
import { classifyPreview, PREVIEW_LIMIT_BYTES } from './preview-kind.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('what may be previewed', () => {
  it.each([
    ['application/json', '{"a":1}', 'json'],
    ['application/spdx+json', '[]', 'json'],
    ['text/csv', 'a,b', 'csv'],
    ['text/tab-separated-values', 'a\tb', 'tsv'],
    ['text/markdown', '# a', 'markdown'],
    ['text/plain', 'a', 'text'],
  ])('%s is shown as %s', (mediaType, text, kind) => {
    expect(classifyPreview(mediaType, bytes(text)).kind).toBe(kind)
  })

  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'application/javascript'])('%s is shown as source', (mediaType) => {
    expect(classifyPreview(mediaType, bytes('<script>alert(1)</script>'))).toEqual({ kind: 'text', text: '<script>alert(1)</script>' })
  })

  it.each(['application/pdf', 'image/png', 'application/octet-stream', 'application/zip'])('%s is for download', (mediaType) => {
    expect(classifyPreview(mediaType, bytes('%PDF')).kind).toBe('none')
  })

  it('believes the bytes before the media type', () => {
    expect(classifyPreview('text/plain', new Uint8Array([0xff, 0xfe, 0x00])).kind).toBe('none')
    expect(classifyPreview('text/plain', bytes('a\0b')).kind).toBe('none')
    expect(classifyPreview('application/json', bytes('{"a":')).kind).toBe('text')
  })

  it('shows a text whole or not at all', () => {
    expect(classifyPreview('text/plain', new Uint8Array(PREVIEW_LIMIT_BYTES).fill(97)).kind).toBe('text')
    expect(classifyPreview('text/plain', new Uint8Array(PREVIEW_LIMIT_BYTES + 1).fill(97)).kind).toBe('none')
  })
})
