// The public MCP conformance runner against this door. It shows no token, so a proxy adds one; the runner's own fixture resource
// is called by the URI of a Space.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import type { RunningServer } from '../../start.ts'
import { startServer } from '../../start.ts'
import { memoryResources } from '../../testing/authority-fixture.ts'
import { mcpAgent, McpCaller } from '../../testing/mcp-client.ts'

const runner = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const fixtureResource = /test:\/\/(static-text|watched-resource)/g

let server: RunningServer
let proxy: Server
let folder: string
let url: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  proxy = createServer().listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  url = `${origin}/mcp`
  server = await startServer({ resources: memoryResources(), log: silentLog(), allowedOrigins: [origin] })
  const { token } = await mcpAgent(server.service, 'Conformance')
  const caller = await McpCaller.connect(server.origin, token)
  const { id } = await caller.call<{ id: string }>('ioa_space', { name: 'conformance', description: 'Under test' })
  await caller.close()
  pass({ token, resource: `ioa://spaces/${encodeURIComponent(id)}` })
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

/** Passes every request on as it is, with a token, and with our resource for the runner's. */
function pass({ token, resource }: { token: string; resource: string }): void {
  proxy.on('request', async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.from(Buffer.concat(chunks).toString().replace(fixtureResource, resource))
    const { method, headers, url: path } = incoming
    const onward = request({ port: server.port, host: '127.0.0.1', path, method, headers: { ...headers, authorization: `Bearer ${token}`, ...(body.length > 0 && { 'content-length': body.length }) } })
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    outgoing.once('close', () => onward.destroy())
    onward.on('error', () => outgoing.destroy())
    onward.end(body)
  })
}

/** What the runner prints about one scenario. */
const run = (scenario: string) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [runner, 'server', '--url', url, '--scenario', scenario, '-o', folder], { timeout: 60_000 }, (fault, stdout, stderr) => resolve({ code: fault ? 1 : 0, output: stdout + stderr }))
  })

/**
 * The scenarios that are left out call tools, prompts or resources that only the runner's reference server has (tools-call-*,
 * elicitation-*, json-schema-2020-12, prompts-*, resources-read-binary, resources-templates-read), or optional parts of MCP that
 * this door does not offer (logging-set-level, completion-complete).
 */
it.each(['server-initialize', 'ping', 'tools-list', 'server-sse-polling', 'server-sse-multiple-streams', 'resources-list', 'resources-read-text', 'resources-subscribe', 'resources-unsubscribe', 'dns-rebinding-protection'])(
  'the public MCP conformance runner passes %s; scenarios of its own fixtures, logging and completion do not apply',
  async (scenario) => {
    const { code, output } = await run(scenario)
    expect([code, output]).toEqual([0, expect.stringMatching(/Passed: \d+\/\d+, 0 failed/)])
  },
)
