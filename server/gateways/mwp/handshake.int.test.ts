import { once } from 'node:events'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../../protocol/base64url.ts'
import { signBytes } from '../../../protocol/ed25519-sign.ts'
import type { Frame } from '../../../protocol/generated/types.ts'
import { CLOSE_CODES } from './close-codes.ts'
import type { MwpLimits } from './limits.ts'
import { FakeService, testAgent } from './testing/fake-service.ts'
import { envelope, id, listen, nonce, RawClient } from './testing/raw-client.ts'

const agent = testAgent('worker')
const hello = () => ({
  ...envelope(),
  frameType: 'HELLO',
  phase: 'client_init',
  agentId: agent.agentId,
  keyId: agent.keyId,
  clientNonce: nonce(),
  supportedVersions: ['0.1'],
})

let fake: FakeService
let server: Awaited<ReturnType<typeof listen>>

async function start(limits: Partial<MwpLimits> = {}) {
  server = await listen(fake.asService(), { limits })
}

beforeEach(() => {
  fake = new FakeService()
  fake.register(agent)
})
afterEach(() => server.stop())

describe('handshake (A-34)', () => {
  test('four steps give a session with its epoch and token', async () => {
    await start()
    const client = await RawClient.authenticated(server.url, agent)
    const accepted = client.received.at(-1)
    expect(accepted).toMatchObject({ phase: 'server_accept', sessionEpoch: 1, selectedVersion: '0.1' })
    expect(client.received[0]).toMatchObject({ phase: 'server_challenge', selectedVersion: '0.1' })
    expect(server.door.count()).toEqual({ unauthenticated: 0, authenticated: 1 })
  })

  test('the socket of a session that ended is reported once', async () => {
    await start()
    const client = await RawClient.authenticated(server.url, agent)
    await client.close()
    await expect.poll(() => fake.ended.map(({ sessionEpoch }) => sessionEpoch)).toEqual([1])
    await expect.poll(() => server.door.count()).toEqual({ unauthenticated: 0, authenticated: 0 })
  })

  test.each([
    ['an unknown Agent', { agentId: 'urn:test:agent:nobody' }],
    ['an unknown key', { keyId: 'urn:test:key:other' }],
  ])('%s is refused like a bad signature and the connection ends', async (_who, change) => {
    await start()
    const client = await RawClient.open(server.url)
    const frame = { ...hello(), ...change }
    client.send(frame)
    const error = await client.findError('AUTH_INVALID_SIGNATURE')
    expect(error).toMatchObject({ relatedFrameId: frame.frameId, fatal: true, retryable: false })
    expect(await client.closed).toEqual(CLOSE_CODES.authenticationFailed)
  })

  test.each([
    ['a signature over something else', { challengeSignature: encodeBase64url(signBytes(agent.seed, new Uint8Array(3))) }],
    ['another client nonce', { clientNonce: nonce() }],
    ['another server nonce', { serverNonce: nonce() }],
  ])('%s in the response is refused', async (_what, change) => {
    await start()
    const client = await RawClient.open(server.url)
    const init = hello()
    client.send(init)
    const challenged = await client.find((frame) => frame.frameType === 'HELLO')
    const { agentId, keyId, clientNonce } = init
    const { serverNonce, challenge } = challenged as Extract<Frame, { phase: 'server_challenge' }>
    const challengeSignature = encodeBase64url(signBytes(agent.seed, decodeBase64url(challenge)!))
    const response = { agentId, keyId, clientNonce, serverNonce, challengeSignature, ...change }
    client.send({ ...envelope(), frameType: 'HELLO', phase: 'client_response', ...response })
    await client.findError('AUTH_INVALID_SIGNATURE')
    expect(await client.closed).toEqual(CLOSE_CODES.authenticationFailed)
    await expect.poll(() => server.door.count()).toEqual({ unauthenticated: 0, authenticated: 0 })
  })

  test('HELLO frames come in order', async () => {
    await start()
    const client = await RawClient.open(server.url)
    client.send({
      ...envelope(),
      frameType: 'HELLO',
      phase: 'client_response',
      agentId: agent.agentId,
      keyId: agent.keyId,
      clientNonce: nonce(),
      serverNonce: nonce(),
      challengeSignature: 'AAAA',
    })
    await client.findError('PROTOCOL_VIOLATION')
    expect(await client.closed).toEqual(CLOSE_CODES.protocolViolation)
  })

  test('HELLO comes once', async () => {
    await start()
    const client = await RawClient.authenticated(server.url, agent)
    client.send(hello())
    await client.findError('PROTOCOL_VIOLATION')
    expect(await client.closed).toEqual(CLOSE_CODES.protocolViolation)
  })

  test('anything before HELLO asks for authentication and may be tried again after it (A-250)', async () => {
    await start()
    const client = await RawClient.open(server.url)
    client.subscribe('urn:test:group', 0)
    expect(await client.findError('AUTH_REQUIRED')).toMatchObject({ retryable: true })
    await client.shakeHands(agent)
    expect(server.door.count().authenticated).toBe(1)
  })

  test('a nonce that no challenge could carry is a violation', async () => {
    await start()
    const client = await RawClient.open(server.url)
    client.send({ ...hello(), clientNonce: 'A'.repeat(4096) })
    await client.findError('PROTOCOL_VIOLATION')
    await client.closed
  })

  test('another version is named before anything else (A-249)', async () => {
    await start()
    const client = await RawClient.open(server.url)
    client.send({ ...hello(), protocolVersion: '0.2', novelty: true })
    expect(await client.findError('UNSUPPORTED_VERSION')).toMatchObject({ fatal: true })
    expect(await client.closed).toEqual(CLOSE_CODES.unsupportedVersion)
    expect(fake.handshakes).toBe(0)
  })

  test('a fault of ours ends the handshake without saying why', async () => {
    const service = fake.asService()
    const sessions = { ...service.sessions, challenge: () => Promise.reject(new Error('database password is hunter2')) }
    server = await listen({ ...service, sessions })
    const client = await RawClient.open(server.url)
    client.send(hello())
    expect(JSON.stringify(await client.findError('INTERNAL_ERROR'))).not.toContain('hunter2')
    expect(await client.closed).toEqual(CLOSE_CODES.internalFault)
    expect(server.faults).toHaveLength(1)
  })
})

