import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeBase64url } from '../protocol/base64url.ts'
import { sha256Hash } from '../protocol/digest.ts'
import { publicKeyOf } from '../protocol/ed25519-sign.ts'
import { verifyStrict } from '../protocol/ed25519-strict.ts'
import { reject } from '../protocol/error-codes.ts'
import type { Command, CommandPayloads, EventDocument } from '../protocol/generated/types.ts'
import { signingBytes } from '../protocol/signed-documents.ts'
import { validateDocument } from '../protocol/validate.ts'
import type { FakeGroup } from '../server/gateways/mwp/testing/fake-group.ts'
import { fakeHttp } from '../server/gateways/mwp/testing/fake-http.ts'
import { FakeService, testAgent } from '../server/gateways/mwp/testing/fake-service.ts'
import { listen } from '../server/gateways/mwp/testing/raw-client.ts'
import type { SubmitOutcome } from '../server/service/service.ts'
import type { AgentClientOptions } from './agent-client.ts'
import { AgentClient } from './agent-client.ts'
import { openAgentStore } from './agent-store.ts'
import type { CommandKind } from './build-command.ts'
import type { ResumedCommand } from './command-sender.ts'
import { FileCursorStore } from './cursor-store.ts'
import { deferred } from './deferred.ts'
import { withExecutionLease } from './execution-lease.ts'
import { newId } from './ids.ts'
import { ClientClosed, HandshakeRefused, IntegrityFault, SessionReplaced, SubscriptionRefused } from './refusal.ts'

const agent = testAgent('worker')
const groupId = 'urn:test:group'
const backoff = { firstMs: 5, maxMs: 20 }
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index)

let fake: FakeService
let group: FakeGroup
let server: Awaited<ReturnType<typeof listen>>
const clients: AgentClient[] = []

beforeEach(async () => {
  fake = new FakeService()
  fake.register(agent)
  fake.decide = (command, of) => fake.decideStrictly(command, of)
  group = fake.group(groupId, agent)
  server = await listen(fake.asService(), { onRequest: fakeHttp(fake) })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await server.stop()
})

async function connect(options: Partial<AgentClientOptions> = {}) {
  const client = await AgentClient.connect({ url: server.url, backoff, ...agent, ...options })
  clients.push(client)
  return client
}

/** A new door on the same port over the same authority, as after a restart. */
async function restart() {
  const { port } = server
  await server.stop()
  server = await listen(fake.asService(), { port, onRequest: fakeHttp(fake) })
}

const message = () => ({ messageId: newId(), content: [{ type: 'text' as const, text: 'hello' }], authority: false as const })
const post = (client: AgentClient, target: object = {}) => client.submit('message.post', message(), { groupId, ...target })

async function take(events: AsyncIterable<EventDocument>, last: number): Promise<(number | undefined)[]> {
  const sequences: (number | undefined)[] = []
  for await (const { sequence } of events) {
    sequences.push(sequence)
    if (sequence === last) break
  }
  return sequences
}

/** Answers the next Command in another way, and the ones after it as before. */
function nextTime(decide: (command: Command, of: FakeGroup) => SubmitOutcome | Promise<SubmitOutcome>) {
  const before = fake.decide
  fake.decide = (command, of) => {
    fake.decide = before
    return decide(command, of)
  }
}
const refusal = (code: Parameters<typeof reject>[0], extra = {}): SubmitOutcome => ({ ok: false, rejection: reject(code, 'no', extra) })
const never = () => new Promise<SubmitOutcome>(() => undefined)

