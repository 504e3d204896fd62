// The door in front of the real authority: what a small stand-in cannot prove.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeBase64url } from '../../../protocol/base64url.ts'
import { canonicalText } from '../../../protocol/canonical-json.ts'
import type { Frame, Actor } from '../../../protocol/generated/types.ts'
import type { HumanClient } from '../../../sdk/index.ts'
import { buildCommand, Identity, newId } from '../../../sdk/index.ts'
import { silentLog } from '../../log.ts'
import type { RunningServer } from '../../start.ts'
import { startServer } from '../../start.ts'
import { memoryResources } from '../../testing/authority-fixture.ts'
import { enrol, inHours, register } from '../../testing/sdk-clients.ts'
import { CLOSE_CODES } from './close-codes.ts'
import type { TestAgent } from './testing/fake-service.ts'
import { envelope, RawClient } from './testing/raw-client.ts'

let resources: ReturnType<typeof memoryResources>
let server: RunningServer
let owner: HumanClient
let coordinator: TestAgent
let groupId: string
let missionId: string
let url: string

beforeEach(async () => {
  resources = memoryResources()
  server = await startServer({ resources, log: silentLog() })
  url = `ws://127.0.0.1:${server.port}/mwp`
  owner = await enrol(server, 'Ada')
  coordinator = await agent('Coordinator')
  const created = await owner.createMission({
    title: 'Release',
    coordinatorAgentId: coordinator.agentId,
    objective: 'Release it.',
    definitionOfDone: [{ criterionId: 'done', description: 'It is released.', evidenceRequired: ['human_review'] }],
    budget: { toolCallLimit: 10 },
    deadline: inHours(24),
  })
  ;({ groupId, missionId } = created)
})
afterEach(async () => {
  await server.stop()
})

const agent = (name: string): Promise<TestAgent> => register(server, name, [{ id: 'countersign.coordination', version: '1.0.0' }])

const actorOf = ({ agentId }: TestAgent): Actor => ({ type: 'agent', id: agentId })

async function message(agent: TestAgent, sessionEpoch: number, text = 'hello') {
  const identity = new Identity(actorOf(agent), agent.keyId, agent.seed)
  const payload = { messageId: newId(), content: [{ type: 'text' as const, text }], authority: false as const }
  const target = { groupId, conversationId: `${groupId}:mission`, sessionEpoch, membershipEpoch: 1 }
  return (await buildCommand(identity, 'message.post', payload, target)).command
}

/** What is sent here in a moment is more than people and Agents have to say to each other in a minute. */
async function liftMessageRate(): Promise<void> {
  const { spaceId, current } = server.service.policy
  const policy = { ...current, version: current.version + 1, limits: { ...current.limits, messagesPerMinute: 10_000 } }
  await owner.submit('ext.countersign.policy.change', { policy, reason: 'This is a test of delivery.' }, { groupId: spaceId, membershipEpoch: 1, expectedRevision: current.version })
}

const send = (client: RawClient, command: object) => client.send({ ...envelope(), frameType: 'COMMAND', command })
const receiptsOf = (client: RawClient, actionId: string) =>
  client.texts.filter((text) => text.includes('"EVENT"') && text.includes(`"cause":{"id":"${actionId}"`))
const eventTextOf = (frame: string) => frame.slice(frame.indexOf('{"event":') + 9, frame.lastIndexOf(',"frameId":'))

test('the challenge is the agreed transcript, bound to this server and this purpose (A-34, O-2)', async () => {
  const client = await RawClient.authenticated(url, coordinator)
  const { challenge, clientNonce, serverNonce } = client.received[0] as Extract<Frame, { phase: 'server_challenge' }>
  const text = new TextDecoder().decode(decodeBase64url(challenge))
  const transcript = JSON.parse(text) as Record<string, string>
  expect(canonicalText(transcript)).toBe(text)
  expect(Object.keys(transcript)).toEqual([
    'agentId', 'audience', 'challengeId', 'clientNonce', 'expiresAt', 'keyId', 'protocolVersion', 'purpose', 'serverNonce',
  ])
  const { agentId, keyId } = coordinator
  const purpose = 'missionweaveprotocol.session'
  expect(transcript).toMatchObject({ agentId, keyId, clientNonce, serverNonce, audience: server.origin, protocolVersion: '0.1', purpose })
})

