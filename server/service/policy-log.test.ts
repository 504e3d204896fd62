// The Policy Log of a running authority: what is written with an Event, what beside, and who reads it.
import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let owner: Person
let coordinator: Agent
let groupId: string

beforeEach(async () => {
  fixture = await startAuthority()
  ;[owner, coordinator] = [await fixture.person('Olga', { isAdmin: true }), await fixture.agent('Coordinator')]
  ;({ groupId } = await fixture.mission(owner, coordinator))
})

const post = (messageId = newUrn()): Draft => ({ kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId, content: [{ type: 'text', text: 'Hello' }] } })
const redact = (messageId: string): Draft => ({ kind: 'message.redact', groupId, membershipEpoch: 1, payload: { amendmentId: newUrn(), messageId, reason: 'It names a customer.' } })
const cancelByAgent = (): Draft => ({ kind: 'mission.cancel', groupId, membershipEpoch: 1, sessionEpoch: coordinator.session.sessionEpoch, payload: { reason: 'I am tired.' } })
const rulings = (limit = 100, before?: number) => fixture.service.policy.rulings({ spaceId: groupId, limit, ...(before !== undefined && { before }) })

/** Refusals are written in the background, in the order in which they came. */
const untilWritten = (count: number) => expect.poll(async () => (await rulings()).length).toBe(count)

describe('a ruling', () => {
  it('A-126: that let an Event through is there as soon as the Event is, and names it', async () => {
    const messageId = newUrn()
    await fixture.submit(owner, post(messageId))
    const event = eventOf(await fixture.submit(owner, redact(messageId)))
    expect(await rulings()).toEqual([
      { spaceId: groupId, entry: 1, area: 'redaction', outcome: 'allowed', at: event.occurredAt, actor: owner.actor, actionId: event.cause.id, kind: 'message.redacted', reason: 'It names a customer.', policyVersion: 0, eventId: event.eventId, sequence: event.sequence },
    ])
  })

  it('A-222: is written once, however often its Command is sent', async () => {
    const messageId = newUrn()
    await fixture.submit(owner, post(messageId))
    const bytes = await fixture.command(owner, redact(messageId))
    for (let sent = 0; sent < 3; sent++) expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'http' }))).toBe('accepted')
    expect(await rulings()).toHaveLength(1)
  })

  it('A-126: that refused a Command is written beside, with code, words and policy version', async () => {
    const actionId = newUrn()
    expect(codeOf(await fixture.submit(coordinator, { ...cancelByAgent(), actionId }))).toBe('AUTH_FORBIDDEN')
    await untilWritten(1)
    expect(await rulings()).toMatchObject([{ area: 'authorization', outcome: 'refused', code: 'AUTH_FORBIDDEN', actor: coordinator.actor, actionId, kind: 'mission.cancel', policyVersion: 0 }])
  })

  it('A-106: that refused a Command is bounded per sender, and others are still heard', async () => {
    for (let sent = 0; sent < 70; sent++) await fixture.submit(coordinator, cancelByAgent())
    await untilWritten(60)
    expect(codeOf(await fixture.submit(owner.conversation, redact(newUrn())))).toBe('AUTH_FORBIDDEN')
    await untilWritten(61)
    const [newest] = await rulings(1)
    expect(newest).toMatchObject({ actor: owner.actor, reason: expect.stringContaining('10 refusals before this one') })
  })

  it('A-126: stays when what is out of date is forgotten', async () => {
    const messageId = newUrn()
    await fixture.submit(owner, post(messageId))
    await fixture.submit(owner, redact(messageId))
    await fixture.store.directory.forget({ expiredBefore: '2099-01-01T00:00:00.000Z', auditedBefore: '2099-01-01T00:00:00.000Z' })
    expect(await rulings()).toHaveLength(1)
  })

  it('A-105: about the policy itself stands in the Space of the policy', async () => {
    const { spaceId } = fixture.service.policy
    const change = { policy: { ...DEFAULT_POLICY, version: 1 }, reason: 'The pilot is over.' }
    await fixture.submit(owner, { kind: 'ext.countersign.policy.change', groupId: spaceId, membershipEpoch: 1, expectedRevision: 0, payload: change })
    expect(await fixture.service.policy.rulings({ limit: 10 })).toMatchObject([{ spaceId, area: 'policy', outcome: 'allowed', reason: 'version 1 is in force: The pilot is over.', policyVersion: 0 }])
  })
})

describe('the Policy Log', () => {
  it('A-126: is read by the MissionOwner, and by nobody else of the Group or outside', async () => {
    const messageId = newUrn()
    await fixture.submit(owner, post(messageId))
    await fixture.submit(owner, redact(messageId))
    const { reads } = fixture.service
    const stranger = await fixture.person('Paul', { isAdmin: true })
    expect(await reads.rulings(owner.actor.id, groupId, { limit: 10 })).toHaveLength(1)
    for (const { actor } of [coordinator, stranger]) expect(await reads.rulings(actor.id, groupId, { limit: 10 })).toBeUndefined()
    expect(await reads.rulings(owner.actor.id, newUrn(), { limit: 10 })).toBeUndefined()
  })

  it('A-106: leads operators to the failures of verification that named the Group', async () => {
    const bytes = Buffer.from(await fixture.command(owner, post()))
    const tampered = Buffer.from(bytes.toString().replace('Hello', 'Hallo'))
    expect(codeOf(await fixture.service.submitCommand(tampered, { door: 'http', peer: '192.0.2.7' }))).toBe('AUTH_INVALID_SIGNATURE')
    await expect.poll(() => fixture.service.policy.failures({ spaceId: groupId, limit: 10 })).toMatchObject([{ stage: expect.any(String), reason: expect.any(String), door: 'http', spaceId: groupId }])
    expect(await fixture.service.policy.failures({ spaceId: newUrn(), limit: 10 })).toEqual([])
    expect(await rulings()).toEqual([])
  })
})
