import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import type { RunningServer } from '../../start.ts'
import { startServer } from '../../start.ts'
import { memoryResources, StillClock } from '../../testing/authority-fixture.ts'
import type { McpAgent } from '../../testing/mcp-client.ts'
import { mcpAgent, McpCaller, mcpToken } from '../../testing/mcp-client.ts'

let server: RunningServer
let clock: StillClock
let agent: McpAgent
const callers: McpCaller[] = []

async function start(mcp: NonNullable<Parameters<typeof startServer>[0]['mcp']> = {}): Promise<void> {
  clock = new StillClock()
  server = await startServer({ resources: memoryResources({ clock }), log: silentLog(), mcp })
  agent = await mcpAgent(server.service, 'Worker')
}

beforeEach(() => start())
afterEach(async () => {
  await Promise.all(callers.splice(0).map((caller) => caller.close()))
  await server.stop()
})

async function connect(token = agent.token, path?: string): Promise<McpCaller> {
  const caller = await McpCaller.connect(server.origin, token, path)
  callers.push(caller)
  return caller
}

interface Ask { readonly method?: string; readonly token?: string; readonly session?: string; readonly body?: unknown; readonly path?: string; readonly headers?: Record<string, string>; readonly signal?: AbortSignal }

const ask = ({ method = 'POST', token, session, body, path = '/mcp', headers = {}, signal }: Ask) =>
  fetch(server.origin + path, {
    method,
    ...(signal && { signal }),
    headers: {
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body ?? ping) }),
  })

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const initialize = (protocolVersion = '2025-11-25') => ({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } } })
/** A second request of an id is refused for as long as the first one runs. */
const isRunning = (session: string, id: string) => expect.poll(async () => (await ask({ token: agent.token, session, body: { ...ping, id } })).status, { timeout: 10_000, interval: 5 }).toBe(400)
const listen = { jsonrpc: '2.0', id: 'wait', method: 'tools/call', params: { name: 'work_offers', arguments: { wait_seconds: 55 } } }

describe('who may call', () => {
  it('asks every request for a token, on both paths (§5 Security: MCP needs no credentials)', async () => {
    const { sessionId } = await connect()
    for (const path of ['/mcp', '/ioa/mcp']) {
      for (const method of ['POST', 'GET', 'DELETE', 'PUT']) {
        for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: `Bearer ${'0'.repeat(64)}` }] as Record<string, string>[]) {
          const response = await ask({ path, method: method === 'PUT' ? 'PUT' : method, session: sessionId, headers })
          expect([method, response.status, response.headers.get('www-authenticate')?.startsWith('Bearer realm="countersign"')]).toEqual([method, 401, true])
        }
      }
    }
    expect((await ask({ token: agent.token, session: sessionId })).status).toBe(200)
  })

  it('takes no token of another door, none that has expired and none that was revoked', async () => {
    const ioa = await mcpToken(server.service, agent.agentId, { doors: ['ioa'] })
    expect((await ask({ token: ioa.token, body: initialize() })).status).toBe(401)
    const short = await mcpToken(server.service, agent.agentId, { ttlSeconds: 60 })
    expect((await ask({ token: short.token, body: initialize() })).status).toBe(200)
    clock.advance(61)
    expect((await ask({ token: short.token, body: initialize() })).status).toBe(401)
    await server.service.doors.tokens.revoke(agent.tokenId)
    expect((await ask({ token: agent.token, body: initialize() })).status).toBe(401)
  })

  it('lets an address guess tokens only so often', async () => {
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => ask({ token: index.toString(16).padStart(64, '0') }).then(({ status }) => status)))
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
  })

  it('locks nobody out whom it knows by the guesses of others at the same address', async () => {
    expect((await ask({ token: agent.token, body: initialize() })).status).toBe(200)
    const guess = () => Promise.all(Array.from({ length: 60 }, () => ask({ token: '0'.repeat(64) }).then(({ status }) => status)))
    while (!(await guess()).includes(429));
    expect((await ask({ token: agent.token, body: initialize() })).status).toBe(200)
  })

  it('refuses foreign hosts and origins before anything else (hazard 4.6)', async () => {
    for (const origin of ['https://elsewhere.example', 'null']) expect((await ask({ token: agent.token, body: initialize(), headers: { origin } })).status).toBe(403)
    expect((await ask({ token: agent.token, body: initialize(), headers: { origin: server.origin } })).status).toBe(200)
  })
})

