import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../log.ts'
import { startServer } from '../../start.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`the IOA door${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let ada: IoaNode
  let ben: IoaNode
  beforeAll(async () => {
    world = await startIoaWorld(startServer, { bodyDeadlineMs: 250 })
    ada = await world.node('Ada')
    ben = await world.node('Ben')
  })
  afterAll(() => world.stop())

  const detail = { detail: expect.any(String) }

  describe('credentials', () => {
    it('IOA 3.6, 3.8: probes are open, and say nothing but that all is well', async () => {
      for (const path of ['/health', '/ready']) {
        expect(await world.stranger.get(path)).toMatchObject({ status: 200, body: { status: 'ok' } })
        expect(await world.stranger.call('HEAD', path)).toMatchObject({ status: 200, text: '' })
      }
    })

    it('IOA 3.8: lists need a token; the access key alone is 401', async () => {
      const { stranger, accessKey } = world
      for (const client of [stranger, stranger.with({ accessKey }), stranger.with({ token: 'a'.repeat(64) }), stranger.with({ token: accessKey })]) {
        expect(await client.get('/spaces')).toMatchObject({ status: 401, body: detail })
      }
      for (const authorization of ['Basic YTpi', 'Bearer', `bearer ${'a'.repeat(64)}`, ada.token]) {
        expect((await stranger.call('GET', '/spaces', undefined, { authorization })).status).toBe(401)
      }
    })

    it('IOA 3.9: the right key registers, and the token lists Spaces', async () => {
      const { stranger, accessKey } = world
      const registered = await stranger.post('/auth/register', { name: 'Cleo', access_key: accessKey })
      expect(registered).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^urn:uuid:/), name: 'Cleo', token: expect.stringMatching(/^[0-9a-f]{64}$/) } })
      expect((await stranger.with({ token: registered.body.token }).get('/spaces')).status).toBe(200)
    })

    it('IOA 1.2: a missing key is 401 and a wrong one 403, in the body and in the header', async () => {
      const { stranger } = world
      expect((await stranger.post('/auth/register', { name: 'X' })).status).toBe(401)
      expect((await stranger.post('/auth/register', { name: 'X', access_key: 'wrong' })).status).toBe(403)
      const entry = { name: 'A', description: 'a' }
      expect((await stranger.post('/spaces', entry)).status).toBe(401)
      expect((await stranger.with({ accessKey: 'wrong' }).post('/spaces', entry)).status).toBe(403)
    })

    it('IOA 3.10: entering needs the key; with it, X-Node-ID names a Node that it enrolled', async () => {
      const { stranger, accessKey } = world
      const entry = { name: '3.10', description: 'here' }
      expect((await stranger.with({ token: ada.token }).post('/spaces', entry)).status).toBe(401)
      const entered = await stranger.with({ accessKey, nodeId: ada.id }).post('/spaces', entry)
      expect(entered).toMatchObject({ status: 200, body: { name: '3.10', nodes: [{ id: ada.id }] } })
      expect((await stranger.with({ accessKey, token: 'a'.repeat(64) }).post('/spaces', entry)).status).toBe(401)
      expect((await stranger.with({ accessKey }).post('/spaces', entry)).status).toBe(422)
      expect((await stranger.with({ accessKey, nodeId: 'f'.repeat(32) }).post('/spaces', entry)).status).toBe(422)
    })

    it('IOA repair: an access key acts for no Node of another one', async () => {
      const { accessKey } = await world.server.service.doors.accessKeys.create({ label: 'another' })
      expect((await world.stranger.with({ accessKey, nodeId: ada.id }).post('/spaces', { name: 'A', description: 'a' })).status).toBe(403)
    })

    it('IOA 3.11: without X-Node-ID the sender is the token’s Node', async () => {
      const sent = await ada.client.post(`/spaces/${await world.space(ada)}/messages`, { content: {} })
      expect(sent).toMatchObject({ status: 201, body: { sender: ada.id } })
    })

    it('IOA repair: X-Node-ID does not override the token', async () => {
      const spaceId = await world.space(ada)
      const impostor = world.stranger.with({ token: ada.token, nodeId: ben.id, accessKey: world.accessKey })
      expect((await impostor.post(`/spaces/${spaceId}/messages`, { content: {} })).status).toBe(403)
      expect((await impostor.post('/spaces', { name: 'A', description: 'a' })).status).toBe(403)
      expect((await impostor.get('/spaces')).status).toBe(403)
      expect((await world.stranger.with({ token: ada.token, nodeId: ada.id }).get('/spaces')).status).toBe(200)
    })

    it('IOA repair: tokens can be revoked', async () => {
      const node = await world.node('Revoked')
      const { tokens } = world.server.service.doors
      const record = await tokens.find(node.token, 'ioa')
      await tokens.revoke(record!.tokenId)
      expect((await node.client.get('/spaces')).status).toBe(401)
    })

    it('a token of another door is none here', async () => {
      const { tokens } = world.server.service.doors
      const record = await tokens.find(ada.token, 'ioa')
      const issued = await tokens.issue({ principalId: record!.principalId, doors: ['mcp'], label: 'elsewhere' })
      expect(issued.ok && (await world.stranger.with({ token: issued.value.token }).get('/spaces')).status).toBe(401)
    })
  })

  describe('paths', () => {
    it('IOA 1.2: credentials come before routing', async () => {
      expect((await world.stranger.get('/nowhere')).status).toBe(401)
      expect(await ada.client.get('/nowhere')).toMatchObject({ status: 404, body: detail })
    })

    it('IOA 1.1: a trailing slash is ignored, a doubled one redirected', async () => {
      expect((await ada.client.get('/spaces/')).status).toBe(200)
      expect((await world.stranger.get('/health/')).status).toBe(200)
      const redirected = await ada.client.get('//nodes///?after=x')
      expect([redirected.status, redirected.headers.get('location')]).toEqual([301, '/ioa/nodes/?after=x'])
    })

    it.each([
      ['PUT', '/nodes', 405], ['PATCH', '/nodes/x/inbox', 405], ['DELETE', '/messages', 405], ['PUT', '/health', 405], ['DELETE', '/ready', 405], ['HEAD', '/nodes', 405],
      ['PUT', '/spaces/x/messages', 405], ['HEAD', '/spaces/x/messages', 405],
      ['PUT', '/spaces', 404], ['DELETE', '/spaces/x', 404], ['POST', '/messages', 404], ['PATCH', '/spaces/x/sse', 404], ['GET', '/auth/register', 404],
    ])('IOA 1.3: %s %s is %i', async (method, path, status) => {
      expect((await ada.client.call(method, path)).status).toBe(status)
    })

    it('IOA 1.8: GET /spaces/{name} is 404, so that clients look the name up', async () => {
      await world.space(ada, 'by name')
      expect((await ada.client.get('/spaces/by%20name')).status).toBe(404)
    })

    it('an escape that is broken, or names what no text may hold, leads nowhere', async () => {
      for (const path of ['/spaces/%', '/spaces/%00', '/nodes/%00', '/spaces/%ff']) expect((await ada.client.get(path)).status, path).toBe(404)
    })
  })

  describe('bodies', () => {
    it('IOA repair: a body above 256 KiB is 413', async () => {
      const spaceId = await world.space(ada)
      const sent = await ada.client.post(`/spaces/${spaceId}/messages`, { content: { text: 'x'.repeat(256 * 1024) } })
      expect(sent).toMatchObject({ status: 413, body: detail })
    })

    it('IOA repair: a body that does not arrive is 408', async () => {
      const socket = connect(world.server.port, '127.0.0.1')
      socket.write(`POST /ioa/auth/register HTTP/1.1\r\nHost: 127.0.0.1:${world.server.port}\r\nContent-Length: 10\r\n\r\n{`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /)
      socket.destroy()
    })

    it.each([['token', 401], ['access key', 403]])('IOA repair: a body that comes after the end of its %s is for nothing', async (credential, status) => {
      const { doors, openSpaces } = world.server.service
      const spaceId = await world.space(ada, `the end of a ${credential}`)
      const issued = await doors.tokens.issue({ principalId: ada.id, doors: ['ioa'], label: 'slow' })
      const { token, record } = issued.ok ? issued.value : expect.unreachable()
      const { accessKey, record: { accessKeyId } } = await doors.accessKeys.create({ label: 'slow' })
      const isToken = credential === 'token'
      const [path, body] = isToken ? [`spaces/${spaceId}/messages`, '{"content":{"text":"late"}}'] : ['spaces', '{"name":"late","description":"late"}']
      const shown = isToken ? vi.spyOn(doors.tokens, 'find') : vi.spyOn(doors.accessKeys, 'find')
      const socket = connect(world.server.port, '127.0.0.1')
      socket.write(`POST /ioa/${path} HTTP/1.1\r\nHost: 127.0.0.1:${world.server.port}\r\nAuthorization: Bearer ${token}\r\nX-Access-Key: ${accessKey}\r\nContent-Length: ${body.length}\r\n\r\n${body[0]}`)
      await vi.waitFor(() => expect(shown).toHaveBeenCalled())
      await shown.mock.results[0]!.value
      shown.mockRestore()
      expect(await (isToken ? doors.tokens.revoke(record.tokenId) : doors.accessKeys.revoke(accessKeyId))).toBe(true)
      socket.write(body.slice(1))
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(await openSpaces.read(spaceId, { mode: 'all' }, {})).toEqual({ ok: true, value: [] })
      expect(await openSpaces.named('late')).toBeUndefined()
    })

    it('IOA repair: headers above a bound are refused before anything reads them', async () => {
      expect((await fetch(`${world.stranger.base}/spaces`, { headers: { 'x-node-id': 'x'.repeat(100_000) } })).status).toBe(431)
    })

    it('no body of any shape is more than refused', async () => {
      const spaceId = await world.space(ada)
      const paths = ['/auth/register', '/spaces', `/spaces/${spaceId}/messages`, '/nodes']
      const member = fc.constantFrom('name', 'description', 'content', 'refs', 'meta', 'tags', 'identities', 'access_key', 'content_schema', 'id', '__proto__', 'Content')
      const body = fc.oneof(
        fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value)),
        fc.string(),
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('{"content":{"a":1e999}}', '{"content":{"__proto__":null}}', '{"content":{},"refs":{"messages":[""]}}', '{"content":{},"refs":{"nodes":["\\u0000"]}}'),
      )
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...paths), body, async (path, content) => {
          const { status } = await ada.client.call('POST', path, content)
          expect([200, 201, 401, 403, 404, 422]).toContain(status)
        }),
        { numRuns: 200 },
      )
      expect((await world.stranger.get('/health')).status).toBe(200)
    })
  })

  it('IOA 3.33: probes answer and lists are 401, beside each other', async () => {
    expect([(await world.stranger.get('/health')).status, (await world.stranger.get('/spaces')).status]).toEqual([200, 401])
  })
})

