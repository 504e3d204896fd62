import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyReceipt } from '../protocol/receipt.ts'
import { silentLog } from './log.ts'
import type { ServerFile } from './server-file.ts'
import { foundOrganization, parseOrganizationKeys } from './service/organization-keys.ts'
import type { Agent, Fixture, Person } from './testing/authority-fixture.ts'
import { StillClock, eventOf, fixtureOn, memoryArtifacts, newKey, newUrn } from './testing/authority-fixture.ts'
import { ReleaseFlow } from './testing/release-flow.ts'
import type { RunningServer } from './start.ts'
import { startServer } from './start.ts'
import { createMemoryStore } from './testing/memory-store.ts'

/** Made on the spot, so that no private key lies about. */
const certificate = selfSigned()
let server: RunningServer
let fixture: Fixture
let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'server-'))
  const clock = new StillClock()
  const [store, organization] = [createMemoryStore({ clock }), parseOrganizationKeys(foundOrganization('Test', clock.now()))]
  server = await startServer({ resources: { store, organization, artifacts: memoryArtifacts() }, dataDir, log: silentLog() })
  fixture = fixtureOn(server.service, { clock, store, organization })
})
afterEach(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true })
})

function selfSigned(): { cert: Buffer; key: Buffer } | undefined {
  try {
    const pem = execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost', '-days', '1', '-keyout', '-', '-out', '-'], { stdio: ['ignore', 'pipe', 'ignore'] })
    return { cert: pem, key: pem }
  } catch {
    return undefined
  }
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.origin + path, { headers })
const post = (path: string, body: Uint8Array | string, headers: Record<string, string> = {}) => fetch(server.origin + path, { method: 'POST', body: body as BodyInit, headers: { 'content-type': 'application/json', ...headers } })
const bearer = ({ session }: Agent) => ({ authorization: `Bearer ${session.token}` })
const cookieOf = async ({ actor, keyId }: Person) => ({ cookie: `countersign_session=${(await server.service.console.open(actor.id, keyId)).token}` })