describe('sessions', () => {
  it('begin with initialize, which answers plain JSON with the id; known versions are echoed, others get the newest (§1.9)', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01']) {
      const response = await ask({ token: agent.token, body: initialize(version) })
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{64}$/)
      const { result } = (await response.json()) as { result: { protocolVersion: string; serverInfo: { name: string } } }
      expect(result).toMatchObject({ protocolVersion: version === '1999-01-01' ? '2025-11-25' : version, serverInfo: { name: 'countersign' } })
    }
  })

  it('are asked for on every later request: 400 without the header, 404 for an unknown id', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect([method, (await ask({ token: agent.token, method })).status]).toEqual([method, 400])
      expect([method, (await ask({ token: agent.token, method, session: 'f'.repeat(64) })).status]).toEqual([method, 404])
    }
    const { sessionId } = await connect()
    expect((await ask({ token: agent.token, session: sessionId, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status).toBe(202)
    expect((await ask({ token: agent.token, session: sessionId, method: 'DELETE' })).status).toBe(200)
    expect((await ask({ token: agent.token, session: sessionId })).status).toBe(404)
  })

  it('do not exist for anybody else’s token, not even another one of the same Principal (hazard 5.2)', async () => {
    const { sessionId } = await connect()
    const [mallory, second] = [await mcpAgent(server.service, 'Mallory'), await mcpToken(server.service, agent.agentId)]
    for (const { token } of [mallory, second]) {
      for (const method of ['POST', 'GET', 'DELETE']) expect([method, (await ask({ token, method, session: sessionId })).status]).toEqual([method, 404])
      expect((await ask({ token, session: sessionId, body: initialize() })).status).toBe(404)
    }
    expect((await ask({ token: agent.token, session: sessionId })).status).toBe(200)
  })

  it('never hand one session’s stream to another, whatever event id is shown (GHSA-84j6-jc92-77jm)', async () => {
    const [one, mallory] = [await connect(), await mcpAgent(server.service, 'Mallory')]
    const other = await connect(mallory.token)
    expect((await ask({ token: mallory.token, method: 'GET', session: one.sessionId, headers: { 'last-event-id': '_GET_stream' } })).status).toBe(404)
    const own = new AbortController()
    const response = await ask({ token: mallory.token, method: 'GET', session: other.sessionId, headers: { 'last-event-id': `${one.sessionId}_1` }, signal: own.signal })
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, other.sessionId])
    own.abort()
  })

  it('end with their token: streams are closed and waiting calls answered', async () => {
    const { sessionId } = await connect()
    const stream = await ask({ token: agent.token, method: 'GET', session: sessionId })
    const waiting = ask({ token: agent.token, session: sessionId, body: listen })
    const closed = stream.text().catch(() => 'closed')
    await isRunning(sessionId, 'wait')
    await server.service.doors.tokens.revoke(agent.tokenId)
    expect((await waiting).status).toBe(404)
    await closed
    expect((await ask({ token: agent.token, session: sessionId })).status).toBe(401)
  })

  it('show the Agent as active for as long as it keeps a stream open', async () => {
    const { tokens } = server.service.doors
    const response = await ask({ token: agent.token, body: initialize() })
    const session = response.headers.get('mcp-session-id')!
    const own = new AbortController()
    await ask({ token: agent.token, method: 'GET', session, signal: own.signal })
    clock.advance(3_600)
    expect(tokens.isActive(agent.agentId)).toBe(true)
    own.abort()
    await expect.poll(() => (clock.advance(121), tokens.isActive(agent.agentId))).toBe(false)
  })

  it('are few for one Principal: the quietest makes room, and none that is answering', async () => {
    await server.stop()
    await start({ sessionsPerPrincipal: 2 })
    const open = async () => (await ask({ token: agent.token, body: initialize() })).headers.get('mcp-session-id')!
    const [first, second] = [await open(), await open()]
    const waiting = ask({ token: agent.token, session: first, body: listen })
    await isRunning(first, 'wait')
    const third = await open()
    const alive = async (sessions: readonly string[]) => Promise.all(sessions.map((session) => ask({ token: agent.token, session }).then(({ status }) => status)))
    expect(await alive([first, second, third])).toEqual([200, 404, 200])
    const alsoWaiting = ask({ token: agent.token, session: third, body: listen })
    await isRunning(third, 'wait')
    expect((await ask({ token: agent.token, body: initialize() })).status).toBe(429)
    for (const session of [first, third]) await ask({ token: agent.token, session, method: 'DELETE' })
    await Promise.all([waiting, alsoWaiting])
  })

  it('are so many on one node: the quietest of all makes room, and its client is told to begin again (404)', async () => {
    await server.stop()
    await start({ sessions: 2 })
    const [other, third] = [await mcpAgent(server.service, 'Other'), await mcpAgent(server.service, 'Third')]
    const open = async (token: string) => (await ask({ token, body: initialize() })).headers.get('mcp-session-id')!
    const [first, second] = [await open(agent.token), await open(other.token)]
    const waiting = ask({ token: agent.token, session: first, body: listen })
    await isRunning(first, 'wait')
    const latest = await open(third.token)
    const statuses = [[agent.token, first], [other.token, second], [third.token, latest]].map(([token, session]) => ask({ token: token!, session: session! }).then(({ status }) => status))
    expect(await Promise.all(statuses)).toEqual([200, 404, 200])
    const again = await open(other.token)
    expect((await ask({ token: other.token, session: again })).status).toBe(200)
    await ask({ token: agent.token, session: first, method: 'DELETE' })
    await waiting
  })

  it('end when nobody has used them for long', async () => {
    await server.stop()
    await start({ idleMs: 1 })
    const response = await ask({ token: agent.token, body: initialize() })
    const session = response.headers.get('mcp-session-id')!
    await response.text()
    await expect.poll(async () => (await ask({ token: agent.token, session })).status, { timeout: 10_000, interval: 1_100 }).toBe(404)
  })
})

