import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import type { EventReader } from '../../testing/ioa-client.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`IOA streams${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let ada: IoaNode
  let ben: IoaNode
  const readers: EventReader[] = []
  beforeAll(async () => {
    world = await startIoaWorld(startServer, { heartbeatMs: 40, maxStreamsPerNode: 300 })
    ada = await world.node('Ada')
    ben = await world.node('Ben')
  })
  afterAll(async () => {
    for (const reader of readers) reader.close()
    await world.stop()
  })

  async function follow(path: string, { node = ada, lastEventId }: { node?: IoaNode; lastEventId?: string | undefined } = {}): Promise<EventReader> {
    const reader = await node.client.follow(path, lastEventId === undefined ? {} : { 'last-event-id': lastEventId })
    readers.push(reader)
    return reader
  }
  async function send(node: IoaNode, spaceId: string, messages: readonly string[] = [], nodes: readonly string[] = [], content: object = {}): Promise<string> {
    const { status, body } = await node.client.post(`/spaces/${spaceId}/messages`, { content, refs: { messages, nodes } })
    expect(status).toBe(201)
    return body.id
  }
  const nextOf = async (reader: EventReader, count: number) => (await reader.take(count)).map(({ event, message }) => [event, message.id])
  const idsOf = async (reader: EventReader, count: number) => (await reader.take(count)).map(({ message }) => message.id)
  const refusal = (path: string, lastEventId?: string) => ada.client.call('GET', path, undefined, lastEventId === undefined ? {} : { 'last-event-id': lastEventId })

  describe('of a Space', () => {
    it('IOA 3.12, 3.32: a Message sent later arrives with its id and its stored bytes, the listener’s own included', async () => {
      const spaceId = await world.space(ada)
      const reader = await follow(`/spaces/${spaceId}/sse`)
      expect(reader.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
      expect(reader.response.headers['content-encoding']).toBeUndefined()
      const sent = [await send(ada, spaceId), await send(ben, spaceId)]
      expect(await nextOf(reader, 2)).toEqual(sent.map((id) => ['message', id]))
    })

    it('IOA 3.32: a downstream read finds the reply, an unknown ref fails, and closing twice is harmless', async () => {
      const spaceId = await world.space(ada)
      const root = await send(ada, spaceId)
      const reader = await follow(`/spaces/${spaceId}/sse`)
      const reply = await send(ben, spaceId, [root])
      expect(await idsOf(reader, 1)).toEqual([reply])
      expect((await ada.client.get(`/spaces/${spaceId}/messages?message_id=${root}&direction=downstream`)).body.map(({ id }: { id: string }) => id)).toEqual([root, reply])
      expect((await ada.client.post(`/spaces/${spaceId}/messages`, { content: {}, refs: { messages: ['unknown'] } })).status).toBe(422)
      reader.close()
      reader.close()
      expect((await world.stranger.get('/health')).status).toBe(200)
    })

    it('IOA repair: nothing sent after the head of the answer is lost', async () => {
      const spaceId = await world.space(ada)
      for (let round = 0; round < 5; round++) {
        const reader = await follow(`/spaces/${spaceId}/sse`)
        const sent = await send(ben, spaceId)
        expect(await idsOf(reader, 1)).toEqual([sent])
        reader.close()
      }
    })

    it('IOA repair: a stream resumes after its last event, by the header, by a cursor or by a Message, and goes on live', async () => {
      const spaceId = await world.space(ada)
      const first = await follow(`/spaces/${spaceId}/sse`)
      const sent = [await send(ben, spaceId), await send(ben, spaceId)]
      const [one] = await first.take(1)
      first.close()
      sent.push(await send(ben, spaceId))
      const resumed = await Promise.all([
        follow(`/spaces/${spaceId}/sse`, { lastEventId: one!.id }),
        follow(`/spaces/${spaceId}/sse?after=${encodeURIComponent(one!.id!)}`),
        follow(`/spaces/${spaceId}/sse?after=${sent[0]}`),
        // A browser repeats the address that it began with.
        follow(`/spaces/${spaceId}/sse?after=${sent[2]}`, { lastEventId: one!.id }),
      ])
      sent.push(await send(ben, spaceId))
      for (const reader of resumed) expect(await idsOf(reader, 3)).toEqual(sent.slice(1))
    })

    it('IOA repair: who was told nothing yet can resume too', async () => {
      const spaceId = await world.space(ada)
      const reader = await follow(`/spaces/${spaceId}/sse`)
      await expect.poll(async () => (void reader.next(), reader.lastId)).toMatch(/^space\//)
      reader.close()
      const missed = await send(ben, spaceId)
      expect(await idsOf(await follow(`/spaces/${spaceId}/sse`, { lastEventId: reader.lastId }), 1)).toEqual([missed])
    })

    it('IOA repair: a place that is not in this stream is refused, never passed over in silence', async () => {
      const [here, there] = [await world.space(ada), await world.space(ada)]
      const reader = await follow(`/spaces/${there}/sse`)
      const foreign = await send(ben, there)
      const [event] = await reader.take(1)
      const path = `/spaces/${here}/sse`
      expect((await refusal(path, event!.id)).status).toBe(409)
      expect((await refusal(`/nodes/${ada.id}/sse`, event!.id)).status).toBe(409)
      expect((await refusal(`/spaces/${there}/sse`, event!.id!.replace(/\d+$/, '99999'))).status).toBe(409)
      expect([(await refusal(path, 'nonsense')).status, (await refusal(path, foreign)).status, (await refusal(`${path}?after=${foreign}`)).status]).toEqual([422, 422, 422])
      expect([(await refusal('/spaces/unknown/sse')).status, (await refusal(`/spaces/${here}/messages/unknown/sse`)).status]).toEqual([404, 404])
    })

    it('IOA 1.7: comments say that the stream lives', async () => {
      const reader = await follow(`/spaces/${await world.space(ada)}/sse`)
      void reader.next()
      await expect.poll(() => reader.comments).toBeGreaterThan(2)
    })

    it('IOA repair: a Message above 64 KiB arrives whole in lines that are shorter', async () => {
      const spaceId = await world.space(ada)
      const reader = await follow(`/spaces/${spaceId}/sse`)
      const content = { list: Array.from({ length: 200 }, (_, index) => `${index} ${'é"'.repeat(200)}`) }
      const large = await send(ada, spaceId, [], [], content)
      const long = await send(ada, spaceId, [], [], { text: 'x'.repeat(100_000) })
      const [whole, announced] = await reader.take(2)
      expect([whole!.message, announced!.message]).toMatchObject([{ id: large, content }, { id: long, content_type: 'ioa/oversized', content: { bytes: expect.any(Number) } }])
      expect(reader.longestLine).toBeLessThan(64 * 1024)
      expect((await ada.client.get(`/messages?message_id=${long}`)).body[0].content.text).toHaveLength(100_000)
    })

    it('IOA repair: every listener gets every Message of a burst, in order', async () => {
      const spaceId = await world.space(ada)
      const listeners = await Promise.all(Array.from({ length: 50 }, () => follow(`/spaces/${spaceId}/sse`)))
      const received = Promise.all(listeners.map((reader) => idsOf(reader, 300)))
      const sent: string[] = []
      for (let round = 0; round < 10; round++) sent.push(...(await Promise.all(Array.from({ length: 30 }, () => send(ben, spaceId)))))
      const [order, ...others] = await received
      expect(new Set(order)).toEqual(new Set(sent))
      for (const other of others) expect(other).toEqual(order)
      for (const reader of listeners) reader.close()
    })

    it('IOA repair: a listener that stops reading is held up by itself alone, and loses nothing when it goes on', async () => {
      const spaceId = await world.space(ada)
      const stalled = await follow(`/spaces/${spaceId}/sse`)
      stalled.response.pause()
      const eager = await follow(`/spaces/${spaceId}/sse`)
      const content = { text: 'x'.repeat(50_000) }
      const sent: string[] = []
      for (let index = 0; index < 300; index++) sent.push(await send(ben, spaceId, [], [], content))
      expect(await idsOf(eager, 300)).toEqual(sent)
      expect(await idsOf(stalled, 300)).toEqual(sent)
    })
  })

  describe('of a Message', () => {
    it('IOA 1.7: tells of what descends from it, over merges and from before it was followed', async () => {
      const spaceId = await world.space(ada)
      const root = await send(ada, spaceId)
      const other = await send(ada, spaceId)
      const child = await send(ben, spaceId, [root])
      const reader = await follow(`/spaces/${spaceId}/messages/${root}/sse`)
      const grandchild = await send(ben, spaceId, [child])
      await send(ben, spaceId, [other])
      const merged = await send(ben, spaceId, [other, grandchild])
      const leaf = await send(ben, spaceId, [merged])
      expect(await idsOf(reader, 3)).toEqual([grandchild, merged, leaf])
      const resumed = await follow(`/spaces/${spaceId}/messages/${root}/sse?after=${child}`)
      expect(await idsOf(resumed, 3)).toEqual([grandchild, merged, leaf])
    })

    it('a heartbeat carries the place on past what was not for this stream', async () => {
      const spaceId = await world.space(ada)
      const root = await send(ada, spaceId)
      const reader = await follow(`/spaces/${spaceId}/messages/${root}/sse`)
      await send(ben, spaceId)
      void reader.next()
      await expect.poll(() => reader.lastId).toMatch(/\/2$/)
    })
  })

  describe('of a branch', () => {
    async function chain(length: number) {
      const spaceId = await world.space(ada)
      const ids: string[] = []
      for (let index = 0; index < length; index++) ids.push(await send(ada, spaceId, ids.slice(-1)))
      return { spaceId, ids }
    }

    it('IOA 3.1: a child of the head is told and becomes the head; a child of A is not told', async () => {
      const { spaceId, ids: [a, , c] } = await chain(3)
      const reader = await follow(`/spaces/${spaceId}/sse?head=${c}`)
      const d = await send(ben, spaceId, [c!])
      await send(ben, spaceId, [a!])
      const e = await send(ben, spaceId, [d])
      expect(await nextOf(reader, 2)).toEqual([['message', d], ['message', e]])
    })

    it('IOA 3.2: a child of B is told as a fork', async () => {
      const { spaceId, ids: [, b, c] } = await chain(3)
      const reader = await follow(`/spaces/${spaceId}/sse?head=${c}`)
      const fork = await send(ben, spaceId, [b!])
      expect(await nextOf(reader, 1)).toEqual([['fork', fork]])
    })

    it('IOA 3.3: with depth 2 a child of B is a fork of D, a child of A is not told', async () => {
      const { spaceId, ids: [a, b, , d] } = await chain(4)
      const reader = await follow(`/spaces/${spaceId}/sse?head=${d}&fork_depth=2`)
      await send(ben, spaceId, [a!])
      const fork = await send(ben, spaceId, [b!])
      expect(await nextOf(reader, 1)).toEqual([['fork', fork]])
    })

    it('IOA 3.4: a Message without refs is never told', async () => {
      const { spaceId, ids: [, , c] } = await chain(3)
      const reader = await follow(`/spaces/${spaceId}/sse?head=${c}&fork_depth=100`)
      await send(ben, spaceId)
      const d = await send(ben, spaceId, [c!])
      expect(await nextOf(reader, 1)).toEqual([['message', d]])
    })

    it('IOA 3.5: parents [B, C] with head B are an extension, and the head moves', async () => {
      const spaceId = await world.space(ada)
      const a = await send(ada, spaceId)
      const [b, c] = [await send(ada, spaceId, [a]), await send(ada, spaceId, [a])]
      const reader = await follow(`/spaces/${spaceId}/messages/${b}/sse?head=${b}`)
      expect(await nextOf(reader, 1)).toEqual([['fork', c]])
      const d = await send(ben, spaceId, [b, c])
      const e = await send(ben, spaceId, [d])
      expect(await nextOf(reader, 2)).toEqual([['message', d], ['message', e]])
    })

    it('IOA 1.7: what was stored after the head is told first', async () => {
      const { spaceId, ids } = await chain(5)
      const reader = await follow(`/spaces/${spaceId}/sse?head=${ids[1]}`)
      expect(await nextOf(reader, 3)).toEqual(ids.slice(2).map((id) => ['message', id]))
      expect((await refusal(`/spaces/${spaceId}/sse?head=unknown`)).status).toBe(422)
    })

    it('IOA repair: a branch resumes with the head that it had', async () => {
      const { spaceId, ids } = await chain(4)
      const reader = await follow(`/spaces/${spaceId}/sse?head=${ids[1]}`)
      const [, last] = await reader.take(2)
      reader.close()
      const e = await send(ben, spaceId, [ids[3]!])
      const fork = await send(ben, spaceId, [ids[3]!])
      for (const options of [{ lastEventId: last!.id }, {}]) {
        const path = options.lastEventId === undefined ? `&after=${ids[3]}` : ''
        expect(await nextOf(await follow(`/spaces/${spaceId}/sse?head=${ids[1]}${path}`, options), 2)).toEqual([['message', e], ['fork', fork]])
      }
      expect((await refusal(`/spaces/${spaceId}/sse`, last!.id)).status).toBe(409)
    })
  })

  describe('of a Node', () => {
    it('IOA repair: tells what its inbox shows, broadcasts included, once, and what names it anywhere', async () => {
      const node = await world.node('Listener')
      const [entered, elsewhere] = [await world.space(node), await world.space(ada)]
      const reader = await follow(`/nodes/${node.id}/sse`, { node })
      const broadcast = await send(ben, entered)
      const named = await send(ben, entered, [broadcast], [node.id, node.id])
      await send(node, entered)
      await send(ben, entered, [broadcast])
      await send(ben, elsewhere)
      const directed = await send(ben, elsewhere, [], [node.id])
      const last = await send(ben, entered)
      const events = await reader.take(4)
      expect(events.map(({ message }) => message.id)).toEqual([broadcast, named, directed, last])
      const inbox = (await node.client.get(`/nodes/${node.id}/inbox`)).body.map(({ id }: { id: string }) => id)
      expect(inbox).toEqual([broadcast, named, last])
      for (const options of [{ lastEventId: events[0]!.id }, { after: broadcast }]) {
        const resumed = await follow(`/nodes/${node.id}/sse${'after' in options ? `?after=${options.after}` : ''}`, { node, ...('lastEventId' in options && { lastEventId: options.lastEventId }) })
        expect(await idsOf(resumed, 3)).toEqual([named, directed, last])
      }
    })
  })

  describe('ends', () => {
    it('when its token ends, and is authorised anew when it resumes', async () => {
      const node = await world.node('Ended')
      const spaceId = await world.space(ada)
      const reader = await follow(`/spaces/${spaceId}/sse`, { node })
      const { tokens } = world.server.service.doors
      const record = await tokens.find(node.token, 'ioa')
      await tokens.revoke(record!.tokenId)
      expect(await reader.next()).toBeUndefined()
      expect((await node.client.call('GET', `/spaces/${spaceId}/sse`, undefined, { 'last-event-id': reader.lastId! })).status).toBe(401)
    })

    it('IOA repair: a Node has so many streams open and no more, and gets the place of a closed one', async () => {
      const node = await world.node('Many')
      const spaceId = await world.space(ada)
      const opened = await Promise.all(Array.from({ length: 300 }, () => follow(`/spaces/${spaceId}/sse`, { node })))
      expect((await node.client.get(`/spaces/${spaceId}/sse`)).status).toBe(429)
      for (const reader of opened) reader.close()
      const again = async () => node.client.follow(`/spaces/${spaceId}/sse`).then((reader) => (reader.close(), 200), () => 429)
      await expect.poll(again, { timeout: 10_000 }).toBe(200)
    })
  })
})