describe('a revoked key', () => {
  test('ends the connection that it opened: nothing more is delivered to it (A-64)', async () => {
    const client = await RawClient.authenticated(url, coordinator)
    client.subscribe(groupId, 0)
    await client.find((frame) => frame.frameType === 'EVENT')
    await server.service.identities.revokeKey(coordinator.keyId)
    await owner.post(missionId, 'For members alone')
    expect(await client.closed).toEqual(CLOSE_CODES.keyEnded)
    expect(client.texts.filter((text) => text.includes('For members alone'))).toEqual([])
  })

  test('is noticed at the next frame even where its end was not told yet', async () => {
    const client = await RawClient.authenticated(url, coordinator)
    const { sessions } = server.service
    Object.assign(sessions, { endOf: () => 'key-ended' })
    client.subscribe(groupId, 0)
    expect(await client.closed).toEqual(CLOSE_CODES.keyEnded)
    expect(client.received.filter((frame) => frame.frameType === 'EVENT')).toEqual([])
  })
})

test('A-35: a replaced session is delivered nothing that happens afterwards', async () => {
  const first = await RawClient.authenticated(url, coordinator)
  first.subscribe(groupId, 0)
  await first.sequencesUpTo(groupId, 1)
  const second = await RawClient.authenticated(url, coordinator)
  second.subscribe(groupId, 1)
  await owner.post(missionId, 'For the present session')
  await second.sequencesUpTo(groupId, 2)
  expect(await first.closed).toEqual(CLOSE_CODES.sessionReplaced)
  expect(first.events(groupId).map(({ sequence }) => sequence)).toEqual([1])
})

describe('receipts', () => {
  test('a Command retried in the same session and in the next one is answered with the same Event (A-222)', async () => {
    const first = await RawClient.authenticated(url, coordinator)
    const command = await message(coordinator, 1)
    send(first, command)
    send(first, command)
    await expect.poll(() => receiptsOf(first, command.actionId)).toHaveLength(2)
    const second = await RawClient.authenticated(url, coordinator)
    expect(await first.closed).toEqual(CLOSE_CODES.sessionReplaced)
    send(second, command)
    await expect.poll(() => receiptsOf(second, command.actionId)).toHaveLength(1)
    const texts = [...receiptsOf(first, command.actionId), ...receiptsOf(second, command.actionId)].map(eventTextOf)
    expect(new Set(texts).size).toBe(1)
  })

  test('a new Command under the epoch of a replaced session is stale (A-35)', async () => {
    await RawClient.authenticated(url, coordinator)
    const second = await RawClient.authenticated(url, coordinator)
    const command = await message(coordinator, 1)
    send(second, command)
    expect(await second.findError('AUTH_STALE_SESSION')).toMatchObject({ relatedActionId: command.actionId, groupId })
  })

  test("another Agent's Command is refused on this connection", async () => {
    const other = await agent('Other')
    const client = await RawClient.authenticated(url, coordinator)
    send(client, await message(other, 1))
    await client.findError('AUTH_FORBIDDEN')
  })

  test('a Command whose signature covers other bytes is refused and leaves no trace', async () => {
    const client = await RawClient.authenticated(url, coordinator)
    const head = await resources.store.log.head(groupId)
    send(client, { ...(await message(coordinator, 1)), issuedAt: '2026-01-01T00:00:00.000Z' })
    await client.findError('AUTH_INVALID_SIGNATURE')
    expect(await resources.store.log.head(groupId)).toBe(head)
    await client.roundTrip()
  })
})