describe('sessions', () => {
  test('an Agent connects, and its session token opens the HTTP side', async () => {
    const client = await connect()
    expect((await client.session()).sessionEpoch).toBe(1)
    const { value } = await client.watchGroups().next()
    expect(value).toMatchObject([{ groupId, role: 'worker' }])
  })

  test('a refused key rejects with what the authority said', async () => {
    const stranger = testAgent('stranger')
    const refused = await connect(stranger).catch((fault: unknown) => fault)
    expect(refused).toBeInstanceOf(HandshakeRefused)
    expect((refused as HandshakeRefused).refusal.code).toBe('AUTH_INVALID_SIGNATURE')
  })

  test('an authority that is not up yet is waited for', async () => {
    const { port } = server
    await server.stop()
    const connecting = connect({ url: `ws://127.0.0.1:${port}/mwp` })
    server = await listen(fake.asService(), { port, onRequest: fakeHttp(fake) })
    await connecting
  })

  test('a client that has no session yet can be given up, whatever it waits for', async () => {
    const silent = new WebSocketServer({ port: 0 })
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const givingUp = new AbortController()
    const connecting = connect({ url: `ws://127.0.0.1:${port}`, signal: givingUp.signal })
    const [socket] = (await once(silent, 'connection')) as [WebSocket]
    givingUp.abort()
    await expect(connecting).rejects.toThrow(ClientClosed)
    await once(socket, 'close')
    await expect(connect({ signal: givingUp.signal })).rejects.toThrow(ClientClosed)
    expect(fake.handshakes).toBe(0)
    await new Promise((resolve) => silent.close(resolve))
  })

  test('a newer session ends this client for good (A-35)', async () => {
    const first = await connect()
    const loop = take(first.subscribe(groupId), 1)
    fake.decide = never
    const pending = post(first)
    await expect.poll(() => fake.submitted.length).toBe(1)
    const second = await connect()
    expect(await first.over).toBeInstanceOf(SessionReplaced)
    await expect(loop).rejects.toThrow(SessionReplaced)
    await expect(pending).rejects.toThrow(SessionReplaced)
    await expect(post(first)).rejects.toThrow(SessionReplaced)
    expect((await second.session()).sessionEpoch).toBe(2)
  })

  test('closing ends loops and rejects what waits', async () => {
    const client = await connect()
    const loop = take(client.subscribe(groupId), 1)
    fake.decide = never
    const pending = post(client)
    await expect.poll(() => fake.submitted.length).toBe(1)
    await client.close()
    expect(await loop).toEqual([])
    await expect(pending).rejects.toThrow(ClientClosed)
  })

  test('bytes of a false authority that are no transcript are not signed', async () => {
    const impostor = new WebSocketServer({ port: 0 })
    await once(impostor, 'listening')
    const received: string[] = []
    impostor.on('connection', (socket) => {
      socket.on('message', (data) => {
        received.push(String(data))
        const { clientNonce } = JSON.parse(String(data)) as { clientNonce: string }
        const challenge = Buffer.from('{"actionId":"urn:test:action","kind":"mission.cancel"}').toString('base64url')
        const hello = { frameType: 'HELLO', phase: 'server_challenge', selectedVersion: '0.1', clientNonce, serverNonce: 'AAAA', challenge }
        socket.send(JSON.stringify({ protocolVersion: '0.1', frameId: 'urn:test:frame', ...hello }))
      })
    })
    const { port } = impostor.address() as { port: number }
    const givingUp = new AbortController()
    const connecting = connect({ url: `ws://127.0.0.1:${port}`, signal: givingUp.signal })
    await expect.poll(() => received.length).toBeGreaterThan(1)
    expect(received.every((text) => text.includes('client_init'))).toBe(true)
    // Or it would go on trying, and replace whoever has its key on a server that gets this port later.
    givingUp.abort()
    await expect(connecting).rejects.toThrow(ClientClosed)
    await new Promise((resolve) => impostor.close(resolve))
  })
})

