// The fences that every Command passes, in the order of A-221.
import { describe, expect, it } from 'vitest'
import type { Command } from '../../protocol/generated/types.ts'
import { CORE_COMMAND_KINDS, EXTENSION_COMMAND_KINDS } from '../../protocol/kinds.ts'
import { isCommandPayloadKind } from '../../protocol/validate.ts'
import { ada, agentCard, ben, cora, groupAuthority, otto, urnOf, wim } from '../testing/cast.ts'
import { missionPayload, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { offerPayload, reach, workId } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()
const said = (text = 'Hello') => ({ messageId: urnOf(text), content: [{ type: 'text' as const, text }] })

describe('a Group that is not the caller’s', () => {
  it('looks the same whether it is unknown or hidden (A-239)', () => {
    const unknown = new GroupFixture().refusal(otto, 'message.post', said())
    const hidden = founded().refusal(otto, 'message.post', said())
    expect(hidden.code).toBe('GROUP_NOT_FOUND')
    expect(hidden).toEqual(unknown)
  })

  it('stays hidden before any epoch or right is judged', () => {
    const group = founded()
    expect(group.code(otto, 'work.offer', offerPayload('a'), { sessionEpoch: 9, coordinatorEpoch: 9 })).toBe('GROUP_NOT_FOUND')
    expect(group.code(ben, 'mission.cancel', { reason: 'Enough.' })).toBe('GROUP_NOT_FOUND')
  })

  it('is not opened by an Agent Card, however valid (A-29)', () => {
    const group = founded()
    group.cards.set(otto.id, agentCard(otto))
    group.sessionEpochs.set(otto.id, 1)
    expect(group.code(otto, 'message.post', said())).toBe('GROUP_NOT_FOUND')
  })

  it('is hidden from a Principal that has a member’s id but another type', () => {
    const group = founded()
    expect(group.code({ type: 'human', id: wim.id }, 'message.post', said(), { membershipEpoch: 1 })).toBe('GROUP_NOT_FOUND')
  })

  it('is closed to services, for which there is no policy (A-128)', () => {
    expect(founded().code(groupAuthority, 'mission.cancel', { reason: 'Policy.' })).toBe('AUTH_FORBIDDEN')
  })

  it('is closed to a service that cites another Coordinator Epoch than the current one (A-40)', () => {
    const group = founded()
    group.policy = { ...group.policy, services: [{ principalId: groupAuthority.id, kinds: ['mission.cancel'] }] }
    expect(group.code(groupAuthority, 'mission.cancel', { reason: 'Policy.' }, { coordinatorEpoch: 2 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.accept(groupAuthority, 'mission.cancel', { reason: 'Policy.' }, { coordinatorEpoch: 1 })).toMatchObject([{ kind: 'mission.cancelled' }])
  })
})

describe('epochs', () => {
  it('refuses an older and a made-up Session Epoch (A-18, A-35, A-38)', () => {
    const group = founded()
    group.sessionEpochs.set(wim.id, 3)
    expect(group.code(wim, 'message.post', said(), { sessionEpoch: 2 })).toBe('AUTH_STALE_SESSION')
    expect(group.code(wim, 'message.post', said(), { sessionEpoch: 4 })).toBe('AUTH_STALE_SESSION')
    expect(group.accept(wim, 'message.post', said(), { sessionEpoch: 3 })).toHaveLength(1)
  })

  it('refuses a stale Membership Epoch of people and Agents (A-39)', () => {
    const group = founded()
    group.accept(ada, 'membership.change', { member: wim, role: 'reviewer' })
    expect(group.code(wim, 'message.post', said(), { membershipEpoch: 1 })).toBe('MEMBERSHIP_STALE')
    expect(group.code(ada, 'message.post', said(), { membershipEpoch: 2 })).toBe('MEMBERSHIP_STALE')
  })

  it('tells a former member that it has to join again (A-256)', () => {
    const group = founded()
    group.accept(ada, 'membership.end', { member: wim, reason: 'Done.' })
    expect(group.code(wim, 'message.post', said(), { membershipEpoch: 1 })).toBe('MEMBERSHIP_STALE')
    expect(group.code(wim, 'message.post', said(), { membershipEpoch: 2 })).toBe('MEMBERSHIP_REQUIRED')
  })

  it('refuses a Coordinator Epoch that is not the current one, whoever cites it (A-40)', () => {
    const group = founded()
    const authorize = { workItemId: workId('a'), contract: workContract() }
    expect(group.code(cora, 'work.authorize', authorize, { coordinatorEpoch: 2 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(wim, 'message.post', said(), { coordinatorEpoch: 2 })).toBe('AUTH_STALE_COORDINATOR')
  })

  it('judges Session before Membership before Coordinator before revision (A-221)', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const wrong = { sessionEpoch: 9, membershipEpoch: 9, coordinatorEpoch: 9, expectedRevision: 9 }
    const code = (changes: Partial<Command>) => group.code(cora, 'work.offer', offerPayload('a'), { ...wrong, ...changes })
    expect(code({})).toBe('AUTH_STALE_SESSION')
    expect(code({ sessionEpoch: 1 })).toBe('MEMBERSHIP_STALE')
    expect(code({ sessionEpoch: 1, membershipEpoch: 1 })).toBe('AUTH_STALE_COORDINATOR')
    expect(code({ sessionEpoch: 1, membershipEpoch: 1, coordinatorEpoch: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'work.offer', offerPayload('a'), { expectedRevision: 9 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'work.offer', offerPayload('a'))).toBe('AUTH_FORBIDDEN')
  })
})

describe('the Coordinator’s rights', () => {
  it('need the Coordinator Epoch to be cited even where the shape does not ask for it (A-218)', () => {
    const group = founded()
    const authorize = { workItemId: workId('a'), contract: workContract() }
    const command = group.command(cora, 'work.authorize', authorize)
    const { coordinatorEpoch: _epoch, ...uncited } = command.command
    expect(group.judge({ ...command, command: uncited })).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_COORDINATOR' } })
  })

  it('end with the lease, at the very instant it ends (A-118)', () => {
    const group = new GroupFixture().found({ coordinatorLeaseSeconds: 60 })
    const authorize = { workItemId: workId('a'), contract: workContract() }
    expect(group.pass(59).judge(group.command(cora, 'work.authorize', authorize)).ok).toBe(true)
    expect(group.pass(1).code(cora, 'work.authorize', authorize)).toBe('WORK_LEASE_EXPIRED')
  })

  it('are nobody else’s, not even the owner’s (A-119)', () => {
    const group = founded()
    reach(group, 'a', 'open')
    expect(group.code(ada, 'work.authorize', { workItemId: workId('b'), contract: workContract() })).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'work.offer', offerPayload('a'))).toBe('AUTH_FORBIDDEN')
  })
})

describe('a cooperation override', () => {
  it('that nobody granted lets nothing pass (A-278)', () => {
    expect(founded().code(wim, 'message.post', said(), { cooperationOverrideGrantId: urnOf('grant') })).toBe('INVALID_COMMAND')
  })
})

describe('keys', () => {
  it('let a conversation key post and propose, and nothing else', () => {
    const group = founded()
    const weak = { keyUse: 'conversation' as const }
    expect(group.accept(ada, 'message.post', said(), weak)).toHaveLength(1)
    expect(group.accept(ada, 'work.propose', { proposalId: urnOf('p'), contract: workContract() }, weak)).toHaveLength(1)
    expect(group.code(ada, 'mission.cancel', { reason: 'Enough.' }, weak)).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'membership.change', { member: ben, role: 'reviewer' }, weak)).toBe('AUTH_FORBIDDEN')
  })
})

describe('kinds and payloads', () => {
  const unserved = [...CORE_COMMAND_KINDS, ...EXTENSION_COMMAND_KINDS, 'ext.acme.tool.run' as const].filter((kind) => !isCommandPayloadKind(kind))

  it('has kinds left for later', () => expect(unserved).toContain('ext.acme.tool.run'))

  it.each(unserved)('says that %s is not served yet', (kind) => {
    const group = founded()
    const command = group.command(ada, 'message.post', said())
    const other = { ...command, command: { ...command.command, kind } }
    expect(group.judge(other)).toMatchObject({ ok: false, error: { code: 'INVALID_COMMAND', message: expect.stringContaining(kind) } })
  })

  it.each(['constructor', '__proto__', 'toString'])('does not take %s for a kind', (kind) => {
    const group = founded()
    const command = group.command(ada, 'message.post', said())
    const other = { ...command, command: { ...command.command, kind: kind as 'message.post' } }
    expect(group.judge(other)).toMatchObject({ ok: false, error: { code: 'INVALID_COMMAND' } })
  })

  it('leaves the Commands of the Organization to the Organization', () => {
    const group = founded()
    expect(group.code(groupAuthority, 'ext.missionweaveprotocol.identity.session_open', { agentId: wim.id })).toBe('INVALID_COMMAND')
  })

  it('refuses a payload outside its schema and says where, without repeating it', () => {
    const refusal = founded().refusal(wim, 'message.post', { ...said(), authority: true as never })
    expect(refusal).toMatchObject({ code: 'SCHEMA_VALIDATION_FAILED', details: { path: '/authority' } })
  })

  it('tells an incomplete Work Contract from any other fault (A-139)', () => {
    const group = founded()
    const { businessImpact: _impact, ...incomplete } = workContract()
    const authorize = (contract: object) => group.code(cora, 'work.authorize', { workItemId: workId('a'), contract: contract as never })
    expect(authorize(incomplete)).toBe('WORK_CONTRACT_INCOMPLETE')
    expect(authorize({ ...workContract(), acceptanceCriteria: [] })).toBe('WORK_CONTRACT_INCOMPLETE')
    expect(authorize({ ...workContract(), requestedUrgency: 'now' })).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it.each<readonly [string, (group: GroupFixture, financialLimit: number) => string]>([
    ['a contract', (group, financialLimit) => group.code(cora, 'work.authorize', { workItemId: workId('a'), contract: workContract({ budget: { currency: 'EUR', financialLimit } }) })],
    ['a proposal', (group, financialLimit) => group.code(wim, 'work.propose', { proposalId: urnOf('proposal'), contract: workContract({ budget: { currency: 'EUR', financialLimit } }) })],
    ['a raised budget', (group, financialLimit) => group.code(ada, 'ext.countersign.mission.budget_raise', { budget: { ...group.state.mission.budget, financialLimit }, reason: 'More.' })],
    ['a new Mission', (_group, financialLimit) => new GroupFixture('two').code(ada, 'mission.create', missionPayload('two', { budget: { currency: 'EUR', financialLimit } }))],
  ])('A-198: takes money in %s only where it can be counted exactly', (_, codeFor) => {
    const group = new GroupFixture().found()
    for (const figure of [1e303, 1e16, 0.0000001]) expect(codeFor(group, figure)).toBe('INVALID_COMMAND')
  })

  it('refuses an envelope and a payload about different work', () => {
    const group = founded()
    reach(group, 'a', 'open')
    expect(group.code(cora, 'work.offer', offerPayload('a'), { workItemId: workId('b') })).toBe('INVALID_COMMAND')
    expect(group.accept(cora, 'work.offer', offerPayload('a'), { workItemId: workId('a') })).toHaveLength(1)
  })
})
