import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeService, testAgent } from './testing/fake-service.ts'
import { envelope, id, listen, nonce, RawClient } from './testing/raw-client.ts'

const agent = testAgent('worker')
const groupId = 'urn:test:group'
let fake: FakeService
let server: Awaited<ReturnType<typeof listen>>

beforeEach(async () => {
  fake = new FakeService()
  fake.register(agent)
  fake.group(groupId, agent).append()
  server = await listen(fake.asService())
})
afterEach(() => server.stop())

const sentAt = '2026-11-29T12:00:00.000Z'
const frames = [
  { frameType: 'HELLO', phase: 'client_init', agentId: agent.agentId, keyId: agent.keyId, clientNonce: nonce(), supportedVersions: ['0.1'] },
  { frameType: 'HELLO', phase: 'client_response', agentId: agent.agentId, keyId: agent.keyId, clientNonce: nonce(), serverNonce: nonce(), challengeSignature: nonce() },
  { frameType: 'SUBSCRIBE', subscriptionId: id(), groups: [{ groupId, afterSequence: 0, attention: { mentionsOnly: true } }] },
  { frameType: 'COMMAND', command: { actionId: id(), groupId, payload: { nested: [{ deep: 'é😀' }] } } },
  { frameType: 'ACK', acknowledgements: [{ groupId, sequence: 1 }], sentAt },
  { frameType: 'PING', nonce: nonce(), sentAt },
  { frameType: 'ERROR', error: { code: 'BACKPRESSURE', message: 'slow', retryable: true, occurredAt: sentAt } },
].map((frame) => JSON.stringify({ ...envelope(), ...frame }))

/** A valid frame after a few edits of its text: cut, repeated, overwritten or replaced by a neighbour's part. */
const mutatedFrame = fc
  .tuple(
    fc.constantFrom(...frames),
    fc.array(fc.tuple(fc.nat(), fc.nat(12), fc.oneof(fc.string(), fc.constantFrom('"', '{', '}', '[', ',', ':', '\\', 'null', '1e999', '"__proto__":1,'))), { minLength: 1, maxLength: 4 }),
  )
  .map(([frame, edits]) =>
    edits.reduce((text, [at, cut, insert]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from) + insert + text.slice(from + cut)
    }, frame),
  )

const message = fc.oneof(
  { weight: 4, arbitrary: mutatedFrame },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom(...frames) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
)

async function isUnharmed() {
  const client = await RawClient.authenticated(server.url, agent)
  await client.roundTrip()
  await client.close()
  await expect.poll(() => server.door.count()).toEqual({ unauthenticated: 0, authenticated: 0 })
  await expect.poll(() => fake.groups.get(groupId)!.openFeeds).toBe(0)
  expect(server.faults).toEqual([])
}

test('no sequence of broken frames harms the door or leaves anything behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(message, { minLength: 1, maxLength: 6 }), async (isAuthenticated, messages) => {
      const client = isAuthenticated ? await RawClient.authenticated(server.url, agent) : await RawClient.open(server.url)
      for (const part of messages) client.send(part)
      await client.close()
    }),
    { numRuns: 150 },
  )
  await isUnharmed()
})

test('no bytes under the WebSocket harm the door or leave anything behind', async () => {
  const upgrade = `GET /mwp HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (bytes) => {
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(upgrade)
      await once(socket, 'data')
      socket.resume()
      socket.end(bytes)
      await once(socket, 'close')
    }),
    { numRuns: 150 },
  )
  await isUnharmed()
})
