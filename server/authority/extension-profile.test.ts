import { describe, expect, it } from 'vitest'
import type { Actor, EventDocument, ExtensionProfile } from '../../protocol/generated/types.ts'
import { ada, ben, cora, groupAuthority, hashOf } from '../testing/cast.ts'
import { DATA_SCHEMA, extensionProfile } from '../testing/documents.ts'
import { saw } from '../testing/evidence.ts'
import type { CommandChanges } from '../testing/group-fixture.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import type { ProfileRegister } from './extension-profile.ts'
import { decideProfile, evolveProfiles, profileFor, profilesInForce } from './extension-profile.ts'
import type { Decision } from './types.ts'

const APPROVE = 'ext.countersign.profile.approve'
const RETIRE = 'ext.countersign.profile.retire'
const { profileUri } = extensionProfile()
const group = new GroupFixture()
const env = { ...group.env, isAdmin: (id: string) => id === ada.id || id === cora.id, isDataSchema: (text: string) => text === DATA_SCHEMA }

const revisionOf = (register: ProfileRegister) => register.get(profileUri)?.revision ?? 0

function seen(kind: string, decision: Decision): Decision {
  if (decision.ok) saw('accepted', kind)
  else saw('refused', kind, decision.error.code, 'policy')
  return decision
}

function approve(register: ProfileRegister, profile: ExtensionProfile, actor: Actor = ada, changes: CommandChanges = {}, schema = DATA_SCHEMA): Decision {
  const payload = { profile, schema, reason: 'It has been reviewed.' }
  return seen(APPROVE, decideProfile(register, group.command(actor, APPROVE, payload, { expectedRevision: revisionOf(register), ...changes }), env))
}

function retire(register: ProfileRegister, version: string, actor: Actor = ada, changes: CommandChanges = {}): Decision {
  const payload = { profileUri, version, reason: 'Nobody uses it.' }
  return seen(RETIRE, decideProfile(register, group.command(actor, RETIRE, payload, { expectedRevision: revisionOf(register), ...changes }), env))
}

function after(register: ProfileRegister, decision: Decision): ProfileRegister {
  if (!decision.ok) throw new Error(decision.error.message)
  for (const { kind } of decision.value) saw('event', kind)
  return decision.value.reduce((next, draft) => evolveProfiles(next, draft as unknown as EventDocument), register)
}

const codeOf = (decision: Decision) => (decision.ok ? 'accepted' : decision.error.code)
const empty: ProfileRegister = new Map()
const registered = after(empty, approve(empty, extensionProfile()))

