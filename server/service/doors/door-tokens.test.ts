import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../ports.ts'
import type { AuthorityService } from '../service.ts'
import type { Fixture } from '../../testing/authority-fixture.ts'
import { codeOf, newUrn, StillClock, startAuthority } from '../../testing/authority-fixture.ts'
import { createMemoryStore } from '../../testing/memory-store.ts'
import type { TokenDoor } from './types.ts'

let fixture: Fixture
let service: AuthorityService
let agentId: string
/** How often a token was looked up in the store. */
let looks: number

beforeEach(async () => {
  const clock = new StillClock()
  const store = createMemoryStore({ clock })
  looks = 0
  const findToken: Store['credentials']['findToken'] = (hash) => {
    looks++
    return store.credentials.findToken(hash)
  }
  fixture = await startAuthority({ clock, store: { ...store, credentials: { ...store.credentials, findToken } } })
  service = fixture.service
  agentId = (await fixture.agent('Scout')).actor.id
})

async function issue(changes: Partial<Parameters<AuthorityService['doors']['tokens']['issue']>[0]> = {}) {
  const issued = await service.doors.tokens.issue({ principalId: agentId, doors: ['mcp'], label: 'laptop', ...changes })
  if (!issued.ok) throw new Error(issued.error.reason)
  return issued.value
}
const find = (token: string, door: TokenDoor = 'mcp') => service.doors.tokens.find(token, door)

describe('a token', () => {
  it('is 64 hex digits, leads to its Principal, and is kept as a hash', async () => {
    const { token, record } = await issue({ doors: ['mcp', 'ioa', 'mcp'] })
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(await find(token)).toEqual(record)
    expect(record).toMatchObject({ principalId: agentId, doors: ['ioa', 'mcp'], label: 'laptop', createdAt: fixture.clock.now() })
    expect(JSON.stringify(await fixture.store.credentials.listTokens())).not.toContain(token)
    expect(await service.doors.tokens.list()).toEqual([record])
  })

  it('opens the doors that it was made for and no other', async () => {
    const { token } = await issue({ doors: ['ioa'] })
    expect(await find(token, 'ioa')).toBeDefined()
    expect([await find(token, 'mcp'), await find(token, 'iap')]).toEqual([undefined, undefined])
  })

  it.each(['', 'x', '0'.repeat(63), '0'.repeat(65), 'A'.repeat(64), `${'0'.repeat(63)}\0`, '../'.repeat(20), '0'.repeat(1_000_000)])('that is none is looked up nowhere (%#)', async (text) => {
    expect(await find(text)).toBeUndefined()
    expect(looks).toBe(0)
  })

  it('that nobody issued is unknown', async () => {
    expect(await find('0'.repeat(64))).toBeUndefined()
  })

  it('is never issued to a person or a service, who hold keys', async () => {
    const [person, robot] = [await fixture.person('Olga'), await fixture.serviceOf('Scanner')]
    for (const { actor } of [person, robot]) {
      expect(await service.doors.tokens.issue({ principalId: actor.id, doors: ['mcp'], label: 'laptop' })).toEqual({ ok: false, error: { reason: expect.stringContaining('for an Agent') as string } })
    }
    expect(await service.doors.tokens.list()).toEqual([])
  })

  it.each([
    ['for no door', { doors: [] }],
    ['for a door that takes none', { doors: ['mwp' as TokenDoor] }],
    ['for an unknown Principal', { principalId: newUrn() }],
    ['without a label', { label: '  ' }],
    ['with a label that cannot be kept', { label: 'a\0b' }],
    ['with half of a surrogate pair in its label', { label: '\ud800' }],
    ['with a label that is too long', { label: 'x'.repeat(201) }],
    ['for no time', { ttlSeconds: 0 }],
    ['for a time that is no number', { ttlSeconds: Number.NaN }],
    ['for longer than ten years', { ttlSeconds: 11 * 366 * 86_400 }],
  ])('is refused %s', async (_, changes) => {
    expect(await service.doors.tokens.issue({ principalId: agentId, doors: ['mcp'], label: 'laptop', ...changes })).toMatchObject({ ok: false })
    expect(await service.doors.tokens.list()).toEqual([])
  })

  it('is known by heart for five seconds, and looked up by one for all', async () => {
    const { token } = await issue()
    await Promise.all(Array.from({ length: 20 }, () => find(token)))
    fixture.clock.advance(4.999)
    await find(token)
    expect(looks).toBe(1)
    fixture.clock.advance(0.001)
    expect(await find(token)).toBeDefined()
    expect(looks).toBe(2)
  })

  it('expires, and what it opened is told so', async () => {
    const { token, record } = await issue({ ttlSeconds: 60 })
    const ended: string[] = []
    service.doors.tokens.onEnded((tokenId) => ended.push(tokenId))
    expect(await find(token)).toEqual({ ...record, expiresAt: '2026-11-29T12:01:00.000Z' })
    fixture.clock.advance(60)
    expect(await find(token)).toBeUndefined()
    expect(ended).toEqual([record.tokenId])
  })

  it('is revoked at once where it was revoked, and what it opened is told so, once', async () => {
    const { token, record } = await issue()
    const ended: string[] = []
    const stopListening = service.doors.tokens.onEnded((tokenId) => ended.push(tokenId))
    await find(token)
    expect(await service.doors.tokens.revoke(record.tokenId)).toBe(true)
    expect([await find(token), ended]).toEqual([undefined, [record.tokenId]])
    expect(await service.doors.tokens.revoke(record.tokenId)).toBe(true)
    stopListening()
    expect(ended).toEqual([record.tokenId])
    expect(await service.doors.tokens.list()).toEqual([{ ...record, revokedAt: fixture.clock.now() }])
    expect(await service.doors.tokens.revoke(newUrn())).toBe(false)
  })

  it('that is being looked up while it is revoked is not known afterwards', async () => {
    const { token, record } = await issue()
    await Promise.all([find(token), service.doors.tokens.revoke(record.tokenId)])
    expect(await find(token)).toBeUndefined()
  })
})

