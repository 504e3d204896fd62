// Open Spaces by MCP: the three IOA tools, listening and resources, on a real PostgreSQL.
import { join } from 'node:path'
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { foundOrganization, parseOrganizationKeys } from '../../service/organization-keys.ts'
import type { Store } from '../../service/ports.ts'
import type { RunningServer } from '../../start.ts'
import { startServer } from '../../start.ts'
import { openStore } from '../../store/open-store.ts'
import { memoryArtifacts, newUrn } from '../../testing/authority-fixture.ts'
import { mcpAgent, McpCaller } from '../../testing/mcp-client.ts'
import type { TestDatabase } from '../../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../../testing/test-database.ts'

interface Space { readonly id: string; readonly name: string; readonly tags?: readonly string[]; readonly nodes: readonly { readonly id: string; readonly name: string; readonly description?: string }[]; readonly message_count: number; readonly start_messages: readonly Message[] }
interface Message { readonly id: string; readonly sender: string; readonly content: Record<string, unknown>; readonly refs: { readonly messages: readonly string[]; readonly nodes: readonly string[] } }

describe.skipIf(skipReason)(`open Spaces by MCP${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let store: Store
  let server: RunningServer
  const callers: McpCaller[] = []
  let [ann, bob]: McpCaller[] = []
  let space: Space
  let names = { ann: '', bob: '' }

  beforeAll(async () => {
    database = await createTestDatabase()
    store = await openStore({ url: database.url, migrationsFolder: join(import.meta.dirname, '../../../drizzle/migrations'), maxConnections: 4 })
    const organization = parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
    server = await startServer({ resources: { store, organization, artifacts: memoryArtifacts() }, log: silentLog(), mcp: { notifyEveryMs: 5, burst: 100_000 } })
  })
  afterAll(async () => {
    await server.stop()
    await store.close()
    await database.drop()
  })

  async function connect(name: string): Promise<McpCaller> {
    const caller = await McpCaller.connect(server.origin, (await mcpAgent(server.service, name)).token)
    callers.push(caller)
    return caller
  }
  const enter = (caller: McpCaller, name = space.name, description = 'Here to test') => caller.call<Space>('ioa_space', { name, description })
  const send = (caller: McpCaller, text: string, refs?: object) => caller.call<Message>('ioa_send', { space_id: space.id, content: { text }, ...(refs && { refs }) })
  const read = (caller: McpCaller, args: object = {}) => caller.call<Message[]>('ioa_read', { space_id: space.id, ...args })
  const said = (messages: readonly Message[]) => messages.map(({ content }) => content.text)

  beforeEach(async () => {
    ann = await connect('Ann')
    bob = await connect('Bob')
    space = await ann!.call<Space>('ioa_space', { name: `space ${newUrn()}`, description: 'I ask', tags: ['one', ' one', 'two'] })
    const both = await enter(bob!, space.name, 'I answer')
    const idOf = (description: string) => both.nodes.find((node) => node.description === description)!.id
    names = { ann: idOf('I ask'), bob: idOf('I answer') }
  })
  afterEach(() => Promise.all(callers.splice(0).map((caller) => caller.close())))

  it('one name leads to one Space; each client is a Node of its own (§5 Operation, hazard 8.13)', async () => {
    expect(space).toMatchObject({ tags: ['one', 'two'], message_count: 0, start_messages: [] })
    const root = await send(ann!, 'root')
    await send(bob!, 'reply', { messages: [root.id] })
    const again = await enter(ann!, space.name, 'I ask more')
    expect(again).toMatchObject({ id: space.id, message_count: 2 })
    expect(said(again.start_messages)).toEqual(['root'])
    expect(again.nodes.map(({ name, description }) => [name, description])).toEqual([['Ann', 'I ask more'], ['Bob', 'I answer']])
    expect(names.ann).not.toBe(names.bob)
    expect(await ann!.refusal('ioa_space', { name: 'urn:x:y', description: 'x' })).not.toBe('')
    expect(await ann!.refusal('ioa_space', { name: ' ', description: 'x' })).not.toBe('')
  })

  it('nobody writes what passes for a record of the I.A.P. router', async () => {
    expect(await ann!.refusal('ioa_send', { space_id: space.id, content: {}, content_type: 'iap/task_bid' })).toContain('written by the I.A.P. router alone')
  })

  it('a Message comes back as it was sent, every digit and all members, as one indented text (§1.9, §5 Numbers)', async () => {
    const result = await ann!.client.request(
      { method: 'tools/call', params: { name: 'ioa_send', arguments: { space_id: space.id, content: { n: 1 }, content_type: 'handoff', meta: { m: 1 }, content_schema: { type: 'object' } } } },
      (await import('@modelcontextprotocol/sdk/types.js')).CallToolResultSchema,
    )
    const [item] = result.content
    expect(item).toMatchObject({ type: 'text' })
    const text = item?.type === 'text' ? item.text : ''
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2))
    expect(JSON.parse(text)).toMatchObject({ sender: names.ann, content: { n: 1 }, content_type: 'handoff', meta: { m: 1 }, content_schema: { type: 'object' }, refs: { messages: [], nodes: [] } })
  })

  it('keeps numbers that no JavaScript number holds', async () => {
    const { sessionId } = ann!
    const token = (ann!.transport as unknown as { _requestInit: { headers: { authorization: string } } })._requestInit.headers.authorization
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ioa_send","arguments":{"space_id":${JSON.stringify(space.id)},"content":{"n":12345678901234567890,"x":1.10}, "meta":{"big":1e400}}}}`
    const headers = { authorization: token, 'mcp-session-id': sessionId, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const sent = (await (await fetch(`${server.origin}/mcp`, { method: 'POST', headers, body })).json()) as { result: { content: [{ text: string }] } }
    expect(sent.result.content[0].text).toMatch(/"n": 12345678901234567890,\n {4}"x": 1\.10\n/)
    expect(await bob!.text('ioa_read', { space_id: space.id })).toContain('"n": 12345678901234567890')
    const batch = `[{"jsonrpc":"2.0","id":"7","method":"ping"},${body.replaceAll('12345678901234567890', '98765432109876543210').replace('"big":1e400', '')}]`
    const answers = (await (await fetch(`${server.origin}/mcp`, { method: 'POST', headers, body: batch })).json()) as { id: unknown; result: { content?: [{ text: string }] } }[]
    expect(answers.find(({ id }) => id === 7)?.result.content?.[0].text).toContain('98765432109876543210')
  })

  it('refuses what a Message may not be, in words', async () => {
    const refusals = [{ content: null }, { content: [] }, {}, { content: {}, refs: { messages: ['no such'] } }, { content: {}, refs: { nodes: ['no such'] } }, { content: {}, refs: { message: [] } }, { content: {}, content_schema: { type: 123 } }, { content: {}, sender: names.bob }, { content: {}, meta: [] }]
    for (const args of refusals) expect([args, await ann!.refusal('ioa_send', { space_id: space.id, ...args })]).toEqual([args, expect.stringMatching(/\w+/)])
    expect(await ann!.refusal('ioa_send', { space_id: newUrn(), content: {} })).not.toBe('')
    expect(await read(ann!, { all: true })).toEqual([])
    expect(await ann!.call('ioa_send', { space_id: space.id, content: {}, refs: { messages: null, nodes: [] }, meta: null })).toMatchObject({ content: {} })
  })

  it('reads what concerns the caller, everything, or what a Message is connected to, page by page (§1.6, D1)', async () => {
    const root = await send(ann!, 'root')
    const middle = await send(bob!, 'middle', { messages: [root.id] })
    const leaf = await send(ann!, 'leaf', { messages: [middle.id], nodes: [names.bob] })
    await send(ann!, 'other')
    expect(said(await read(bob!))).toEqual(['root', 'leaf', 'other'])
    expect(said(await read(ann!))).toEqual([])
    expect(said(await read(ann!, { all: true }))).toEqual(['root', 'middle', 'leaf', 'other'])
    expect(said(await read(ann!, { all: true, limit: 2 }))).toEqual(['leaf', 'other'])
    expect(said(await read(ann!, { all: true, limit: 2, after: root.id }))).toEqual(['middle', 'leaf'])
    expect(said(await read(bob!, { message_id: middle.id }))).toEqual(['root', 'middle', 'leaf'])
    expect(said(await read(bob!, { message_id: leaf.id, direction: 'upstream' }))).toEqual(['root', 'middle', 'leaf'])
    expect(said(await read(bob!, { message_id: root.id, direction: 'downstream', after: root.id }))).toEqual(['middle', 'leaf'])
    for (const wrong of [{ limit: 0 }, { limit: 1.5 }, { direction: 'sideways' }, { after: 'no such' }, { message_id: 'no such' }, { space_id: newUrn() }, { all: 'yes' }]) expect([wrong, await bob!.refusal('ioa_read', { space_id: space.id, ...wrong })]).toEqual([wrong, expect.stringMatching(/\w+/)])
  })

  it('cuts a long page at a Message and gives the rest from there', async () => {
    const filler = 'x'.repeat(200_000)
    const sent: string[] = []
    for (let count = 0; count < 8; count++) sent.push((await ann!.call<Message>('ioa_send', { space_id: space.id, content: { count, filler } })).id)
    const newest = await read(bob!, { all: true })
    expect(newest.map(({ id }) => id)).toEqual(sent.slice(-newest.length))
    expect(newest.length).toBeLessThan(8)
    const seen = [sent[0]]
    for (let page = await read(bob!, { all: true, after: sent[0] }); page.length > 0; page = await read(bob!, { all: true, after: seen.at(-1) })) seen.push(...page.map(({ id }) => id))
    expect(seen).toEqual(sent)
  })

  it('listening from the last Message seen loses nothing of a burst, in each mode', async () => {
    const start = await send(ann!, 'start')
    const count = 300
    const heard: string[] = []
    const listening = (async () => {
      let after = start.id
      while (heard.length < count) {
        const page = await read(bob!, { listen: true, wait_seconds: 20, after, limit: 40, all: true })
        heard.push(...page.map(({ content }) => String(content.text)))
        after = page.at(-1)?.id ?? after
      }
    })()
    for (let sent = 0; sent < count; sent += 20) await Promise.all(Array.from({ length: 20 }, (_, index) => send(ann!, `${sent + index}`)))
    await listening
    expect(heard).toHaveLength(count)
    expect(new Set(heard).size).toBe(count)

    const tip = await send(ann!, 'tip')
    const toBob = read(bob!, { listen: true, wait_seconds: 20, after: tip.id })
    const below = read(bob!, { listen: true, wait_seconds: 20, after: tip.id, message_id: tip.id, direction: 'downstream' })
    await send(bob!, 'my own')
    await send(ann!, 'elsewhere', { messages: [start.id] })
    await send(ann!, 'for bob', { messages: [tip.id], nodes: [names.bob] })
    expect([said(await toBob), said(await below)]).toEqual([['for bob'], ['for bob']])
  })

  it('listening without a cursor begins now, also in an empty Space, and answers [] when nothing comes', async () => {
    expect(await bob!.text('ioa_read', { space_id: space.id, listen: true, wait_seconds: 1 })).toBe('[]')
    await send(ann!, 'before')
    const waiting = read(bob!, { listen: true, wait_seconds: 20 })
    let isOver = false
    void waiting.then(() => (isOver = true))
    while (!isOver) await send(ann!, 'now')
    const heard = said(await waiting)
    expect(heard.length).toBeGreaterThan(0)
    expect(new Set(heard)).toEqual(new Set(['now']))
    expect(await bob!.refusal('ioa_read', { space_id: newUrn(), listen: true })).not.toBe('')
  })

  it('lists the Spaces that the Node has entered as resources, reads and watches them, and no others', async () => {
    const changed = new Promise((resolve) => ann!.client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve))
    const second = await ann!.call<Space>('ioa_space', { name: `another ${newUrn()}`, description: 'x' })
    await changed
    const { resources } = await ann!.client.listResources()
    expect(resources.map(({ name }) => name).sort()).toEqual([space.name, second.name].sort())
    const uri = `ioa://spaces/${encodeURIComponent(space.id)}`
    expect(resources.map((resource) => resource.uri)).toContain(uri)
    expect((await ann!.client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['ioa://spaces/{space_id}'])
    await send(bob!, 'hello')
    const { contents } = await ann!.client.readResource({ uri })
    const [content] = contents
    expect(JSON.parse(content && 'text' in content ? content.text : '')).toMatchObject({ id: space.id, messages: [{ content: { text: 'hello' } }] })
    for (const cursor of ['***', Buffer.from('\u0000').toString('base64url')]) await expect(ann!.client.listResources({ cursor })).rejects.toMatchObject({ code: -32602 })
    const carl = await connect('Carl')
    expect((await carl.client.listResources()).resources).toEqual([])
    for (const other of [uri, 'ioa://spaces/%E0%A4%A', 'ioa://spaces/%00', 'file:///etc/passwd']) {
      await expect(carl.client.readResource({ uri: other })).rejects.toMatchObject({ code: -32002 })
      await expect(carl.client.subscribeResource({ uri: other })).rejects.toMatchObject({ code: -32002 })
    }
  })

  it.each(['\u0000', '\ud800', ' ', '../..', 'x'.repeat(600), "'; DROP TABLE log; --"])('no tool fails on the text %j in any of its arguments', async (odd) => {
    const { tools } = await ann!.client.listTools()
    for (const { name, inputSchema } of tools) {
      const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, { readonly type?: string; readonly enum?: readonly string[]; readonly items?: { readonly type?: string } }>)
      const args = properties.flatMap(([argument, { type, enum: options, items }]): [string, unknown][] => {
        if (options) return [[argument, options[0]]]
        if (type === 'string') return [[argument, odd]]
        if (type === 'array' && items?.type === 'string') return [[argument, [odd]]]
        return type === 'object' && argument === 'content' ? [[argument, { [odd]: odd }]] : []
      })
      const known = name.startsWith('ioa_') ? [{}, { space_id: space.id }] : [{}]
      for (const more of known) {
        const { content, isError } = await ann!.result(name, { ...Object.fromEntries(args), ...(name !== 'ioa_space' && more) })
        expect([name, isError === true && JSON.stringify(content).includes('The server failed')]).toEqual([name, false])
      }
    }
  })

  it('tells a subscriber of growth until it unsubscribes, and again after its stream was cut', async () => {
    const uri = `ioa://spaces/${encodeURIComponent(space.id)}`
    let updates = 0
    ann!.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void (params.uri === uri && updates++))
    await ann!.client.subscribeResource({ uri })
    await send(bob!, 'one')
    await expect.poll(() => updates).toBe(1)
    await send(bob!, 'two')
    await expect.poll(() => updates).toBe(2)
    await ann!.client.unsubscribeResource({ uri })
    await send(bob!, 'three')
    await ann!.client.subscribeResource({ uri })
    await send(bob!, 'four')
    await expect.poll(() => updates).toBe(3)

    const token = (ann!.transport as unknown as { _requestInit: { headers: { authorization: string } } })._requestInit.headers.authorization
    // A second stream takes the place of the first one and is told what has grown since the subscription.
    const stream = await fetch(`${server.origin}/mcp`, { headers: { authorization: token, 'mcp-session-id': ann!.sessionId, accept: 'text/event-stream' } })
    const { value } = await stream.body!.getReader().read()
    expect(new TextDecoder().decode(value)).toContain('notifications/resources/updated')
    expect(new TextDecoder().decode(value)).toContain(uri)
  })
})
