import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ContextReader } from './context-content.ts'

const maxBytes = 1_000
const chunk = (index: number, body: string, { count = 4, sha256 = 'a'.repeat(64), size = 10 } = {}) => ({
  payload: { fromAgent: 'ada', toAgent: 'ben', taskId: 't', contextType: 'x', compression: 'gzip' as const, data: { encoding: 'base64', body, sha256, size } },
  metadata: { chunk: { index, count } },
})

describe('ContextReader', () => {
  it('reads chunks in any order as one (IAP 1.7)', async () => {
    const text = JSON.stringify({ hello: 'world' })
    const [sha256, packed] = [createHash('sha256').update(text).digest('hex'), gzipSync(text).toString('base64')]
    const facts = { count: 2, sha256, size: text.length }
    const reader = new ContextReader(maxBytes)
    await reader.read(chunk(1, packed.slice(20), facts))
    expect(await reader.read(chunk(0, packed.slice(0, 20), facts))).toEqual({ sha256, size: text.length })
  })

  it('counts a chunk that replaces one, so that no connection holds more than two contexts’ worth for one (hazard: memory)', async () => {
    const reader = new ContextReader(maxBytes)
    for (let index = 0; index < 3; index++) await reader.read(chunk(index, 'AAAA'))
    expect(await reader.read(chunk(0, 'A'.repeat(1_200)))).not.toHaveProperty('fault')
    expect(await reader.read(chunk(1, 'A'.repeat(1_200)))).toHaveProperty('fault')
  })
})