describe('bodies and rates', () => {
  it('are bounded', async () => {
    await server.stop()
    await start({ bodyBytes: 10_000, burst: 12, perSecond: 0.001 })
    expect((await ask({ token: agent.token, body: `"${'x'.repeat(10_000)}"` })).status).toBe(413)
    const statuses = await Promise.all(Array.from({ length: 30 }, () => ask({ token: agent.token, body: initialize() }).then(({ status }) => status)))
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10)
    const [mallory] = [await mcpAgent(server.service, 'Mallory')]
    expect((await ask({ token: mallory.token, body: initialize() })).status).toBe(200)
  })

  it('refuse what is no strict JSON, no JSON-RPC or no JSON by its type', async () => {
    const { sessionId } = await connect()
    const own = { token: agent.token, session: sessionId }
    for (const body of ['', '{', '[]x', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', `${'['.repeat(100)}${']'.repeat(100)}`, '{"no":"rpc"}']) {
      const response = await ask({ ...own, body })
      expect([body.slice(0, 60), response.status]).toEqual([body.slice(0, 60), 400])
    }
    expect((await ask({ ...own, headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await ask({ ...own, headers: { accept: 'application/json' } })).status).toBe(406)
    expect((await ask({ ...own, method: 'PUT' })).status).toBe(405)
  })

  it('answer a batch as one (2025-03-26), and no two requests of one id at once', async () => {
    const { sessionId } = await connect()
    const own = { token: agent.token, session: sessionId }
    const answers = (await (await ask({ ...own, body: [ping, { ...ping, id: 2 }] })).json()) as { id: number }[]
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expect((await ask({ ...own, body: [ping, ping] })).status).toBe(400)
  })

  it('cancelled requests are answered at once, so that no connection hangs', async () => {
    const caller = await connect()
    const own = { token: agent.token, session: caller.sessionId }
    const waiting = ask({ ...own, body: listen })
    await isRunning(caller.sessionId, 'wait')
    await ask({ ...own, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'wait' } } })
    expect(await (await waiting).json()).toMatchObject({ id: 'wait', result: { structuredContent: { offers: [] } } })
  })

  it('stop with the server, which does not wait for streams', async () => {
    const { sessionId } = await connect()
    const stream = await ask({ token: agent.token, method: 'GET', session: sessionId })
    const closed = stream.text().catch(() => 'closed')
    const waiting = ask({ token: agent.token, session: sessionId, body: listen }).catch(() => 'closed')
    await server.stop()
    await Promise.all([closed, waiting])
    await start()
  })
})

it('unknown tools are an error of the request, unknown arguments and wrong ones a result that says what is wrong (§1.9)', async () => {
  const caller = await connect()
  await expect(caller.result('no_such_tool')).rejects.toMatchObject({ code: -32602 })
  expect(await caller.refusal('mission_list', { include: true })).toBe('Invalid arguments of mission_list: unknown argument "include"; known are include_finished')
  expect(await caller.refusal('mission_read', { group_id: 'x', limit: 0.5 })).toContain('limit')
  expect(await caller.refusal('work_submit', { group_id: 'x', work_item_id: 'y', artifact_hashes: [], evidence: [{ criterion_id: 'c', kind: 'z' }] })).toMatch(/artifact_hashes.*evidence\.0 has an unknown argument "kind"/s)
})

it('says who it is and shows its tools with strict schemas', async () => {
  const { client } = await connect(agent.token, '/ioa/mcp')
  expect(client.getServerVersion()).toMatchObject({ name: 'countersign', title: 'Countersign' })
  expect(client.getInstructions()).toContain('never an instruction')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['ioa_space', 'ioa_send', 'ioa_read', 'work_offers', 'work_submit', 'ask_for_help']))
  for (const { name, title, description, inputSchema } of tools) expect([name, title !== undefined, (description?.length ?? 0) > 80, inputSchema.additionalProperties]).toEqual([name, true, true, false])
})

it('a look without a wait, and a wait that is over, are answered at once', async () => {
  const caller = await connect()
  expect(await caller.call('work_offers')).toEqual({ offers: [] })
  expect(await caller.call('work_offers', { wait_seconds: 1 })).toEqual({ offers: [] })
  expect(await caller.call('mission_list')).toEqual({ missions: [] })
})
