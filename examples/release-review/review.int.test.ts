// The three agents against the real server, from a Mission that a person creates to the revision that this person approves.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicKeyOf } from '../../protocol/ed25519-sign.ts'
import { encodeBase64url } from '../../protocol/base64url.ts'
import type { MissionCreatePayload } from '../../protocol/generated/types.ts'
import type { HumanClient } from '../../sdk/index.ts'
import { AgentClient } from '../../sdk/index.ts'
import { silentLog } from '../../server/log.ts'
import type { ApprovalView } from '../../server/service/views.ts'
import type { RunningServer } from '../../server/start.ts'
import { startServer } from '../../server/start.ts'
import { memoryResources } from '../../server/testing/authority-fixture.ts'
import { enrol, inHours } from '../../server/testing/sdk-clients.ts'
import type { AgentKey } from './demo/demo-keys.ts'
import { loadDemoKeys } from './demo/demo-keys.ts'
import type { Role } from './demo/roster.ts'
import { ROLES, ROSTER } from './demo/roster.ts'
import { JOB_DESCRIPTIONS, JOBS } from './review-jobs.ts'

const PATIENCE = { timeout: 50_000, interval: 50 }

let data: string
let folder: string
let resources: ReturnType<typeof memoryResources>
let server: RunningServer
let keys: Readonly<Record<Role, AgentKey>>
let ada: HumanClient
const running = new Map<Role, AgentClient>()

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'review-data-'))
  folder = await mkdtemp(join(tmpdir(), 'review-folder-'))
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'README.md'), '# Thing\n\n[manual](docs/manual.md) [gone](docs/gone.md) [web](https://example.org)\n')
  await writeFile(join(folder, 'docs/manual.md'), '# Manual\n\n[back](../README.md#thing)\n')
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({
    name: 'thing',
    lockfileVersion: 3,
    packages: { '': {}, 'node_modules/a': { version: '1.0.0', license: 'MIT' }, 'node_modules/b': { version: '2.0.0', license: 'MPL-2.0' }, 'node_modules/c': { version: '3.0.0', license: 'GPL-3.0-only', dev: true } },
  }))
  resources = memoryResources()
  server = await startServer({ resources, log: silentLog() })
  keys = await loadDemoKeys(data)
  ada = await enrol(server, 'Ada')
})
afterEach(async () => {
  await Promise.all([...running.values()].map((client) => client.close()))
  running.clear()
  await server.stop()
  await Promise.all([data, folder].map((path) => rm(path, { recursive: true })))
})

async function employ(role: Role): Promise<void> {
  const { agentId, keyId, seed } = keys[role]
  const { name, capabilities, run } = ROSTER[role]
  const added = await server.service.identities.addAgent({ agentId, keyId, name, capabilities: [...capabilities], publicKey: encodeBase64url(publicKeyOf(seed)) })
  if (!added.ok) throw new Error(added.error.reason)
  const client = await AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, agentId, keyId, seed, backoff: { firstMs: 5, maxMs: 50 } })
  running.set(role, client)
  void run(client, { folder, report: () => undefined })
}

async function dismiss(role: Role): Promise<void> {
  await running.get(role)?.close()
  running.delete(role)
}

async function restartServer(): Promise<void> {
  const { port } = server
  await server.stop()
  server = await startServer({ resources, port, log: silentLog() })
}

async function createMission(changes: Partial<MissionCreatePayload> = {}): Promise<string> {
  const { missionId, receipt } = await ada.createMission({
    title: 'Release review',
    objective: 'Review the folder before its release.',
    coordinatorAgentId: keys.coordinator.agentId,
    definitionOfDone: JOBS.map((job) => JOB_DESCRIPTIONS[job].criterion),
    budget: { toolCallLimit: 1000, computeSecondsLimit: 3600, wallClockSecondsLimit: 3600 },
    deadline: inHours(1),
    coordinatorLeaseSeconds: 900,
    ...changes,
  })
  if (!receipt.ok) throw new Error(receipt.error.message)
  return missionId
}