describe.skipIf(skipReason)('limits of the IOA door', () => {
  it('IOA repair: an address and a Node may ask only so often', async () => {
    const world = await startIoaWorld(startServer, { nodePerSecond: 0.001, nodeBurst: 5, addressPerSecond: 0.001, addressBurst: 12 })
    try {
      const ada = await world.node('Ada')
      const statuses: number[] = []
      for (let index = 0; index < 6; index++) statuses.push((await ada.client.get('/health/')).status, (await ada.client.get('/nodes')).status)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 429])
      const limited = await ada.client.get('/health')
      expect([limited.status, Number(limited.headers.get('retry-after')) > 0, limited.body]).toEqual([429, true, { detail: 'too many requests' }])
    } finally {
      await world.stop()
    }
  })

  it('IOA repair: credentials cannot be guessed at any speed', async () => {
    const world = await startIoaWorld(startServer)
    try {
      const known = await world.node('Known')
      expect((await known.client.get('/spaces')).status).toBe(200)
      const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => world.stranger.post('/auth/register', { name: 'X', access_key: `guess ${index}` })))
      expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([403, 429]))
      expect((await world.stranger.with({ token: 'a'.repeat(64) }).get('/spaces')).status).toBe(429)
      // Nor do they shut anybody out who was let in before, while its token is in force.
      expect((await known.client.get('/spaces')).status).toBe(200)
      const [{ tokenId } = { tokenId: '' }] = await world.server.service.doors.tokens.list()
      await world.server.service.doors.tokens.revoke(tokenId)
      expect([401, 429]).toContain((await known.client.get('/spaces')).status)
    } finally {
      await world.stop()
    }
  })

  it('IOA 3.7, IOA repair: without its store the server is not healthy, tells no more of it, and logs no secret', async () => {
    const lines: string[] = []
    const world = await startIoaWorld(startServer, {}, createLog('trace', { write: (line) => void lines.push(line) }))
    const node = await world.node('Ada')
    await world.loseStore()
    try {
      const failed = await node.client.post('/spaces', { name: 'A', description: 'a' })
      expect([failed.status >= 500, Object.keys(failed.body), /postgres|database|sql|127\.0\.0\.1/i.test(failed.text)]).toEqual([true, ['detail'], false])
      await expect.poll(async () => (await world.stranger.get('/health')).status, { timeout: 20_000 }).toBe(503)
      const { body, text } = await world.stranger.get('/ready')
      expect([body, /postgres|database|127\.0\.0\.1/i.test(text)]).toEqual([{ detail: 'the store does not answer' }, false])
      expect(lines.length).toBeGreaterThan(0)
      for (const secret of [world.accessKey, node.token]) expect(lines.some((line) => line.includes(secret))).toBe(false)
    } finally {
      await world.stop()
    }
  })
})
