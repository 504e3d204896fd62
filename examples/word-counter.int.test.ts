import { expect, onTestFinished, test } from 'vitest'
import type { CapabilityRef } from '../protocol/generated/types.ts'
import { AgentClient, newId } from '../sdk/index.ts'
import { silentLog } from '../server/log.ts'
import { startServer } from '../server/start.ts'
import { memoryResources } from '../server/testing/authority-fixture.ts'
import { selectionBasis, workContract } from '../server/testing/documents.ts'
import { accepted, enrol, inHours, register } from '../server/testing/sdk-clients.ts'
import { runWordCounter } from './word-counter.ts'

const capability: CapabilityRef = { id: 'example.word-count', version: '1.0.0' }

test('the smallest worker takes an offer, does the work and hands it in', async () => {
  const server = await startServer({ resources: memoryResources(), log: silentLog() })
  onTestFinished(() => server.stop())
  const connect = async (name: string) => AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, ...(await register(server, name, [capability])) })
  const [coordinator, counter] = await Promise.all([connect('Coordinator'), connect('Word counter')])
  onTestFinished(async () => void (await Promise.all([coordinator, counter].map((client) => client.close()))))
  void runWordCounter(counter)

  const ada = await enrol(server, 'Ada')
  const deadline = inHours(1)
  const budget = { toolCallLimit: 10 }
  const { acceptanceCriteria } = workContract()
  const { missionId, groupId } = await ada.createMission({ title: 'Count', objective: 'Count words.', coordinatorAgentId: coordinator.agentId, definitionOfDone: acceptanceCriteria, budget, deadline })
  const following = coordinator.subscribe(groupId, { after: 0 })
  await following.next()
  const workItemId = newId()
  const contract = workContract({ goal: 'Count these four words', requiredCapabilities: [capability], budget, deadline })
  accepted(await coordinator.submit('membership.change', { member: { type: 'agent', id: counter.agentId }, role: 'worker' }, { groupId }))
  accepted(await coordinator.submit('work.authorize', { workItemId, contract }, { groupId, workItemId }))
  accepted(await coordinator.submit('work.offer', { workItemId, candidateAgentIds: [counter.agentId], selectionBasis: selectionBasis(capability) }, { groupId, workItemId }))

  const state = async () => (await ada.missionView(missionId)).work[0]?.state
  await expect.poll(state, { timeout: 40_000, interval: 50 }).toBe('submitted')
  const [artifact] = await ada.query<{ contentHash: string }[]>('missions.artifacts', { missionId })
  expect(new TextDecoder().decode(await ada.download(artifact!.contentHash))).toBe('{"words":4}')
})
