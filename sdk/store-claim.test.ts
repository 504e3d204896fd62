import { readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimFile } from './store-claim.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'claim-'))
  path = join(folder, 'agent.sqlite')
})
afterEach(() => rm(folder, { recursive: true }))

/** Leaves a claim like that of this process, with one part of its name changed: host, pid or start. */
function leaveClaim(change: (parts: string[]) => void): string {
  const release = claimFile(path)
  const [mine = ''] = readdirSync(folder)
  release()
  const parts = mine.slice('agent.sqlite.owner-'.length).split('-')
  change(parts)
  const name = `agent.sqlite.owner-${parts.join('-')}`
  writeFileSync(join(folder, name), '')
  return name
}

test('A-173: a file is claimed once, and again when it was given up', () => {
  const release = claimFile(path)
  expect(() => claimFile(path)).toThrow('open already')
  release()
  expect(readdirSync(folder)).toEqual([])
  claimFile(path)()
})

test('A-173: claims of different files do not meet', () => {
  claimFile(path)
  claimFile(`${path}.other`)
  expect(readdirSync(folder)).toHaveLength(2)
})

test.skipIf(process.platform !== 'linux')('A-173: the claim of a process whose pid another one has now counts for nothing, and is removed', () => {
  const left = leaveClaim((parts) => (parts[2] = 'anotherstart'))
  const release = claimFile(path)
  expect(readdirSync(folder)).not.toContain(left)
  release()
})

test('A-173: the claim of a process that is gone counts for nothing', () => {
  leaveClaim((parts) => (parts[1] = '2147483647'))
  claimFile(path)
  expect(readdirSync(folder)).toHaveLength(1)
})

test('A-173: what another machine claims stands, and the refusal leaves no claim behind', () => {
  const left = leaveClaim((parts) => (parts[0] = 'elsewhere'))
  expect(() => claimFile(path)).toThrow(`delete ${left}`)
  expect(readdirSync(folder)).toEqual([left])
})
