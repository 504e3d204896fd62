import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MwpLimits } from './limits.ts'
import type { FakeGroup } from './testing/fake-group.ts'
import { FakeService, testAgent } from './testing/fake-service.ts'
import { envelope, id, listen, RawClient } from './testing/raw-client.ts'

const agent = testAgent('worker')
const groupId = 'urn:test:group'
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index)
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
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

describe('replay, then live (A-235)', () => {
  test('everything after the position comes, exactly as stored', async () => {
    const group = fake.group(groupId, agent)
    for (let count = 0; count < 5; count++) group.append()
    await start()
    client.subscribe(groupId, 2)
    expect(await client.sequencesUpTo(groupId, 5)).toEqual([3, 4, 5])
    const stored = new TextDecoder().decode(group.entries[2]!.bytes)
    expect(client.texts.some((text) => text.startsWith(`{"event":${stored},"frameId":`))).toBe(true)
  })

  test('no gap and no repetition while thousands of Events are appended', async () => {
    const group = fake.group(groupId, agent)
    for (let count = 0; count < 3000; count++) group.append()
    await start()
    const appending = (async () => {
      for (let count = 0; count < 3000; count++) {
        group.append()
        if (count % 7 === 0) await nextTurn()
      }
    })()
    client.subscribe(groupId, 0)
    await appending
    expect(await client.sequencesUpTo(groupId, 6000)).toEqual(upTo(6000))
  })

  test('a position beyond the head waits for what comes after it', async () => {
    const group = fake.group(groupId, agent)
    group.append()
    await start()
    client.subscribe(groupId, 2)
    await client.roundTrip()
    group.append()
    group.append()
    expect(await client.sequencesUpTo(groupId, 3)).toEqual([3])
  })

  test('Groups interleave on one connection, each in its own sequence (A-240)', async () => {
    const [one, other] = [fake.group(groupId, agent), fake.group('urn:test:other', agent)]
    await start()
    client.subscribe(groupId, 0)
    client.subscribe('urn:test:other', 0)
    await client.roundTrip()
    for (let count = 0; count < 3; count++) {
      one.append()
      await client.sequencesUpTo(groupId, count + 1)
      other.append()
      await client.sequencesUpTo('urn:test:other', count + 1)
    }
    const groups = client.received.flatMap((frame) => (frame.frameType === 'EVENT' ? [frame.event.groupId] : []))
    expect(groups).toEqual([groupId, 'urn:test:other', groupId, 'urn:test:other', groupId, 'urn:test:other'])
    expect([client.events(groupId), client.events('urn:test:other')].map((events) => events.map(({ sequence }) => sequence))).toEqual([upTo(3), upTo(3)])
  })

  test('naming a Group again replaces its position', async () => {
    const group = fake.group(groupId, agent)
    for (let count = 0; count < 3; count++) group.append()
    await start()
    client.subscribe(groupId, 0)
    await client.sequencesUpTo(groupId, 3)
    client.subscribe(groupId, 1)
    await expect.poll(() => client.events(groupId).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 2, 3])
    group.append()
    await client.sequencesUpTo(groupId, 4)
    await client.roundTrip()
    expect(client.events(groupId).filter(({ sequence }) => sequence === 4)).toHaveLength(1)
    expect(group.openFeeds).toBe(1)
  })

  test('naming a Group twice in one frame leaves one subscription, the later', async () => {
    const group = fake.group(groupId, agent)
    for (let count = 0; count < 3; count++) group.append()
    await start()
    const groups = [0, 2].map((afterSequence) => ({ groupId, afterSequence }))
    client.send({ ...envelope(), frameType: 'SUBSCRIBE', subscriptionId: id(), groups })
    await client.sequencesUpTo(groupId, 3)
    await client.roundTrip()
    expect(client.events(groupId).map(({ sequence }) => sequence)).toEqual([3])
    expect(group.openFeeds).toBe(1)
  })

  test('closing the connection closes its feeds', async () => {
    const group = fake.group(groupId, agent)
    await start()
    client.subscribe(groupId, 0)
    await client.roundTrip()
    expect(group.openFeeds).toBe(1)
    await client.close()
    await expect.poll(() => group.openFeeds).toBe(0)
  })
})

