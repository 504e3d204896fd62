import { gzipSync } from 'node:zlib'
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ContextTransfer } from '../../protocol/iap/types.ts'
import { CHUNK_CHARACTERS, ChunkCollector, MAX_CONTEXT_BYTES, packContext, unpackContext } from './context-codec.ts'

const data = { messages: Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `line ${index} 🌍` })) }
const transferOf = (part: Record<string, unknown>, compression: ContextTransfer['compression']): ContextTransfer => ({ fromAgent: 'a', toAgent: 'b', taskId: 't', contextType: 'x', data: part, ...(compression && { compression }) })
const packed = (text: string, changes: object = {}) => ({ encoding: 'base64', body: gzipSync(text).toString('base64'), sha256: createHash('sha256').update(text).digest('hex'), size: Buffer.byteLength(text), ...changes })
const opened = (changes: object, text = '{"a":1}') => unpackContext({ compression: 'gzip', data: packed(text, changes) })

describe('IAP 1.7 CONTEXT_TRANSFER compression', () => {
  it.each(['gzip', 'brotli', 'none'] as const)('%s brings back what was sent', async (compression) => {
    const [part, ...others] = await packContext(data, compression)
    expect(others).toEqual([])
    expect(await unpackContext({ compression, data: part!.data })).toEqual({ ok: true, value: data })
  })

  it('with none leaves the data an object', async () => expect(await packContext({ a: 1 }, 'none')).toEqual([{ data: { a: 1 } }]))

  it.each([
    ['another hash', { sha256: '0'.repeat(64) }],
    ['a larger size', { size: 8 }],
    ['a smaller size', { size: 6 }],
    ['a damaged body', { body: 'AAAA' }],
    ['a size over the cap', { size: MAX_CONTEXT_BYTES + 1 }],
    ['another encoding', { encoding: 'hex' }],
  ])('refuses %s', async (_what, changes) => expect((await opened(changes)).ok).toBe(false))

  it('refuses what is no JSON object', async () => expect(await opened({}, '[1]')).toEqual({ ok: false, error: 'no JSON object' }))

  it('never unpacks more than was declared: a bomb stays folded', async () => {
    const bomb = '0'.repeat(64 * MAX_CONTEXT_BYTES)
    expect(await opened({ size: 100 }, bomb)).toEqual({ ok: false, error: 'cannot be unpacked to the size that it declares' })
  })

  it('sends nothing over the cap, and large contexts only compressed', async () => {
    await expect(packContext({ text: 'x'.repeat(MAX_CONTEXT_BYTES) }, 'gzip')).rejects.toThrow(RangeError)
    await expect(packContext({ text: 'x'.repeat(CHUNK_CHARACTERS) }, 'none')).rejects.toThrow(RangeError)
  })
})

describe('IAP 1.7 CONTEXT_TRANSFER chunks', () => {
  const large = { text: randomBytes(120_000).toString('base64') }

  it('come together in any order, repeats included, and then once', async () => {
    const parts = await packContext(large, 'gzip')
    expect(parts.length).toBeGreaterThan(2)
    const collector = new ChunkCollector()
    const shuffled = [...parts, parts[0]!].reverse()
    const wholes = shuffled.map((part) => collector.add(transferOf(part.data, 'gzip'), { chunk: part.chunk })).filter((whole) => whole !== undefined)
    expect(wholes).toHaveLength(1)
    expect(await unpackContext(wholes[0]!)).toEqual({ ok: true, value: large })
  })

  it.each([[{ index: 2, count: 2 }], [{ index: 0, count: 1000 }], [{ index: -1, count: 2 }], [{ index: 0 }], ['first']])('without a place that makes sense are dropped: %j', (chunk) => {
    expect(new ChunkCollector().add(transferOf(packed('{}'), 'gzip'), { chunk })).toBeUndefined()
  })
})