describe('Commands', () => {
  test('resolve with their Event or a typed refusal', async () => {
    const client = await connect()
    expect(await post(client)).toMatchObject({ ok: true, value: { kind: 'message.posted', sequence: 1 } })
    nextTime(() => refusal('REVISION_CONFLICT', { currentRevision: 3 }))
    expect(await post(client)).toMatchObject({ ok: false, error: { code: 'REVISION_CONFLICT', retryable: false, currentRevision: 3 } })
  })

  test('that the authority cannot take at the moment go out again unchanged (A-272)', async () => {
    const client = await connect()
    nextTime(() => refusal('BACKPRESSURE', { retryAfterMs: 1 }))
    expect((await post(client)).ok).toBe(true)
    expect(fake.submitted).toHaveLength(2)
    expect(fake.submitted[0]).toBe(fake.submitted[1])
  })

  test('whose receipt was lost go out again unchanged and are not done twice (A-222)', async () => {
    const client = await connect()
    nextTime((command, of) => {
      fake.decideStrictly(command, of)
      return never()
    })
    const posting = post(client)
    await expect.poll(() => group.head).toBe(1)
    await restart()
    expect(await posting).toMatchObject({ ok: true, value: { sequence: 1 } })
    expect(group.head).toBe(1)
    expect(new Set(fake.submitted).size).toBe(1)
  })

  test('that were lost before a decision are signed again under the new session, with a new Action ID (A-252)', async () => {
    const client = await connect()
    nextTime(never)
    const posting = post(client)
    await expect.poll(() => fake.submitted.length).toBe(1)
    await restart()
    expect(await posting).toMatchObject({ ok: true, value: { sequence: 1 } })
    const sent = fake.submitted.map((text) => JSON.parse(text) as Command)
    expect(sent.map(({ sessionEpoch }) => sessionEpoch)).toEqual([1, 1, 2])
    expect(sent[2]!.actionId).not.toBe(sent[0]!.actionId)
    expect(group.head).toBe(1)
  })

  test('with an Action ID of the caller are not signed again behind its back', async () => {
    const client = await connect()
    nextTime(never)
    const posting = post(client, { actionId: 'urn:test:action' })
    await expect.poll(() => fake.submitted.length).toBe(1)
    await restart()
    expect(await posting).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_SESSION' } })
  })

  test('under a passed Membership epoch are signed again under the present one (A-257)', async () => {
    const client = await connect()
    await post(client)
    group.members.set(agent.agentId, { visibilityStartSequence: 0, membershipEpoch: 2 })
    expect((await post(client)).ok).toBe(true)
    expect(group.head).toBe(2)
  })

  test.each([
    ['comes first', (accept: () => void) => accept()],
    ['comes with the refusal', (accept: () => void) => process.nextTick(accept)],
    ['comes after the refusal', (accept: () => void) => setTimeout(accept, 5)],
  ])('that an authority calls stale although it accepts them are found in the history, where the Event %s', async (_when, schedule) => {
    const client = await connect()
    const loop = take(client.subscribe(groupId), 2)
    await expect.poll(() => group.openFeeds).toBe(1)
    const accepted = deferred<void>()
    nextTime((command, of) => {
      fake.beforeGroupList = () => accepted.promise
      schedule(() => {
        fake.decideStrictly(command, of)
        group.members.set(agent.agentId, { visibilityStartSequence: 0, membershipEpoch: 2 })
        accepted.resolve()
      })
      return refusal('MEMBERSHIP_STALE')
    })
    expect(await post(client)).toMatchObject({ ok: true, value: { sequence: 1 } })
    expect(group.head).toBe(1)
    group.append()
    expect(await loop).toEqual([1, 2])
  })

  test('that stay stale are not repeated for ever', async () => {
    const client = await connect()
    fake.decide = () => refusal('AUTH_STALE_COORDINATOR')
    expect(await post(client)).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_COORDINATOR' } })
    expect(fake.submitted).toHaveLength(1)
  })
})