describe('an Agent', () => {
  const isOnline = () => service.sessions.isOnline(newcomer)
  let newcomer: string
  beforeEach(async () => {
    const adopted = await service.doors.custody.adopt({ name: 'Newcomer', capabilities: [{ id: 'release.report', version: '1.0.0' }] })
    newcomer = adopted.ok ? adopted.value.agentId : ''
  })

  it('is online for two minutes after it has shown a token', async () => {
    const { token } = await issue({ principalId: newcomer })
    expect(isOnline()).toBe(false)
    await find(token, 'ioa')
    expect(isOnline()).toBe(false)
    await find(token)
    fixture.clock.advance(119.999)
    expect(isOnline()).toBe(true)
    fixture.clock.advance(0.001)
    expect(isOnline()).toBe(false)
  })

  it('is online while it is connected, by one connection or several', () => {
    const [first, second] = [service.doors.tokens.connected(newcomer), service.doors.tokens.connected(newcomer)]
    first()
    first()
    fixture.clock.advance(3600)
    expect(isOnline()).toBe(true)
    second()
    fixture.clock.advance(120)
    expect(isOnline()).toBe(false)
  })

  it('is not online by what the server signs for it', async () => {
    const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
    const { groupId } = await fixture.mission(owner, coordinator)
    const { sessionEpoch } = coordinator.session
    await fixture.submit(coordinator, { kind: 'membership.change', groupId, sessionEpoch, membershipEpoch: 1, coordinatorEpoch: 1, payload: { member: { type: 'agent', id: newcomer }, role: 'worker' } })
    const posted = await service.doors.custody.submit(newcomer, { kind: 'message.post', groupId, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })
    expect([codeOf(posted), isOnline()]).toEqual(['accepted', false])
  })
})

describe('an access key', () => {
  it('is found until it expires or is revoked, and kept as a hash', async () => {
    const { accessKeys } = service.doors
    expect(await accessKeys.list()).toEqual([])
    const { accessKey, record } = await accessKeys.create({ label: 'lab', ttlSeconds: 60 })
    const lasting = await accessKeys.create({ label: 'fleet' })
    expect(await accessKeys.find(accessKey)).toEqual(record)
    expect(JSON.stringify(await fixture.store.credentials.listAccessKeys())).not.toContain(accessKey)
    fixture.clock.advance(60)
    expect([await accessKeys.find(accessKey), await accessKeys.find(lasting.accessKey)]).toEqual([undefined, lasting.record])
    expect(await accessKeys.revoke(lasting.record.accessKeyId)).toBe(true)
    expect(await accessKeys.find(lasting.accessKey)).toBeUndefined()
    expect(await accessKeys.revoke(newUrn())).toBe(false)
  })

  it('is no token, and a token is no access key', async () => {
    const [{ accessKey }, { token }] = [await service.doors.accessKeys.create({ label: 'lab' }), await issue({ doors: ['ioa'] })]
    expect([await find(accessKey, 'ioa'), await service.doors.accessKeys.find(token)]).toEqual([undefined, undefined])
  })
})
