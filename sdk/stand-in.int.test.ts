// What an Agent is shown in place of words that it may not read, over a real socket.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EventDocument, Message } from '../protocol/generated/types.ts'
import { silentLog } from '../server/log.ts'
import type { RunningServer } from '../server/start.ts'
import { startServer } from '../server/start.ts'
import { memoryResources } from '../server/testing/authority-fixture.ts'
import { enrol, inHours, register } from '../server/testing/sdk-clients.ts'
import type { HumanClient } from './index.ts'
import { AgentClient, isOriginalOf, newId, standInOf } from './index.ts'

let server: RunningServer
let owner: HumanClient
let client: AgentClient
let groupId: string
let missionId: string

beforeEach(async () => {
  server = await startServer({ resources: memoryResources(), log: silentLog() })
  owner = await enrol(server, 'Ada')
  const coordinator = await register(server, 'Coordinator', [{ id: 'countersign.coordination', version: '1.0.0' }])
  ;({ groupId, missionId } = await owner.createMission({
    title: 'Release', coordinatorAgentId: coordinator.agentId, objective: 'Release it.', budget: { toolCallLimit: 10 }, deadline: inHours(24),
    definitionOfDone: [{ criterionId: 'done', description: 'It is released.', evidenceRequired: ['human_review'] }],
  }))
  client = await AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, ...coordinator })
})
afterEach(async () => {
  await client.close()
  await server.stop()
})

async function readTo(sequence: number): Promise<EventDocument[]> {
  const events: EventDocument[] = []
  for await (const event of client.subscribe(groupId, { after: 0 })) {
    events.push(event)
    if (event.sequence === sequence) break
  }
  return events
}

const messageOf = ({ payload }: EventDocument) => (payload as unknown as { message: Message }).message

test('A-125, A-138: a redacted Message comes as a stand-in that says why, and tells its original from any other', async () => {
  await owner.post(missionId, 'The door code is 4711.')
  const [created, original] = await readTo(2)
  await owner.submit('message.redact', { amendmentId: newId(), messageId: messageOf(original!).messageId, reason: 'It opens a door.' }, { groupId, membershipEpoch: 1 })
  const shown = (await readTo(3))[1]!
  const standIn = standInOf(shown)!
  expect(standIn).toMatchObject({ because: 'redacted', redactedBy: 3 })
  expect(JSON.stringify(shown)).not.toContain('4711')
  expect([isOriginalOf(standIn, original!), isOriginalOf(standIn, shown), isOriginalOf(standIn, created!)]).toEqual([true, false, false])
  expect([standInOf(original!), standInOf(created!)]).toEqual([undefined, undefined])
})