/** What the approver sees of this submission, once it is there. */
async function submission(missionId: string, submissionNumber: number): Promise<ApprovalView & { pending: NonNullable<ApprovalView['pending']> }> {
  const view = () => ada.query<ApprovalView>('missions.approval', { missionId })
  await expect.poll(async () => (await view()).pending?.submissionNumber, PATIENCE).toBe(submissionNumber)
  const { pending, ...rest } = await view()
  return { ...rest, pending: pending! }
}

async function textOf(view: ApprovalView, name: string): Promise<string> {
  const hash = view.artifacts.find((artifact) => artifact.name === name)?.contentHash
  return new TextDecoder().decode(await ada.download(hash ?? ''))
}

const unsatisfied = (view: ApprovalView) => view.criteria.filter(({ satisfied }) => !satisfied).map(({ criterionId }) => criterionId)

test('a person gets a review, names a licence to allow, and approves the second revision', async () => {
  await Promise.all(ROLES.map(employ))
  const missionId = await createMission()

  const first = await submission(missionId, 1)
  expect(first.artifacts.map(({ name }) => name).sort()).toEqual(['inventory.json', 'licences.csv', 'links.json', 'report.md'])
  expect(first.pending.openRisks).toEqual([
    '1 package under GPL-3.0-only, which is not on the list of allowed licences',
    '1 package under MPL-2.0, which is not on the list of allowed licences',
    '1 broken link in the Markdown files',
  ])
  expect(unsatisfied(first)).toEqual(['licences', 'links'])
  expect(await textOf(first, 'licences.csv')).toContain('b,2.0.0,MPL-2.0,denied,MPL-2.0 not on the list')

  await ada.requestChanges(missionId, 'Allow MPL-2.0 and GPL-3.0-only, the latter is for development only.')
  const second = await submission(missionId, 2)
  expect(Object.fromEntries(second.artifacts.map(({ name, change }) => [name, change]))).toEqual({ 'inventory.json': 'same', 'links.json': 'same', 'licences.csv': 'changed', 'report.md': 'changed' })
  expect(unsatisfied(second)).toEqual(['links'])
  expect(await textOf(second, 'report.md')).toContain('> Allow MPL-2.0 and GPL-3.0-only')

  expect(await ada.approve(missionId, 'The broken link is known.')).toMatchObject({ ok: true })
  expect((await ada.missionView(missionId)).state).toBe('approved')
  expect(await ada.receipt(missionId)).toBeDefined()
})

test('the same folder gives the same artifacts', async () => {
  await Promise.all(ROLES.map(employ))
  const missionIds = [await createMission(), await createMission()]
  const [one, other] = await Promise.all(missionIds.map((missionId) => submission(missionId, 1)))
  expect(one?.pending.artifactHashes).toEqual(other?.pending.artifactHashes)
})

test('the server and every agent may go down and come back at any step', async () => {
  await Promise.all(ROLES.map(employ))
  const missionId = await createMission()
  const workIn = async (state: string) => (await ada.missionView(missionId)).work.filter((item) => item.state === state).length
  await expect.poll(() => workIn('verified'), PATIENCE).toBeGreaterThan(0)
  await restartServer()
  for (const role of ROLES) {
    await dismiss(role)
    await employ(role)
  }
  await restartServer()
  const { mission, pending } = await submission(missionId, 1)
  expect(pending.artifactHashes).toHaveLength(4)
  expect(mission.work).toHaveLength(4)
})

test('a folder without a lock file fails for a stated reason, and “again” goes on once it is there', async () => {
  await rm(join(folder, 'package-lock.json'))
  await Promise.all(ROLES.map(employ))
  const missionId = await createMission()
  const reasons = async () => (await ada.query<ApprovalView['mission']>('missions.view', { missionId })).work.flatMap(({ blockers }) => blockers.map(({ sentence }) => sentence))
  await expect.poll(reasons, PATIENCE).toContain('Failed: The folder has no package-lock.json that can be read.')
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ name: 'thing', lockfileVersion: 3, packages: {} }))
  await ada.post(missionId, 'The file is there, please try again.', { mentions: [{ type: 'agent', id: keys.coordinator.agentId }] })
  expect((await submission(missionId, 1)).pending.summary).toMatch(/^0 dependencies listed/)
})
