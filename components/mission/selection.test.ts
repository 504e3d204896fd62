import { describe, expect, it } from 'vitest'
import { parseSelection, withSelection } from './selection.ts'

const hash = `sha256:${'0a'.repeat(32)}`

describe('selection in the address', () => {
  it.each([
    ['128', { type: 'entry', sequence: 128 }],
    [hash, { type: 'artifact', contentHash: hash }],
    ['urn:uuid:00000000-0000-4000-8000-000000000001', { type: 'id', id: 'urn:uuid:00000000-0000-4000-8000-000000000001' }],
    ['0', { type: 'id', id: '0' }],
    ['', undefined],
    [null, undefined],
  ])('%s', (text, selection) => {
    expect(parseSelection(text)).toEqual(selection)
  })

  it('replaces only itself', () => {
    expect(withSelection('https://host/missions/m/log?view=tree&sel=3#top', hash)).toBe(`/missions/m/log?view=tree&sel=${encodeURIComponent(hash)}#top`)
    expect(withSelection('https://host/missions/m?sel=3', undefined)).toBe('/missions/m')
  })
})
