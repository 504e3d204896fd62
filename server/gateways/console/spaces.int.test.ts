import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../protocol/strict-json.ts'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import type { GraphPage, SpaceMessageView, SpaceSummary, SpaceView } from '../../service/views.ts'
import type { Fixture, Person } from '../../testing/authority-fixture.ts'
import { ConsoleDoor } from '../../testing/console-door.ts'

let door: ConsoleDoor
let fixture: Fixture

beforeEach(async () => {
  door = await ConsoleDoor.open()
  ;({ fixture } = door)
})
afterEach(() => door.close())

const get = (path: string, input: unknown, cookie: string) => door.ask(path, input, cookie)
const post = (path: string, input: unknown, cookie: string) => door.send(path, JSON.stringify(input), { cookie })
const dataOf = async <T>(answer: Promise<Response>): Promise<T> => {
  const body = (await (await answer).json()) as { result?: { data: T }; error?: unknown }
  expect(body.error).toBeUndefined()
  return body.result!.data
}

interface Client { readonly person: Person; get<T>(path: string, input: object): Promise<T>; post<T>(path: string, input: object): Promise<T>; readonly cookie: string }
async function signedIn(name: string): Promise<Client> {
  const person = await fixture.person(name)
  const cookie = await door.cookieOf(person)
  return { person, cookie, get: (path, input) => dataOf(get(path, input, cookie)), post: (path, input) => dataOf(post(path, input, cookie)) }
}

const enter = async (client: Client, name = 'harbour') => (await client.post<{ spaceId: string }>('spaces.enter', { name, description: 'Looks on', tags: ['ships'] })).spaceId
const say = (client: Client, spaceId: string, text: string, messages: readonly string[] = [], nodes: readonly string[] = []) =>
  client.post<{ messageId: string; sequence: number }>('spaces.post', { spaceId, text, messages, nodes })
const page = (client: Client, spaceId: string, input: object = { limit: 50 }) => client.get<{ messages: readonly SpaceMessageView[]; hasOlder: boolean }>('spaces.messages', { spaceId, ...input })

/** Another Node, as a door would send for it. */
async function agentNode(spaceId: string) {
  const { openSpaces } = fixture.service
  const registered = await openSpaces.nodes.register({ name: 'Scout' })
  if (!registered.ok) throw new Error(registered.error.reason)
  const { nodeId } = registered.value.node
  return {
    nodeId,
    async send(content: JsonObject | string, contentType?: string): Promise<SpaceMessage> {
      const sent = await openSpaces.send(nodeId, spaceId, { content: typeof content === 'string' ? content : JSON.stringify(content), messages: [], nodes: [], ...(contentType !== undefined && { contentType }) })
      if (!sent.ok) throw new Error(sent.error.reason)
      return sent.value
    },
  }
}

