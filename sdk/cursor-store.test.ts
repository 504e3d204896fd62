import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FileCursorStore, MemoryCursorStore } from './cursor-store.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cursors-'))
  path = join(folder, 'cursors.json')
})
afterEach(() => rm(folder, { recursive: true }))

test('a position survives the process', async () => {
  await new FileCursorStore(path).save('urn:test:a', 7)
  const reopened = new FileCursorStore(path)
  expect(await reopened.load('urn:test:a')).toBe(7)
  expect(await reopened.load('urn:test:b')).toBeUndefined()
})

test('Groups do not overwrite one another', async () => {
  const store = new FileCursorStore(path)
  await Promise.all([store.save('urn:test:a', 1), store.save('urn:test:b', 2), store.save('urn:test:a', 3)])
  const reopened = new FileCursorStore(path)
  expect(await reopened.load('urn:test:a')).toBe(3)
  expect(await reopened.load('urn:test:b')).toBe(2)
})

test('a save resolves only once the position is on disk, and many share one write', async () => {
  const store = new FileCursorStore(path)
  for (let sequence = 1; sequence <= 20; sequence++) {
    await Promise.all([store.save('urn:test:a', sequence), store.save('urn:test:a', sequence)])
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ 'urn:test:a': sequence })
  }
})

test('only its owner may read the file, and no half-written one is left', async () => {
  await new FileCursorStore(path).save('urn:test:a', 1)
  expect((await stat(path)).mode & 0o077).toBe(0)
  expect(await readdir(folder)).toEqual(['cursors.json'])
})

test.each(['{', '{"urn:test:a":"7"}', '{"urn:test:a":1.5}'])('a damaged file %s is a fault, not a fresh start', async (text) => {
  await writeFile(path, text)
  await expect(new FileCursorStore(path).load('urn:test:a')).rejects.toThrow()
})

test('a failed write rejects and the next one succeeds', async () => {
  const missing = join(folder, 'missing')
  const store = new FileCursorStore(join(missing, 'cursors.json'))
  await expect(store.save('urn:test:a', 1)).rejects.toThrow('ENOENT')
  await mkdir(missing)
  await store.save('urn:test:a', 2)
  expect(await store.load('urn:test:a')).toBe(2)
})

test('the store in memory keeps positions as long as it lives', async () => {
  const store = new MemoryCursorStore()
  await store.save('urn:test:a', 7)
  expect(await store.load('urn:test:a')).toBe(7)
})
