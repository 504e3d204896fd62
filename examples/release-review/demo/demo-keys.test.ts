import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadDemoKeys } from './demo-keys.ts'
import { ROLES } from './roster.ts'

let data = ''
beforeEach(async () => (data = await mkdtemp(join(tmpdir(), 'keys-'))))
afterEach(() => rm(data, { recursive: true }))

test('makes one key for each agent, for its owner’s eyes only, and keeps it', async () => {
  const keys = await loadDemoKeys(data)
  expect(new Set(ROLES.map((role) => keys[role].agentId)).size).toBe(3)
  expect(new Set(ROLES.map((role) => Buffer.from(keys[role].seed).toString('hex'))).size).toBe(3)
  expect((await stat(join(data, 'demo/agents.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(data, 'demo'))).mode & 0o777).toBe(0o700)
  expect(await loadDemoKeys(data)).toEqual(keys)
})

test('a damaged file is no reason to make other keys', async () => {
  await mkdir(join(data, 'demo'))
  await writeFile(join(data, 'demo/agents.json'), '{"coordinator":{"agentId":"urn:uuid:1"}}')
  await expect(loadDemoKeys(data)).rejects.toThrow()
})