describe('Groups', () => {
  test('history and what follows it come in order, and the position is acknowledged', async () => {
    for (let count = 0; count < 20; count++) group.append()
    const client = await connect()
    const loop = take(client.subscribe(groupId), 30)
    for (let count = 0; count < 10; count++) group.append()
    expect(await loop).toEqual(upTo(30))
    await expect.poll(() => group.acknowledged.get(agent.agentId)).toBe(29)
  })

  test('a restarted Agent goes on behind what it had processed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-'))
    const path = join(folder, 'cursors.json')
    for (let count = 0; count < 5; count++) group.append()
    const first = await connect({ cursors: new FileCursorStore(path) })
    await take(first.subscribe(groupId), 3)
    await first.close()
    const second = await connect({ cursors: new FileCursorStore(path) })
    // Event 3 was handed out, and the loop left before it asked for the next one.
    expect(await take(second.subscribe(groupId), 5)).toEqual([3, 4, 5])
    await rm(folder, { recursive: true })
  })

  test('a consumer slower than the stream misses nothing, and may submit while it is behind', async () => {
    for (let count = 0; count < 2500; count++) group.append()
    const client = await connect()
    const sequences: number[] = []
    for await (const { sequence } of client.subscribe(groupId)) {
      sequences.push(sequence!)
      if (sequences.length === 1) expect((await post(client)).ok).toBe(true)
      if (sequence === 2501) break
    }
    expect(sequences).toEqual(upTo(2501))
  })

  test('a latecomer begins where its view begins (A-128)', async () => {
    for (let count = 0; count < 5; count++) group.append()
    group.members.set(agent.agentId, { visibilityStartSequence: 4 })
    const client = await connect()
    expect(await take(client.subscribe(groupId), 5)).toEqual([4, 5])
  })

  test('the end of the Membership ends the loop', async () => {
    group.append()
    const client = await connect()
    const loop = take(client.subscribe(groupId), 99)
    await expect.poll(() => group.furthest).toBe(1)
    group.endFeeds()
    expect(await loop).toEqual([1])
  })

  test('a Group that does not exist for the Agent cannot be followed', async () => {
    fake.group('urn:test:hidden')
    const client = await connect()
    const refused = await take(client.subscribe('urn:test:hidden'), 1).catch((fault: unknown) => fault)
    expect(refused).toBeInstanceOf(SubscriptionRefused)
  })

  test('two loops over one Group are one too many', async () => {
    const client = await connect()
    const first = client.subscribe(groupId)
    const waiting = first.next()
    await expect.poll(() => group.openFeeds).toBe(1)
    await expect(client.subscribe(groupId).next()).rejects.toThrow('followed already')
    group.append()
    expect((await waiting).value?.sequence).toBe(1)
  })

  test('new Memberships are told, over restarts too', async () => {
    const client = await connect()
    const watch = client.watchGroups()
    expect((await watch.next()).value).toHaveLength(1)
    const next = watch.next()
    await restart()
    fake.group('urn:test:second', agent)
    expect((await next).value).toHaveLength(2)
    await client.close()
    expect((await watch.next()).done).toBe(true)
  })
})

test('restarts under load lose nothing and double nothing', async () => {
  const second = testAgent('second')
  fake.register(second)
  group.members.set(second.agentId, { visibilityStartSequence: 0 })
  const [poster, reader] = [await connect(), await connect(second)]
  const total = 400
  const reading = take(reader.subscribe(groupId), total)
  let restarts = 0
  const posting = (async () => {
    for (let sent = 0; sent < total; sent += 20) {
      const receipts = await Promise.all(Array.from({ length: 20 }, () => post(poster)))
      expect(receipts.every(({ ok }) => ok)).toBe(true)
    }
  })()
  const restarting = (async () => {
    for (; restarts < 4; restarts++) {
      await expect.poll(() => group.head, { interval: 1, timeout: 20_000 }).toBeGreaterThan((restarts * total) / 5)
      await restart()
    }
  })()
  await Promise.all([posting, restarting])
  expect(await reading).toEqual(upTo(total))
  expect(group.head).toBe(total)
  expect((await poster.session()).sessionEpoch).toBeGreaterThan(1)
})

