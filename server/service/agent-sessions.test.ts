import { beforeEach, describe, expect, it, vi } from 'vitest'
import { encodeBase64url } from '../../protocol/base64url.ts'
import type { PresenceRecord } from '../../protocol/generated/types.ts'
import type { Agent, Fixture } from '../testing/authority-fixture.ts'
import { codeOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'
import { decodeEntry } from './event-bytes.ts'

let fixture: Fixture
let agent: Agent

beforeEach(async () => {
  fixture = await startAuthority()
  agent = await fixture.agent('Worker')
})

const hello = (changes: Record<string, string> = {}) => ({ agentId: agent.actor.id, keyId: agent.keyId, clientNonce: 'bm9uY2U', ...changes })

/** A challenge and the response that answers it. */
async function challenged() {
  const challenge = await fixture.service.sessions.challenge(hello())
  if (!challenge.ok) throw new Error(challenge.error.code)
  const { challengeId, serverNonce } = challenge.value
  const bytes = Buffer.from(challenge.value.challenge, 'base64url')
  return { bytes, response: { ...hello(), challengeId, serverNonce, signature: encodeBase64url(agent.sign(bytes)) } }
}

describe('the handshake (A-34, O-2)', () => {
  it('signs a transcript that binds everything, in canonical form', async () => {
    const { bytes, response } = await challenged()
    expect(JSON.parse(bytes.toString())).toEqual({
      agentId: agent.actor.id, audience: 'http://127.0.0.1:4310', challengeId: response.challengeId, clientNonce: 'bm9uY2U', expiresAt: '2026-11-29T12:01:00.000Z',
      keyId: agent.keyId, protocolVersion: '0.1', purpose: 'missionweaveprotocol.session', serverNonce: response.serverNonce,
    })
  })

  it('opens a session with the next Session Epoch, on record in the Organization’s log', async () => {
    const { response } = await challenged()
    const session = await fixture.service.sessions.accept(response)
    expect(session).toMatchObject({ ok: true, value: { agentId: agent.actor.id, keyId: agent.keyId, sessionEpoch: 2, expiresAt: '2026-11-30T00:00:00.000Z' } })
    const { organizationId } = fixture.organization
    const entries = (await fixture.store.log.read(organizationId, 0, 100)).map(decodeEntry)
    expect(entries.at(-1)?.event).toMatchObject({ kind: 'ext.missionweaveprotocol.identity.session_opened', payload: { agentId: agent.actor.id, sessionEpoch: 2, keyId: agent.keyId } })
    expect(entries.at(-1)?.event).not.toHaveProperty('sequence')
  })

  it.each([
    ['another nonce', { clientNonce: 'b3RoZXI' }],
    ['another server nonce', { serverNonce: 'b3RoZXI' }],
    ['another Agent', { agentId: 'urn:example:other' }],
    ['another key', { keyId: 'urn:example:other' }],
    ['a signature of something else', { signature: encodeBase64url(new Uint8Array(64)) }],
    ['a signature that is none', { signature: 'AA' }],
    ['an unknown challenge', { challengeId: 'urn:example:other' }],
    ['a challenge of another server', { challengeId: encodeBase64url(new Uint8Array(54)) }],
  ])('refuses %s', async (_, changes) => {
    const { response } = await challenged()
    const refused = await fixture.service.sessions.accept({ ...response, ...changes })
    expect(refused).toMatchObject({ ok: false, error: { code: 'AUTH_INVALID_SIGNATURE' } })
  })

  it('cannot be denied to anybody by asking for challenges without end', async () => {
    const { response } = await challenged()
    for (let asked = 0; asked < 10_001; asked++) await fixture.service.sessions.challenge(hello())
    expect(await fixture.service.sessions.accept(response)).toMatchObject({ ok: true })
  })

  it('opens one session for each challenge, at once or later, and none for a late one', async () => {
    const { sessions } = fixture.service
    const { response } = await challenged()
    const late = await challenged()
    const outcomes = await Promise.all([sessions.accept(response), sessions.accept(response)])
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
    expect(await sessions.accept(response)).toMatchObject({ ok: false })
    fixture.clock.advance(60)
    expect(await sessions.accept(late.response)).toMatchObject({ ok: false })
  })

  it('looks the same for an unknown Agent, an unknown key, a foreign key and a revoked key', async () => {
    const other = await fixture.agent('Other')
    const { identities, sessions } = fixture.service
    await identities.revokeKey(other.keyId)
    const refusals = await Promise.all(
      [{ agentId: newUrn() }, { keyId: newUrn() }, { agentId: other.actor.id }, { agentId: other.actor.id, keyId: other.keyId }].map((changes) => sessions.challenge(hello(changes))),
    )
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1)
    expect(refusals[0]).toMatchObject({ ok: false, error: { code: 'AUTH_INVALID_SIGNATURE' } })
  })

  it('gives different epochs to handshakes that end at once; only the highest is current (A-2, A-18)', async () => {
    const responses = await Promise.all([challenged(), challenged(), challenged()])
    const accepted = await Promise.all(responses.map(({ response }) => fixture.service.sessions.accept(response)))
    const sessions = accepted.flatMap((result) => (result.ok ? [result.value] : []))
    expect(sessions.map((session) => session.sessionEpoch).sort()).toEqual([2, 3, 4])
    expect(sessions.filter((session) => fixture.service.sessions.isCurrent(session)).map((session) => session.sessionEpoch)).toEqual([4])
  })
})

