import { describe, expect, it } from 'vitest'
import { sha256Hash } from '../../protocol/digest.ts'
import { checkArtifact } from './artifact-check.ts'

const bytes = new TextEncoder().encode('# Report')
const claim = { contentHash: sha256Hash(bytes), sizeBytes: bytes.length, mediaType: 'text/markdown' }

describe('checking an artifact on this machine', () => {
  it('vouches for the exact bytes and classifies their preview', () => {
    expect(checkArtifact(claim, bytes)).toEqual({ state: 'match', preview: { kind: 'markdown', text: '# Report' } })
  })

  it('reports bytes with another hash, and that hash', () => {
    const other = new TextEncoder().encode('# report')
    expect(checkArtifact(claim, other)).toMatchObject({ state: 'mismatch', actualHash: sha256Hash(other) })
  })

  it('reports a manifest that claims another size', () => {
    expect(checkArtifact({ ...claim, sizeBytes: 9 }, bytes)).toMatchObject({ state: 'mismatch', reason: expect.stringContaining('9 bytes') as string })
  })
})
