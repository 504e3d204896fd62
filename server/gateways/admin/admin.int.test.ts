import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyCommand } from '../../../scripts/verify-command.ts'
import type { Policy } from '../../../protocol/generated/types.ts'
import type { Fixture } from '../../testing/authority-fixture.ts'
import { newKey, signAs, startAuthority } from '../../testing/authority-fixture.ts'
import { DATA_SCHEMA, extensionProfile } from '../../testing/documents.ts'
import { createAdminHandler } from './handler.ts'

let fixture: Fixture
let handler: ReturnType<typeof createAdminHandler>
const server = createServer((request, response) => {
  // As the outer shell does with a fault.
  Promise.resolve(handler(request, response)).catch(() => response.writeHead(500).end('{}'))
})

beforeEach(async () => {
  fixture = await startAuthority()
  handler = createAdminHandler(fixture.service, 'secret')
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await once(server.close(), 'close')
})

async function send(body: string | Uint8Array, headers: Record<string, string> = {}): Promise<{ status: number; answer: unknown }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const response = await fetch(url, { method: 'POST', body: body as BodyInit, headers: { 'content-type': 'application/json', authorization: 'Bearer secret', ...headers } })
  return { status: response.status, answer: await response.json() }
}
const ask = (command: string, args: object) => send(JSON.stringify({ command, args }))

