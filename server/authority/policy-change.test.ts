import { describe, expect, it } from 'vitest'
import type { Actor, EventDocument, Policy } from '../../protocol/generated/types.ts'
import { ada, ben, cora, groupAuthority } from '../testing/cast.ts'
import { saw } from '../testing/evidence.ts'
import type { CommandChanges } from '../testing/group-fixture.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { decidePolicyChange, evolvePolicy } from './policy-change.ts'
import { DEFAULT_POLICY } from './policy.ts'

const CHANGE = 'ext.countersign.policy.change'
const next: Policy = { ...DEFAULT_POLICY, version: 1, freshnessSeconds: 60 }

function change(policy: Policy, actor: Actor = ada, changes: CommandChanges = {}, current = DEFAULT_POLICY) {
  const group = new GroupFixture()
  const verified = group.command(actor, CHANGE, { policy, reason: 'The pilot is over.' }, { expectedRevision: current.version, ...changes })
  const decision = decidePolicyChange(current, verified, { ...group.env, isAdmin: (id) => id === ada.id || id === cora.id })
  if (decision.ok) saw('accepted', CHANGE)
  else saw('refused', CHANGE, decision.error.code, 'policy')
  return decision
}
const codeOf = (decision: ReturnType<typeof change>) => (decision.ok ? 'accepted' : decision.error.code)

describe('ext.countersign.policy.change', () => {
  it('A-223: puts the next version in force, which the Event carries whole', () => {
    const decision = change(next)
    expect(decision).toMatchObject({ ok: true, value: [{ kind: 'ext.countersign.policy.changed', actor: ada, aggregateRevision: 1, payload: { policy: next, reason: 'The pilot is over.' } }] })
    const [draft] = decision.ok ? decision.value : []
    saw('event', draft!.kind)
    expect(evolvePolicy(DEFAULT_POLICY, draft as unknown as EventDocument)).toEqual(next)
  })

  it.each<[string, string, Actor, CommandChanges]>([
    ['A-105: a person who is no administrator', 'AUTH_FORBIDDEN', ben, {}],
    ['A-105: a service', 'AUTH_FORBIDDEN', groupAuthority, {}],
    ['A-105: an Agent, whatever it is called', 'AUTH_FORBIDDEN', cora, {}],
    ['an administrator’s conversation key', 'AUTH_FORBIDDEN', ada, { keyUse: 'conversation' }],
    ['A-128: another Membership Epoch than that of administrators', 'MEMBERSHIP_STALE', ada, { membershipEpoch: 2 }],
    ['A-223: a version that is no longer in force', 'REVISION_CONFLICT', ada, { expectedRevision: 1 }],
    ['A-223: no word of the version that it replaces', 'INVALID_COMMAND', ada, { expectedRevision: undefined as never }],
  ])('is refused for %s', (_, code, actor, changes) => {
    expect(codeOf(change(next, actor, changes))).toBe(code)
  })

  it.each<[string, string, Policy]>([
    ['skips a version', 'INVALID_COMMAND', { ...next, version: 2 }],
    ['repeats the version in force', 'INVALID_COMMAND', { ...next, version: 0 }],
    ['gives one service two sets of rights', 'INVALID_COMMAND', { ...next, services: ['mission.cancel', 'mission.terminate'].map((kind) => ({ principalId: groupAuthority.id, kinds: [kind as 'mission.cancel'] })) }],
    ['lets a service approve', 'SCHEMA_VALIDATION_FAILED', { ...next, services: [{ principalId: groupAuthority.id, kinds: ['mission.approve' as 'mission.cancel'] }] }],
    ['leaves no time for a Command to arrive', 'SCHEMA_VALIDATION_FAILED', { ...next, freshnessSeconds: 0 }],
  ])('is refused when the policy %s', (_, code, policy) => {
    expect(codeOf(change(policy))).toBe(code)
  })

  it('is the only Command of its Space', () => {
    const group = new GroupFixture()
    const decision = decidePolicyChange(DEFAULT_POLICY, group.command(ada, 'mission.cancel', { reason: 'No.' }), { ...group.env, isAdmin: () => true })
    expect(codeOf(decision)).toBe('INVALID_COMMAND')
  })

  it('is not served by a Mission’s Group', () => {
    expect(new GroupFixture().found().code(ada, CHANGE, { policy: next, reason: 'No.' })).toBe('INVALID_COMMAND')
  })
})

describe('the fold of the policy', () => {
  it('stops at a gap and at an Event of another kind', () => {
    const event = (kind: EventDocument['kind'], policy: Policy) => ({ kind, payload: { policy } }) as unknown as EventDocument
    expect(() => evolvePolicy(DEFAULT_POLICY, event('ext.countersign.policy.changed', { ...next, version: 2 }))).toThrow('does not follow')
    expect(() => evolvePolicy(DEFAULT_POLICY, event('message.posted', next))).toThrow('no Events of kind')
  })
})