/** A request with headers that fetch would not let us choose. */
async function raw(path: string, headers: Record<string, string>): Promise<number | undefined> {
  const [response] = (await once(request({ port: server.port, path, headers }).end(), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

describe('the port', () => {
  it('answers probes, and refuses foreign hosts and origins', async () => {
    expect(await (await get('/healthz')).text()).toBe('ok')
    expect((await get('/readyz')).status).toBe(200)
    expect(await raw('/healthz', { host: '10.0.0.1' })).toBe(200)
    expect(await raw('/api/agents', { host: 'rebound.example' })).toBe(403)
    for (const origin of ['https://elsewhere.example', 'null', `https://127.0.0.1:${server.port}`]) expect(await raw('/api/agents', { origin })).toBe(403)
    for (const origin of [server.origin, `http://localhost:${server.port}`]) expect(await raw('/api/agents', { origin })).toBe(401)
  })

  it('hardens every answer and has no page where there is no console', async () => {
    const response = await get('/nowhere')
    expect(response.status).toBe(404)
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
  })

  it('upgrades for Agents only, and only from here', async () => {
    const upgrade = async (path: string, headers: Record<string, string> = {}) => {
      const socket = request({ port: server.port, path, headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers } }).end()
      const [response] = (await Promise.race([once(socket, 'upgrade'), once(socket, 'response')])) as [IncomingMessage]
      response.socket.destroy()
      return response.statusCode
    }
    expect(await upgrade('/mwp')).toBe(101)
    expect(await upgrade('/mwp', { origin: 'https://elsewhere.example' })).toBe(403)
    expect(await upgrade('/elsewhere')).toBe(404)
  })

  it('leaves the operator’s token to its owner while it runs', async () => {
    const path = join(dataDir, 'server.json')
    const file = JSON.parse(await readFile(path, 'utf8')) as ServerFile
    expect(file).toMatchObject({ pid: process.pid, port: server.port, origin: server.origin, adminToken: server.adminToken })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })
})

describe('POST /api/commands', () => {
  it('gives the exact Event, or the protocol error under the status of its code', async () => {
    const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
    const { groupId } = await fixture.mission(owner, coordinator)
    const body = await fixture.command(owner, { kind: 'mission.cancel', groupId, membershipEpoch: 1, payload: { reason: 'Over.' } })
    const accepted = await post('/api/commands', body)
    const [entry] = await fixture.store.log.readAt(groupId, [2])
    expect([accepted.status, await accepted.text()]).toEqual([200, `{"event":${Buffer.from(entry!.bytes).toString()}}`])
    const actionId = newUrn()
    const refused = await post('/api/commands', await fixture.command(owner, { kind: 'mission.cancel', groupId, membershipEpoch: 7, actionId, payload: { reason: 'Over.' } }))
    expect([refused.status, await refused.json()]).toEqual([409, { error: { code: 'MEMBERSHIP_STALE', message: expect.any(String), retryable: false, relatedActionId: actionId, groupId, occurredAt: fixture.clock.now() } }])
  })

  it('takes the Commands of a service that the operator registered, within what policy names it for (A-128)', async () => {
    const key = newKey()
    const asked = await post('/api/admin', JSON.stringify({ command: 'service add', args: { name: 'Budget watch', publicKey: key.publicKey } }), { authorization: `Bearer ${server.adminToken}` })
    const { serviceId, keyId } = ((await asked.json()) as { result: { serviceId: string; keyId: string } }).result
    const watch = { actor: { type: 'service', id: serviceId } as const, keyId, sign: key.sign }
    const [admin, coordinator] = [await fixture.person('Olga', { isAdmin: true }), await fixture.agent('Coordinator')]
    const { groupId } = await fixture.mission(admin, coordinator)
    const cancel = () => fixture.command(watch, { kind: 'mission.cancel', groupId, payload: { reason: 'The budget was frozen.' } })
    expect((await post('/api/commands', await cancel())).status).toBe(403)
    const { spaceId, current } = server.service.policy
    const policy = { ...current, version: 1, services: [{ principalId: serviceId, kinds: ['mission.cancel'] }] }
    await post('/api/commands', await fixture.command(admin, { kind: 'ext.countersign.policy.change', groupId: spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { policy, reason: 'It watches budgets.' } }))
    const accepted = await post('/api/commands', await cancel())
    expect([accepted.status, await accepted.json()]).toMatchObject([200, { event: { kind: 'mission.cancelled', actor: watch.actor } }])
    const listed = await post('/api/admin', JSON.stringify({ command: 'service list' }), { authorization: `Bearer ${server.adminToken}` })
    expect(await listed.json()).toMatchObject({ result: expect.arrayContaining([{ serviceId, name: 'Budget watch', keys: [keyId], mayDo: ['mission.cancel'] }]) })
  })

  it('takes JSON of bounded size, by POST alone', async () => {
    expect((await get('/api/commands')).status).toBe(405)
    expect((await post('/api/commands', '{}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post('/api/commands', ' '.repeat(256 * 1024 + 1))).status).toBe(413)
    expect((await post('/api/commands', '{')).status).toBe(400)
  })
})

describe('GET /api/groups and /api/agents', () => {
  it('answer a current session alone', async () => {
    const agent = await fixture.agent('Worker')
    const old = bearer(agent)
    agent.session = await fixture.handshake(agent)
    expect([(await get('/api/groups')).status, (await get('/api/agents', old)).status, (await get('/api/agents', bearer(agent))).status]).toEqual([401, 401, 200])
  })

  it('tell an Agent of its Groups at once when it is invited', async () => {
    const [owner, coordinator, worker] = [await fixture.person('Olga'), await fixture.agent('Coordinator'), await fixture.agent('Worker')]
    const { missionId, groupId } = await fixture.mission(owner, coordinator)
    const before = (await (await get('/api/groups', bearer(worker))).json()) as { revision: number; groups: unknown[] }
    expect(before.groups).toEqual([])
    const waiting = get(`/api/groups?after=${before.revision}&wait=25`, bearer(worker))
    eventOf(await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, payload: { member: worker.actor, role: 'worker', visibilityStartSequence: 0 } }))
    expect(await (await waiting).json()).toEqual({ revision: expect.any(Number), groups: [{ groupId, missionId, role: 'worker', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0, head: 2 }] })
  })

  it('list the Agents with their capabilities', async () => {
    const agent = await fixture.agent('Worker')
    expect(await (await get('/api/agents', bearer(agent))).json()).toEqual({ agents: [{ agentId: agent.actor.id, displayName: 'Worker', capabilities: [{ id: 'release.report', version: '1.0.0' }], cardVersion: 1, online: true }] })
  })
})

describe('artifacts and receipts', () => {
  it('are stored under their hash and handed to those who may read them, to run nowhere', async () => {
    const [owner, coordinator, worker, stranger] = [await fixture.person('Olga'), await fixture.agent('Coordinator'), await fixture.agent('Worker'), await fixture.person('Sven')]
    const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
    const upload = () => post('/artifacts', flow.content, { ...bearer(worker), 'content-type': 'text/html; charset=utf-8' })
    const stored = { contentHash: flow.contentHash, sizeBytes: flow.content.length, uri: `${server.origin}/artifacts/${flow.contentHash}` }
    expect([(await upload()).status, await (await upload()).json()]).toEqual([201, stored])
    const path = `/artifacts/${flow.contentHash}`
    const [mine, notYet] = await Promise.all([get(path, bearer(worker)), get(path, await cookieOf(owner))])
    expect([mine.status, Buffer.from(await mine.arrayBuffer()), notYet.status]).toEqual([200, Buffer.from(flow.content), 404])
    await flow.work(await flow.publishDraft())
    const published = await get(path, await cookieOf(owner))
    expect(Object.fromEntries(published.headers)).toMatchObject({ 'content-type': 'text/html', 'content-disposition': expect.stringContaining('attachment'), 'content-security-policy': "default-src 'none'; sandbox", etag: `"${flow.contentHash}"` })
    expect([(await get(path, { ...(await cookieOf(owner)), 'if-none-match': `"${flow.contentHash}"` })).status, (await get(path, await cookieOf(stranger))).status, (await get(path)).status]).toEqual([304, 404, 401])
    expect(await published.arrayBuffer()).toHaveProperty('byteLength', flow.content.length)
  })

  it('are refused without a caller, a media type or an end', async () => {
    const worker = await fixture.agent('Worker')
    expect((await post('/artifacts', 'x')).status).toBe(401)
    expect((await post('/artifacts', 'x', { ...bearer(worker), 'content-type': 'nonsense' })).status).toBe(415)
    expect((await get(`/artifacts/sha256:${createHash('sha256').update('x').digest('hex')}`, bearer(worker))).status).toBe(404)
    for (const path of ['/artifacts/..%2f..%2forganization.json', '/artifacts/sha256:zz']) expect((await get(path, bearer(worker))).status).toBe(404)
  })

  it('prove an approval to whoever holds the file', async () => {
    const [owner, coordinator, worker] = [await fixture.person('Olga'), await fixture.agent('Coordinator'), await fixture.agent('Worker')]
    const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
    await flow.submitForApproval()
    const path = `/api/receipts/${encodeURIComponent(flow.missionId)}`
    expect([(await get(path)).status, (await get(path, await cookieOf(owner))).status]).toEqual([401, 404])
    eventOf(await fixture.submit(owner, await flow.approveDraft()))
    const response = await get(path, await cookieOf(owner))
    expect(response.headers.get('content-disposition')).toContain('attachment')
    expect(await verifyReceipt(new Uint8Array(await response.arrayBuffer()))).toMatchObject({ ok: true })
  })
})

describe('POST /api/admin', () => {
  const ask = (command: string, args: object = {}, token = server.adminToken) => post('/api/admin', JSON.stringify({ command, args }), { authorization: `Bearer ${token}` })

  it('serves the operator, whoever else knocks', async () => {
    expect((await ask('agent list', {}, 'guess')).status).toBe(401)
    const added = (await (await ask('agent add', { name: 'Worker', publicKey: newKey().publicKey, capabilities: [{ id: 'release.report', version: '1.0.0' }] })).json()) as { result: { agentId: string; keyId: string } }
    expect(await (await ask('agent list')).json()).toMatchObject({ result: [{ agentId: added.result.agentId, name: 'Worker', capabilities: ['release.report@1.0.0'], online: false }] })
    expect(await (await ask('key revoke', { keyId: added.result.keyId })).json()).toMatchObject({ result: { use: 'agent', holder: 'Worker', endsAt: fixture.clock.now() } })
    expect(await (await ask('space list')).json()).toMatchObject({ result: [{ kind: 'organization', head: 1 }] })
    const invited = (await (await ask('invite create', { isAdmin: true })).json()) as { result: { link: string } }
    expect(await server.service.identities.lookInvitation(invited.result.link.split('#')[1]!)).toMatchObject({ ok: true, isAdmin: true })
  })

  it.each([['fly', {}], ['agent add', { name: 'Worker' }], ['agent list', { more: 1 }], ['key revoke', { keyId: 'urn:example:none' }], ['space state', { groupId: 'urn:example:none' }]])('refuses "%s" %o in words', async (command, args) => {
    const refused = await ask(command, args)
    expect([refused.status, await refused.json()]).toEqual([400, { error: expect.any(String) }])
  })
})

describe('a port of its own', () => {
  const beside = (options: Partial<Parameters<typeof startServer>[0]>) => {
    const clock = new StillClock()
    const resources = { store: createMemoryStore({ clock }), organization: parseOrganizationKeys(foundOrganization('Test', clock.now())), artifacts: memoryArtifacts() }
    return startServer({ resources, log: silentLog(), ...options })
  }

  it('IOA repair: gives up a request whose head does not end', async () => {
    const own = await beside({ headersTimeoutMs: 300 })
    const socket = connect(own.port, '127.0.0.1')
    socket.write('GET /ioa/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /)
    await once(socket, 'close')
    await own.stop()
  })

  it.skipIf(certificate === undefined)('IOA repair: with a certificate it speaks TLS 1.3 and no plain HTTP (skipped where openssl is not installed)', async () => {
    const own = await beside({ tls: certificate! })
    const secure = secureRequest({ host: '127.0.0.1', port: own.port, path: '/healthz', rejectUnauthorized: false }).end()
    const [response] = (await once(secure, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    expect((response.socket as unknown as { getProtocol(): string }).getProtocol()).toBe('TLSv1.3')
    response.socket.destroy()
    const plain = connect(own.port, '127.0.0.1')
    plain.end('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    let heard = ''
    plain.on('data', (bytes) => (heard += bytes.toString('latin1')))
    plain.on('error', () => {})
    await once(plain, 'close')
    expect(heard).not.toContain('HTTP/1.1')
    await own.stop()
  })
})