describe('open Spaces in the console', () => {
  it('are for signed-in people only', async () => {
    const spaceId = await enter(await signedIn('Olga'))
    const reads = [['spaces.list', { limit: 1 }], ['spaces.view', { spaceId }], ['spaces.messages', { spaceId, limit: 1 }], ['spaces.graph', { spaceId, limit: 1 }]] as const
    const writes = [['spaces.enter', { name: 'x', description: 'x' }], ['spaces.post', { spaceId, text: 'x', messages: [], nodes: [] }], ['spaces.answer', { spaceId, checkpoint: 'x', option: 'x' }]] as const
    const answers = await Promise.all([...reads.map(([path, input]) => get(path, input, '')), ...writes.map(([path, input]) => post(path, input, ''))])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401))
    expect((await fixture.service.openSpaces.find(spaceId))?.messageCount).toBe(0)
    const heard = await (await get('live', { spaceId }, '')).text()
    expect([heard.includes('UNAUTHORIZED'), heard.includes(spaceId)]).toEqual([true, false])
  })

  it('take a person as a Node like every other, by the name of the Space', async () => {
    const [olga, paul] = [await signedIn('Olga'), await signedIn('Paul')]
    const spaceId = await enter(olga)
    expect((await paul.get<{ spaces: readonly SpaceSummary[] }>('spaces.list', { limit: 10 })).spaces).toEqual([{ spaceId, name: 'harbour', tags: ['ships'], messageCount: 0, memberCount: 1, isMember: false }])
    expect(await enter(paul)).toBe(spaceId)
    const view = await paul.get<SpaceView>('spaces.view', { spaceId })
    expect(view).toMatchObject({ memberCount: 2, isMember: true, members: [{ name: 'Olga', type: 'human', description: 'Looks on', id: olga.person.actor.id }, { name: 'Paul' }] })
    expect(view.members.find(({ id }) => id === paul.person.actor.id)?.nodeId).toBe(view.myNodeId)
  })

  it('are listed by name, page by page', async () => {
    const olga = await signedIn('Olga')
    for (const name of ['c', 'a', 'b']) await enter(olga, name)
    const list = (input: object) => olga.get<{ spaces: readonly SpaceSummary[]; hasMore: boolean }>('spaces.list', input)
    const [first, second] = [await list({ limit: 2 }), await list({ limit: 2, after: 'b' })]
    expect([first, second].map(({ spaces, hasMore }) => [spaces.map(({ name }) => name), hasMore])).toEqual([[['a', 'b'], true], [['c'], false]])
  })

  it('keep what a person posts: words, the Messages answered, the Nodes mentioned', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    const scout = await agentNode(spaceId)
    const [one, two] = [await scout.send({ text: 'One' }), await say(olga, spaceId, 'Two')]
    const three = await say(olga, spaceId, ' Both. ', [one.messageId, two.messageId], [scout.nodeId])
    expect((await page(olga, spaceId)).messages).toMatchObject([
      { sequence: 1, author: { name: 'Scout', type: 'agent', nodeId: scout.nodeId }, content: { text: 'One' }, answers: [], mentions: [] },
      { sequence: 2, author: { name: 'Olga', type: 'human', id: olga.person.actor.id }, answers: [] },
      { sequence: 3, messageId: three.messageId, content: { text: 'Both.' }, answers: [1, 2], mentions: [{ name: 'Scout' }], mentionCount: 1 },
    ])
    const kept = await fixture.service.openSpaces.read(spaceId, { mode: 'all' }, { limit: 1 })
    expect(kept.ok && JSON.parse(new TextDecoder().decode(kept.value[0]!.bytes))).toMatchObject({ content: { text: 'Both.' }, refs: { messages: [one.messageId, two.messageId], nodes: [scout.nodeId] } })
  })

  it('are one graph whose links are stored replies, with a lane for each Node', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    const scout = await agentNode(spaceId)
    const asked = await scout.send({ title: 'Go on?', kind: 'gate' }, 'checkpoint')
    await say(olga, spaceId, 'Yes', [asked.messageId], [scout.nodeId])
    const graph = await olga.get<GraphPage>('spaces.graph', { spaceId, limit: 10 })
    expect(graph).toMatchObject({
      nodes: [{ sequence: 1, nodeKind: 'message', title: 'checkpoint: Go on?', lane: scout.nodeId }, { sequence: 2, title: 'Yes' }],
      edges: [{ child: 2, parent: 1, provenance: 'reply' }],
      head: 2,
      total: 2,
      hasOlder: false,
    })
    expect(graph.lanes.map(({ title }) => title)).toEqual(['Scout', 'Olga'])
  })

  it('are read from the newest Message down without a gap', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    for (let at = 1; at <= 7; at++) await say(olga, spaceId, `Message ${at}`)
    const pages = [await page(olga, spaceId, { limit: 3 }), await page(olga, spaceId, { limit: 3, before: 5 }), await page(olga, spaceId, { limit: 3, before: 2 })]
    expect(pages.map(({ messages, hasOlder }) => [messages.map(({ sequence }) => sequence), hasOlder])).toEqual([[[5, 6, 7], true], [[2, 3, 4], true], [[1], false]])
    const odd = await Promise.all([page(olga, spaceId, { limit: 2, before: 1 }), page(olga, spaceId, { limit: 2, before: 1_000 })])
    expect(odd.map(({ messages }) => messages.map(({ sequence }) => sequence))).toEqual([[], [6, 7]])
  })

  it('take the answer to a checkpoint as a Message and nothing more', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    const checkpoint = await (await agentNode(spaceId)).send({ id: 'c1', title: 'Ship it?' }, 'checkpoint')
    await olga.post('spaces.answer', { spaceId, checkpoint: checkpoint.messageId, option: 'Reject', feedback: 'Not yet' })
    const [, answer] = (await page(olga, spaceId)).messages
    expect(answer).toMatchObject({ content: { option: 'Reject', feedback: 'Not yet' }, answers: [1], mentions: [] })
    expect(answer).not.toHaveProperty('contentType')
  })

  it('show numbers by their digits', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    await (await agentNode(spaceId)).send('{"big":12345678901234567890,"small":1.5}')
    expect((await page(olga, spaceId)).messages[0]!.content).toEqual({ big: '12345678901234567890', small: 1.5 })
  })

  it('say why a request is refused', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    const message = { spaceId, text: 'x', messages: [], nodes: [] }
    const refused: readonly [string, object, number][] = [
      ['spaces.enter', { name: ' ', description: 'x' }, 400],
      ['spaces.enter', { name: 'urn:example:group', description: 'x' }, 400],
      ['spaces.post', { ...message, messages: ['urn:uuid:none'] }, 400],
      ['spaces.post', { ...message, nodes: ['nobody'] }, 400],
      ['spaces.post', { ...message, text: '  ' }, 400],
      ['spaces.post', { ...message, spaceId: 'urn:uuid:none' }, 404],
      ['spaces.post', { ...message, more: 1 }, 400],
    ]
    const answers = await Promise.all(refused.map(([path, input]) => post(path, input, olga.cookie)))
    expect(answers.map(({ status }) => status)).toEqual(refused.map(([, , status]) => status))
    expect((await page(olga, spaceId)).messages).toEqual([])
  })

  it('never show the Space of a Mission, not even to its owner', async () => {
    const olga = await signedIn('Olga')
    const { groupId } = await fixture.mission(olga.person, await fixture.agent('Coordinator'))
    const answers = await Promise.all(['spaces.view', 'spaces.messages', 'spaces.graph'].map((path) => get(path, path === 'spaces.view' ? { spaceId: groupId } : { spaceId: groupId, limit: 1 }, olga.cookie)))
    expect([...answers, await post('spaces.post', { spaceId: groupId, text: 'x', messages: [], nodes: [] }, olga.cookie)].map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await olga.get<{ spaces: readonly SpaceSummary[] }>('spaces.list', { limit: 10 })).spaces).toEqual([])
  })
})

