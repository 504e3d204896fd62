// What open Spaces promise to every door, whatever stores them.
import { randomInt, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { NodeInfo, OpenSpaces, SpaceInfo, SpaceMessage } from '../service/open-spaces/types.ts'
import { categoryOf, granted, OpenWorld, textOf } from './open-world.ts'

const hexId = () => randomUUID().replaceAll('-', '')
const texts = (messages: readonly SpaceMessage[]) => messages.map(textOf)

/** Declares the suite; `start` is asked once, before it runs. */
export function describeOpenSpaces(start: () => Promise<OpenSpaces>): void {
  let world: OpenWorld
  let open: OpenSpaces
  beforeAll(async () => {
    open = await start()
    world = new OpenWorld(open)
  })
  const own = () => world
  describeNodes(own)
  describeSpaces(own)
  describeMessages(own)
  describeReads(own)
  describeRelations(own)
  describeFeeds(own)
}

function describeNodes(world: () => OpenWorld): void {
  describe('Nodes', () => {
    const register = (input: Parameters<OpenSpaces['nodes']['register']>[0]) => world().open.nodes.register({ accessKeyId: 'key-1', ...input })

    it('have an empty meta unless they say otherwise (14)', async () => {
      expect(granted(await register({ name: randomUUID() })).node.meta).toEqual({})
    })

    it('are found again by their name alone (29)', async () => {
      const name = randomUUID()
      const [first, again] = [granted(await register({ name })), granted(await register({ name, description: 'again', meta: { a: 1 } }))]
      expect([first.isNew, again.isNew, again.node.nodeId]).toEqual([true, false, first.node.nodeId])
      expect(await world().open.nodes.byId(first.node.nodeId)).toEqual({ ...first.node, description: 'again', meta: { a: 1 } })
    })

    it('are one Node however many registrations of a name come at once', async () => {
      const name = randomUUID()
      const all = await Promise.all(Array.from({ length: 64 }, () => register({ name })))
      expect(new Set(all.map((outcome) => granted(outcome).node.nodeId)).size).toBe(1)
      expect(all.filter((outcome) => granted(outcome).isNew)).toHaveLength(1)
    })

    it('are one Node however many registrations of a pair come at once (30)', async () => {
      const identities = [{ namespace: 'github', subject: randomUUID() }]
      const all = await Promise.all(Array.from({ length: 16 }, () => register({ name: 'twin', nodeId: hexId(), identities })))
      expect(new Set(all.map((outcome) => granted(outcome).node.nodeId)).size).toBe(1)
    })

    it('keep the id that they chose, and are found by their binding under any other (27)', async () => {
      const [nodeId, subject] = [hexId(), randomUUID()]
      const binding = { namespace: ' github ', subject: ` ${subject} ` }
      expect(granted(await register({ name: 'own id', nodeId, identities: [binding] })).node.nodeId).toBe(nodeId)
      expect(granted(await world().open.nodes.resolve('github', subject)).nodeId).toBe(nodeId)
      expect(granted(await register({ name: 'other id', nodeId: hexId(), identities: [binding] })).node).toMatchObject({ nodeId, name: 'other id' })
    })

    it('replace the claims of a pair and give it up again (28)', async () => {
      const { node } = granted(await register({ name: randomUUID() }))
      const pair = { namespace: 'oidc', subject: randomUUID() }
      const bind = (claims: Record<string, never> | { a: { b: number } }) => world().open.nodes.bind(node.nodeId, { ...pair, claims })
      granted(await bind({ a: { b: 1 } }))
      expect(granted(await bind({})).identities).toEqual([{ ...pair, claims: {} }])
      expect(granted(await world().open.nodes.unbind(node.nodeId, pair.namespace, pair.subject)).identities).toEqual([])
      expect(granted(await world().open.nodes.unbind(node.nodeId, pair.namespace, pair.subject)).identities).toEqual([])
      expect(categoryOf(await world().open.nodes.resolve(pair.namespace, pair.subject))).toBe('not_found')
    })

    it('have identities as long as the index over them takes, in every script', async () => {
      // Random, because the index holds what can be packed more tightly.
      const characters = (count: number) => String.fromCodePoint(...Array.from({ length: count }, () => randomInt(0x4e00, 0x9fff)))
      const [namespace, subject] = [characters(333), characters(333)]
      granted(await register({ name: 'long', nodeId: hexId(), identities: [{ namespace, subject }] }))
      expect(granted(await world().open.nodes.resolve(namespace, subject)).identities).toEqual([{ namespace, subject }])
      expect(categoryOf(await register({ name: 'longer', nodeId: hexId(), identities: [{ namespace, subject: `${subject}字` }] }))).toBe('invalid_input')
    })

    it('share no pair, and no registration joins two Nodes', async () => {
      const pairs = [{ namespace: 'n', subject: randomUUID() }, { namespace: 'n', subject: randomUUID() }]
      const nodes = await Promise.all(pairs.map((pair) => register({ name: 'bound', nodeId: hexId(), identities: [pair] })))
      expect(categoryOf(await register({ name: 'both', identities: pairs }))).toBe('conflict')
      expect(categoryOf(await world().open.nodes.bind(granted(nodes[0]!).node.nodeId, pairs[1]!))).toBe('conflict')
    })

    it('are taken over by nobody: not by another access key, and not by none', async () => {
      const { node } = granted(await register({ name: randomUUID() }))
      expect(categoryOf(await register({ name: node.name, accessKeyId: 'key-2' }))).toBe('forbidden')
      expect(categoryOf(await world().open.nodes.register({ name: node.name, callerId: 'urn:uuid:somebody' }))).toBe('forbidden')
      expect(categoryOf(await world().open.nodes.register({ name: node.name, callerId: node.principalId }))).toBe('granted')
      expect(await world().open.nodes.isEnrolledBy(node.nodeId, 'key-1')).toBe(true)
      expect(await world().open.nodes.isEnrolledBy(node.nodeId, 'key-2')).toBe(false)
    })

    it('have a Principal of their own, and one Node each', async () => {
      const { node } = granted(await register({ name: randomUUID() }))
      expect(await world().open.nodes.ofPrincipal(node.principalId)).toEqual(node)
      expect(await world().open.nodes.ofPrincipal('urn:uuid:nobody')).toBeUndefined()
    })

    it.each([
      ['a blank name', { name: ' ' }],
      ['a name that is too long', { name: 'x'.repeat(201) }],
      ['U+0000', { name: 'a\0b' }],
      ['an id that is not 32 hexadecimal digits', { name: 'x', nodeId: 'abc' }],
      ['a blank subject', { name: 'x', identities: [{ namespace: 'n', subject: ' ' }] }],
      ['a pair twice', { name: 'x', identities: [{ namespace: 'n', subject: 's' }, { namespace: 'n', subject: ' s' }] }],
    ])('are refused with %s', async (_what, input) => {
      expect(categoryOf(await register(input))).toBe('invalid_input')
    })

    it('are listed by name page by page', async () => {
      const marks = Array.from({ length: 5 }, (_, index) => `zz-${index}`)
      for (const name of [...marks].reverse()) await register({ name })
      const seen: string[] = []
      for (let page = await world().open.nodes.list({ limit: 3 }); page.length > 0; page = await world().open.nodes.list({ after: page.at(-1)!.nodeId, limit: 3 })) seen.push(...page.map((node) => node.name))
      expect(seen.slice(-5)).toEqual(marks)
      expect(seen).toEqual([...seen].sort())
    })
  })
}

function describeSpaces(world: () => OpenWorld): void {
  describe('Spaces', () => {
    it('are joined by name, and gather tags in the order in which they were first seen (13, 18)', async () => {
      const [ada, bob] = [await world().node('ada'), await world().node('bob')]
      const name = `space ${randomUUID()}`
      const enter = (node: NodeInfo, description: string, tags: readonly string[]) => world().open.enter(node.nodeId, { name, description, tags })
      const created = granted(await enter(ada, 'first', ['b', ' a ', '', 'b']))
      const joined = granted(await enter(bob, 'second', ['c', 'a']))
      expect([created.tags, joined.tags, joined.spaceId]).toEqual([['b', 'a'], ['b', 'a', 'c'], created.spaceId])
      expect(joined.members.map(({ node, description }) => [node.name, description])).toEqual([['ada', 'first'], ['bob', 'second']])
      expect(granted(await enter(ada, 'anew', [])).members[0]!.description).toBe('anew')
      expect(await world().open.named(name)).toEqual(await world().open.find(created.spaceId))
    })

    it('are one however many create it at once', async () => {
      const ada = await world().node('ada')
      const name = `space ${randomUUID()}`
      const all = await Promise.all(Array.from({ length: 16 }, (_, index) => world().open.enter(ada.nodeId, { name, description: 'x', tags: [`${index}`] })))
      expect(new Set(all.map((space) => granted(space).spaceId)).size).toBe(1)
      expect((await world().open.named(name))!.tags).toHaveLength(16)
    })

    it('take the description of the Node where none is given, and refuse where it has none either', async () => {
      const enter = ({ nodeId }: NodeInfo) => world().open.enter(nodeId, { name: `space ${randomUUID()}`, description: ' ' })
      const told = granted(await world().open.nodes.register({ name: randomUUID(), description: 'a planner', accessKeyId: 'key-1' })).node
      expect(granted(await enter(told)).members[0]!.description).toBe('a planner')
      expect(categoryOf(await enter(await world().node('ada')))).toBe('invalid_input')
    })

    it.each([
      ['an absolute URI, which names a mission Space', { name: 'urn:uuid:1234' }],
      ['a name that is too long', { name: 'x'.repeat(201) }],
      ['a blank name', { name: '' }],
      ['too many tags', { name: 'tags', tags: Array.from({ length: 51 }, (_, index) => `${index}`) }],
      ['a tag that is too long', { name: 'tag', tags: ['x'.repeat(101)] }],
    ])('are refused with %s', async (_what, input) => {
      const ada = await world().node('ada')
      expect(categoryOf(await world().open.enter(ada.nodeId, { description: 'x', ...input }))).toBe('invalid_input')
    })

    it('are listed by name, all and those that a Node has entered', async () => {
      const node = await world().node(randomUUID())
      for (const name of ['~c', '~a', '~b']) await world().space(name, node)
      const entered = await world().open.entered(node.nodeId, { limit: 2 })
      expect(entered.map((space) => space.name)).toEqual(['~a', '~b'])
      expect((await world().open.entered(node.nodeId, { after: '~b', limit: 2 })).map((space) => space.name)).toEqual(['~c'])
      const infos = await world().open.listInfos({ after: '~', limit: 3 })
      expect(infos.map(({ name, members }) => [name, members.map((member) => member.node.nodeId)])).toEqual(['~a', '~b', '~c'].map((name) => [name, [node.nodeId]]))
    })

    it('are listed with no more members than fit a page, each Space once and whole where it can be (IOA 5 Limits)', async () => {
      const meta = { words: 'x'.repeat(64_000) }
      const many = await Promise.all(Array.from({ length: 70 }, async () => granted(await world().open.nodes.register({ name: `~~${randomUUID()}`, meta, accessKeyId: 'key-1' })).node))
      const [few, crowd, some] = ['~~~1', '~~~2', '~~~3'].map((name) => `${name} ${randomUUID()}`)
      await world().space(few!, many[0]!)
      for (const node of many) await world().space(crowd!, node)
      await world().space(some!, many[0]!, many[1]!)
      const pages: (readonly SpaceInfo[])[] = []
      for (let after = '~~~'; ; after = pages.at(-1)!.at(-1)!.name) {
        const page = await world().open.listInfos({ after, limit: 100 })
        if (page.length === 0) break
        pages.push(page)
      }
      expect(pages.map((page) => page.map(({ name }) => name))).toEqual([[few], [crowd], [some]])
      expect(pages.map(([space]) => space!.members.length)).toEqual([1, 66, 2])
      const nodes = await world().open.nodes.list({ after: many.map((node) => node).sort((a, b) => (a.name < b.name ? -1 : 1))[0]!.nodeId, limit: 100 })
      expect(nodes).toHaveLength(66)
    })

    it('count all who entered, however few of them are shown', async () => {
      const [ada, bob, eve] = [await world().node('ada'), await world().node('bob'), await world().node('eve')]
      const { spaceId, name } = await world().space(`~~counted ${randomUUID()}`, ada, bob, eve)
      await world().space(`~~counted later ${randomUUID()}`, bob)
      await world().say(eve, { spaceId }, 'hello')
      const counted = { spaceId, name, tags: [], messageCount: 1, memberCount: 3, isMember: true }
      const found = await world().open.overview(ada.nodeId, spaceId, 2)
      expect(found).toEqual({ ...counted, members: [expect.objectContaining({ node: ada }), expect.objectContaining({ node: bob })] })
      const [first, second] = await world().open.overviews(ada.nodeId, { after: `${name.slice(0, -1)}`, limit: 2 })
      expect([first, second]).toMatchObject([counted, { memberCount: 1, isMember: false }])
      expect(await world().open.overview(ada.nodeId, 'urn:uuid:none', 2)).toBeUndefined()
    })
  })
}

function describeMessages(world: () => OpenWorld): void {
  describe('Messages', () => {
    let ada: NodeInfo
    let space: SpaceInfo
    beforeAll(async () => {
      ada = await world().node('ada')
      space = await world().space(`messages ${randomUUID()}`, ada)
    })
    const send = (draft: Partial<Parameters<OpenSpaces['send']>[2]>) => world().open.send(ada.nodeId, space.spaceId, { content: '{}', messages: [], nodes: [], ...draft })
    const json = ({ bytes }: SpaceMessage) => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>

    it('keep every text as it came (24): numbers beyond 2^53, spelling and all', async () => {
      const sent = granted(await send({ content: '{"n":12345678901234567890,"e":1.0e3}', meta: '{"m":0.10}', contentType: 'note', contentSchema: '{"type":"object"}' }))
      const text = new TextDecoder().decode(sent.bytes)
      expect(text).toContain('"content":{"n":12345678901234567890,"e":1.0e3}')
      expect(text).toContain('"meta":{"m":0.10}')
      expect(text).toContain('"content_schema":{"type":"object"}')
      const stored = granted(await world().open.read(space.spaceId, { mode: 'all' }, { limit: 1 }))
      expect(new TextDecoder().decode(stored[0]!.bytes)).toBe(text)
      expect(stored[0]).toMatchObject({ messageId: sent.messageId, senderId: ada.nodeId, contentType: 'note', isBroadcast: true })
    })

    it('have two empty arrays of refs, and neither meta nor schema, where nothing was said of them (15, 24)', async () => {
      const sent = json(granted(await send({})))
      expect(Object.keys(sent)).toEqual(['id', 'space_id', 'sender', 'created_at', 'content', 'refs'])
      expect(sent).toMatchObject({ space_id: space.spaceId, sender: ada.nodeId, content: {}, refs: { messages: [], nodes: [] } })
      expect(sent.id).toMatch(/^urn:uuid:/)
      expect(sent.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it('keep repeats in refs', async () => {
      const parent = granted(await send({})).messageId
      const sent = json(granted(await send({ messages: [parent, parent], nodes: [ada.nodeId, ada.nodeId] })))
      expect(sent.refs).toEqual({ messages: [parent, parent], nodes: [ada.nodeId, ada.nodeId] })
    })

    it.each([
      ['null', { content: 'null' }],
      ['an array', { content: '[]' }],
      ['what is no JSON', { content: '{' }],
      ['more than one value', { content: '{},"x":1' }],
      ['a repeated name', { content: '{"a":1,"a":2}' }],
      ['meta that is no object', { meta: '1' }],
      ['an unknown Message (23)', { messages: ['urn:uuid:none'] }],
      ['an id with U+0000', { messages: ['a\0'] }],
      ['an unknown Node', { nodes: ['urn:uuid:none'] }],
      ['too many refs', { nodes: Array.from({ length: 1001 }, () => 'x') }],
      ['a schema that is none (25)', { contentSchema: '{"type":123}' }],
      ['a schema that refers to a file', { contentSchema: '{"$ref":"file:///etc/hostname"}' }],
      ['a schema that refers to the net', { contentSchema: '{"$ref":"https://example.org/schema"}' }],
      ['a schema of an unknown dialect', { contentSchema: '{"$schema":"https://example.org/dialect"}' }],
    ])('are refused with %s (16)', async (_what, draft) => {
      expect(categoryOf(await send(draft))).toBe('invalid_input')
    })

    it('are refused when they are too large', async () => {
      expect(categoryOf(await send({ content: JSON.stringify({ text: 'x'.repeat(256 * 1024) }) }))).toBe('too_large')
    })

    it('never pass for records of the I.A.P. router, whoever sends them', async () => {
      const outcomes = await Promise.all(['iap/task_result', 'iap/', 'iap/anything'].map((contentType) => send({ contentType, content: 'null' })))
      expect(outcomes.map(categoryOf)).toEqual(['forbidden', 'forbidden', 'forbidden'])
      expect(granted(await send({ contentType: 'iap' })).contentType).toBe('iap')
    })

    it('never pass for Events of a Mission', async () => {
      const outcomes = await Promise.all(['mwp/mission.approved', 'mwp/'].map((contentType) => send({ contentType })))
      expect(outcomes.map(categoryOf)).toEqual(['forbidden', 'forbidden'])
      expect(granted(await send({ contentType: 'mwp' })).contentType).toBe('mwp')
    })

    it('refer to Messages of their own Space alone', async () => {
      const other = await world().space(`other ${randomUUID()}`, ada)
      const elsewhere = await world().say(ada, other, 'elsewhere')
      expect(categoryOf(await send({ messages: [elsewhere.messageId] }))).toBe('invalid_input')
    })

    it('need a Space and a sender, in this order', async () => {
      const draft = { content: 'null', messages: [], nodes: [] }
      expect(categoryOf(await world().open.send('nobody', 'urn:uuid:none', draft))).toBe('not_found')
      const refused = await world().open.send('nobody', space.spaceId, draft)
      expect([categoryOf(refused), refused.ok || refused.error.reason]).toEqual(['invalid_input', 'the sender is not a registered Node'])
    })

    it('with a schema take replies of any shape (25)', async () => {
      const asked = granted(await send({ contentSchema: '{"type":"object","required":["answer"]}' }))
      expect(categoryOf(await send({ content: '{"other":1}', messages: [asked.messageId] }))).toBe('granted')
    })

    it('are gapless in their Space when many send at once', async () => {
      const busy = await world().space(`busy ${randomUUID()}`, ada)
      const sent = await Promise.all(Array.from({ length: 300 }, (_, index) => world().say(ada, busy, `${index}`)))
      expect(sent.map((message) => message.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))
      expect((await world().open.find(busy.spaceId))!.messageCount).toBe(300)
    })
  })
}

function describeReads(world: () => OpenWorld): void {
  describe('reading', () => {
    let ada: NodeInfo
    let bob: NodeInfo
    let space: SpaceInfo
    let said: Record<'root' | 'child' | 'directed' | 'both', SpaceMessage>
    beforeAll(async () => {
      ;[ada, bob] = [await world().node('ada'), await world().node('bob')]
      space = await world().space(`reads ${randomUUID()}`, ada, bob)
      const root = await world().say(ada, space, 'root')
      const child = await world().say(bob, space, 'child', { messages: [root.messageId] })
      const directed = await world().say(ada, space, 'directed', { nodes: [bob.nodeId] })
      said = { root, child, directed, both: await world().say(ada, space, 'both', { messages: [child.messageId], nodes: [bob.nodeId] }) }
    })
    const read = async (query: Parameters<OpenSpaces['read']>[1], window: Parameters<OpenSpaces['read']>[2] = {}) => texts(granted(await world().open.read(space.spaceId, query, window)))
    const search = async (filter: Parameters<OpenSpaces['search']>[0], window: Parameters<OpenSpaces['search']>[1] = {}) => texts(granted(await world().open.search(filter, window)))

    it('without a caller shows roots (19)', async () => {
      expect(await read({ mode: 'roots' })).toEqual(['root'])
    })

    it('shows a caller what names it and what is broadcast, and nothing of its own (20)', async () => {
      expect(await read({ mode: 'caller', nodeId: bob.nodeId })).toEqual(['root', 'directed', 'both'])
      expect(await read({ mode: 'caller', nodeId: ada.nodeId })).toEqual([])
    })

    it('cuts the oldest without a cursor and the newest behind one (22, D13)', async () => {
      expect(await read({ mode: 'all' }, { limit: 2 })).toEqual(['directed', 'both'])
      expect(await read({ mode: 'all' }, { after: said.root.messageId, limit: 1 })).toEqual(['child'])
      expect(await read({ mode: 'all' }, { after: null, limit: 2 })).toEqual(['root', 'child'])
      expect(await read({ mode: 'all' }, { after: said.child.messageId })).toEqual(['directed', 'both'])
      expect(await read({ mode: 'caller', nodeId: bob.nodeId }, { limit: 1 })).toEqual(['both'])
    })

    it('ends a page with the Message that brings it to its bytes, and reads on after it, in every mode', async () => {
      const { length } = said.root.bytes
      const messageId = said.root.messageId
      for (const [query, expected] of [
        [{ mode: 'all' }, [['root', 'child'], ['directed'], ['both'], []]],
        [{ mode: 'caller', nodeId: bob.nodeId }, [['root', 'directed'], ['both'], []]],
        [{ mode: 'related', messageId, direction: 'both' }, [['root', 'child'], ['both'], []]],
      ] as const) {
        let after: string | null = null
        for (const page of expected) {
          const found: readonly SpaceMessage[] = granted(await world().open.read(space.spaceId, query, { after, maximumBytes: length + 1 }))
          expect(texts(found), query.mode).toEqual(page)
          after = found.at(-1)?.messageId ?? after
        }
        expect(await read(query, { limit: 3, maximumBytes: 1 }), query.mode).toHaveLength(1)
      }
      expect(await read({ mode: 'all' }, { limit: 3, maximumBytes: 1 })).toEqual(['child'])
    })

    it('takes any Message of the Space as cursor, listed or not', async () => {
      expect(await read({ mode: 'caller', nodeId: bob.nodeId }, { after: said.child.messageId, limit: 1 })).toEqual(['directed'])
      expect(await read({ mode: 'roots' }, { after: said.root.messageId })).toEqual([])
    })

    it('refuses in order: Space, cursor, Message', async () => {
      const related = { mode: 'related', messageId: 'urn:uuid:none', direction: 'both' } as const
      expect(categoryOf(await world().open.read('urn:uuid:none', related, { after: 'urn:uuid:none' }))).toBe('not_found')
      expect(categoryOf(await world().open.read(space.spaceId, related, { after: 'urn:uuid:none' }))).toBe('invalid_input')
      expect(categoryOf(await world().open.read(space.spaceId, related, {}))).toBe('not_found')
      expect(categoryOf(await world().open.read(space.spaceId, { mode: 'all' }, { limit: 0 }))).toBe('invalid_input')
    })

    it('searches all Spaces by every filter (17, 26)', async () => {
      const { spaceId } = space
      expect(await search({ spaceId })).toEqual(['root', 'child', 'directed', 'both'])
      expect(await search({ refMessage: said.root.messageId })).toEqual(['child'])
      expect(await search({ refNode: bob.nodeId, spaceId })).toEqual(['directed', 'both'])
      expect(await search({ nodeId: bob.nodeId, spaceId })).toEqual(['child', 'directed', 'both'])
      expect(await search({ senderId: ada.nodeId, spaceId, refNode: bob.nodeId })).toEqual(['directed', 'both'])
      expect(await search({ refMessage: said.child.messageId, senderId: bob.nodeId })).toEqual([])
      expect(await search({ messageId: said.child.messageId, nodeId: bob.nodeId })).toEqual(['child'])
      expect(await search({ messageId: said.child.messageId, refNode: bob.nodeId })).toEqual([])
      const elsewhere = await world().space(`elsewhere ${randomUUID()}`, ada)
      await world().say(ada, elsewhere, 'elsewhere')
      expect(await search({}, { limit: 2 })).toEqual(['both', 'elsewhere'])
    })

    it('takes a cursor that no filter lets through, over all Spaces', async () => {
      expect(await search({ senderId: ada.nodeId, spaceId: space.spaceId }, { after: said.child.messageId })).toEqual(['directed', 'both'])
    })

    it('takes a cursor from another Space, which says what is older and not where to begin', async () => {
      const { spaceId } = space
      const late = await world().space(`late ${randomUUID()}`, ada)
      for (const text of ['first', 'second', 'third']) await world().say(ada, late, text)
      const after = said.child.messageId
      expect(await search({ spaceId: late.spaceId }, { after })).toEqual(['first', 'second', 'third'])
      const [, , third] = granted(await world().open.search({ spaceId: late.spaceId }, {}))
      const root = await world().say(ada, space, 'later root')
      await world().say(ada, space, 'later reply', { messages: [root.messageId] })
      expect(await search({ spaceId }, { after: third!.messageId })).toEqual(['later root', 'later reply'])
      expect(await search({ refMessage: root.messageId }, { after: third!.messageId })).toEqual(['later reply'])
      expect(await search({ refMessage: said.root.messageId }, { after: third!.messageId })).toEqual([])
    })

    it('tells unknown filters from unknown cursors', async () => {
      const outcomes = [{ spaceId: 'none' }, { messageId: 'none' }, { nodeId: 'none' }, { senderId: 'none' }, { refNode: 'none' }, { refMessage: 'none' }]
      expect(await Promise.all(outcomes.map(async (filter) => categoryOf(await world().open.search(filter, {}))))).toEqual(['not_found', 'not_found', 'not_found', 'not_found', 'not_found', 'invalid_input'])
      expect(categoryOf(await world().open.search({}, { after: 'none' }))).toBe('invalid_input')
    })

    it('pages an inbox over several Spaces in the order of commit, losing nothing that comes meanwhile', async () => {
      const eve = await world().node(`eve ${randomUUID()}`)
      const spaces = await Promise.all([0, 1, 2].map((index) => world().space(`inbox ${index} ${randomUUID()}`, ada, eve)))
      const notEntered = await world().space(`inbox 3 ${randomUUID()}`, ada)
      const expected: string[] = []
      const seen: unknown[] = []
      let after: string | null = null
      for (let round = 0; round < 12; round++) {
        await world().say(ada, spaces[(round * 2) % 3]!, `${round}`, round % 2 ? { nodes: [eve.nodeId] } : {})
        await world().say(ada, notEntered, 'not entered', { nodes: [eve.nodeId] })
        expected.push(`${round}`)
        const page: readonly SpaceMessage[] = granted(await world().open.inbox(eve.nodeId, { after, limit: 2 }))
        seen.push(...texts(page))
        after = page.at(-1)?.messageId ?? after
      }
      expect(seen).toEqual(expected)
      expect(texts(granted(await world().open.inbox(eve.nodeId, { limit: 3 })))).toEqual(expected.slice(-3))
      expect(categoryOf(await world().open.inbox('nobody', {}))).toBe('not_found')
    })
  })
}

function describeRelations(world: () => OpenWorld): void {
  describe('the graph', () => {
    let ada: NodeInfo
    let space: SpaceInfo
    const ids = new Map<string, string>()
    const say = async (text: string, ...parents: readonly string[]) => {
      ids.set(text, (await world().say(ada, space, text, { messages: parents.map((parent) => ids.get(parent)!) })).messageId)
    }
    const related = async (text: string, direction: 'upstream' | 'downstream' | 'both', window: Parameters<OpenSpaces['read']>[2] = {}) =>
      texts(granted(await world().open.read(space.spaceId, { mode: 'related', messageId: ids.get(text)!, direction }, window))).join(' ')

    beforeAll(async () => {
      ada = await world().node('ada')
      space = await world().space(`graph ${randomUUID()}`, ada)
      await say('a')
      await say('b', 'a')
      await say('x')
      await say('c', 'a', 'x')
      await say('d', 'b', 'c')
      await say('y', 'x')
      await say('e', 'd')
    })

    it('gives ancestors upwards, descendants downwards, and the Message with either (21, D1)', async () => {
      expect(await related('d', 'upstream')).toBe('a b x c d')
      expect(await related('c', 'downstream')).toBe('c d e')
      expect(await related('c', 'both')).toBe('a x c d e')
      expect(await related('a', 'downstream')).toBe('a b c d e')
      expect(await related('e', 'downstream')).toBe('e')
    })

    it('cuts like any list', async () => {
      const after = (text: string) => ids.get(text)!
      expect(await related('d', 'upstream', { limit: 2 })).toBe('c d')
      expect(await related('d', 'upstream', { limit: 1 })).toBe('d')
      expect(await related('d', 'upstream', { after: after('b'), limit: 2 })).toBe('x c')
      expect(await related('d', 'upstream', { after: null, limit: 2 })).toBe('a b')
      expect(await related('c', 'both', { limit: 3 })).toBe('c d e')
      expect(await related('c', 'both', { limit: 4 })).toBe('x c d e')
      expect(await related('c', 'both', { after: after('b'), limit: 2 })).toBe('x c')
      expect(await related('a', 'downstream', { after: after('y') })).toBe('e')
    })

    it('sees what was added below after it was asked', async () => {
      await say('f', 'b')
      expect(await related('b', 'downstream')).toBe('b d e f')
      await say('g', 'f')
      expect(await related('b', 'downstream')).toBe('b d e f g')
      expect(await related('g', 'upstream')).toBe('a b f g')
    })

    it('knows first parents to a depth (1 to 5)', async () => {
      const within = (text: string, ancestor: string, depth: number) => world().open.isWithin(space.spaceId, ids.get(text)!, ids.get(ancestor)!, depth)
      expect(await within('e', 'd', 1)).toBe(true)
      expect(await within('e', 'b', 1)).toBe(false)
      expect(await within('e', 'b', 2)).toBe(true)
      // The second parent does not count.
      expect(await within('e', 'c', 9)).toBe(false)
      expect(await within('d', 'd', 9)).toBe(false)
    })

    it('pages a long chain with merges both ways as a whole walk gives it', async () => {
      const long = await world().space(`long ${randomUUID()}`, ada)
      const chain: SpaceMessage[] = []
      for (let index = 0; index < 150; index++) {
        const messages = [1, 2, 7].flatMap((back) => chain[index - back]?.messageId ?? [])
        chain.push(await world().say(ada, long, `${index}`, { messages }))
      }
      const page = async (direction: 'upstream' | 'downstream', from: number) => {
        const seen: unknown[] = []
        for (let after: string | null = null; ; ) {
          const messages: readonly SpaceMessage[] = granted(await world().open.read(long.spaceId, { mode: 'related', messageId: chain[from]!.messageId, direction }, { after, limit: 40 }))
          seen.push(...texts(messages))
          if (messages.length < 40) return seen
          after = messages.at(-1)!.messageId
        }
      }
      const all = chain.map((_, index) => `${index}`)
      expect(await page('upstream', 149)).toEqual(all)
      expect(await page('downstream', 3)).toEqual(all.slice(3))
      const newest = granted(await world().open.read(long.spaceId, { mode: 'related', messageId: chain[140]!.messageId, direction: 'upstream' }, { limit: 70 }))
      expect(texts(newest)).toEqual(all.slice(71, 141))
    })
  })
}

function describeFeeds(world: () => OpenWorld): void {
  describe('feeds', () => {
    let ada: NodeInfo
    let bob: NodeInfo
    let space: SpaceInfo
    beforeAll(async () => {
      ;[ada, bob] = [await world().node('ada'), await world().node(`bob ${randomUUID()}`)]
      space = await world().space(`feeds ${randomUUID()}`, ada, bob)
    })

    it('give what is there and then what comes, the listener’s own included (12)', async () => {
      await world().say(ada, space, 'before')
      const feed = granted(await world().open.follow(space.spaceId, 0))
      expect(feed.startsAfter).toBe(0)
      expect(texts((await feed.next(10)) as readonly SpaceMessage[])).toEqual(['before'])
      const next = feed.next(10)
      await world().say(bob, space, 'after')
      expect(texts((await next) as readonly SpaceMessage[])).toEqual(['after'])
      const waiting = feed.next(10)
      feed.close()
      expect(await waiting).toBe('ended')
    })

    it('begin at the newest Message, and never beyond it', async () => {
      const { messageCount } = (await world().open.find(space.spaceId))!
      const feed = granted(await world().open.follow(space.spaceId))
      expect(feed.startsAfter).toBe(messageCount)
      feed.close()
      expect(categoryOf(await world().open.follow(space.spaceId, messageCount + 1))).toBe('conflict')
      expect(categoryOf(await world().open.follow('urn:uuid:none'))).toBe('not_found')
      expect(categoryOf(await world().open.followNode(bob.nodeId, Number.MAX_SAFE_INTEGER))).toBe('conflict')
      expect(categoryOf(await world().open.followNode('nobody'))).toBe('not_found')
    })

    it('of a Node give what names it anywhere and what others broadcast where it entered, once each', async () => {
      const feed = granted(await world().open.followNode(bob.nodeId))
      const elsewhere = await world().space(`feeds elsewhere ${randomUUID()}`, ada)
      const heard: unknown[] = []
      const reading = (async () => {
        while (!heard.includes('last')) {
          const batch = await feed.next(2)
          if (batch === 'ended') break
          heard.push(...batch.map(({ message }) => textOf(message)))
        }
      })()
      await world().say(ada, space, 'broadcast')
      await world().say(bob, space, 'own broadcast')
      await world().say(ada, elsewhere, 'not entered')
      await world().say(ada, elsewhere, 'named elsewhere', { nodes: [bob.nodeId, bob.nodeId] })
      await world().say(ada, space, 'last', { nodes: [bob.nodeId] })
      await reading
      expect(heard).toEqual(['broadcast', 'named elsewhere', 'last'])
      feed.close()
      const position = await world().open.positionOf((await world().say(ada, space, 'resumed after this')).messageId)
      const resumed = granted(await world().open.followNode(bob.nodeId, position! - 1))
      expect(((await resumed.next(9)) as readonly { message: SpaceMessage }[]).map(({ message }) => textOf(message))).toEqual(['resumed after this'])
      resumed.close()
    })

    it('lose nothing of a burst, for however many listen', async () => {
      const busy = await world().space(`burst ${randomUUID()}`, ada, bob)
      const feeds = await Promise.all(Array.from({ length: 20 }, async () => granted(await world().open.follow(busy.spaceId))))
      const counts = feeds.map(async (feed) => {
        let count = 0
        while (count < 200) {
          const batch = await feed.next(16)
          if (batch === 'ended') break
          count += batch.length
        }
        feed.close()
        return count
      })
      await Promise.all(Array.from({ length: 200 }, (_, index) => world().say(ada, busy, `${index}`)))
      expect(await Promise.all(counts)).toEqual(feeds.map(() => 200))
    })
  })
}