describe('filters (A-239)', () => {
  test('narrow what is live and leave the replay complete', async () => {
    const group = fake.group(groupId, agent)
    group.append({ kind: 'work.started' })
    group.append({ kind: 'message.posted' })
    await start()
    client.subscribe(groupId, 0, { eventKinds: ['work.started'] })
    await client.sequencesUpTo(groupId, 2)
    group.append({ kind: 'message.posted' })
    group.append({ kind: 'work.started' })
    expect(await client.sequencesUpTo(groupId, 4)).toEqual([1, 2, 4])
  })

  test('are replaced by a later SUBSCRIBE', async () => {
    const group = fake.group(groupId, agent)
    await start()
    client.subscribe(groupId, 0, { eventKinds: ['work.started'] })
    client.subscribe(groupId, 0)
    await client.roundTrip()
    group.append({ kind: 'message.posted' })
    expect(await client.sequencesUpTo(groupId, 1)).toEqual([1])
  })
})

describe('rights', () => {
  test.each(['urn:test:hidden', 'urn:test:nowhere'])('%s does not exist, and the other Groups go on', async (hidden) => {
    fake.group('urn:test:hidden').append()
    const group = fake.group(groupId, agent)
    await start()
    const frame = {
      ...envelope(),
      frameType: 'SUBSCRIBE',
      subscriptionId: id(),
      groups: [hidden, groupId].map((of) => ({ groupId: of, afterSequence: 0 })),
    }
    client.send(frame)
    const error = await client.findError('GROUP_NOT_FOUND')
    expect(error).toMatchObject({ groupId: hidden, relatedFrameId: frame.frameId, retryable: false })
    group.append()
    expect(await client.sequencesUpTo(groupId, 1)).toEqual([1])
    expect(client.events('urn:test:hidden')).toEqual([])
  })

  test('a latecomer sees what its Membership shows (A-128)', async () => {
    const group = fake.group(groupId, agent)
    group.members.set(agent.agentId, { visibilityStartSequence: 2 })
    for (let count = 0; count < 4; count++) group.append()
    await start()
    client.subscribe(groupId, 0)
    expect(await client.sequencesUpTo(groupId, 4)).toEqual([2, 3, 4])
  })

  test('the end of a Membership is said, and the other Groups go on', async () => {
    const group = fake.group(groupId, agent)
    const other = fake.group('urn:test:other', agent)
    await start()
    client.subscribe(groupId, 0)
    client.subscribe(other.groupId, 0)
    await client.roundTrip()
    group.endFeeds()
    expect(await client.findError('MEMBERSHIP_REQUIRED')).toMatchObject({ groupId })
    other.append()
    expect(await client.sequencesUpTo(other.groupId, 1)).toEqual([1])
  })

  test('a connection follows a bounded number of Groups', async () => {
    for (const name of ['urn:test:1', 'urn:test:2', 'urn:test:3']) fake.group(name, agent).append()
    await start({ maxGroups: 2 })
    for (const name of ['urn:test:1', 'urn:test:2', 'urn:test:3']) client.subscribe(name, 0)
    expect(await client.findError('BACKPRESSURE')).toMatchObject({ groupId: 'urn:test:3' })
    client.subscribe('urn:test:2', 0)
    await client.sequencesUpTo('urn:test:2', 1)
  })

  test('a feed that fails is reported and may be opened again', async () => {
    const group = fake.group(groupId, agent)
    group.append()
    const service = fake.asService()
    let failures = 1
    const feeds: typeof service.feeds = {
      ...service.feeds,
      open: (...of) => (failures-- > 0 ? Promise.reject(new Error('no database')) : service.feeds.open(...of)),
    }
    server = await listen({ ...service, feeds })
    client = await RawClient.authenticated(server.url, agent)
    client.subscribe(groupId, 0)
    expect(await client.findError('INTERNAL_ERROR')).toMatchObject({ groupId, retryable: true })
    client.subscribe(groupId, 0)
    await client.sequencesUpTo(groupId, 1)
    expect(server.faults).toHaveLength(1)
  })
})