describe('the live feed of an open Space', () => {
  /** Text of the feed until it holds `text`, or all of it. */
  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
    for (let seen = ''; ; ) {
      const { done, value } = await reader.read()
      if (value) seen += new TextDecoder().decode(value)
      if (done || seen.includes(text)) return seen
    }
  }

  async function watching() {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    const reader = (await get('live', { spaceId }, olga.cookie)).body!.getReader()
    expect(await readUntil(reader, `${spaceId}@0`)).toContain(`${spaceId}@0`)
    const all = (text: string) => readUntil(reader, text)
    return { olga, spaceId, hears: Object.assign(async (text: string) => (await all(text)).includes(text), { all }) }
  }

  it('tells of every growth, whoever wrote', async () => {
    const { olga, spaceId, hears } = await watching()
    await (await agentNode(spaceId)).send({ text: 'Hello' })
    expect(await hears(`${spaceId}@1`)).toBe(true)
    await say(olga, spaceId, 'Hello to you')
    expect(await hears(`${spaceId}@2`)).toBe(true)
  })

  it('tells nothing of other open Spaces, and of Missions as always', async () => {
    const { olga, spaceId, hears } = await watching()
    const other = await enter(olga, 'elsewhere')
    await say(olga, other, 'Hello')
    const { groupId } = await fixture.mission(olga.person, await fixture.agent('Coordinator'))
    await (await agentNode(spaceId)).send({ text: 'Hello' })
    const heard = await hears.all(`${spaceId}@1`)
    expect([heard.includes(`${groupId}@1`), heard.includes(other)]).toEqual([true, false])
  })

  it('of a page without a Space goes on while Spaces grow', async () => {
    const olga = await signedIn('Olga')
    const spaceId = await enter(olga)
    const reader = (await get('live', {}, olga.cookie)).body!.getReader()
    expect(await readUntil(reader, 'connected')).toContain('connected')
    await (await agentNode(spaceId)).send({ text: 'Hello' })
    const { groupId } = await fixture.mission(olga.person, await fixture.agent('Coordinator'))
    const heard = await readUntil(reader, `${groupId}@1`)
    expect([heard.includes(`${groupId}@1`), heard.includes(spaceId)]).toEqual([true, false])
  })

  it('ends with the sign-out', async () => {
    const { olga, spaceId, hears } = await watching()
    await olga.post('session.signOut', {})
    await (await agentNode(spaceId)).send({ text: 'Hello' })
    expect(await hears(`${spaceId}@1`)).toBe(false)
  })
})
