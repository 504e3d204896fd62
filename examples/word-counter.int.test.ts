import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { encodeBase64url } from '../protocol/base64url.ts'
import { publicKeyOf } from '../protocol/ed25519-sign.ts'
import type { CapabilityRef } from '../protocol/generated/types.ts'
import { AgentClient, HumanClient, newId } from '../sdk/index.ts'
import { openArtifactFolder } from '../server/artifacts/artifact-folder.ts'
import { silentLog } from '../server/log.ts'
import { loadOrganizationKeys } from '../server/service/organization-keys.ts'
import { startServer } from '../server/start.ts'
import { selectionBasis, workContract } from '../server/testing/documents.ts'
import { createMemoryStore } from '../server/testing/memory-store.ts'
import { runWordCounter } from './word-counter.ts'

const capability: CapabilityRef = { id: 'example.word-count', version: '1.0.0' }

test('the smallest worker takes an offer, does the work and hands it in', async () => {
  const data = await mkdtemp(join(tmpdir(), 'counter-'))
  const store = createMemoryStore()
  const organization = await loadOrganizationKeys(data, { name: 'Test', now: store.clock.now() })
  const server = await startServer({ resources: { store, organization, artifacts: await openArtifactFolder(join(data, 'artifacts')) }, log: silentLog() })
  onTestFinished(async () => {
    await server.stop()
    await rm(data, { recursive: true })
  })
  const connect = async (name: string) => {
    const seed = randomBytes(32)
    const added = await server.service.identities.addAgent({ name, publicKey: encodeBase64url(publicKeyOf(seed)), capabilities: [capability] })
    if (!added.ok) throw new Error(added.error.reason)
    return AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, seed, ...added.value })
  }
  const [coordinator, counter] = await Promise.all([connect('Coordinator'), connect('Word counter')])
  onTestFinished(async () => void (await Promise.all([coordinator, counter].map((client) => client.close()))))
  void runWordCounter(counter)

  const { token } = await server.service.identities.invite({ name: 'Ada', isAdmin: true, ttlSeconds: 60 })
  const ada = await HumanClient.enrol(server.origin, { token, name: 'Ada' })
  const deadline = new Date(Date.now() + 3_600_000).toISOString()
  const budget = { toolCallLimit: 10 }
  const { acceptanceCriteria } = workContract()
  const { missionId, groupId } = await ada.createMission({ title: 'Count', objective: 'Count words.', coordinatorAgentId: coordinator.agentId, definitionOfDone: acceptanceCriteria, budget, deadline })
  const following = coordinator.subscribe(groupId, { after: 0 })
  await following.next()
  const workItemId = newId()
  const contract = workContract({ goal: 'Count these four words', requiredCapabilities: [capability], budget, deadline })
  const basis = { ...selectionBasis(), requiredCapabilities: [capability], verifiedMatches: [capability] }
  for (const receipt of [
    await coordinator.submit('membership.change', { member: { type: 'agent', id: counter.agentId }, role: 'worker' }, { groupId }),
    await coordinator.submit('work.authorize', { workItemId, contract }, { groupId, workItemId }),
    await coordinator.submit('work.offer', { workItemId, candidateAgentIds: [counter.agentId], selectionBasis: basis }, { groupId, workItemId }),
  ]) expect(receipt).toMatchObject({ ok: true })

  const state = async () => (await ada.missionView(missionId)).work[0]?.state
  await expect.poll(state, { timeout: 40_000, interval: 50 }).toBe('submitted')
  const [artifact] = await ada.query<{ contentHash: string }[]>('missions.artifacts', { missionId })
  expect(new TextDecoder().decode(await ada.download(artifact!.contentHash))).toBe('{"words":4}')
})