describe('what a connection may cost before it authenticates', () => {
  test('time', async () => {
    await start({ helloDeadlineMs: 30 })
    const client = await RawClient.open(server.url)
    expect(await client.closed).toEqual(CLOSE_CODES.helloTimeout)
  })

  test('time, however busy the peer keeps', async () => {
    await start({ helloDeadlineMs: 60, maxHelloFrames: 1_000 })
    const client = await RawClient.open(server.url)
    const busy = setInterval(() => client.subscribe('urn:test:group', 0), 5)
    expect(await client.closed).toEqual(CLOSE_CODES.helloTimeout)
    clearInterval(busy)
  })

  test('a handful of frames', async () => {
    await start({ maxHelloFrames: 3 })
    const client = await RawClient.open(server.url)
    for (let sent = 0; sent < 4; sent++) client.subscribe('urn:test:group', 0)
    expect(await client.closed).toEqual(CLOSE_CODES.tooManyFrames)
    expect(client.received).toHaveLength(3)
  })

  test.each([
    ['in one message', (client: RawClient) => client.send(`{"a":"${'x'.repeat(200 * 1024)}"}`)],
    ['in many', (client: RawClient) => Array.from({ length: 10 }).forEach(() => client.send(`{"a":"${'x'.repeat(200 * 1024)}"}`))],
    ['in fragments', (client: RawClient) => [1, 2].forEach(() => client.socket.send('x'.repeat(20 * 1024), { fin: false }))],
    ['in control frames', (client: RawClient) => Array.from({ length: 400 }).forEach(() => client.socket.ping('x'.repeat(120)))],
  ])('a few bytes, %s', async (_how, flood) => {
    await start()
    const client = await RawClient.open(server.url)
    flood(client)
    // The peer may have been cut off before it could read why.
    expect([CLOSE_CODES.tooManyBytes.code, 1006]).toContain((await client.closed).code)
    expect(client.received).toEqual([])
  })

  test('its share of the rate, and being over it is not called a failed authentication', async () => {
    await start({ framesPerSecond: 1, frameBurst: 2 })
    const client = await RawClient.open(server.url)
    for (let sent = 0; sent < 3; sent++) client.subscribe('urn:test:group', 0)
    await client.findError('RATE_LIMITED')
    expect(await client.closed).toEqual(CLOSE_CODES.tooManyFrames)
  })

  test('a share of the places of its address', async () => {
    await start({ maxUnauthenticatedPerAddress: 2 })
    const held = [await RawClient.open(server.url), await RawClient.open(server.url)]
    const refused = new WebSocket(server.url)
    const [fault] = (await once(refused, 'error')) as [Error]
    expect(fault.message).toContain('503')
    await held[0]!.shakeHands(agent)
    const next = await RawClient.open(server.url)
    expect(server.door.count()).toEqual({ unauthenticated: 2, authenticated: 1 })
    for (const client of [...held, next]) await client.close()
  })

  test('an upgrade that is no WebSocket gives its place back', async () => {
    await start({ maxUnauthenticatedPerAddress: 1 })
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET /mwp HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(String(answer)).toContain('400')
    await once(socket, 'close')
    await expect.poll(() => server.door.count().unauthenticated).toBe(0)
  })
})