describe('a body', () => {
  it.each<[string, string | Uint8Array]>([
    ['that names a member twice', '{"command":"agent list","command":"agent list"}'],
    ['that is not UTF-8', Buffer.concat([Buffer.from('{"command":"agent list","args":{},"'), Buffer.of(0xff), Buffer.from('":1}')])],
    ['with a member that nobody knows', '{"command":"agent list","more":1}'],
    ['whose command is no text', '{"command":["agent list"]}'],
    ['whose arguments are no object', '{"command":"agent list","args":[]}'],
    ['that is no object', '"agent list"'],
    ['that is no JSON', '{'],
  ])('%s is refused in words', async (_, body) => {
    expect(await send(body)).toEqual({ status: 400, answer: { error: expect.any(String) } })
  })

  it('must be JSON by its type, and may leave the arguments out', async () => {
    expect((await send('{"command":"agent list"}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect(await send('{"command":"agent list"}')).toEqual({ status: 200, answer: { result: [] } })
  })

  it('is not looked at without the token', async () => {
    for (const authorization of ['Bearer secreT', 'Bearer secret1', '']) expect((await send('{', { authorization })).status).toBe(401)
  })
})

describe('key list', () => {
  it('gives the public key, which a verifier compares the authority with', async () => {
    const { publicKey } = newKey()
    await ask('agent add', { name: 'Worker', publicKey, capabilities: [{ id: 'release.report', version: '1.0.0' }] })
    const { answer } = await ask('key list', {})
    expect((answer as { result: object[] }).result).toContainEqual(expect.objectContaining({ holder: 'Worker', publicKey }))
  })
})

describe('an Agent whose key the server holds', () => {
  const scout = { name: 'Scout', isCustodial: true, doors: ['mcp', 'ioa'], capabilities: [{ id: 'release.report', version: '1.0.0' }] }
  const resultOf = async <T>(command: string, args: object): Promise<T> => {
    const { status, answer } = await ask(command, args)
    expect(status).toBe(200)
    return (answer as { result: T }).result
  }
  type Shown = { agentId: string; token: string; tokenId: string }

  it('is added with a token that opens its doors, shown once', async () => {
    const added = await resultOf<Shown>('agent add', { ...scout, days: 30 })
    expect(added).toMatchObject({ doors: ['ioa', 'mcp'], expiresAt: '2026-12-29T12:00:00.000Z' })
    expect(await fixture.service.doors.tokens.find(added.token, 'mcp')).toMatchObject({ principalId: added.agentId })
    expect(fixture.service.doors.custody.holds(added.agentId)).toBe(true)
    const listed = await resultOf<object[]>('token list', {})
    expect(listed).toEqual([expect.objectContaining({ tokenId: added.tokenId, agent: 'Scout', agentId: added.agentId, doors: ['ioa', 'mcp'] })])
    expect(JSON.stringify(listed)).not.toContain(added.token)
    expect(await resultOf<object[]>('key list', { principalId: added.agentId })).toMatchObject([{ custody: 'held by the server', holder: 'Scout' }])
  })

  it('gets more tokens by its name or its id, and loses them one by one', async () => {
    const { agentId, token, tokenId } = await resultOf<Shown>('agent add', scout)
    const byName = await resultOf<Shown>('token create', { agent: 'Scout', doors: ['iap'] })
    const byId = await resultOf<Shown>('token create', { agent: agentId, doors: ['mcp'], label: 'second laptop', days: 1 })
    expect([byName, byId]).toMatchObject([{ agentId }, { agentId, label: 'second laptop', expiresAt: '2026-11-30T12:00:00.000Z' }])
    expect(await resultOf('token revoke', { tokenId })).toEqual({ tokenId, revoked: true })
    const { tokens } = fixture.service.doors
    expect([await tokens.find(token, 'mcp'), await tokens.find(byId.token, 'mcp')]).toEqual([undefined, expect.objectContaining({ principalId: agentId })])
    const listed = await resultOf<object[]>('token list', { principalId: agentId })
    expect(listed).toHaveLength(3)
    expect(listed).toContainEqual(expect.objectContaining({ tokenId, revokedAt: fixture.clock.now() }))
  })

  it.each([
    ['agent add', { ...scout, doors: undefined }],
    ['agent add', { ...scout, doors: [] }],
    ['agent add', { ...scout, doors: ['mwp'] }],
    ['agent add', { ...scout, publicKey: newKey().publicKey }],
    ['agent add', { ...scout, keyId: 'urn:example:key' }],
    ['agent add', { ...scout, days: 0 }],
    ['agent add', { ...scout, days: 4000 }],
    ['agent add', { ...scout, capabilities: [] }],
    ['agent add', { ...scout, isCustodial: false }],
    ['agent add', { name: 'Worker', publicKey: newKey().publicKey, capabilities: scout.capabilities, doors: ['mcp'] }],
    ['token create', { agent: 'Nobody', doors: ['mcp'] }],
    ['token create', { agent: 'Nobody' }],
    ['token revoke', { tokenId: 'urn:example:none' }],
    ['token revoke', { tokenId: 'none' }],
    ['access-key create', {}],
    ['access-key create', { label: 'lab', days: 1.5 }],
    ['access-key revoke', { accessKeyId: 'urn:example:none' }],
  ])('%s is refused, and makes nothing: %j', async (command, args) => {
    expect(await ask(command, args)).toEqual({ status: 400, answer: { error: expect.any(String) } })
    expect(await fixture.service.doors.tokens.list()).toEqual([])
    expect(await fixture.service.doors.accessKeys.list()).toEqual([])
    expect(fixture.service.identities.principals().filter(({ principal }) => principal.type === 'agent')).toEqual([])
  })

  it('gets no token by a name that two have, and a person gets none at all', async () => {
    await resultOf('agent add', scout)
    await resultOf('agent add', scout)
    const olga = await fixture.person('Olga')
    for (const agent of ['Scout', 'Olga', olga.actor.id]) expect((await ask('token create', { agent, doors: ['mcp'] })).status).toBe(400)
  })

  it('is enrolled by others with an access key, of which there is none at first', async () => {
    expect(await resultOf('access-key list', {})).toEqual([])
    const { accessKey, accessKeyId } = await resultOf<{ accessKey: string; accessKeyId: string }>('access-key create', { label: 'lab', days: 7 })
    expect(await fixture.service.doors.accessKeys.find(accessKey)).toMatchObject({ accessKeyId })
    const listed = await resultOf<object[]>('access-key list', {})
    expect(listed).toMatchObject([{ accessKeyId, label: 'lab', expiresAt: '2026-12-06T12:00:00.000Z' }])
    expect(JSON.stringify(listed)).not.toContain(accessKey)
    expect(await resultOf('access-key revoke', { accessKeyId })).toEqual({ accessKeyId, revoked: true })
    expect(await fixture.service.doors.accessKeys.find(accessKey)).toBeUndefined()
  })
})

describe('policy', () => {
  it('shows what is in force, and who changed it when and why', async () => {
    const admin = await fixture.person('Olga', { isAdmin: true })
    const { answer } = await ask('policy show', {})
    const { spaceId, policy } = (answer as { result: { spaceId: string; policy: Policy } }).result
    const next = { ...policy, version: 1, freshnessSeconds: 60 }
    await fixture.submit(admin, { kind: 'ext.countersign.policy.change', groupId: spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { policy: next, reason: 'The pilot is over.' } })
    expect((await ask('policy show', {})).answer).toEqual({ result: { spaceId, policy: next } })
    expect((await ask('policy history', {})).answer).toMatchObject({ result: [{ version: 1, changedBy: admin.actor.id, at: fixture.clock.now(), reason: 'The pilot is over.', policy: next }] })
    expect((await ask('policy history', { after: 1 })).answer).toEqual({ result: [] })
  })

  it('A-243: shows the Extension Profiles in force', async () => {
    const admin = await fixture.person('Olga', { isAdmin: true })
    expect((await ask('policy profiles', {})).answer).toEqual({ result: [] })
    const { signature: _signature, ...unsigned } = extensionProfile({ approvedBy: admin.actor, approvedAt: fixture.clock.now() })
    const profile = await signAs(admin, unsigned, 'approvedAt')
    await fixture.submit(admin, { kind: 'ext.countersign.profile.approve', groupId: fixture.service.policy.spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { profile, schema: DATA_SCHEMA, reason: 'It has been reviewed.' } })
    expect((await ask('policy profiles', {})).answer).toEqual({ result: [profile] })
  })
})

describe('space archive and space export', () => {
  it('A-127: close the log of a finished Mission and write a file that the offline verifier accepts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'export-'))
    try {
      const owner = await fixture.person('Olga')
      const { groupId } = await fixture.mission(owner, await fixture.agent('Coordinator'))
      expect(await ask('space archive', { groupId })).toEqual({ status: 400, answer: { error: expect.stringContaining('active') } })
      await fixture.submit(owner, { kind: 'mission.cancel', groupId, membershipEpoch: 1, payload: { reason: 'Enough.' } })
      expect(await ask('space archive', { groupId, isHistoryOffline: true })).toMatchObject({ status: 200, answer: { result: { groupId, throughSequence: 2, firstOnlineSequence: 3 } } })
      const file = join(folder, 'group.jsonl')
      const { answer } = await ask('space export', { groupId, file })
      expect(answer).toEqual({ result: { file, bytes: expect.any(Number) } })
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const good = await verifyCommand([file, '--authority-key', fixture.service.organization.authority.publicKey])
      expect(good).toMatchObject({ exitCode: 0, output: expect.stringMatching(/VALID: "A release" .* cancelled, archived/) })
      await writeFile(file, (await readFile(file, 'utf8')).replace('"commands":3', '"commands":4'))
      expect(await verifyCommand([file])).toMatchObject({ exitCode: 1, output: expect.stringMatching(/^REFUSED: line \d+: the seal counts/) })
      expect(await ask('space export', { groupId, file })).toEqual({ status: 400, answer: { error: `${file} is there already` } })
      expect((await ask('space export', { groupId, file: 'group.jsonl' })).status).toBe(400)
      expect((await ask('space export', { groupId, file: join(folder, 'no', 'folder') })).answer).toEqual({ error: expect.stringContaining('ENOENT') })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('policy log', () => {
  it('shows rulings newest first, of one Group or of all, a page at a time (A-126)', async () => {
    const [owner, coordinator] = [await fixture.person('Olga', { isAdmin: true }), await fixture.agent('Coordinator')]
    const missions = [await fixture.mission(owner, coordinator), await fixture.mission(owner, coordinator)]
    for (const { groupId } of missions) {
      await fixture.submit(owner.conversation, { kind: 'mission.cancel', groupId, membershipEpoch: 1, payload: { reason: 'Over.' } })
    }
    const result = async (args: object) => ((await ask('policy log', args)).answer as { result: { groupId: string; entry: number }[] }).result
    await expect.poll(async () => (await result({})).length).toBe(2)
    const [newest] = await result({ limit: 1 })
    expect(newest).toMatchObject({ area: 'authorization', outcome: 'refused', code: 'AUTH_FORBIDDEN', groupId: missions[1]!.groupId, actorId: owner.actor.id, actorType: 'human', kind: 'mission.cancel' })
    expect((await result({ before: newest!.entry })).map(({ groupId }) => groupId)).toEqual([missions[0]!.groupId])
    expect(await result({ groupId: missions[0]!.groupId })).toHaveLength(1)
    expect(await ask('policy failures', { groupId: missions[0]!.groupId })).toEqual({ status: 200, answer: { result: [] } })
  })
})

describe('an argument', () => {
  const agent = { name: 'Worker', capabilities: [{ id: 'release.report', version: '1.0.0' }] }

  it.each([
    ['a name with U+0000', { name: 'a\0' }],
    ['a name with half a surrogate pair', { name: '\ud800' }],
    ['a version with something behind it', { capabilities: [{ id: 'release.report', version: '1.0.0 and more' }] }],
    ['a capability with an unknown member', { capabilities: [{ id: 'release.report', version: '1.0.0', more: 1 }] }],
    ['an agent id that is no URI', { agentId: 'wor ker' }],
    ['a key id that is no URI', { keyId: 'key' }],
  ])('of "agent add" is refused for %s, and the key stays free', async (_, changes) => {
    const { publicKey } = newKey()
    expect(await ask('agent add', { ...agent, publicKey, ...changes })).toEqual({ status: 400, answer: { error: expect.any(String) } })
    expect(fixture.service.identities.principals().filter(({ principal }) => principal.type === 'agent')).toEqual([])
    expect((await ask('agent add', { ...agent, publicKey })).status).toBe(200)
  })

  it.each([
    ['invite create', { name: 'O\0lga' }],
    ['space state', { groupId: 'urn:a:\0' }],
    ['key list', { principalId: 'urn:a:\0' }],
    ['key revoke', { keyId: 'urn:a:\0' }],
    ['key revoke', { keyId: 'urn:a:b', at: '\0' }],
    ['space state', { groupId: 'none' }],
  ])('of "%s" is refused: %j', async (command, args) => {
    expect(await ask(command, args)).toEqual({ status: 400, answer: { error: expect.any(String) } })
  })
})
