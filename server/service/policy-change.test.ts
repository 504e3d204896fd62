// The policy of a running authority: changed by a signed Command, in force at once, found again after a restart.
import { beforeEach, describe, expect, it } from 'vitest'
import type { Policy } from '../../protocol/generated/types.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import type { Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { missionPayload } from '../testing/documents.ts'

let fixture: Fixture
let admin: Person

beforeEach(async () => {
  fixture = await startAuthority()
  admin = await fixture.person('Olga', { isAdmin: true })
})

const change = (version: number, changes: Partial<Policy> = {}): Draft => ({
  kind: 'ext.countersign.policy.change',
  groupId: fixture.service.policy.spaceId,
  membershipEpoch: 1,
  expectedRevision: version - 1,
  payload: { policy: { ...DEFAULT_POLICY, version, ...changes }, reason: 'The pilot is over.' },
})
const differences = async () => (await fixture.service.verifyLog()).flatMap((report) => report.differences)

describe('a change of the policy', () => {
  it('is in force with its Event, a sealed one of the policy’s Space, and after a restart', async () => {
    expect(fixture.service.policy.current).toEqual(DEFAULT_POLICY)
    const event = eventOf(await fixture.submit(admin, change(1, { freshnessSeconds: 60 })))
    expect(event).toMatchObject({ kind: 'ext.countersign.policy.changed', groupId: fixture.service.policy.spaceId, sequence: 1, aggregateRevision: 1, actor: admin.actor })
    expect(fixture.service.policy.current).toMatchObject({ version: 1, freshnessSeconds: 60 })
    const again = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    expect(again.service.policy.current).toEqual(fixture.service.policy.current)
    expect(await differences()).toEqual([])
  })

  it('is compared and set: of two that replace the same version one wins, and a retry gets its Event (A-222, A-223)', async () => {
    const bytes = await Promise.all([60, 90].map((freshnessSeconds) => fixture.command(admin, change(1, { freshnessSeconds }))))
    const outcomes = await Promise.all(bytes.map((command) => fixture.service.submitCommand(command, { door: 'http' })))
    expect(outcomes.map(codeOf).sort()).toEqual(['REVISION_CONFLICT', 'accepted'])
    const winner = outcomes.findIndex(({ ok }) => ok)
    expect(await fixture.service.submitCommand(bytes[winner]!, { door: 'http' })).toEqual({ ...outcomes[winner], isDuplicate: true })
  })

  it('is refused to everybody else (A-105)', async () => {
    const person = await fixture.person('Paul')
    expect(codeOf(await fixture.submit(person, change(1)))).toBe('AUTH_FORBIDDEN')
    expect(codeOf(await fixture.submit(admin.conversation, change(1)))).toBe('AUTH_FORBIDDEN')
    expect(fixture.service.policy.current).toEqual(DEFAULT_POLICY)
  })

  it('narrows the window for the time on a Command (A-104)', async () => {
    const issuedAt = fixture.clock.now()
    await fixture.submit(admin, change(1, { freshnessSeconds: 60 }))
    fixture.clock.advance(61)
    expect(codeOf(await fixture.submit(admin, { ...change(2), issuedAt }))).toBe('AUTH_INVALID_SIGNATURE')
    expect(codeOf(await fixture.submit(admin, change(2)))).toBe('accepted')
    fixture.clock.advance(61)
    expect(codeOf(await fixture.submit(admin, { ...change(3), issuedAt: '2026-11-29T12:01:01.000Z' }))).toBe('accepted')
  })
})

describe('a Command over a limit', () => {
  it('passes once with a grant, and its retry gets the same Event (A-278)', async () => {
    await fixture.submit(admin, change(1, { limits: { ...DEFAULT_POLICY.limits, messagesPerMinute: 1 } }))
    const { groupId } = await fixture.mission(admin, await fixture.agent('Coordinator'))
    const post = (changes: Partial<Draft> = {}): Draft => ({ kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] }, ...changes })
    expect([codeOf(await fixture.submit(admin, post())), codeOf(await fixture.submit(admin, post()))]).toEqual(['accepted', 'RATE_LIMITED'])
    const [grantId, actionId] = [newUrn(), newUrn()]
    const terms = { grantId, policyName: 'message_rate', beneficiary: admin.actor, targetCommandKind: 'message.post', targetActionId: actionId, reason: 'It is urgent.', expiresAt: '2026-11-29T13:00:00Z' }
    expect(codeOf(await fixture.submit(admin, { kind: 'policy.grant_cooperation_override', groupId, membershipEpoch: 1, payload: terms }))).toBe('accepted')
    const bytes = await fixture.command(admin, post({ actionId, cooperationOverrideGrantId: grantId }))
    const first = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect(codeOf(first)).toBe('accepted')
    expect(await fixture.service.submitCommand(bytes, { door: 'http' })).toEqual({ ...first, isDuplicate: true })
    expect(codeOf(await fixture.submit(admin, post({ cooperationOverrideGrantId: grantId })))).toBe('INVALID_COMMAND')
    expect(await differences()).toEqual([])
  })
})

describe('the Space of the policy', () => {
  it('is nobody’s Group: it has no feed, and no Mission can be founded in it', async () => {
    const { spaceId } = fixture.service.policy
    await fixture.submit(admin, change(1))
    expect(await fixture.service.feeds.open(admin.actor.id, spaceId, 0)).toMatchObject({ ok: false, error: { code: 'GROUP_NOT_FOUND' } })
    const coordinator = await fixture.agent('Coordinator')
    const payload = { ...missionPayload('policy', { groupId: spaceId, coordinatorAgentId: coordinator.actor.id }) }
    expect(codeOf(await fixture.submit(admin, { kind: 'mission.create', groupId: spaceId, payload }))).toBe('INVALID_COMMAND')
    const post: Draft = { kind: 'message.post', groupId: spaceId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } }
    expect(codeOf(await fixture.submit(admin, post))).toBe('INVALID_COMMAND')
  })
})
