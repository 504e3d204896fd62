// Extension Profiles of a running authority: approved by a signed Command, asked for by others.
import { beforeEach, describe, expect, it } from 'vitest'
import type { ExtensionProfile } from '../../protocol/generated/types.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import type { Agent, Draft, Fixture, Person, Signatory } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, signAs, startAuthority } from '../testing/authority-fixture.ts'
import { DATA_SCHEMA, extensionProfile } from '../testing/documents.ts'

let fixture: Fixture
let admin: Person
let coordinator: Agent
let groupId: string

const { profileUri } = extensionProfile()
const capability = { id: 'release.report', version: '1.0.0' }

beforeEach(async () => {
  fixture = await startAuthority()
  admin = await fixture.person('Olga', { isAdmin: true })
  coordinator = await fixture.agent('Coordinator')
  groupId = (await fixture.mission(admin, coordinator)).groupId
})

const inPolicySpace = (kind: Draft['kind'], expectedRevision: number, payload: Record<string, unknown>): Draft => ({ kind, groupId: fixture.service.policy.spaceId, membershipEpoch: 1, expectedRevision, payload: { ...payload, reason: 'It has been reviewed.' } })

async function approval(expectedRevision: number, changes: Partial<ExtensionProfile> = {}, signatory: Signatory = admin): Promise<Draft> {
  const { signature: _signature, ...unsigned } = extensionProfile({ approvedBy: signatory.actor, approvedAt: fixture.clock.now(), ...changes })
  return inPolicySpace('ext.countersign.profile.approve', expectedRevision, { profile: await signAs(signatory, unsigned, 'approvedAt'), schema: DATA_SCHEMA })
}

const post = (version: string, data: unknown = { celsius: 4 }, critical = true): Draft => ({
  kind: 'message.post',
  groupId,
  membershipEpoch: 1,
  extensions: { [profileUri]: { version, critical, data } },
  payload: { messageId: newUrn(), content: [{ type: 'text', text: 'It is cold.' }] },
})
const byAgent = (draft: Draft): Draft => ({ ...draft, sessionEpoch: coordinator.session.sessionEpoch })

describe('an Extension Profile', () => {
  it('A-243, A-244: is understood from its approval to its retirement, and after a restart', async () => {
    expect(codeOf(await fixture.submit(admin, post('1.0.0')))).toBe('UNKNOWN_CRITICAL_EXTENSION')
    const approved = eventOf(await fixture.submit(admin, await approval(0)))
    expect(approved).toMatchObject({ kind: 'ext.countersign.profile.approved', sequence: 1, aggregateRevision: 1 })
    expect(eventOf(await fixture.submit(admin, post('1.0.0'))).extensions).toEqual({ [profileUri]: { version: '1.0.0', critical: true, data: { celsius: 4 } } })
    const again = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    expect(again.service.policy.profiles).toEqual([approved.payload.profile])
    eventOf(await fixture.submit(admin, inPolicySpace('ext.countersign.profile.retire', 1, { profileUri, version: '1.2.0' })))
    expect(codeOf(await fixture.submit(admin, post('1.0.0')))).toBe('UNKNOWN_CRITICAL_EXTENSION')
    expect(fixture.service.policy.profiles).toEqual([])
    expect((await fixture.service.verifyLog()).flatMap((report) => report.differences)).toEqual([])
  })

  it('A-50: stands by its own signature', async () => {
    const draft = await approval(0)
    const profile = { ...(draft.payload.profile as ExtensionProfile), name: 'Another' }
    expect(codeOf(await fixture.submit(admin, { ...draft, payload: { ...draft.payload, profile } }))).toBe('AUTH_INVALID_SIGNATURE')
  })

  it('A-105: is refused where its approver is no administrator', async () => {
    const person = await fixture.person('Paul')
    expect(codeOf(await fixture.submit(person, await approval(0, {}, person)))).toBe('AUTH_FORBIDDEN')
    expect(codeOf(await fixture.submit(admin, await approval(0, {}, person)))).toBe('AUTH_FORBIDDEN')
  })

  it('A-222: is approved once, however often the Command arrives', async () => {
    const bytes = await fixture.command(admin, await approval(0))
    const first = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect(await fixture.service.submitCommand(bytes, { door: 'http' })).toEqual({ ...first, isDuplicate: true })
  })
})