describe('Groups', () => {
  test('an Agent that is no member is told that the Group does not exist (A-239)', async () => {
    const stranger = await agent('Stranger')
    const client = await RawClient.authenticated(url, stranger)
    client.subscribe(groupId, 0)
    const hidden = await client.findError('GROUP_NOT_FOUND')
    client.subscribe('urn:test:nowhere', 0)
    const unknown = await client.find((frame) => frame.frameType === 'ERROR' && frame.error.groupId === 'urn:test:nowhere')
    expect(hidden.message).toBe((unknown as Extract<Frame, { frameType: 'ERROR' }>).error.message)
  })

  test('stored bytes are what is delivered', async () => {
    const client = await RawClient.authenticated(url, coordinator)
    client.subscribe(groupId, 0)
    await client.sequencesUpTo(groupId, 1)
    const [stored] = await resources.store.log.read(groupId, 0, 1)
    expect(eventTextOf(client.texts.find((text) => text.includes('"EVENT"'))!)).toBe(new TextDecoder().decode(stored!.bytes))
  })

  test('an acknowledged position is durable and cannot run ahead (A-234)', async () => {
    const client = await RawClient.authenticated(url, coordinator)
    const acknowledge = (sequence: number) =>
      client.send({ ...envelope(), frameType: 'ACK', acknowledgements: [{ groupId, sequence }], sentAt: new Date().toISOString() })
    acknowledge(1)
    await expect.poll(async () => (await resources.store.directory.loadCursors(coordinator.agentId)).get(groupId)).toBe(1)
    acknowledge(1_000)
    await client.findError('INVALID_COMMAND')
    expect((await resources.store.directory.loadCursors(coordinator.agentId)).get(groupId)).toBe(1)
  })

  test('an acknowledged position outlives the server, and a lower one after that changes nothing (A-234)', async () => {
    await owner.post(missionId, 'One more')
    const acknowledge = (client: RawClient, sequence: number) =>
      client.send({ ...envelope(), frameType: 'ACK', acknowledgements: [{ groupId, sequence }], sentAt: new Date().toISOString() })
    const stored = async () => (await resources.store.directory.loadCursors(coordinator.agentId)).get(groupId)
    acknowledge(await RawClient.authenticated(url, coordinator), 2)
    await expect.poll(stored).toBe(2)
    await server.stop()
    server = await startServer({ resources, log: silentLog() })
    url = `ws://127.0.0.1:${server.port}/mwp`
    const client = await RawClient.authenticated(url, coordinator)
    acknowledge(client, 1)
    acknowledge(client, 1_000)
    await client.findError('INVALID_COMMAND')
    expect(await stored()).toBe(2)
    client.subscribe(groupId, 0)
    expect(await client.sequencesUpTo(groupId, 2)).toEqual([1, 2])
  })

  test('what has left the online log is answered with the signed snapshot, and the rest still flows (A-235, A-273)', async () => {
    await owner.submit('mission.cancel', { reason: 'Enough.' }, { groupId, membershipEpoch: 1 })
    const archived = await server.service.archives.archive(groupId, { isHistoryOffline: true })
    if (!archived.ok) throw new Error(archived.error.reason)
    const { snapshotArtifactHash, throughSequence } = archived.value
    const client = await RawClient.authenticated(url, coordinator)
    client.subscribe(groupId, 0)
    expect(await client.findError('CURSOR_TOO_OLD')).toMatchObject({ groupId, snapshotArtifactHash, retryable: false })
    client.subscribe(groupId, throughSequence)
    expect(await client.sequencesUpTo(groupId, throughSequence + 2)).toEqual([throughSequence + 1, throughSequence + 2])
  })

  test('a reader sees every Event once and in order while others write', async () => {
    await liftMessageRate()
    const writer = await RawClient.authenticated(url, coordinator)
    const mission = await owner.missionView((await server.service.reads.groupFor(owner.principalId, groupId))!.state.mission.missionId)
    const observer = await agent('Observer')
    await owner.submitIn(mission, 'membership.change', { member: actorOf(observer), role: 'observer', visibilityStartSequence: 0 })
    const reader = await RawClient.authenticated(url, observer)
    reader.subscribe(groupId, 0)
    writer.subscribe(groupId, 0)
    const commands = await Promise.all(Array.from({ length: 300 }, (_, index) => message(coordinator, 1, `message ${index}`)))
    let sent = 0
    const sendSome = () => commands.slice(sent, (sent += 30)).forEach((command) => send(writer, command))
    for (sendSome(); sent < 300; sendSome()) await writer.sequencesUpTo(groupId, 2 + sent)
    const all = Array.from({ length: 302 }, (_, index) => index + 1)
    expect(await reader.sequencesUpTo(groupId, 302)).toEqual(all)
    expect(await writer.sequencesUpTo(groupId, 302)).toEqual(all)
  })
})