describe(APPROVE, () => {
  it('A-243: puts the profile in force, with its schema in the Event', () => {
    expect(approve(empty, extensionProfile())).toMatchObject({ ok: true, value: [{ kind: 'ext.countersign.profile.approved', actor: ada, aggregateRevision: 1, payload: { profile: extensionProfile(), schema: DATA_SCHEMA } }] })
    expect(profilesInForce(registered)).toEqual([extensionProfile()])
  })

  it('A-243: covers its major version as far as it goes', () => {
    const versions = ['1.0.0', '1.2.0', '1.2.1', '1.3.0', '0.9.0', '2.0.0']
    expect(versions.filter((version) => profileFor(registered, profileUri, version))).toEqual(['1.0.0', '1.2.0'])
    expect(profileFor(registered, 'urn:example:other', '1.0.0')).toBeUndefined()
  })

  it('A-243: a later version replaces one of the same major version and stands beside others', () => {
    const later = after(registered, approve(registered, extensionProfile({ version: '1.10.0' })))
    const both = after(later, approve(later, extensionProfile({ version: '2.0.0' })))
    expect(profilesInForce(both).map(({ version }) => version)).toEqual(['1.10.0', '2.0.0'])
  })

  it.each<[string, string, Actor, CommandChanges]>([
    ['A-105: a person who is no administrator', 'AUTH_FORBIDDEN', ben, {}],
    ['A-105: a service', 'AUTH_FORBIDDEN', groupAuthority, {}],
    ['A-105: an Agent, whatever it is called', 'AUTH_FORBIDDEN', cora, {}],
    ['A-105: an administrator’s conversation key', 'AUTH_FORBIDDEN', ada, { keyUse: 'conversation' }],
    ['A-128: another Membership Epoch than that of administrators', 'MEMBERSHIP_STALE', ada, { membershipEpoch: 2 }],
    ['A-223: a revision that has passed', 'REVISION_CONFLICT', ada, { expectedRevision: 1 }],
    ['A-223: no word of the revision', 'INVALID_COMMAND', ada, { expectedRevision: undefined as never }],
  ])('is refused for %s', (_, code, actor, changes) => {
    expect(codeOf(approve(empty, extensionProfile({ approvedBy: actor }), actor, changes))).toBe(code)
  })

  it.each<[string, string, Partial<ExtensionProfile>, string?]>([
    ['A-105: is approved by somebody else', 'AUTH_FORBIDDEN', { approvedBy: ben }],
    ['A-105: is approved by an Agent of the same name', 'AUTH_FORBIDDEN', { approvedBy: { type: 'agent', id: ada.id } }],
    ['is approved in the future', 'INVALID_COMMAND', { approvedAt: '2026-11-30T12:00:00Z' }],
    ['A-245: redefines an extension of the protocol', 'INVALID_COMMAND', { profileUri: 'urn:missionweaveprotocol:extension:bounded-offline-execution' }],
    ['A-245: hides that behind capital letters', 'INVALID_COMMAND', { profileUri: 'URN:MissionWeaveProtocol:extension:other' }],
    ['A-245: redefines an extension of this server', 'INVALID_COMMAND', { profileUri: 'urn:countersign:extension:caused-by' }],
    ['A-245: gives Commands of the protocol', 'INVALID_COMMAND', { commandKinds: ['ext.missionweaveprotocol.core.group_archive'] }],
    ['A-245: gives Events of this server', 'INVALID_COMMAND', { eventKinds: ['ext.countersign.policy.changed'] }],
    ['A-245: gives core kinds', 'SCHEMA_VALIDATION_FAILED', { commandKinds: ['mission.approve' as 'ext.a.b.c'] }],
    ['A-245: wants to override what the core holds to', 'SCHEMA_VALIDATION_FAILED', { overridesCoreInvariants: true as false }],
    ['A-243: names another schema', 'INVALID_COMMAND', { schemaHash: hashOf('another') }],
    ['A-243: has a schema that cannot be read', 'INVALID_COMMAND', { schemaHash: hashOf('[]') }, '[]'],
  ])('is refused when the profile %s', (_, code, changes, schema = DATA_SCHEMA) => {
    expect(codeOf(approve(empty, extensionProfile(changes), ada, {}, schema))).toBe(code)
  })

  it.each(['1.2.0', '1.1.9', '1.2.0-rc.1'])('A-243: is refused for version %s when 1.2.0 is in force', (version) => {
    expect(codeOf(approve(registered, extensionProfile({ version })))).toBe('INVALID_COMMAND')
  })

  it('is not served by a Mission’s Group', () => {
    expect(new GroupFixture().found().code(ada, APPROVE, { profile: extensionProfile(), schema: DATA_SCHEMA, reason: 'No.' })).toBe('INVALID_COMMAND')
  })
})

describe(RETIRE, () => {
  it('A-243: takes the major version out of force, which may be approved again later', () => {
    const retired = after(registered, retire(registered, '1.2.0'))
    expect(profilesInForce(retired)).toEqual([])
    expect(profilesInForce(after(retired, approve(retired, extensionProfile())))).toEqual([extensionProfile()])
  })

  it.each<[string, string, string, Actor, CommandChanges]>([
    ['A-105: a person who is no administrator', 'AUTH_FORBIDDEN', '1.2.0', ben, {}],
    ['A-105: an administrator’s conversation key', 'AUTH_FORBIDDEN', '1.2.0', ada, { keyUse: 'conversation' }],
    ['A-128: another Membership Epoch', 'MEMBERSHIP_STALE', '1.2.0', ada, { membershipEpoch: 2 }],
    ['A-223: a revision that has passed', 'REVISION_CONFLICT', '1.2.0', ada, { expectedRevision: 0 }],
    ['a version that is not in force', 'INVALID_COMMAND', '1.1.0', ada, {}],
    ['text that is no version', 'SCHEMA_VALIDATION_FAILED', 'one', ada, {}],
  ])('is refused for %s', (_, code, version, actor, changes) => {
    expect(codeOf(retire(registered, version, actor, changes))).toBe(code)
  })

  it('is not served by a Mission’s Group', () => {
    expect(new GroupFixture().found().code(ada, RETIRE, { profileUri, version: '1.2.0', reason: 'No.' })).toBe('INVALID_COMMAND')
  })
})

describe('the fold of the profiles', () => {
  it('stops at a gap and at an Event of another kind', () => {
    const event = (kind: EventDocument['kind'], aggregateRevision: number) => ({ kind, aggregateRevision, payload: { profileUri, version: '1.2.0' } }) as unknown as EventDocument
    expect(() => evolveProfiles(registered, event('ext.countersign.profile.retired', 3))).toThrow('does not follow')
    expect(() => evolveProfiles(registered, event('message.posted', 2))).toThrow('no profile is about')
  })
})