describe('data that must be understood', () => {
  it.each<[string, string, Partial<ExtensionProfile>, string, unknown]>([
    ['does not fit the schema of the profile', 'SCHEMA_VALIDATION_FAILED', {}, '1.0.0', { celsius: 'cold' }],
    ['is of a later version than the approved one', 'UNKNOWN_CRITICAL_EXTENSION', {}, '1.3.0', { celsius: 4 }],
    ['is of another major version', 'UNKNOWN_CRITICAL_EXTENSION', {}, '2.0.0', { celsius: 4 }],
    ['is of a profile that is not critical', 'UNKNOWN_CRITICAL_EXTENSION', { critical: false }, '1.0.0', { celsius: 4 }],
  ])('A-243: is refused when it %s', async (_, code, changes, version, data) => {
    eventOf(await fixture.submit(admin, await approval(0, changes)))
    expect(codeOf(await fixture.submit(admin, post(version, data)))).toBe(code)
  })

  it('A-243: comes only from those whose card has the capabilities that the profile requires', async () => {
    eventOf(await fixture.submit(admin, await approval(0, { requiredCapabilities: [capability] })))
    expect(codeOf(await fixture.submit(coordinator, byAgent(post('1.0.0'))))).toBe('accepted')
    expect(codeOf(await fixture.submit(admin, post('1.0.0')))).toBe('AUTH_FORBIDDEN')
    eventOf(await fixture.submit(admin, await approval(1, { version: '1.3.0', requiredCapabilities: [{ ...capability, version: '1.1.0' }] })))
    expect(codeOf(await fixture.submit(coordinator, byAgent(post('1.0.0'))))).toBe('AUTH_FORBIDDEN')
  })

  it('A-243: stays with the major version that its Group has pinned', async () => {
    eventOf(await fixture.submit(admin, await approval(0)))
    eventOf(await fixture.submit(admin, await approval(1, { version: '2.0.0' })))
    expect(codeOf(await fixture.submit(admin, post('2.0.0')))).toBe('accepted')
    expect(codeOf(await fixture.submit(admin, post('1.0.0')))).toBe('UNKNOWN_CRITICAL_EXTENSION')
    groupId = (await fixture.mission(admin, coordinator)).groupId
    expect(codeOf(await fixture.submit(admin, post('1.0.0')))).toBe('accepted')
  })
})

it('A-244: data that need not be understood is relayed unchanged, whatever it is and whatever a profile says of it', async () => {
  eventOf(await fixture.submit(admin, await approval(0)))
  const data = { celsius: 'cold', nested: [null, 1.5, 'Ω'] }
  expect(eventOf(await fixture.submit(admin, post('7.0.0', data, false))).extensions).toEqual({ [profileUri]: { version: '7.0.0', critical: false, data } })
})

it('A-244: the kinds that a profile names are not served; they carry no data of their own here', async () => {
  eventOf(await fixture.submit(admin, await approval(0, { commandKinds: ['ext.acme.oven.heat'], eventKinds: ['ext.acme.oven.heated'] })))
  expect(codeOf(await fixture.submit(admin, { ...post('1.0.0'), kind: 'ext.acme.oven.heat', payload: {} }))).toBe('INVALID_COMMAND')
})

describe('the history of the policy', () => {
  it('A-126: holds the versions alone, and goes on after each whatever stands between them', async () => {
    const change = (version: number) => inPolicySpace('ext.countersign.policy.change', version - 1, { policy: { ...DEFAULT_POLICY, version } })
    for (const draft of [change(1), await approval(0), await approval(1, { version: '1.3.0' }), change(2)]) eventOf(await fixture.submit(admin, draft))
    const versions = async (after: number, limit: number) => (await fixture.service.policy.history(after, limit)).map(({ event }) => (event.payload.policy as { version: number }).version)
    expect([await versions(0, 100), await versions(0, 1), await versions(1, 1), await versions(2, 1)]).toEqual([[1, 2], [1], [2], []])
  })
})
