import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`IOA Nodes${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let ada: IoaNode
  let next = 0
  beforeAll(async () => {
    world = await startIoaWorld(startServer)
    ada = await world.node('Ada', { description: 'first' })
  })
  afterAll(() => world.stop())

  const newId = () => (++next).toString(16).padStart(32, 'A')
  const register = (body: object) => world.stranger.post('/auth/register', { access_key: world.accessKey, ...body })
  const binding = (subject: string, claims?: object) => ({ namespace: 'github', subject, ...(claims && { claims }) })

  it('IOA 3.14: without meta a Node has an empty one', async () => {
    expect(await ada.client.get(`/nodes/${ada.id}`)).toMatchObject({ status: 200, body: { id: ada.id, name: 'Ada', description: 'first', meta: {} } })
    const plain = await world.node('Plain', { meta: null })
    expect((await ada.client.get(`/nodes/${plain.id}`)).body).toEqual({ id: expect.stringMatching(/^urn:uuid:/), name: 'Plain', meta: {} })
  })

  it('IOA 1.5: Nodes are listed by name, then by id, however many there are', async () => {
    const many = Array.from({ length: 450 }, (_, index) => `many ${index % 7}`)
    for (const name of many) await world.server.service.openSpaces.nodes.register({ name, nodeId: newId() })
    const { body } = await ada.client.get('/nodes')
    const own: { id: string; name: string }[] = body.filter((node: { name: string }) => node.name.startsWith('many'))
    const sorted = own.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1))
    expect([own.length, new Set(own.map(({ id }) => id)).size, own]).toEqual([450, 450, sorted])
  })

  it('hazard 8.13: nobody takes or gives up an agent id of the I.A.P. door here, be it the router', async () => {
    const node = await world.node('Confused')
    const identities = `/nodes/${node.id}/identities`
    for (const namespace of ['iap', ' iap\t']) {
      expect((await register({ name: 'Squatter', identities: [{ namespace, subject: 'router' }] })).status).toBe(403)
      expect((await node.client.post('/nodes', { name: 'Confused', identities: [{ namespace, subject: 'ben' }] })).status).toBe(403)
      expect((await node.client.call('PUT', identities, { namespace, subject: 'ben' })).status).toBe(403)
      expect((await node.client.call('DELETE', `${identities}?namespace=${encodeURIComponent(namespace)}&subject=ben`)).status).toBe(403)
    }
    expect((await ada.client.get('/nodes/resolve?namespace=iap&subject=ben')).status).toBe(404)
  })

  it('IOA 1.4: a client chooses an id of 32 hex digits of either case, and no other', async () => {
    const id = 'ABCDEFabcdef00000000000000000001'
    expect(await register({ id, name: 'Chosen' })).toMatchObject({ status: 201, body: { id } })
    for (const wrong of ['abc', 'g'.repeat(32), 'a'.repeat(33)]) expect((await register({ id: wrong, name: 'Wrong' })).status).toBe(422)
  })

  it('IOA 1.5: a blank name is 422', async () => {
    for (const name of ['', '  ', undefined]) expect((await register({ name })).status).toBe(422)
  })

  it('IOA 3.27: a binding leads to its Node, whatever id is sent later', async () => {
    const [first, second] = [newId(), newId()]
    expect((await register({ name: 'Bound', id: first, identities: [binding('27', { role: 'dev' })] })).body.id).toBe(first)
    expect(await ada.client.get('/nodes/resolve?namespace=github&subject=27')).toMatchObject({ status: 200, body: { id: first, identities: [binding('27', { role: 'dev' })] } })
    expect((await register({ name: 'Bound', id: second, identities: [binding('27')] })).body.id).toBe(first)
  })

  it('IOA 3.28: an upsert replaces claims, a deletion leaves none', async () => {
    const node = await world.node('Upsert')
    const identities = `/nodes/${node.id}/identities`
    await node.client.call('PUT', identities, binding('28', { a: 1 }))
    expect((await node.client.call('PUT', identities, binding('28', { b: 2 }))).body.identities).toEqual([binding('28', { b: 2 })])
    const deleted = await node.client.call('DELETE', `${identities}?namespace=github&subject=28`)
    expect([deleted.status, deleted.body.identities]).toEqual([200, undefined])
    expect((await node.client.call('DELETE', `${identities}?namespace=github&subject=28`)).status).toBe(200)
    expect((await ada.client.get('/nodes/resolve?namespace=github&subject=28')).status).toBe(404)
  })

  it('IOA 3.29: registering twice by name alone gives the same id, and another token', async () => {
    const [first, second] = [await register({ name: 'Twice' }), await register({ name: 'Twice', description: 'again' })]
    expect([second.body.id, second.body.token === first.body.token]).toEqual([first.body.id, false])
    expect((await ada.client.get(`/nodes/${first.body.id}`)).body.description).toBe('again')
  })

  it('IOA 3.30: two clients with one binding are one Node', async () => {
    const ids = await Promise.all(['a', 'b'].map((name) => register({ name, identities: [binding('30')] })))
    expect(ids[0]!.body.id).toBe(ids[1]!.body.id)
  })

  it('IOA 3.31: namespace and subject are trimmed, nested claims survive, and a reference to a Node can be followed', async () => {
    const claims = { org: { teams: ['a', { deep: true }] } }
    const node = await world.node('Trimmed', { identities: [{ namespace: ' github ', subject: '\t31 ', claims }] })
    expect((await ada.client.get('/nodes/resolve?namespace=%20github&subject=31%20')).body).toMatchObject({ id: node.id, identities: [binding('31', claims)] })
    expect((await ada.client.get(`/nodes/${encodeURIComponent(node.id)}`)).body.id).toBe(node.id)
  })

  it('IOA 1.10: blank parts and a pair given twice are 422, a pair of another Node 409, a stranger’s Node 403', async () => {
    expect((await register({ name: 'Blank', identities: [binding(' ')] })).status).toBe(422)
    expect((await register({ name: 'Repeat', identities: [binding('r'), binding(' r ')] })).status).toBe(422)
    for (const query of ['namespace=a', 'namespace=%20&subject=b', '']) expect((await ada.client.get(`/nodes/resolve?${query}`)).status).toBe(422)
    const [one, two] = [await world.node('One', { identities: [binding('one')] }), await world.node('Two', { identities: [binding('two')] })]
    expect((await register({ name: 'Both', identities: [binding('one'), binding('two')] })).status).toBe(409)
    expect((await one.client.call('PUT', `/nodes/${one.id}/identities`, binding('two'))).status).toBe(409)
    expect((await one.client.call('PUT', `/nodes/${two.id}/identities`, binding('three'))).status).toBe(403)
    expect((await one.client.call('DELETE', `/nodes/${two.id}/identities?namespace=github&subject=two`)).status).toBe(403)
  })

  it('IOA repair: simultaneous registrations of one name make one Node', async () => {
    const answers = await Promise.all(Array.from({ length: 64 }, () => register({ name: 'Rush' })))
    expect([new Set(answers.map(({ body }) => body.id)).size, new Set(answers.map(({ status }) => status))]).toEqual([1, new Set([201])])
  })

  it('IOA repair: another access key takes over no Node, by name, by id or by binding', async () => {
    const [victim, bound] = [await world.node('Victim'), await world.node('Bound victim', { id: newId(), identities: [binding('victim')] })]
    const { accessKey } = await world.server.service.doors.accessKeys.create({ label: 'another' })
    for (const claim of [{ name: 'Victim' }, { name: 'X', id: bound.id }, { name: 'X', identities: [binding('victim')] }]) {
      expect((await world.stranger.post('/auth/register', { ...claim, access_key: accessKey })).status).toBe(403)
    }
    expect((await ada.client.get(`/nodes/${victim.id}`)).body.name).toBe('Victim')
  })

  it('IOA repair: a token overwrites no other Node, and its own by id', async () => {
    const [mine, other] = [await world.node('Mine', { id: newId() }), await world.node('Other', { id: newId() })]
    expect((await mine.client.post('/nodes', { name: 'Taken', id: other.id })).status).toBe(403)
    expect((await ada.client.get(`/nodes/${other.id}`)).body.name).toBe('Other')
    expect(await mine.client.post('/nodes', { name: 'Renewed', id: mine.id, meta: { v: 2 } })).toMatchObject({ status: 201, body: { id: mine.id, name: 'Renewed', meta: { v: 2 } } })
    const victim = await world.node('Somebody', { identities: [binding('somebody')] })
    expect((await mine.client.post('/nodes', { name: 'X', identities: [binding('somebody')] })).status).toBe(403)
    expect((await ada.client.get('/nodes/resolve?namespace=github&subject=somebody')).body.id).toBe(victim.id)
  })

  it('IOA 1.8: a client that holds a token alone registers and then acts as its Node, and IOA repair: leaves none behind', async () => {
    const node = await world.node('Release bot')
    const client = world.stranger.with({ token: node.token })
    const count = async () => (await ada.client.get('/nodes')).body.length
    const before = await count()
    for (const more of [{}, { id: newId() }, { meta: null, description: 'from the command line' }, { identities: [binding('cli')] }]) {
      expect(await client.post('/nodes', { name: 'ioa-client', ...more })).toMatchObject({ status: 201, body: { id: node.id, name: 'Release bot' } })
    }
    expect([await count(), (await ada.client.get('/nodes/resolve?namespace=github&subject=cli')).body]).toMatchObject([before, { id: node.id, description: 'from the command line' }])
    const acting = world.stranger.with({ token: node.token, nodeId: node.id })
    expect((await acting.post(`/spaces/${await world.space(ada)}/messages`, { content: {} })).body.sender).toBe(node.id)
    for (const wrong of [{ name: ' ' }, { name: 'X', id: 'short' }]) expect((await client.post('/nodes', wrong)).status).toBe(422)
  })

  it('IOA 1.3: an unknown Node is 404', async () => {
    for (const path of ['/nodes/unknown', '/nodes/unknown/inbox', '/nodes/unknown/sse']) expect((await ada.client.get(path)).status, path).toBe(404)
  })
})