describe('a session ends', () => {
  test('when a newer one of the same Agent is accepted (A-35)', async () => {
    await start()
    const first = await RawClient.authenticated(server.url, agent)
    const second = await RawClient.authenticated(server.url, agent)
    expect(await first.closed).toEqual(CLOSE_CODES.sessionReplaced)
    await second.roundTrip()
    expect(server.door.count().authenticated).toBe(1)
  })

  test('and nothing that it sends afterwards is taken in', async () => {
    const group = fake.group('urn:test:group', agent)
    await start()
    const first = await RawClient.authenticated(server.url, agent)
    first.subscribe('urn:test:group', 0)
    await first.roundTrip()
    await RawClient.authenticated(server.url, agent)
    first.send({ ...envelope(), frameType: 'COMMAND', command: { actionId: id(), groupId: 'urn:test:group' } })
    await first.closed
    expect(fake.submitted).toEqual([])
    expect(group.openFeeds).toBe(0)
  })

  test('when it was replaced before its own handshake came to an end', async () => {
    const service = fake.asService()
    const endOf = () => 'replaced' as const
    server = await listen({ ...service, sessions: { ...service.sessions, endOf } })
    const client = await RawClient.open(server.url)
    await expect(client.shakeHands(agent)).rejects.toThrow()
    expect(await client.closed).toEqual(CLOSE_CODES.sessionReplaced)
    expect(fake.ended).toHaveLength(1)
  })

  test('when its time is over', async () => {
    fake.sessionLifetimeMs = 40
    await start()
    const client = await RawClient.authenticated(server.url, agent)
    expect(await client.closed).toEqual(CLOSE_CODES.sessionExpired)
  })

  test('when the server stops, which is said', async () => {
    await start()
    const client = await RawClient.authenticated(server.url, agent)
    await server.door.close()
    expect(await client.closed).toEqual(CLOSE_CODES.serverStopping)
    const late = new WebSocket(server.url)
    const [fault] = (await once(late, 'error')) as [Error]
    expect(fault.message).toContain('503')
  })

  test('when the peer gives no sign of life', async () => {
    await start({ pingIntervalMs: 40 })
    const client = await RawClient.authenticated(server.url, agent)
    client.socket.pause()
    await expect.poll(() => fake.ended.length).toBe(1)
    client.socket.resume()
    expect((await client.closed).code).toBe(1006)
  })

  test('but not while the peer answers pings and is otherwise silent', async () => {
    await start({ pingIntervalMs: 250 })
    const client = await RawClient.authenticated(server.url, agent)
    for (let pings = 0; pings < 3; pings++) await once(client.socket, 'ping')
    await client.roundTrip()
  })
})
