import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Clock } from '../../service/ports.ts'
import { startServer } from '../../start.ts'
import type { Agent, Fixture, Person } from '../../testing/authority-fixture.ts'
import { eventOf, fixtureOn, newUrn, signAs } from '../../testing/authority-fixture.ts'
import { selectionBasis, workContract } from '../../testing/documents.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`mission Spaces at the IOA door${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let fixture: Fixture<Clock>
  let owner: Person
  let coordinator: Agent
  let scout: IoaNode
  let stranger: IoaNode
  let groupId: string

  beforeAll(async () => {
    world = await startIoaWorld(startServer, { pageSize: 3 })
    const { server, store, organization } = world
    fixture = fixtureOn(server.service, { store, clock: store.clock, organization })
    owner = await fixture.person('Olga')
    coordinator = await fixture.agent('Coordinator')
    ;({ groupId } = await fixture.mission(owner, coordinator))
    ;[scout, stranger] = [await world.node('Scout'), await world.node('Stranger')]
    await join(groupId, scout)
  })
  afterAll(() => world.stop())

  const own = async (group: string, kind: 'membership.change' | 'message.post' | 'message.redact', payload: Record<string, unknown>) => eventOf(await fixture.submit(owner, { kind, groupId: group, membershipEpoch: 1, payload }))
  const capability = { id: 'release.report', version: '1.0.0' }
  /** The server holds a key for the Node's Principal. */
  async function keyed(node: IoaNode) {
    const { doors, openSpaces } = world.server.service
    const principalId = (await openSpaces.nodes.byId(node.id))!.principalId
    const adopted = await doors.custody.adopt({ name: node.name, capabilities: [capability], agentId: principalId })
    expect(adopted.ok).toBe(true)
    return principalId
  }
  /** It becomes a worker too. */
  async function join(group: string, node: IoaNode) {
    const principalId = await keyed(node)
    await own(group, 'membership.change', { member: { type: 'agent', id: principalId }, role: 'worker', visibilityStartSequence: 1 })
    return principalId
  }
  const messages = () => `/spaces/${encodeURIComponent(groupId)}/messages`
  const say = (text: string, more: object = {}) => own(groupId, 'message.post', { messageId: newUrn(), content: [{ type: 'text', text }], ...more })

  it('do not exist for those who are no members (A-239)', async () => {
    const path = `/spaces/${encodeURIComponent(groupId)}`
    for (const rest of ['', '/messages', '/messages?limit=0', '/sse', '/messages/x/sse', '/sse?head=x']) expect((await stranger.client.get(path + rest)).status, rest).toBe(404)
    expect((await stranger.client.post(`${path}/messages`, { content: {} })).status).toBe(404)
    expect((await stranger.client.get('/spaces')).body).not.toContainEqual(expect.objectContaining({ id: groupId }))
    expect((await stranger.client.get(`/messages?space_id=${encodeURIComponent(groupId)}`)).status).toBe(404)
  })

  it('IOA repair: whose Principal has a key, or a key and a Membership, is registered anew by its own token alone, not by the access key that enrolled it', async () => {
    const again = (node: IoaNode) => world.stranger.post('/auth/register', { access_key: world.accessKey, name: node.name })
    const named = await world.node('Keyed')
    expect((await again(named)).status).toBe(201)
    await keyed(named)
    for (const node of [named, scout]) {
      expect((await again(node)).status, node.name).toBe(403)
      expect((await world.stranger.with({ accessKey: world.accessKey, nodeId: node.id }).post('/spaces', { name: 'entered' })).status, node.name).toBe(403)
      expect((await node.client.post('/nodes', { name: node.name, description: 'own' })).status, node.name).toBe(201)
    }
  })

  it('show a candidate itself and what it was sent, not who belongs to them and how much is said (A-131)', async () => {
    const mission = await fixture.mission(owner, coordinator)
    const candidate = await world.node('Candidate')
    const principalId = await keyed(candidate)
    const [workItemId, soon] = [newUrn(), new Date(Date.now() + 3_600_000).toISOString()]
    const standing = { groupId: mission.groupId, membershipEpoch: 1, coordinatorEpoch: 1, sessionEpoch: coordinator.session.sessionEpoch }
    eventOf(await fixture.submit(coordinator, { kind: 'work.authorize', ...standing, payload: { workItemId, contract: workContract({ requiredCapabilities: [capability], budget: { toolCallLimit: 10 }, deadline: soon }) } }))
    const [first] = await world.server.service.reads.range(owner.actor.id, mission.groupId, 0, 1)
    const summary = {
      contextPackageId: newUrn(), version: 1, missionId: mission.missionId, groupId: mission.groupId, workItemId, sourceEventRange: { fromSequence: 1, toSequence: 1, eventIds: [first!.event.eventId] }, artifactHashes: [],
      summary: 'A release is under way.', decisions: [], constraints: [], unresolvedQuestions: [], generatedBy: { type: 'agent', id: coordinator.actor.id } as const, generatedAt: new Date().toISOString(),
    }
    const contextPackage = await signAs(coordinator, summary, 'generatedAt')
    eventOf(await fixture.submit(coordinator, { kind: 'work.offer', ...standing, payload: { workItemId, candidateAgentIds: [principalId], selectionBasis: selectionBasis(capability), contextPackage } }))
    const path = `/spaces/${encodeURIComponent(mission.groupId)}`
    const told = (await candidate.client.get(`${path}/messages?all=true`)).body as unknown[]
    const shown = { id: mission.groupId, name: mission.groupId, nodes: [{ id: candidate.id, name: 'Candidate', meta: {} }], message_count: told.length }
    expect((await candidate.client.get(path)).body).toEqual(shown)
    expect((await candidate.client.get('/spaces')).body).toContainEqual(shown)
    expect(told.length).toBeGreaterThan(0)
  })

  it('are listed to members among open Spaces, by name', async () => {
    for (const name of ['a before', 'zz after']) await world.space(scout, name)
    const { body } = await scout.client.get('/spaces')
    const names: string[] = body.map(({ name }: { name: string }) => name)
    expect([names.includes(groupId), names]).toEqual([true, names.toSorted()])
    const { nodes, message_count } = (await scout.client.get(`/spaces/${encodeURIComponent(groupId)}`)).body
    expect([nodes.map(({ name }: { name: string }) => name).toSorted(), message_count > 0]).toEqual([expect.arrayContaining(['Coordinator', 'Olga', 'Scout']), true])
  })

  it('show each Event as a Message: kind and payload, and where it comes from', async () => {
    const hello = await say('Hello')
    const reply = await say('Well?', { references: [(hello.payload as { message: { messageId: string } }).message.messageId], mentions: [{ type: 'agent', id: (await world.server.service.openSpaces.nodes.byId(scout.id))!.principalId }] })
    const { body } = await scout.client.get(`${messages()}?all=true`)
    expect(body[0]).toMatchObject({ space_id: groupId, content_type: 'mwp/mission.created', content: { kind: 'mission.created' }, refs: { messages: [], nodes: [] } })
    expect(body.at(-1)).toEqual({
      id: reply.eventId, space_id: groupId, sender: expect.any(String), created_at: reply.occurredAt,
      content_type: 'mwp/message.posted', content: { kind: 'message.posted', payload: reply.payload }, refs: { messages: [hello.eventId], nodes: [scout.id] },
    })
    expect((await scout.client.get(`/nodes/${encodeURIComponent(body.at(-1).sender)}`)).body.name).toBe('Olga')
  })

  it('are read in the windows and modes of any Space', async () => {
    const root = await say('root')
    const idOf = (event: { payload: unknown }) => (event.payload as { message: { messageId: string } }).message.messageId
    const child = await say('child', { references: [idOf(root)] })
    const leaf = await say('leaf', { references: [idOf(child)] })
    const ids = async (query: string) => (await scout.client.get(`${messages()}?${query}`)).body.map(({ id }: { id: string }) => id)
    expect(await ids('all=1&limit=2')).toEqual([child.eventId, leaf.eventId])
    expect(await ids(`all=1&after=${root.eventId}`)).toEqual([child.eventId, leaf.eventId])
    expect(await ids(`message_id=${root.eventId}&direction=downstream`)).toEqual([root.eventId, child.eventId, leaf.eventId])
    expect(await ids(`message_id=${leaf.eventId}&direction=upstream`)).toEqual([root.eventId, child.eventId, leaf.eventId])
    expect(await ids(`message_id=${child.eventId}`)).toEqual([root.eventId, child.eventId, leaf.eventId])
    expect((await ids('limit=1000')).includes(child.eventId)).toBe(false)
    expect((await scout.client.get(`${messages()}?after=unknown`)).status).toBe(422)
    expect((await scout.client.get(`${messages()}?message_id=unknown`)).status).toBe(404)
  })

  describe('of many Events', () => {
    interface Shown { readonly id: string; readonly sender: string; readonly refs: { readonly messages: readonly string[]; readonly nodes: readonly string[] } }
    let many: string
    let all: readonly Shown[]
    const path = () => `/spaces/${encodeURIComponent(many)}/messages`
    const read = async (query: string) => (await scout.client.get(`${path()}?${query}`)).body as readonly Shown[]
    const ids = (messages: readonly Shown[]) => messages.map(({ id }) => id)

    /** Threads of the owner's that mention the scout, the coordinator or nobody, and what the scout says in between. */
    beforeAll(async () => {
      many = (await fixture.mission(owner, coordinator)).groupId
      const agentId = await join(many, scout)
      const mentions = [undefined, { type: 'agent', id: agentId }, coordinator.actor, { type: 'human', id: newUrn() }]
      const said: string[] = []
      for (let index = 0; index < 60; index++) {
        const messageId = newUrn()
        const mention = mentions[index % 4]
        await own(many, 'message.post', { messageId, content: [{ type: 'text', text: `${index}` }], ...(index % 3 > 0 && { references: [said[Math.floor(index / 2)]] }), ...(mention && { mentions: [mention] }) })
        said.push(messageId)
        if (index % 2 === 0) expect((await scout.client.post(path(), { content: { text: `after ${index}` }, refs: { messages: index % 4 === 0 ? [messageId] : [] } })).status).toBe(201)
      }
      for (const index of [7, 8, 20]) await own(many, 'message.redact', { amendmentId: newUrn(), messageId: said[index], reason: 'It names a customer.' })
      all = await read('all=1')
    })

    it('show a caller what it would find by looking through all of them, in every window', async () => {
      const concerned = all.filter(({ sender, refs }) => sender !== scout.id && (refs.messages.length + refs.nodes.length === 0 || refs.nodes.includes(scout.id)))
      expect(concerned.length).toBeGreaterThan(20)
      expect(ids(await read(''))).toEqual(ids(concerned))
      expect(ids(await read('limit=7'))).toEqual(ids(concerned.slice(-7)))
      expect(ids(await read(`after=${concerned[4]!.id}&limit=9`))).toEqual(ids(concerned.slice(5, 14)))
    })

    it('show what is related to one as the references say that a reader sees', async () => {
      for (const { id } of all.slice(5, 60)) {
        const [above, below] = [new Set([id]), new Set([id])]
        for (const message of [...all].reverse()) if (above.has(message.id)) for (const parent of message.refs.messages) above.add(parent)
        for (const message of all) if (message.refs.messages.some((parent) => below.has(parent))) below.add(message.id)
        const expected = (of: (id: string) => boolean) => ids(all).filter(of)
        expect(ids(await read(`message_id=${id}&direction=upstream`))).toEqual(expected((each) => above.has(each)))
        expect(ids(await read(`message_id=${id}&direction=downstream`))).toEqual(expected((each) => below.has(each)))
        expect(ids(await read(`message_id=${id}&limit=4`))).toEqual(expected((each) => above.has(each) || below.has(each)).slice(-4))
      }
    })

    it.each([
      ['the newest that concern the caller', () => 'limit=3'],
      ['what concerns the caller after a cursor', () => `after=${all[3]!.id}&limit=3`],
      ['what is related', () => `message_id=${all[20]!.id}&limit=3`],
      ['the newest', () => 'all=1&limit=3'],
    ])('are answered by few queries: %s', async (_what, query) => {
      await read(query())
      const before = world.taken()
      expect(await read(query())).toHaveLength(3)
      const { calls, rows } = world.taken()
      expect(calls - before.calls).toBeLessThan(12)
      expect(rows - before.rows).toBeLessThan(150)
    })
  })

  it('take a Message that the server signs for the Agent, with references and mentions', async () => {
    const asked = await say('Anything found?')
    const coordinatorNode = (await world.server.service.openSpaces.nodes.ofPrincipal(coordinator.actor.id))!.nodeId
    const sent = await scout.client.post(messages(), { content: { text: 'Nothing yet.' }, refs: { messages: [asked.eventId], nodes: [coordinatorNode] } })
    expect(sent).toMatchObject({ status: 201, body: { sender: scout.id, refs: { messages: [asked.eventId], nodes: [coordinatorNode] }, content: { kind: 'message.posted', payload: { message: { content: [{ type: 'text', text: 'Nothing yet.' }] } } } } })
    const structured = await scout.client.post(messages(), { content: { id: 'c1', status: 'info' }, content_type: 'checkpoint', meta: { a: 1 } })
    expect(structured.body.content.payload.message.content).toEqual([{ type: 'data_ref', schema: 'urn:countersign:schema:ioa-message', data: { content_type: 'checkpoint', content: { id: 'c1', status: 'info' }, meta: { a: 1 } } }])
  })

  it('refuse a number that would be signed as another one, wherever it stands, and keep all others (hazard 1.4)', async () => {
    const post = (body: string) => scout.client.post(messages(), body)
    for (const body of ['{"content":{"n":9007199254740993}}', '{"content":{},"meta":{"n":[12345678901234567890]}}', '{"content":{},"content_schema":{"const":1e400}}']) {
      expect(await post(body), body).toMatchObject({ status: 422, body: { detail: expect.stringContaining('would be signed as another one') } })
    }
    expect((await post('{"content":{"n":9007199254740992,"m":1.50}}')).text).toContain('"content":{"m":1.5,"n":9007199254740992}')
  })

  it('refuse for the reason that the authority gives', async () => {
    const post = (body: object, node = scout) => node.client.post(messages(), body)
    expect((await post({ content: null })).status).toBe(422)
    expect((await post({ content: {}, refs: { messages: ['unknown'] } })).status).toBe(422)
    expect((await post({ content: {}, refs: { nodes: [stranger.id] } })).status).toBe(422)
    const tokens = world.server.service.doors.tokens
    const issued = await tokens.issue({ principalId: coordinator.actor.id, doors: ['ioa'], label: 'holds its own key' })
    const keyed = issued.ok ? world.stranger.with({ token: issued.value.token }) : undefined
    expect((await keyed!.get(messages())).status).toBe(200)
    expect((await keyed!.post(messages(), { content: {} })).status).toBe(403)
    expect((await scout.client.post(`/spaces/${encodeURIComponent(groupId)}/messages`, { content: {}, extra: 1 })).status).toBe(422)
  })

  it('are followed live and resumed like any Space, until Membership ends', async () => {
    const other = await fixture.mission(owner, coordinator)
    const leaver = await world.node('Leaver')
    const principalId = await join(other.groupId, leaver)
    const path = `/spaces/${encodeURIComponent(other.groupId)}/sse`
    const post = (text: string) => own(other.groupId, 'message.post', { messageId: newUrn(), content: [{ type: 'text', text }] })
    const reader = await leaver.client.follow(path)
    const one = await post('one')
    const [event] = await reader.take(1)
    expect([event!.event, event!.message.id, event!.message.content_type]).toEqual(['message', one.eventId, 'mwp/message.posted'])
    reader.close()
    const two = await post('two')
    const resumed = await leaver.client.follow(path, { 'last-event-id': event!.id! })
    expect((await resumed.take(1))[0]!.message.id).toBe(two.eventId)
    eventOf(await fixture.submit(owner, { kind: 'membership.end', groupId: other.groupId, membershipEpoch: 1, payload: { member: { type: 'agent', id: principalId }, reason: 'Done.' } }))
    while ((await resumed.next()) !== undefined);
    expect((await leaver.client.call('GET', path, undefined, { 'last-event-id': event!.id! })).status).toBe(404)
  })
})