describe('a session', () => {
  it('is found by its token until it is replaced, expires or its key is revoked', async () => {
    const { sessions, identities } = fixture.service
    const first = agent.session
    expect(sessions.byToken(first.token)).toBe(first)
    expect(sessions.byToken(`${first.token}x`)).toBeUndefined()
    const second = await fixture.handshake(agent)
    expect([sessions.byToken(first.token), sessions.byToken(second.token)]).toEqual([undefined, second])
    fixture.clock.advance(12 * 3600)
    expect(sessions.byToken(second.token)).toBeUndefined()
    const third = await fixture.handshake(agent)
    await identities.revokeKey(agent.keyId)
    expect(sessions.byToken(third.token)).toBeUndefined()
  })

  it('that is replaced or whose key was revoked is told to have ended, once and with the reason (A-35, A-64)', async () => {
    const { sessions, identities } = fixture.service
    const ended: unknown[] = []
    const forget = sessions.onEnded((...news) => ended.push(news))
    const [first, other] = [agent.session, await fixture.agent('Other')]
    const second = await fixture.handshake(agent)
    await identities.revokeKey(agent.keyId)
    expect(ended).toEqual([[first, 'replaced'], [second, 'key-ended']])
    forget()
    await identities.revokeKey(other.keyId)
    expect(ended).toHaveLength(2)
  })

  it('ends by itself when its time is over, or when the end of its key was announced before', async () => {
    vi.useFakeTimers()
    try {
      const { sessions, identities } = fixture.service
      const ended: unknown[] = []
      sessions.onEnded((...news) => ended.push(news))
      const other = await fixture.agent('Other')
      await identities.revokeKey(other.keyId, '2026-11-29T12:30:00Z')
      expect(ended).toEqual([])
      fixture.clock.advance(30 * 60)
      vi.advanceTimersByTime(30 * 60_000)
      expect(ended).toEqual([[other.session, 'key-ended']])
      const second = await fixture.handshake(agent)
      ended.length = 0
      fixture.clock.advance(12 * 3600)
      vi.advanceTimersByTime(12 * 3_600_000)
      expect(ended).toEqual([[second, 'expired']])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is online until its connection ends, whatever an older one does', async () => {
    const { sessions } = fixture.service
    const second = await fixture.handshake(agent)
    sessions.ended(agent.session)
    expect(sessions.isOnline(agent.actor.id)).toBe(true)
    sessions.ended(second)
    expect(sessions.isOnline(agent.actor.id)).toBe(false)
    expect(sessions.isCurrent(second)).toBe(true)
  })

  it('was last seen when its connection ended, by this node alone', async () => {
    const agent = await fixture.agent('Coordinator')
    const { sessions } = fixture.service
    expect(sessions.lastSeenAt(agent.actor.id)).toBe(fixture.clock.now())
    sessions.ended(agent.session)
    const leftAt = fixture.clock.now()
    fixture.clock.advance(600)
    expect(sessions.lastSeenAt(agent.actor.id)).toBe(leftAt)
    const again = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    expect(again.service.sessions.lastSeenAt(agent.actor.id)).toBeUndefined()
  })

  it('A-183: is seen by whoever follows the Group, when it puts the Agent’s work back into its queue', async () => {
    const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
    const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker: agent })
    const feed = await fixture.service.feeds.open(coordinator.actor.id, flow.groupId, await fixture.store.log.head(flow.groupId))
    if (!feed.ok) throw new Error(feed.error.code)
    await fixture.handshake(agent)
    const delivered = await feed.value.next(10)
    if (delivered === 'ended') throw new Error('the feed has ended')
    expect(delivered.map((entry) => decodeEntry(entry).event)).toMatchObject([{ kind: 'ext.missionweaveprotocol.core.work_execution_lease_revoked', payload: { state: 'queued', sessionEpoch: 2 } }])
  })

  it('that replaces another ends its Execution Leases before it may act (A-183)', async () => {
    const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
    const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker: agent })
    const stale = flow.workDraft(await flow.publishDraft())
    const head = await fixture.store.log.head(flow.groupId)
    agent.session = await fixture.handshake(agent)
    const [entry] = await fixture.service.reads.range(owner.actor.id, flow.groupId, head, 10)
    expect(entry?.event).toMatchObject({ kind: 'ext.missionweaveprotocol.core.work_execution_lease_revoked', payload: { executionLeaseId: flow.executionLeaseId, reason: 'session_replaced', state: 'queued' } })
    expect(codeOf(await fixture.submit(agent, stale))).toBe('AUTH_STALE_SESSION')
    expect(codeOf(await fixture.submit(agent, { ...stale, sessionEpoch: 2 }))).toBe('WORK_LEASE_EXPIRED')
    await flow.start()
  })

  it('is opened although a Mission of the Agent’s cannot be written; no lease there serves it, and the others end (A-42, A-183)', async () => {
    const roles = { owner: await fixture.person('Olga'), coordinator: await fixture.agent('Coordinator'), worker: agent }
    const [faulty, sound] = [await ReleaseFlow.executing(fixture, roles), await ReleaseFlow.executing(fixture, roles)]
    const { log } = fixture.store
    const append = log.append
    log.append = (batch) => (batch.spaceId === faulty.groupId ? Promise.reject(new Error('the disk is damaged')) : append(batch))
    agent.session = await fixture.handshake(agent)
    expect(fixture.service.sessions.isCurrent(agent.session)).toBe(true)
    await sound.start()
    log.append = append
    expect(codeOf(await fixture.submit(agent, faulty.workDraft(await faulty.publishDraft())))).toBe('WORK_LEASE_EXPIRED')
    await expect(faulty.start()).rejects.toThrow('INVALID_STATE_TRANSITION')
  })

  it('on one node ends the sessions on the others (A-35)', async () => {
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    const told = new Promise((resolve) => fixture.service.sessions.onEnded((...news) => resolve(news)))
    await other.handshake(agent)
    expect(await told).toEqual([agent.session, 'replaced'])
    expect(fixture.service.sessions.isCurrent(agent.session)).toBe(false)
  })

  it('ends when its key is revoked on another node (A-64)', async () => {
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    const told = new Promise((resolve) => fixture.service.sessions.onEnded((...news) => resolve(news)))
    await other.service.identities.revokeKey(agent.keyId)
    expect(await told).toEqual([agent.session, 'key-ended'])
  })
})

