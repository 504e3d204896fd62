import { describe, expect, it } from 'vitest'
import { reject } from '../../protocol/error-codes.ts'
import type { Actor, EventDocument } from '../../protocol/generated/types.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { ada, cora, dora, registry, urnOf, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { delegate, executionApproval, offerPayload, reach, workId } from '../testing/work-scenario.ts'
import { rulingAgainst, rulingsOn } from './policy-ruling.ts'

const hello = { messageId: urnOf('hello'), content: [{ type: 'text' as const, text: 'Hello' }] }

type Step = (group: GroupFixture) => EventDocument[]
const cases: [rule: string, actor: Actor, expected: [area: string, reason: string][], step: Step][] = [
  ['A-126: a redaction with its reason', ada, [['redaction', 'It names a customer.']], (group) => {
    group.accept(wim, 'message.post', hello)
    return group.accept(ada, 'message.redact', { amendmentId: urnOf('gone'), messageId: hello.messageId, reason: 'It names a customer.' })
  }],
  ['A-142: a delegation', cora, [['authorization', `${dora.id} may act below work ${workId('root')}`]], (group) => {
    reach(group, 'root', 'open')
    return delegate(group, 'root')
  }],
  ['A-142: work that was authorized under it', dora, [['authorization', `under the delegation grant ${urnOf('grant')}`]], (group) => {
    reach(group, 'root', 'open')
    delegate(group, 'root')
    return group.accept(dora, 'work.authorize', { workItemId: workId('a'), contract: workContract({ budget: { currency: 'EUR', financialLimit: 5, modelTokenLimit: 50 } }), parentWorkItemId: workId('root'), delegationGrantId: urnOf('grant') })
  }],
  ['A-117: the step of an owner', ada, [['escalation', 'the MissionOwner stepped in: Nobody answers.']], (group) => {
    reach(group, 'a', 'open')
    return group.accept(ada, 'work.offer', { ...offerPayload('a'), overrideReason: 'Nobody answers.' })
  }],
  ['A-196: an Approval to start', ada, [['risk', `work ${workId('a')} may start`]], (group) => {
    reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required' } })
    return group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a'))
  }],
  ['A-128: what a service did', registry, [['authorization', 'the policy names this service for it']], (group) => group.accept(registry, 'mission.cancel', { reason: 'The budget was frozen.' })],
]

function founded(): GroupFixture {
  const group = new GroupFixture()
  group.policy = { ...group.policy, version: 3, limits: { ...group.policy.limits, messagesPerMinute: 1 }, services: [{ principalId: registry.id, kinds: ['mission.cancel'] }] }
  return group.found()
}

describe('rulings on Events', () => {
  it.each(cases)('%s', (_, actor, expected, step) => {
    const group = founded()
    const event = step(group)[0]!
    const rulings = rulingsOn(event, 3)
    expect(rulings.map(({ area, reason }) => [area, reason])).toEqual(expected.map(([area, reason]) => [area, expect.stringContaining(reason)]))
    for (const ruling of rulings) expect(ruling).toMatchObject({ outcome: 'allowed', at: group.now, actor, actionId: event.cause.id, kind: event.kind, policyVersion: 3, eventId: event.eventId, sequence: event.sequence })
  })

  it('A-278: an override grant as it is given and as it is used up', () => {
    const group = founded()
    group.accept(wim, 'message.post', { ...hello, messageId: urnOf('first') })
    const target = { targetCommandKind: 'message.post' as const, targetActionId: urnOf('later') }
    const [given] = group.accept(ada, 'policy.grant_cooperation_override', { grantId: urnOf('lift'), policyName: 'message_rate', beneficiary: wim, ...target, reason: 'It is urgent.', expiresAt: addSeconds(group.now, 60) })
    const [used] = group.accept(wim, 'message.post', hello, { actionId: target.targetActionId, cooperationOverrideGrantId: urnOf('lift') })
    expect([given!, used!].map((event) => rulingsOn(event, 3).map(({ area, reason }) => `${area}: ${reason}`))).toEqual([
      ['escalation: the limit of messages per minute may be passed once by message.post: It is urgent.'],
      [`escalation: the override grant ${urnOf('lift')} is used up`],
    ])
  })

  it('A-126: none where policy had no say', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    group.accept(wim, 'message.post', hello)
    expect(group.log.flatMap((event) => rulingsOn(event, 3))).toEqual([])
  })
})

describe('rulings against Commands', () => {
  it.each([
    ['AUTH_FORBIDDEN', 'authorization'],
    ['BUDGET_EXCEEDED', 'budget'],
    ['APPROVAL_REQUIRED', 'risk'],
    ['RATE_LIMITED', 'escalation'],
  ] as const)('A-126: %s is one of %s', (code, area) => {
    const { command } = new GroupFixture().command(wim, 'message.post', hello)
    const ruling = rulingAgainst(command, reject(code, 'No.'), { at: command.issuedAt, policyVersion: 3 })
    expect(ruling).toEqual({ area, outcome: 'refused', code, reason: 'No.', at: command.issuedAt, actor: wim, actionId: command.actionId, kind: 'message.post', policyVersion: 3 })
  })

  it('A-126: other refusals are none of policy', () => {
    const { command } = new GroupFixture().command(wim, 'message.post', hello)
    expect(rulingAgainst(command, reject('REVISION_CONFLICT', 'No.'), { at: command.issuedAt, policyVersion: 3 })).toBeUndefined()
  })
})