/** A run that is stopped while this Command has no answer, and the next one over the same store. */
async function resumed<K extends CommandKind>(kind: K, payload: CommandPayloads[K], { target = {}, isAccepted = false, answer = (command: Command, of: FakeGroup) => fake.decideStrictly(command, of) } = {}) {
  const store = await openAgentStore(':memory:')
  const first = await connect({ outbox: store.outbox })
  nextTime((command, of) => {
    if (isAccepted) fake.decideStrictly(command, of)
    return never()
  })
  const pending = first.submit(kind, payload, { groupId, ...target })
  await expect.poll(() => fake.submitted.length).toBe(1)
  await first.close()
  await expect(pending).rejects.toThrow(ClientClosed)
  expect(store.outbox.unanswered()).toHaveLength(1)
  fake.decide = answer
  const told = deferred<ResumedCommand>()
  await connect({ outbox: store.outbox, onResumed: told.resolve })
  const { receipt, command } = await told.promise
  expect(store.outbox.unanswered()).toEqual([])
  store.close()
  const sent = fake.submitted.map((text) => JSON.parse(text) as Command)
  expect(fake.submitted[1]).toBe(fake.submitted[0])
  return { receipt, command, sent }
}

describe('a Command that an earlier run left without an answer', () => {
  test('A-222: goes out again with the same bytes and gets the Event that it had', async () => {
    const { receipt, command, sent } = await resumed('message.post', message(), { isAccepted: true })
    expect(receipt).toMatchObject({ ok: true, value: { sequence: 1 } })
    expect(command.actionId).toBe(sent[0]!.actionId)
    expect([sent.length, group.head]).toEqual([2, 1])
  })

  test.each(['AUTH_STALE_SESSION', 'AUTH_INVALID_SIGNATURE'] as const)('A-248, A-251, A-252: is signed again for the new Session where nothing was accepted, and it was answered with %s', async (code) => {
    const said = message()
    const answer = (command: Command, of: FakeGroup) => (command.sessionEpoch === 1 ? refusal(code) : fake.decideStrictly(command, of))
    const { receipt, command, sent } = await resumed('message.post', said, { answer })
    expect(receipt).toMatchObject({ ok: true, value: { sequence: 1 } })
    expect(sent.map(({ sessionEpoch }) => sessionEpoch)).toEqual([1, 1, 2])
    expect(sent[2]).toMatchObject({ kind: 'message.post', payload: said, correlationId: sent[0]!.correlationId, actionId: command.actionId })
    expect(command.actionId).not.toBe(sent[0]!.actionId)
  })

  test('A-183: is told of, and not signed again, when it was about an execution of the old Session', async () => {
    const usage = { workItemId: 'urn:test:work', ownershipEpoch: 1, executionLeaseId: 'urn:test:lease', usageDelta: { toolCalls: 1 } }
    const { receipt, sent } = await resumed('ext.missionweaveprotocol.core.resource_usage_record', usage)
    expect(receipt).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_SESSION' } })
    expect(sent).toHaveLength(2)
  })

  test('A-248: is told of, and not signed again, when the caller chose its Action ID', async () => {
    const { receipt, sent } = await resumed('message.post', message(), { target: { actionId: 'urn:test:action' } })
    expect(receipt).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_SESSION' } })
    expect(sent).toHaveLength(2)
  })

  test('is told of when it is refused for good', async () => {
    const { receipt, sent } = await resumed('message.post', message(), { answer: () => refusal('AUTH_INVALID_SIGNATURE') })
    expect(receipt).toMatchObject({ ok: false, error: { code: 'AUTH_INVALID_SIGNATURE' } })
    expect(sent).toHaveLength(3)
  })
})

