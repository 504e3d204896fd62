import { describe, expect, it } from 'vitest'
import { cutInMiddle, groupByFour } from './hash-format.ts'

const hash = `sha256:${'0123456789abcdef'.repeat(4)}`

describe('hashes and ids', () => {
  it('cuts a hash in the middle and keeps its scheme', () => {
    expect(cutInMiddle(hash)).toBe('sha256:01234567…abcdef')
  })

  it('drops the scheme of a UUID, which says nothing to a reader', () => {
    expect(cutInMiddle('urn:uuid:12345678-1234-4123-8123-123456789abc')).toBe('12345678…789abc')
  })

  it('leaves short values whole', () => {
    expect(cutInMiddle('release.report')).toBe('release.report')
  })

  it('groups by four from the left without losing a digit', () => {
    const { scheme, groups } = groupByFour(hash)
    expect(groups).toHaveLength(16)
    expect(groups[0]).toBe('0123')
    expect(scheme + groups.join('')).toBe(hash)
  })
})
