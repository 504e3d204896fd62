import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ArtifactStore } from '../service/ports.ts'
import { ArtifactDamaged, openArtifactFolder } from './artifact-folder.ts'

const text = (value: string) => new TextEncoder().encode(value)
const hashOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const pathOf = (folder: string, contentHash: string) => join(folder, contentHash.slice(7, 9), contentHash.slice(9, 11), contentHash.slice(7))

async function* chunks(...parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* parts
}

describe('artifact folder', () => {
  let folder: string
  let store: ArtifactStore
  const options = { mediaType: 'text/plain', maxBytes: 1000, uploadedBy: 'urn:x:ada' }
  const incoming = () => readdir(join(folder, 'incoming'))

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'artifacts-'))
    store = await openArtifactFolder(folder)
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('names content by the hash and size that it observed', async () => {
    const bytes = text('hello, world')
    const stored = await store.put(chunks(bytes.subarray(0, 5), bytes.subarray(5)), options)
    expect(stored).toEqual({ contentHash: hashOf(bytes), sizeBytes: 12, mediaType: 'text/plain' })
    expect([...(await store.read(hashOf(bytes)))!]).toEqual([...bytes])
    expect(await store.find(hashOf(bytes))).toEqual({ ...(stored as object), uploadedBy: 'urn:x:ada' })
    expect(await incoming()).toEqual([])
  })

  it('keeps empty content', async () => {
    await store.put(chunks(), options)
    expect(await store.read(hashOf(text('')))).toHaveLength(0)
  })

  it('stops an upload at the first byte over the limit and keeps nothing', async () => {
    let isExhausted = false
    async function* endless() {
      for (let index = 0; index < 3; index += 1) yield new Uint8Array(600)
      isExhausted = true
    }
    expect(await store.put(endless(), options)).toBe('too-large')
    expect(isExhausted).toBe(false)
    expect(await readdir(folder)).toEqual(['incoming'])
    expect(await incoming()).toEqual([])
    expect(await store.put(chunks(new Uint8Array(1000)), options)).toMatchObject({ sizeBytes: 1000 })
  })

  it('keeps nothing of an upload that breaks off, and passes the cause on', async () => {
    async function* broken() {
      yield text('half')
      throw new RangeError('connection reset')
    }
    await expect(store.put(broken(), options)).rejects.toThrow(RangeError)
    expect(await readdir(folder)).toEqual(['incoming'])
    expect(await incoming()).toEqual([])
  })

  it('knows everybody who stored the same content, and nobody else (A-239)', async () => {
    const [bytes, others] = [text('same'), text('other')]
    await store.put(chunks(bytes), options)
    for (const uploadedBy of ['urn:x:ben', '../../ben', 'urn:x:ada']) await store.put(chunks(bytes), { ...options, uploadedBy })
    await store.put(chunks(others), options)
    const again = await openArtifactFolder(folder)
    const isFrom = (hash: string, ids: readonly string[]) => Promise.all(ids.map((id) => again.isFrom(hash, id)))
    expect(await isFrom(hashOf(bytes), ['urn:x:ada', 'urn:x:ben', '../../ben', 'urn:x:cleo'])).toEqual([true, true, true, false])
    expect(await isFrom(hashOf(others), ['urn:x:ada', 'urn:x:ben'])).toEqual([true, false])
    expect(await isFrom(hashOf(text('unknown')), ['urn:x:ada'])).toEqual([false])
    expect(await again.find(hashOf(bytes))).toMatchObject({ uploadedBy: 'urn:x:ada' })
  })

  it('takes the same content from many at once and keeps one record', async () => {
    const bytes = text('same')
    const puts = Array.from({ length: 12 }, (_, index) => store.put(chunks(bytes), { ...options, uploadedBy: `urn:x:${index}`, mediaType: `text/x-${index}` }))
    const stored = await Promise.all(puts)
    const kept = await store.find(hashOf(bytes))
    expect(new Set(stored.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(stored[0]).toMatchObject({ mediaType: kept!.mediaType })
    expect([...(await store.read(hashOf(bytes)))!]).toEqual([...bytes])
    expect(await incoming()).toEqual([])
  })

  it.each(['sha256:../../../etc/passwd', 'sha256:', `sha256:${'A'.repeat(64)}`, `sha512:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}\n`, 'incoming'])(
    'knows nothing under the name %j (8.11)',
    async (name) => {
      expect(await store.find(name)).toBeUndefined()
      expect(await store.read(name)).toBeUndefined()
    },
  )

  it('knows nothing under a hash that was never stored', async () => {
    expect(await store.find(hashOf(text('other')))).toBeUndefined()
    expect(await store.read(hashOf(text('other')))).toBeUndefined()
  })

  it.each([
    ['other bytes of the same length', 'jello'],
    ['longer bytes', 'hello and more'],
    ['no bytes', ''],
  ])('throws for %s under the name and heals when the content comes again', async (_name, damaged) => {
    const bytes = text('hello')
    await store.put(chunks(bytes), options)
    await writeFile(pathOf(folder, hashOf(bytes)), damaged)
    await expect(store.read(hashOf(bytes))).rejects.toThrow(ArtifactDamaged)
    await store.put(chunks(bytes), options)
    expect([...(await store.read(hashOf(bytes)))!]).toEqual([...bytes])
  })

  it('does not know content whose record is missing: the upload never finished', async () => {
    const bytes = text('unfinished')
    const path = pathOf(folder, hashOf(bytes))
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, bytes)
    expect(await store.find(hashOf(bytes))).toBeUndefined()
    expect(await store.read(hashOf(bytes))).toBeUndefined()
  })

  it('removes abandoned uploads at the start and leaves recent ones', async () => {
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000)
    await writeFile(join(folder, 'incoming', 'old'), 'x')
    await utimes(join(folder, 'incoming', 'old'), old, old)
    await writeFile(join(folder, 'incoming', 'recent'), 'x')
    await openArtifactFolder(folder)
    expect(await incoming()).toEqual(['recent'])
  })
})