describe('presence (A-32)', () => {
  const presence = (changes: Partial<PresenceRecord> = {}): PresenceRecord => ({
    agentId: agent.actor.id,
    sessionEpoch: agent.session.sessionEpoch,
    status: 'busy',
    capacity: { maxSlots: 2, activeSlots: 2, availableSlots: 0, queuedItems: 1 },
    capabilityAvailability: [],
    lastHeartbeat: fixture.clock.now(),
    expiresAt: '2026-11-29T12:01:00Z',
    ...changes,
  })
  const note = (changes?: Partial<PresenceRecord>) => fixture.service.sessions.notePresence(agent.session, presence(changes))
  const known = () => fixture.service.sessions.presenceOf(agent.actor.id)

  it('A-32: is known until its own end and counts for nothing after it', () => {
    expect(note()).toBeUndefined()
    expect(known()).toMatchObject({ status: 'busy' })
    fixture.clock.advance(60)
    expect(known()).toBeUndefined()
  })

  it('A-32: is stale after two minutes, however long it claims to last', () => {
    note({ expiresAt: '2027-01-01T00:00:00Z' })
    fixture.clock.advance(119)
    expect(known()).toBeDefined()
    fixture.clock.advance(1)
    expect(known()).toBeUndefined()
  })

  it('A-32: is an Agent’s own, of its present Session', async () => {
    const other = await fixture.agent('Other')
    expect(note({ agentId: other.actor.id })).toMatchObject({ code: 'AUTH_FORBIDDEN' })
    expect(note({ sessionEpoch: agent.session.sessionEpoch + 1 })).toMatchObject({ code: 'AUTH_STALE_SESSION' })
    expect(known()).toBeUndefined()
    expect(fixture.service.sessions.presenceOf(other.actor.id)).toBeUndefined()
  })

  it('A-32: ends with the connection, and with the Session', async () => {
    note()
    fixture.service.sessions.ended(agent.session)
    expect(known()).toBeUndefined()
    agent.session = await fixture.handshake(agent)
    note()
    expect(known()).toBeDefined()
    await fixture.handshake(agent)
    expect(known()).toBeUndefined()
  })

  it('A-32: leaves nothing in the log or in the store', async () => {
    const before = await fixture.store.log.head(fixture.organization.organizationId)
    note()
    expect(await fixture.store.log.head(fixture.organization.organizationId)).toBe(before)
  })
})