describe.skipIf(skipReason)('a server that stops', () => {
  it('IOA repair: ends its streams in order, so that they resume elsewhere', async () => {
    const world = await startIoaWorld(startServer)
    const ada = await world.node('Ada')
    const reader = await ada.client.follow(`/spaces/${await world.space(ada)}/sse`)
    const ended = reader.next()
    await world.stop()
    expect([await ended, reader.response.complete]).toEqual([undefined, true])
  })

  it('IOA repair: a listener that takes nothing for long is let go', async () => {
    const world = await startIoaWorld(startServer, { heartbeatMs: 20, stalledAfterMs: 100, maxStreamsPerNode: 1 })
    try {
      const ada = await world.node('Ada')
      const spaceId = await world.space(ada)
      const socket = connect(world.server.port, '127.0.0.1')
      socket.write(`GET /ioa/spaces/${spaceId}/sse HTTP/1.1\r\nHost: 127.0.0.1:${world.server.port}\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`)
      await once(socket, 'readable')
      const closed = once(socket, 'close')
      const content = { list: Array.from({ length: 4 }, () => 'x'.repeat(50_000)) }
      // Far more than sockets hold on the way.
      for (let index = 0; index < 120; index++) await ada.client.post(`/spaces/${spaceId}/messages`, { content })
      const again = () => ada.client.follow(`/spaces/${spaceId}/sse`).then((reader) => (reader.close(), 'open'), () => 'full')
      await expect.poll(again, { timeout: 20_000 }).toBe('open')
      socket.resume()
      await closed
    } finally {
      await world.stop()
    }
  })
})
