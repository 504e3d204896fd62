import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`IOA Spaces and Messages${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let ada: IoaNode
  let ben: IoaNode
  beforeAll(async () => {
    world = await startIoaWorld(startServer, { pageSize: 4 })
    ada = await world.node('Ada', { description: 'Ada herself' })
    ben = await world.node('Ben')
  })
  afterAll(() => world.stop())

  async function send(node: IoaNode, spaceId: string, messages: readonly string[] = [], nodes: readonly string[] = []): Promise<string> {
    const { status, body } = await node.client.post(`/spaces/${spaceId}/messages`, { content: { n: 1 }, refs: { messages, nodes } })
    expect(status).toBe(201)
    return body.id
  }
  const ids = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id)
  const read = (spaceId: string, query = '', node = ada) => node.client.get(`/spaces/${spaceId}/messages?${query}`)
  /** Root, its two children, and a Message that merges them. */
  async function diamond() {
    const spaceId = await world.space(ada)
    const root = await send(ada, spaceId)
    const left = await send(ben, spaceId, [root])
    const right = await send(ada, spaceId, [root], [ben.id])
    const merged = await send(ben, spaceId, [left, right])
    return { spaceId, root, left, right, merged, all: [root, left, right, merged] }
  }

  describe('a Space', () => {
    const enter = (node: IoaNode, body: object) => node.client.post('/spaces', body)

    it('IOA 3.13: tags come back in the order given, trimmed, without blanks and repeats', async () => {
      expect((await enter(ada, { name: '13', description: 'a', tags: ['b', ' a ', '', 'b', 'c'] })).body.tags).toEqual(['b', 'a', 'c'])
    })

    it('IOA 3.18: entering again gives the same id, both members, and merged tags', async () => {
      const first = await enter(ada, { name: '18', description: 'a', tags: ['x', 'y'] })
      const second = await enter(ben, { name: '18', description: 'b', tags: ['y', 'z'] })
      expect(second.body).toMatchObject({ id: first.body.id, tags: ['x', 'y', 'z'], nodes: [{ id: ada.id, description: 'a' }, { id: ben.id, description: 'b' }], message_count: 0 })
      expect((await enter(ben, { name: '18', description: 'c' })).body.nodes[1].description).toBe('c')
    })

    it('IOA 1.5: a blank description falls back to the Node’s own; without that it is 422', async () => {
      expect((await enter(ada, { name: 'blank', description: ' ' })).body.nodes[0].description).toBe('Ada herself')
      expect((await enter(ben, { name: 'blank' })).status).toBe(422)
      expect((await enter(ada, { name: ' ', description: 'a' })).status).toBe(422)
    })

    it('IOA 1.4: names match exactly, and Spaces are listed by name with members and counts', async () => {
      const [one, two] = [await world.space(ada, 'Exact'), await world.space(ada, 'Exact ')]
      expect(one).not.toBe(two)
      await send(ada, one)
      const { body } = await ada.client.get('/spaces')
      const names: string[] = body.map(({ name }: { name: string }) => name)
      expect(names).toEqual(names.toSorted())
      expect(body.find(({ id }: { id: string }) => id === one)).toMatchObject({ name: 'Exact', message_count: 1, nodes: [{ id: ada.id, name: 'Ada' }] })
      expect((await ada.client.get(`/spaces/${one}`)).body).toMatchObject({ id: one, message_count: 1 })
    })

    it('a name that is an absolute URI belongs to mission Spaces', async () => {
      expect((await enter(ada, { name: 'urn:uuid:5b0f6a1c-0000-4000-8000-000000000000', description: 'a' })).status).toBe(422)
    })

    it('IOA repair: a name has a length', async () => {
      expect((await enter(ada, { name: 'x'.repeat(200_000), description: 'a' })).status).toBe(422)
    })
  })

  describe('sending', () => {
    it('IOA 3.15: without refs, or with empty ones, both are empty lists', async () => {
      const path = `/spaces/${await world.space(ada)}/messages`
      for (const refs of [undefined, null, {}, { messages: null, nodes: null }, { messages: [] }]) {
        expect((await ada.client.post(path, { content: {}, refs, meta: null })).body.refs).toEqual({ messages: [], nodes: [] })
      }
      expect((await ada.client.post(path, { content: {}, refs: { messages: null, nodes: [ben.id, ben.id] } })).body.refs).toEqual({ messages: [], nodes: [ben.id, ben.id] })
    })

    it('IOA 3.16: content that is null or missing is 422, an empty object comes back empty', async () => {
      const path = `/spaces/${await world.space(ada)}/messages`
      for (const body of [{}, { content: null }, 'null', { content: 'text' }, { content: [] }]) expect((await ada.client.post(path, body)).status).toBe(422)
      expect(await ada.client.post(path, { content: {} })).toMatchObject({ status: 201, body: { content: {} } })
    })

    it('IOA 1.4: a Message has the fields of the reference, and those that are absent are left out', async () => {
      const spaceId = await world.space(ada)
      const { body } = await ada.client.post(`/spaces/${spaceId}/messages`, { content: { a: 1 } })
      expect(body).toEqual({ id: expect.stringMatching(/^urn:uuid:/), space_id: spaceId, sender: ada.id, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), content: { a: 1 }, refs: { messages: [], nodes: [] } })
    })

    it('IOA 3.23: an unknown Message or Node is 422, and so is one of another Space; an unknown Space is 404', async () => {
      const [here, there] = [await world.space(ada), await world.space(ada)]
      const foreign = await send(ada, there)
      const path = `/spaces/${here}/messages`
      for (const refs of [{ messages: ['unknown'] }, { messages: [foreign] }, { nodes: ['unknown'] }]) expect((await ada.client.post(path, { content: {}, refs })).status).toBe(422)
      expect((await ada.client.post('/spaces/unknown/messages', { content: {} })).status).toBe(404)
      expect((await ada.client.post('/spaces/unknown/messages', { content: null })).status).toBe(404)
    })

    it('IOA repair: nobody writes what passes for a record of the I.A.P. router', async () => {
      const spaceId = await world.space(ada)
      const { status, body } = await ada.client.post(`/spaces/${spaceId}/messages`, { content: { taskId: 't', ordinal: 5 }, content_type: 'iap/task_result' })
      expect([status, body]).toEqual([403, { detail: 'Messages of this content_type are written by the I.A.P. router alone' }])
      expect((await read(spaceId, 'all=true')).body).toEqual([])
    })

    it('IOA 3.24: meta and content_type survive', async () => {
      const spaceId = await world.space(ada)
      const { body } = await ada.client.post(`/spaces/${spaceId}/messages`, { content: {}, content_type: 'checkpoint', meta: { k: [1, { v: null }] } })
      expect(body).toMatchObject({ content_type: 'checkpoint', meta: { k: [1, { v: null }] } })
      const stored = await read(spaceId, 'all=true')
      expect(stored.body).toEqual([body])
    })

    it('IOA 3.25: a schema comes back and is applied to nothing; one that is none is 422', async () => {
      const spaceId = await world.space(ada)
      const schema = { type: 'object', required: ['x'] }
      const { body } = await ada.client.post(`/spaces/${spaceId}/messages`, { content: {}, content_schema: schema })
      expect(body.content_schema).toEqual(schema)
      expect((await ada.client.post(`/spaces/${spaceId}/messages`, { content: { other: 1 }, refs: { messages: [body.id] } })).status).toBe(201)
      expect((await ada.client.post(`/spaces/${spaceId}/messages`, { content: {}, content_schema: { type: 123 } })).status).toBe(422)
    })

    it('IOA repair: a schema opens no file and no address, whatever it refers to', async () => {
      const path = `/spaces/${await world.space(ada)}/messages`
      const answers = await Promise.all(['file:///etc/passwd', 'file:///nowhere', 'http://127.0.0.1:1/x'].map((reference) => ada.client.post(path, { content: {}, content_schema: { $ref: reference } })))
      expect(new Set(answers.map(({ status }) => status)).size).toBe(1)
      for (const { text } of answers) expect(text).not.toMatch(/root:|ENOENT|no such file|ECONNREFUSED|\/work|\/home/)
    })

    it('IOA repair: numbers keep every digit', async () => {
      const spaceId = await world.space(ada)
      const content = '{"big":12345678901234567890,"small":0.10000000000000000555,"exponent":1.0E2}'
      const sent = await ada.client.post(`/spaces/${spaceId}/messages`, `{"content":${content}}`)
      expect([sent.text.includes(content), (await read(spaceId, 'all=1')).text.includes(content)]).toEqual([true, true])
    })

    it('IOA 1.5: membership is not needed to send, read or be named', async () => {
      const spaceId = await world.space(ada)
      const sent = await send(ben, spaceId, [], [ada.id])
      expect(ids(await read(spaceId, '', ada))).toEqual([sent])
    })
  })

  describe('reading', () => {
    it('IOA 3.19, 3.20: a caller reads what names it and broadcasts of others, never its own', async () => {
      const spaceId = await world.space(ada)
      const broadcast = await send(ada, spaceId)
      const directed = await send(ada, spaceId, [broadcast], [ben.id])
      await send(ben, spaceId, [broadcast])
      expect(ids(await read(spaceId, '', ben))).toEqual([broadcast, directed])
      expect(ids(await read(spaceId, '', ada))).toEqual([])
      // Over HTTP there is always a caller; without one, roots are read.
      const roots = await world.server.service.openSpaces.read(spaceId, { mode: 'roots' }, {})
      expect(roots.ok && roots.value.map(({ messageId }) => messageId)).toEqual([broadcast])
      expect((await read(await world.space(ada))).text).toBe('[]')
    })

    it('IOA 3.21: message_id gives the Message and what is below it', async () => {
      const { spaceId, root, left } = await diamond()
      expect(ids(await read(spaceId, `message_id=${root}&direction=downstream`))).toHaveLength(4)
      expect(ids(await read(spaceId, `message_id=${left}&direction=downstream`))[0]).toBe(left)
    })

    it('IOA repair (D1): upstream gives all ancestors, and the default both', async () => {
      const { spaceId, root, left, right, merged, all } = await diamond()
      expect(ids(await read(spaceId, `message_id=${merged}&direction=upstream`))).toEqual(all)
      expect(ids(await read(spaceId, `message_id=${left}&direction=upstream`))).toEqual([root, left])
      expect(ids(await read(spaceId, `message_id=${right}`))).toEqual([root, right, merged])
    })

    it('IOA 3.22: all, after a Message and limited, gives the next ones', async () => {
      const { spaceId, root, left } = await diamond()
      expect(ids(await read(spaceId, `all=true&after=${root}&limit=1`))).toEqual([left])
    })

    it('IOA 1.6: the window is the newest without a cursor, the next ones with it, and everything without either', async () => {
      const spaceId = await world.space(ada)
      const sent: string[] = []
      for (let index = 0; index < 11; index++) sent.push(await send(ada, spaceId))
      expect(ids(await read(spaceId, 'all=1'))).toEqual(sent)
      expect(ids(await read(spaceId, 'all=1&limit=3'))).toEqual(sent.slice(-3))
      expect(ids(await read(spaceId, 'all=1&limit=9'))).toEqual(sent.slice(-9))
      expect(ids(await read(spaceId, `all=1&after=${sent[2]}`))).toEqual(sent.slice(3))
      expect(ids(await read(spaceId, `all=1&after=${sent[2]}&limit=5`))).toEqual(sent.slice(3, 8))
      expect(ids(await read(spaceId, `all=1&after=${sent[10]}`))).toEqual([])
      expect(ids(await read(spaceId, `message_id=${sent[5]}&after=${sent[0]}`))).toEqual([sent[5]])
    })

    it('IOA 1.6: what cannot be read is refused in the order of the reference', async () => {
      const { spaceId, root } = await diamond()
      const status = async (space: string, query: string) => (await read(space, query)).status
      expect(await status('unknown', 'limit=0&after=unknown')).toBe(404)
      expect([await status(spaceId, 'limit=0'), await status(spaceId, 'limit=x'), await status(spaceId, 'all=maybe')]).toEqual([422, 422, 422])
      expect(await status(spaceId, 'after=unknown&message_id=unknown')).toBe(422)
      expect(await status(spaceId, 'message_id=unknown&direction=sideways')).toBe(404)
      expect(await status(spaceId, `message_id=${root}&direction=sideways`)).toBe(422)
      expect(await status(spaceId, 'direction=sideways&limit=')).toBe(200)
      const elsewhere = await send(ada, await world.space(ada))
      expect(await status(spaceId, `after=${elsewhere}`)).toBe(422)
    })
  })

  describe('across Spaces', () => {
    it('IOA 3.17: space_id gives all of its Messages; with ref_message only the child', async () => {
      const spaceId = await world.space(ada)
      const root = await send(ada, spaceId)
      const child = await send(ben, spaceId, [root])
      const other = await send(ada, spaceId)
      expect(ids(await ada.client.get(`/messages?space_id=${spaceId}`))).toEqual([root, child, other])
      expect(ids(await ada.client.get(`/messages?space_id=${spaceId}&ref_message=${root}`))).toEqual([child])
    })

    it('IOA 3.26: node_id is sender or named, ref_node only named, nothing is everything', async () => {
      const cleo = await world.node('Cleo')
      const [one, two] = [await world.space(cleo), await world.space(ada)]
      const sent = await send(cleo, one)
      const named = await send(ada, two, [], [cleo.id])
      expect(ids(await ada.client.get(`/messages?node_id=${cleo.id}`))).toEqual([sent, named])
      expect(ids(await ada.client.get(`/messages?ref_node=${cleo.id}`))).toEqual([named])
      expect(ids(await ada.client.get(`/messages?sender=${cleo.id}`))).toEqual([sent])
      const everything = ids(await ada.client.get('/messages'))
      expect(everything.slice(-2)).toEqual([sent, named])
      expect(ids(await ada.client.get('/messages?limit=2'))).toEqual([sent, named])
    })

    it('IOA repair: a cursor need not fit the filter', async () => {
      const spaceId = await world.space(ada)
      const first = await send(ben, spaceId)
      const second = await send(ada, spaceId)
      expect(ids(await ada.client.get(`/messages?space_id=${spaceId}&sender=${ada.id}&after=${first}`))).toEqual([second])
    })

    it('IOA 1.6: unknown values are 404, an unknown ref_message or after 422', async () => {
      const status = async (query: string) => (await ada.client.get(`/messages?${query}`)).status
      for (const name of ['space_id', 'message_id', 'node_id', 'sender', 'ref_node']) expect(await status(`${name}=unknown`), name).toBe(404)
      for (const name of ['ref_message', 'after', 'limit']) expect(await status(`${name}=unknown`), name).toBe(422)
    })

    it('IOA 1.6: the inbox holds what concerns the Node in Spaces that it has entered', async () => {
      const [dora, eve] = [await world.node('Dora'), await world.node('Eve')]
      const [entered, elsewhere] = [await world.space(dora), await world.space(eve)]
      const broadcast = await send(eve, entered)
      const named = await send(eve, entered, [broadcast], [dora.id])
      await send(dora, entered)
      await send(eve, entered, [broadcast])
      await send(eve, elsewhere, [], [dora.id])
      expect(ids(await dora.client.get(`/nodes/${dora.id}/inbox`))).toEqual([broadcast, named])
      expect((await dora.client.get(`/nodes/${dora.id}/inbox?after=unknown`)).status).toBe(422)
    })

    it('IOA repair: reading an inbox page by page loses nothing, whichever Space is written to', async () => {
      const [reader, writer] = [await world.node('Reader'), await world.node('Writer')]
      const spaces = [await world.space(reader), await world.space(reader), await world.space(reader)]
      const seen: string[] = []
      const sent: string[] = []
      for (const spaceId of [...spaces, ...spaces.toReversed(), ...spaces]) {
        sent.push(await send(writer, spaceId))
        const last = seen.at(-1)
        seen.push(...ids(await reader.client.get(`/nodes/${reader.id}/inbox?limit=10${last === undefined ? '' : `&after=${last}`}`)))
      }
      expect(seen).toEqual(sent)
    })
  })
})