describe('work', () => {
  const lease = { missionId: 'urn:test:mission', groupId, workItemId: 'urn:test:work', ownershipEpoch: 1, executionLeaseId: 'urn:test:lease' }

  test('an artifact is stored, described by a signed manifest and published under the lease', async () => {
    const client = await connect()
    const bytes = new TextEncoder().encode('# Report')
    const { artifact, receipt } = await client.publishArtifact(bytes, {
      lease,
      mediaType: 'text/markdown',
      schemaUri: 'urn:test:schema',
      agentCardVersion: 1,
      capabilities: [{ id: 'release.report', version: '1.0.0' }],
    })
    expect(receipt).toMatchObject({ ok: true, value: { kind: 'artifact.published' } })
    expect(validateDocument('artifact', artifact)).toBeUndefined()
    expect(artifact).toMatchObject({ contentHash: sha256Hash(bytes), sizeBytes: bytes.length, producer: { agentId: agent.agentId } })
    const signature = decodeBase64url(artifact.signature.value)!
    expect(verifyStrict(publicKeyOf(agent.seed), signingBytes(artifact), signature)).toBe(true)
    expect(JSON.parse(fake.submitted[0]!)).toMatchObject({ payload: { artifact, executionLeaseId: 'urn:test:lease' } })
    expect(await client.download(artifact.contentHash)).toEqual(bytes)
    expect(await client.download(sha256Hash(new Uint8Array(1)))).toBeUndefined()
  })

  test('content with another hash than asked for is a fault (A-200)', async () => {
    const forged = await listen(fake.asService(), { onRequest: (_request, response) => response.end('something else') })
    const client = await connect({ origin: `http://127.0.0.1:${forged.port}` })
    await expect(client.download(sha256Hash(new Uint8Array(1)))).rejects.toThrow(IntegrityFault)
    await forged.stop()
  })

  test('Evidence is signed and complete', async () => {
    const client = await connect()
    const evidence = await client.signEvidence({
      missionId: 'urn:test:mission',
      groupId,
      workItemId: 'urn:test:work',
      type: 'deterministic_test',
      subject: { type: 'work_item', id: 'urn:test:work' },
      criterionIds: ['complete'],
      method: 'counted',
      result: 'passed',
      artifactHashes: [],
    })
    expect(validateDocument('evidence', evidence)).toBeUndefined()
    expect(evidence).toMatchObject({ generatedBy: { type: 'agent', id: agent.agentId } })
  })

  const starts = (command: Command, of: FakeGroup): SubmitOutcome => {
    const executionLease = { leaseId: 'urn:test:lease', missionId: 'urn:test:mission' }
    const cause = { type: 'command', id: command.actionId } as const
    const { sequence, bytes } = of.append({ kind: 'work.started', actor: command.actor, cause, payload: { executionLease } })
    return { ok: true, spaceId: groupId, sequence, eventBytes: bytes, isDuplicate: false }
  }
  const kinds = () => fake.submitted.map((text) => (JSON.parse(text) as Command).kind)
  const request = { groupId, workItemId: 'urn:test:work', ownershipEpoch: 1, leaseSeconds: 0.03 }

  test('a lease is renewed for as long as the work takes', async () => {
    const client = await connect()
    nextTime(starts)
    const done = await withExecutionLease(client, request, async (held, signal) => {
      await expect.poll(() => kinds().length).toBeGreaterThan(3)
      expect(signal.aborted).toBe(false)
      return held
    })
    expect(done).toEqual({ ok: true, value: lease })
    expect(new Set(kinds().slice(1))).toEqual(new Set(['ext.missionweaveprotocol.core.work_execution_lease_renew']))
  })

  test('work hears that its lease was lost, and why', async () => {
    const client = await connect()
    fake.decide = (command, of) => (command.kind === 'work.start' ? starts(command, of) : refusal('WORK_LEASE_EXPIRED'))
    const lost = withExecutionLease(client, request, async (_held, signal) => {
      await once(signal, 'abort')
      return signal.reason as unknown
    })
    expect(await lost).toMatchObject({ ok: true, value: { code: 'WORK_LEASE_EXPIRED' } })
  })

  test('work that may not start does not run', async () => {
    const client = await connect()
    fake.decide = () => refusal('INVALID_STATE_TRANSITION')
    const started = await withExecutionLease(client, request, () => Promise.reject(new Error('must not run')))
    expect(started).toMatchObject({ ok: false, error: { code: 'INVALID_STATE_TRANSITION' } })
  })
})