describe('flow control (A-241)', () => {
  const bulk = 'x'.repeat(64 * 1024)
  const limits = { groupWindowBytes: 256 * 1024, maxBufferedBytes: 1024 * 1024, backpressureAfterMs: 200 }

  /** Resolves once the feeds of a Group have begun and then rest from one look to the next. */
  const settled = (group: FakeGroup) => {
    let seen = 0
    return expect
      .poll(
        () => {
          const isResting = group.furthest > 0 && group.furthest === seen
          seen = group.furthest
          return isResting
        },
        { interval: 2 * limits.backpressureAfterMs, timeout: 10_000 },
      )
      .toBe(true)
  }

  test('a Group that the peer does not read pauses, says so once, and then goes on where it was', async () => {
    const noisy = fake.group('urn:test:noisy', agent)
    const quiet = fake.group('urn:test:quiet', agent)
    for (let count = 0; count < 400; count++) noisy.append({ payload: { bulk } })
    await start(limits)
    const before = process.memoryUsage().arrayBuffers
    client.socket.pause()
    client.subscribe(noisy.groupId, 0)
    client.subscribe(quiet.groupId, 0)
    await settled(noisy)
    quiet.append()
    await settled(quiet)
    expect(noisy.furthest).toBeLessThan(400)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024)
    client.socket.resume()
    await client.sequencesUpTo(quiet.groupId, 1)
    const noisyBefore = client.events(noisy.groupId).length
    expect(noisyBefore).toBeLessThan(400)
    expect(await client.sequencesUpTo(noisy.groupId, 400)).toEqual(upTo(400))
    const paused = client.received.filter((frame) => frame.frameType === 'ERROR')
    expect(paused).toHaveLength(1)
    expect(paused[0]).toMatchObject({ error: { code: 'BACKPRESSURE', groupId: noisy.groupId, retryable: true } })
  })

  test('the Event of a quiet Group overtakes what a noisy one has still to send (A-133)', async () => {
    const noisy = fake.group('urn:test:noisy', agent)
    const quiet = fake.group('urn:test:quiet', agent)
    const payload = { bulk: 'x'.repeat(2048) }
    for (let count = 0; count < 10_000; count++) noisy.append({ payload })
    await start(limits)
    client.subscribe(quiet.groupId, 0)
    client.subscribe(noisy.groupId, 0)
    await client.sequencesUpTo(noisy.groupId, 500)
    quiet.append()
    await client.sequencesUpTo(quiet.groupId, 1)
    expect(client.events(noisy.groupId).length).toBeLessThan(6_000)
    expect(await client.sequencesUpTo(noisy.groupId, 10_000)).toEqual(upTo(10_000))
  })

  test('noisy Groups that fill the whole connection leave room for a quiet one (A-133, A-241)', async () => {
    const noisy = upTo(6).map((number) => fake.group(`urn:test:noisy:${number}`, agent))
    const quiet = fake.group('urn:test:quiet', agent)
    for (const group of noisy) for (let count = 0; count < 200; count++) group.append({ payload: { bulk } })
    await start(limits)
    client.socket.pause()
    for (const group of noisy) client.subscribe(group.groupId, 0)
    client.subscribe(quiet.groupId, 0)
    for (const group of noisy) await settled(group)
    quiet.append()
    client.socket.resume()
    await client.sequencesUpTo(quiet.groupId, 1)
    expect(noisy.map(({ groupId: of }) => client.events(of).length).reduce((sum, count) => sum + count)).toBeLessThan(600)
    for (const group of noisy) expect(await client.sequencesUpTo(group.groupId, 200)).toEqual(upTo(200))
  })

  test('one stalled connection does not hold up another', async () => {
    const second = testAgent('second')
    fake.register(second)
    const group = fake.group(groupId, agent, second)
    await start(limits)
    const other = await RawClient.authenticated(server.url, second)
    client.socket.pause()
    client.subscribe(groupId, 0)
    other.subscribe(groupId, 0)
    for (let count = 0; count < 400; count++) group.append({ payload: { bulk } })
    expect(await other.sequencesUpTo(groupId, 400)).toEqual(upTo(400))
    client.socket.resume()
    expect(await client.sequencesUpTo(groupId, 400)).toEqual(upTo(400))
  })

  test('a paused feed notices that its connection is gone', async () => {
    const group = fake.group(groupId, agent)
    for (let count = 0; count < 400; count++) group.append({ payload: { bulk } })
    await start(limits)
    client.socket.pause()
    client.subscribe(groupId, 0)
    await expect.poll(() => group.openFeeds).toBe(1)
    client.socket.terminate()
    await expect.poll(() => group.openFeeds).toBe(0)
    expect(server.faults).toEqual([])
  })

  test('a peer that sends and never reads is ended', async () => {
    await start({ hardBufferedBytes: 64 * 1024, frameBurst: 1_000_000 })
    client.socket.pause()
    const ping = JSON.stringify({ ...envelope(), frameType: 'PING', nonce: 'AAAA', sentAt: new Date().toISOString() })
    const flood = setInterval(() => {
      for (let sent = 0; sent < 2000; sent++) client.send(ping)
    }, 1)
    await expect.poll(() => fake.ended.length, { timeout: 20_000 }).toBe(1)
    clearInterval(flood)
    client.socket.terminate()
  })
})
