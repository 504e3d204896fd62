// Which revision each kind tests, moves and reports (O-7).
import { describe, expect, it } from 'vitest'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { AGENT_CARD_REGISTER, GROUP_ARCHIVE, POLICY_CHANGE, PROFILE_APPROVE, PROFILE_RETIRE, SESSION_OPEN } from '../../protocol/kinds.ts'
import { exampleCommandPayloads } from '../../protocol/testing/example-payloads.ts'
import type { CommandPayloadKind } from '../../protocol/validate.ts'
import { commandPayloadKinds } from '../../protocol/validate.ts'
import { ada, ben, cora, urnOf, wim } from '../testing/cast.ts'
import { progress, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { approve, citing, fail, publish, reach, recordOf, requestChanges, submitMission, workId } from '../testing/work-scenario.ts'

const RENEW = 'ext.missionweaveprotocol.core.work_execution_lease_renew'
const CHARGE = 'ext.missionweaveprotocol.core.resource_usage_record'

/** How far an action moves the Mission and the WorkItem `a`. */
function moves(group: GroupFixture, act: (group: GroupFixture) => readonly EventDocument[]): [mission: number, work: number] {
  const before = [group.state.mission.revision, group.state.workItems.get(workId('a'))?.item.revision ?? 0] as const
  act(group)
  return [group.state.mission.revision - before[0], (group.state.workItems.get(workId('a'))?.item.revision ?? 0) - before[1]]
}

function at(stage: Parameters<typeof reach>[2]): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', stage)
  return group
}

describe('the Mission’s revision', () => {
  it('starts at 1', () => expect(new GroupFixture().found().state.mission.revision).toBe(1))

  it('grows with what changes the plan or its results', () => {
    const founded = new GroupFixture().found()
    expect(moves(founded, (group) => group.accept(wim, 'work.propose', { proposalId: urnOf('p'), contract: workContract() }))[0]).toBe(1)
    expect(moves(founded, (group) => group.accept(cora, 'work.authorize', { workItemId: workId('b'), contract: workContract() }))[0]).toBe(1)
    expect(moves(at('open'), (group) => fail(group, 'a'))[0]).toBe(1)
    expect(moves(at('open'), (group) => group.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'No.' }))[0]).toBe(1)
  })

  it('stays through submission and approval, so the approved revision is the Mission’s', () => {
    const group = at('verified')
    expect(moves(group, () => submitMission(group, 'a'))[0]).toBe(0)
    const { approval } = approve(group)
    expect(moves(group, () => group.accept(ada, 'mission.approve', { approval }))[0]).toBe(0)
    expect(group.state.mission.revision).toBe(approval.missionRevision)
  })

  it('grows when changes are requested', () => {
    const group = at('verified')
    submitMission(group, 'a')
    expect(moves(group, () => group.accept(ada, 'mission.request_changes', requestChanges(group)))[0]).toBe(1)
  })

  it('is not touched by talk, Memberships or the Coordinator’s lease', () => {
    const group = new GroupFixture().found()
    expect(moves(group, () => group.accept(wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] }))).toEqual([0, 0])
    expect(moves(group, () => group.accept(ada, 'membership.change', { member: ben, role: 'observer' }))).toEqual([0, 0])
    expect(moves(group, () => group.accept(cora, 'mission.renew_coordinator', {}))).toEqual([0, 0])
  })
})

describe('a WorkItem’s revision', () => {
  it('grows with every transition and every change of a lease', () => {
    expect(recordOf(at('open'), 'a').item.revision).toBe(1)
    expect(recordOf(at('offered'), 'a').item.revision).toBe(2)
    expect(recordOf(at('queued'), 'a').item.revision).toBe(3)
    expect(recordOf(at('active'), 'a').item.revision).toBe(4)
    expect(recordOf(at('verified'), 'a').item.revision).toBe(6)
    expect(moves(at('active'), (group) => group.accept(wim, RENEW, citing(group, 'a')))).toEqual([0, 1])
    expect(moves(at('active'), (group) => group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() }))).toEqual([0, 1])
    expect(moves(at('active'), (group) => group.pass(300).due())).toEqual([0, 1])
    expect(moves(at('active'), (group) => group.replaceSession(wim))).toEqual([0, 1])
  })

  it('stays when artifacts are published or usage is charged', () => {
    expect(moves(at('active'), (group) => publish(group, 'a'))).toEqual([0, 0])
    expect(moves(at('active'), (group) => group.accept(wim, CHARGE, { ...citing(group, 'a'), usageDelta: { modelTokens: 1 } }))).toEqual([0, 0])
  })
})

describe('an Event’s aggregateRevision', () => {
  it('is that of its aggregate after it', () => {
    const group = at('verified')
    const [submitted] = submitMission(group, 'a')
    expect(submitted?.aggregateRevision).toBe(group.state.mission.revision)
    const revisions = group.log.filter(({ workItemId, kind }) => workItemId === workId('a') && kind.startsWith('work.')).map(({ aggregateRevision }) => aggregateRevision)
    expect(revisions).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('is the Membership Epoch for Memberships and the sequence for talk', () => {
    const group = new GroupFixture().found()
    const [changed] = group.accept(ada, 'membership.change', { member: wim, role: 'reviewer' })
    expect(changed?.aggregateRevision).toBe(2)
    const [posted] = group.accept(wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] })
    expect(posted?.aggregateRevision).toBe(posted?.sequence)
  })
})

/** Kinds that found a Group or belong to a Space of the Organization, and the archive, which a snapshot of this Group has to come with. */
const ELSEWHERE: ReadonlySet<string> = new Set([GROUP_ARCHIVE, 'mission.create', 'mission.create_follow_up', POLICY_CHANGE, PROFILE_APPROVE, PROFILE_RETIRE, SESSION_OPEN, AGENT_CARD_REGISTER])

/** The example of the kind, about the work and the Message that there are. */
function payloadOf(kind: CommandPayloadKind): never {
  const { workItemId, parentWorkItemId, messageId, amendmentId, artifact, approval, ...others } = exampleCommandPayloads[kind] as Record<string, object | undefined>
  return {
    ...others,
    ...(workItemId && { workItemId: workId('a') }),
    ...(parentWorkItemId && { parentWorkItemId: workId('a') }),
    ...(messageId && { messageId: urnOf('m') }),
    ...(amendmentId && { amendmentId }),
    ...(artifact && { artifact: { ...artifact, workItemId: workId('a') } }),
    ...(approval && { approval: { ...approval, workItemId: workId('a') } }),
  } as never
}

describe('expectedRevision', () => {
  it.each(commandPayloadKinds.filter((kind) => !ELSEWHERE.has(kind)))('A-223: %s is refused at any other revision', (kind) => {
    const group = at('queued')
    group.accept(ada, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] })
    expect(group.refusal(ada, kind, payloadOf(kind), { expectedRevision: 999 })).toMatchObject({ code: 'REVISION_CONFLICT', expectedRevision: 999 })
  })
})
