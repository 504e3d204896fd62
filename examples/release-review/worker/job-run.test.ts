import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorkContract } from '../../../protocol/generated/types.ts'
import { workContract } from '../../../server/testing/documents.ts'
import type { Job } from '../review-jobs.ts'
import type { JobInput } from './job-run.ts'
import { JobFailure, runJob } from './job-run.ts'

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'job-'))))
afterEach(() => rm(folder, { recursive: true }))

const lock = (packages: Record<string, unknown>) => writeFile(join(folder, 'package-lock.json'), JSON.stringify({ name: 'thing', lockfileVersion: 3, packages }))
const run = (job: Job, changes: Partial<JobInput> = {}, contract: Partial<WorkContract> = {}) =>
  runJob({ job, contract: workContract(contract), folder, known: {}, downloads: 0, ...changes })
const textOf = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes)

test('counts every file and artifact that is read as a tool call, and begun seconds (A-198)', async () => {
  await lock({ 'node_modules/a': { version: '1.0.0', license: 'MIT' }, 'node_modules/silent': { version: '1.0.0' } })
  await writeFile(join(folder, 'README.md'), '# Read me')
  expect((await run('inventory')).usage).toMatchObject({ toolCalls: 2, wallClockSeconds: 1 })
  expect((await run('links')).usage.toolCalls).toBe(1)
  const { content } = await run('inventory')
  if (content.job !== 'inventory') throw new Error('another job was run')
  expect((await run('licences', { known: { inventory: content.inventory }, downloads: 1 })).usage.toolCalls).toBe(1)
})

test('the same input gives the same bytes', async () => {
  await lock({ 'node_modules/b': { version: '1.0.0', license: 'MIT' }, 'node_modules/a': { version: '1.0.0', license: 'ISC' } })
  const [one, other] = [await run('inventory'), await run('inventory')]
  expect(one.bytes).toEqual(other.bytes)
})

test('takes the allowed licences from the contract, and permissive ones without any', async () => {
  await lock({ 'node_modules/a': { version: '1.0.0', license: 'GPL-3.0-only' } })
  const { content } = await run('inventory')
  if (content.job !== 'inventory') throw new Error('another job was run')
  const known = { inventory: content.inventory }
  expect(textOf(await run('licences', { known }))).toContain('GPL-3.0-only,denied')
  expect(textOf(await run('licences', { known }, { constraints: { allowedLicences: ['GPL-3.0-only'] } }))).toContain('GPL-3.0-only,allowed')
  expect(textOf(await run('licences', { known }, { constraints: { allowedLicences: 'all of them' } }))).toContain('GPL-3.0-only,denied')
})

test.each<[Job, string]>([
  ['inventory', 'The folder has no package-lock.json that can be read.'],
  ['report', 'An artifact that this work builds on is missing or is not what its contract says.'],
])('%s fails with a sentence and a code for the retry policy when its input is not there', async (job, message) => {
  const failure = await run(job).catch((fault: unknown) => fault)
  expect(failure).toBeInstanceOf(JobFailure)
  expect(failure).toMatchObject({ code: 'INPUT_UNUSABLE', message })
})
