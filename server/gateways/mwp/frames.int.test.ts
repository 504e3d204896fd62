import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Frame } from '../../../protocol/generated/types.ts'
import { ok } from '../../../protocol/result.ts'
import { CLOSE_CODES } from './close-codes.ts'
import type { MwpLimits } from './limits.ts'
import { FakeService, testAgent } from './testing/fake-service.ts'
import { envelope, id, listen, nonce, RawClient } from './testing/raw-client.ts'

const agent = testAgent('worker')
const groupId = 'urn:test:group'
let fake: FakeService
let server: Awaited<ReturnType<typeof listen>>
let client: RawClient

async function start(limits: Partial<MwpLimits> = {}) {
  server = await listen(fake.asService(), { limits })
  client = await RawClient.authenticated(server.url, agent)
}

beforeEach(() => {
  fake = new FakeService()
  fake.register(agent)
})
afterEach(() => server.stop())

const ping = () => ({ ...envelope(), frameType: 'PING', nonce: nonce(), sentAt: new Date().toISOString() })

describe('messages that end a connection', () => {
  test('binary (A-237)', async () => {
    await start()
    client.socket.send(Buffer.from(JSON.stringify(ping())), { binary: true })
    expect(await client.findError('PROTOCOL_VIOLATION')).toMatchObject({ fatal: true })
    expect(await client.closed).toEqual(CLOSE_CODES.binaryMessage)
  })

  test('longer than the limit', async () => {
    await start()
    client.send(`{"a":"${'x'.repeat(256 * 1024)}"}`)
    expect((await client.closed).code).toBe(1009)
  })

  test('in more fragments than any honest peer needs', async () => {
    await start({ maxFragments: 4 })
    for (let part = 0; part < 5; part++) client.socket.send('{', { fin: false })
    expect((await client.closed).code).toBe(1008)
  })

  test.each([
    ['a member twice (A-242)', `{"protocolVersion":"0.1","frameId":"urn:a:b","frameType":"PING","nonce":"AAAA","nonce":"AAAB"}`],
    ['a frame that does not exist', JSON.stringify({ ...envelope(), frameType: 'RECEIPT' })],
    ['a frame that only the authority sends', JSON.stringify({ ...envelope(), frameType: 'EVENT', event: {} })],
    ['no JSON', 'hello'],
  ])('%s', async (_what, text) => {
    await start()
    client.send(text)
    await client.findError('PROTOCOL_VIOLATION')
    expect(await client.closed).toEqual(CLOSE_CODES.protocolViolation)
  })
})

test('what was sent together with a violation is not taken in', async () => {
  fake.group(groupId, agent)
  await start()
  client.send('no JSON')
  client.send({ ...envelope(), frameType: 'COMMAND', command: { actionId: id(), groupId } })
  expect(await client.closed).toEqual(CLOSE_CODES.protocolViolation)
  expect(fake.submitted).toEqual([])
})

test('a frame that does not fit its schema is refused and the connection stays', async () => {
  await start()
  const frame = { ...ping(), nonce: 'not base64url!' }
  client.send(frame)
  expect(await client.findError('SCHEMA_VALIDATION_FAILED')).toMatchObject({ relatedFrameId: frame.frameId, retryable: false })
  await client.roundTrip()
})

test('an ERROR of the peer is taken without an answer', async () => {
  await start()
  const error = { code: 'BACKPRESSURE', message: 'slow', retryable: true, occurredAt: new Date().toISOString() }
  client.send({ ...envelope(), frameType: 'ERROR', error })
  await client.roundTrip()
  expect(client.received.some(({ frameType }) => frameType === 'ERROR')).toBe(false)
})

describe('PING (A-241)', () => {
  const answers = () => client.received.filter((frame): frame is Frame & { frameType: 'PING' } => frame.frameType === 'PING')

  test('is answered with its nonce, presence or not', async () => {
    await start()
    const now = new Date().toISOString()
    const presence = {
      agentId: agent.agentId,
      sessionEpoch: 1,
      status: 'busy',
      capacity: { maxSlots: 2, activeSlots: 1, availableSlots: 1, queuedItems: 0 },
      capabilityAvailability: [],
      lastHeartbeat: now,
      expiresAt: now,
    }
    const frame = { ...ping(), presence }
    client.send(frame)
    await client.find((answer) => answer.frameType === 'PING' && answer.replyToNonce === frame.nonce)
    expect(answers()).toHaveLength(1)
  })

  test('with the presence of another Agent is answered and refused (A-32)', async () => {
    await start()
    const now = new Date().toISOString()
    const capacity = { maxSlots: 1, activeSlots: 0, availableSlots: 1, queuedItems: 0 }
    const presence = { agentId: 'urn:test:other', sessionEpoch: 1, status: 'online', capacity, capabilityAvailability: [], lastHeartbeat: now, expiresAt: now }
    const frame = { ...ping(), presence }
    client.send(frame)
    await client.find((answer) => answer.frameType === 'PING' && answer.replyToNonce === frame.nonce)
    expect(await client.findError('AUTH_FORBIDDEN')).toMatchObject({ relatedFrameId: frame.frameId })
  })

  test('that answers another one is not answered', async () => {
    await start()
    client.send({ ...ping(), replyToNonce: nonce() })
    await client.roundTrip()
    expect(answers()).toHaveLength(1)
  })
})

