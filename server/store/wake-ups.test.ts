import { describe, expect, it } from 'vitest'
import { packPayloads } from './wake-ups.ts'

describe('packPayloads', () => {
  const ids = (count: number, length: number) => Array.from({ length: count }, (_, index) => `urn:x:${index}`.padEnd(length, 'é'))

  it('puts all ids into one payload while they fit', () => {
    expect(packPayloads('node', ['urn:x:1', 'urn:x:2'])).toEqual(['node\nurn:x:1\nurn:x:2'])
    expect(packPayloads('node', [])).toEqual([])
  })

  it('stays below 8,000 bytes, not characters, and loses no id', () => {
    const sent = ids(300, 120)
    const payloads = packPayloads('node', sent)
    expect(payloads.every((payload) => Buffer.byteLength(payload) < 8000)).toBe(true)
    expect(payloads.flatMap((payload) => payload.split('\n').slice(1))).toEqual(sent)
    expect(payloads.length).toBeLessThan(12)
  })

  it('leaves out an id that no payload can hold, and keeps its neighbours', () => {
    expect(packPayloads('node', ['urn:x:1', 'x'.repeat(9000), 'urn:x:2'])).toEqual(['node\nurn:x:1', 'node\nurn:x:2'])
  })
})
