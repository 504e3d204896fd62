// The demonstration as `npm run up -- --demo` starts it: one process that keeps three others alive.
import type { ChildProcess } from 'node:child_process'
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openArtifactFolder } from '../../../server/artifacts/artifact-folder.ts'
import { silentLog } from '../../../server/log.ts'
import { loadOrganizationKeys } from '../../../server/service/organization-keys.ts'
import type { RunningServer, ServerOptions } from '../../../server/start.ts'
import { startServer } from '../../../server/start.ts'
import { createMemoryStore } from '../../../server/testing/memory-store.ts'

const PATIENCE = { timeout: 60_000, interval: 100 }
/** Eight processes are started here. */
const TEST_TIMEOUT = 240_000
// Inside the project, so that the bundle finds its packages.
const bundle = resolve(import.meta.dirname, `../../../node_modules/.cache/countersign-demo-${process.pid}.mjs`)

let data: string
let resources: ServerOptions['resources']
let server: RunningServer
let demo: ChildProcess
let output = ''

beforeAll(() => build({ entryPoints: [resolve(import.meta.dirname, '../main.ts')], outfile: bundle, bundle: true, platform: 'node', format: 'esm', packages: 'external' }))
afterAll(() => rm(bundle))
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'demo-'))
  const store = createMemoryStore()
  const organization = await loadOrganizationKeys(data, { name: 'Test', now: store.clock.now() })
  resources = { store, organization, artifacts: await openArtifactFolder(join(data, 'artifacts')) }
  server = await startServer({ resources, dataDir: data, log: silentLog() })
  start()
})
afterEach(async () => {
  if (demo.exitCode === null && demo.signalCode === null) await stop()
  await server.stop()
  await rm(data, { recursive: true })
})

function start(): void {
  output = ''
  demo = fork(bundle, ['--data', data, '--folder', data], { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  demo.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()))
}

async function stop(): Promise<number> {
  demo.kill('SIGTERM')
  const [code] = (await once(demo, 'exit')) as [number]
  return code
}

const cards = () => server.service.identities.cards()
const online = () => cards().filter(({ agentId }) => server.service.sessions.isOnline(agentId)).map(({ displayName }) => displayName).sort()
const everybody = ['Inventory and licences worker', 'Links and report worker', 'Release coordinator']

test('registers its agents once, with keys that only their owner can read, and ends when it is told to', async () => {
  await expect.poll(online, PATIENCE).toEqual(everybody)
  expect(cards().flatMap(({ capabilities }) => capabilities.map(({ id }) => id)).sort()).toEqual(['countersign.coordination', 'release.inventory', 'release.licence-policy', 'release.link-check', 'release.report'])
  expect((await stat(join(data, 'demo/agents.json'))).mode & 0o777).toBe(0o600)
  const keys = await readFile(join(data, 'demo/agents.json'), 'utf8')
  // The server knows of a session before its line has come through the pipe.
  await expect.poll(() => output.trim().split('\n').sort(), PATIENCE).toEqual(everybody.map((name) => `${name} is connected.`))
  expect(await stop()).toBe(0)
  await expect.poll(online, PATIENCE).toEqual([])

  start()
  await expect.poll(online, PATIENCE).toEqual(everybody)
  expect(await readFile(join(data, 'demo/agents.json'), 'utf8')).toBe(keys)
  expect(cards().map(({ cardVersion }) => cardVersion)).toEqual([1, 1, 1])
}, TEST_TIMEOUT)

test('a server that was away is found again, a crashed agent comes back, and none outlives the process that started it', async () => {
  await expect.poll(online, PATIENCE).toEqual(everybody)
  const { port } = server
  await server.stop()
  server = await startServer({ resources, port, dataDir: data, log: silentLog() })
  await expect.poll(online, PATIENCE).toEqual(everybody)

  const [crashed] = execFileSync('pgrep', ['-P', String(demo.pid)]).toString().split('\n').map(Number)
  process.kill(crashed!, 'SIGKILL')
  await expect.poll(() => output, PATIENCE).toContain('stopped; next attempt in 0.5 s.')
  await expect.poll(online, PATIENCE).toEqual(everybody)

  demo.kill('SIGKILL')
  await expect.poll(online, PATIENCE).toEqual([])
}, TEST_TIMEOUT)