describe('ACK (A-234)', () => {
  const acknowledge = (of: string, sequence: number) =>
    client.send({
      ...envelope(),
      frameType: 'ACK',
      acknowledgements: [{ groupId: of, sequence }],
      sentAt: new Date().toISOString(),
    })

  test('stores the position', async () => {
    const group = fake.group(groupId, agent)
    group.append()
    await start()
    acknowledge(groupId, 1)
    await client.roundTrip()
    expect(group.acknowledged.get(agent.agentId)).toBe(1)
  })

  test.each([
    ['above the head', groupId, 2, 'INVALID_COMMAND'],
    ['of a hidden Group', 'urn:test:hidden', 0, 'GROUP_NOT_FOUND'],
  ])('%s is refused and the connection stays', async (_what, of, sequence, code) => {
    fake.group(groupId, agent).append()
    fake.group('urn:test:hidden').append()
    await start()
    acknowledge(of, sequence)
    expect(await client.findError(code)).toMatchObject({ groupId: of })
    await client.roundTrip()
  })
})

describe('ACKs that come faster than they are stored', () => {
  const groups = ['urn:test:a', 'urn:test:b', 'urn:test:c']

  /** A service that stores one position when the test says so. */
  async function startSlow(limits: Partial<MwpLimits> = {}) {
    const stored: [string, number][] = []
    const finish: (() => void)[] = []
    const service = fake.asService()
    const acknowledge: typeof service.cursors.acknowledge = (_agentId, of, sequence) => {
      stored.push([of, sequence])
      return new Promise((resolve) => finish.push(() => resolve(ok(undefined))))
    }
    server = await listen({ ...service, cursors: { acknowledge } }, { limits })
    client = await RawClient.authenticated(server.url, agent)
    return { stored, finish }
  }
  const acknowledge = (...acknowledgements: { groupId: string; sequence: number }[]) =>
    client.send({ ...envelope(), frameType: 'ACK', acknowledgements, sentAt: new Date().toISOString() })

  test('are stored one after another, the highest of each Group', async () => {
    const { stored, finish } = await startSlow()
    for (let sequence = 1; sequence <= 50; sequence++) acknowledge(...groups.map((of) => ({ groupId: of, sequence })))
    acknowledge({ groupId: groups[0]!, sequence: 7 })
    await client.roundTrip()
    expect(stored).toEqual([[groups[0], 1]])
    for (let done = 0; done < 4; done++) {
      await expect.poll(() => finish.length).toBe(done + 1)
      finish[done]!()
    }
    await client.roundTrip()
    expect(stored.slice(1).sort()).toEqual(groups.map((of) => [of, 50]))
  })

  test('are refused when too many wait, and forgotten with the connection', async () => {
    const { stored, finish } = await startSlow({ maxAcknowledgements: 2 })
    acknowledge({ groupId: groups[0]!, sequence: 1 })
    acknowledge(...groups.map((of) => ({ groupId: of, sequence: 2 })))
    expect(await client.findError('BACKPRESSURE')).toMatchObject({ groupId: groups[2], retryable: true })
    await client.close()
    await expect.poll(() => server.door.count().authenticated).toBe(0)
    finish[0]!()
    // The queue was looked at again by the time that another Agent has been served.
    await (await RawClient.authenticated(server.url, agent)).roundTrip()
    expect(stored).toHaveLength(1)
  })
})

describe('rate limit', () => {
  test('holds for pings of the WebSocket as well', async () => {
    await start({ framesPerSecond: 1, frameBurst: 6 })
    for (let sent = 0; sent < 20; sent++) client.socket.ping()
    expect(await client.closed).toEqual(CLOSE_CODES.tooManyFrames)
  })

  test('a burst too many is told when to come back', async () => {
    await start({ framesPerSecond: 1, frameBurst: 6 })
    for (let sent = 0; sent < 6; sent++) client.send(ping())
    expect(await client.findError('RATE_LIMITED')).toMatchObject({ retryable: true, retryAfterMs: expect.any(Number) })
    expect(server.door.count().authenticated).toBe(1)
  })

  test('a sender that does not listen is closed', async () => {
    await start({ framesPerSecond: 1, frameBurst: 6 })
    for (let sent = 0; sent < 20; sent++) client.send(ping())
    expect(await client.closed).toEqual(CLOSE_CODES.tooManyFrames)
  })
})

test('compression is not negotiated, so nothing can inflate', async () => {
  await start()
  const { WebSocket } = await import('ws')
  const eager = new WebSocket(server.url, { perMessageDeflate: true })
  await once(eager, 'open')
  expect(eager.extensions).toBe('')
  eager.terminate()
})
