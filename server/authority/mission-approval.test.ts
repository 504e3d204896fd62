import { describe, expect, it } from 'vitest'
import type { Approval, MissionSubmitForApprovalPayload } from '../../protocol/generated/types.ts'
import { ada, ben, cora, hashOf, urnOf, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, approve, artifactName, fail, publish, reach, requestChanges, submitMission, workId } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()
const resultOf = (name: string) => hashOf(artifactName(name))
const submission = (changes: Partial<MissionSubmitForApprovalPayload> = {}) => ({ artifactHashes: [resultOf('a')], summary: 'All done.', openRisks: ['none known'], dropped: [], ...changes })

/** One verified WorkItem `a`, submitted: revision 3 (created 1, authorized 2, result accepted 3). */
function submitted(): GroupFixture {
  const group = founded()
  reach(group, 'a', 'verified')
  submitMission(group, 'a')
  return group
}

describe('mission.submit_for_approval', () => {
  it('puts one revision and one artifact set before the owner (A-111, A-124)', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    const [event] = group.accept(cora, 'mission.submit_for_approval', submission(), { expectedRevision: 3 })
    expect(event).toMatchObject({ kind: 'mission.submitted_for_approval', aggregateRevision: 3, payload: { missionRevision: 3, submissionNumber: 1, artifactHashes: [resultOf('a')], openRisks: ['none known'] } })
    expect(group.state.mission).toMatchObject({ state: 'awaiting_approval', revision: 3 })
    expect(group.state.submissions).toMatchObject([{ submissionNumber: 1, missionRevision: 3, sequence: event?.sequence, submittedAt: group.now, outcome: 'pending' }])
  })

  it('stops work until the owner has answered', () => {
    const group = submitted()
    expect(group.code(cora, 'work.authorize', { workItemId: workId('b'), contract: workContract() })).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(wim, 'work.propose', { proposalId: urnOf('p'), contract: workContract() })).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(cora, 'mission.submit_for_approval', submission())).toBe('INVALID_STATE_TRANSITION')
  })

  it('needs verified work', () => {
    const group = founded()
    expect(group.code(cora, 'mission.submit_for_approval', submission())).toBe('INVALID_STATE_TRANSITION')
    reach(group, 'a', 'published')
    group.accept(ada, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })
    expect(group.code(cora, 'mission.submit_for_approval', submission())).toBe('INVALID_STATE_TRANSITION')
  })

  it.each(['open', 'offered', 'queued', 'active', 'submitted'] as const)('names the WorkItem that is still %s', (stage) => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', stage)
    expect(group.refusal(cora, 'mission.submit_for_approval', submission())).toMatchObject({ code: 'INVALID_STATE_TRANSITION', details: { workItemId: workId('b'), state: stage } })
  })

  it('passes over cancelled work', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', 'open')
    group.accept(cora, 'work.cancel', { workItemId: workId('b'), reason: 'Not needed.' })
    expect(group.accept(cora, 'mission.submit_for_approval', submission())).toHaveLength(1)
  })

  it('passes over failed work only when it was replaced by verified work or is dropped with a reason (A-165)', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', 'open')
    fail(group, 'b')
    expect(group.code(cora, 'mission.submit_for_approval', submission())).toBe('INVALID_STATE_TRANSITION')
    const dropped = [{ workItemId: workId('b'), reason: 'The supplier is gone.' }]
    const [event] = group.accept(cora, 'mission.submit_for_approval', submission({ dropped }))
    expect(event?.payload).toMatchObject({ dropped })
  })

  it('follows replacements that failed in turn to the one that was verified', () => {
    const group = founded()
    reach(group, 'a', 'open')
    fail(group, 'a')
    const replace = (name: string, replaced: string) => group.accept(cora, 'work.authorize', { workItemId: workId(name), contract: workContract(), replacesWorkItemId: workId(replaced) })
    replace('b', 'a')
    fail(group, 'b')
    replace('c', 'b')
    reach(group, 'other', 'verified')
    const payload = submission({ artifactHashes: [resultOf('other')] })
    expect(group.code(cora, 'mission.submit_for_approval', payload)).toBe('INVALID_STATE_TRANSITION')
    advance(group, 'c', 'offered', 'verified')
    expect(group.accept(cora, 'mission.submit_for_approval', payload)).toHaveLength(1)
  })

  it('drops failed work only, and each item once', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    const drop = (...names: string[]) => submission({ dropped: names.map((name) => ({ workItemId: workId(name), reason: 'No.' })) })
    expect(group.code(cora, 'mission.submit_for_approval', drop('a'))).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'mission.submit_for_approval', drop('unknown'))).toBe('INVALID_COMMAND')
    reach(group, 'b', 'open')
    fail(group, 'b')
    expect(group.code(cora, 'mission.submit_for_approval', drop('b', 'b'))).toBe('INVALID_COMMAND')
  })

  it('takes artifacts of verified work only', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', 'published')
    fail(group, 'b')
    const dropped = [{ workItemId: workId('b'), reason: 'No.' }]
    const code = (artifactHashes: string[]) => group.code(cora, 'mission.submit_for_approval', submission({ artifactHashes, dropped }))
    expect(code([hashOf('unknown')])).toBe('INVALID_COMMAND')
    expect(code([resultOf('a'), resultOf('b')])).toBe('INVALID_COMMAND')
  })

  it('takes content that verified and failed work published alike', () => {
    const group = founded()
    reach(group, 'a', 'published')
    fail(group, 'a')
    reach(group, 'b', 'active')
    publish(group, 'b', {}, artifactName('a'))
    advance(group, 'b', 'submitted', 'verified')
    const dropped = [{ workItemId: workId('a'), reason: 'No.' }]
    expect(group.accept(cora, 'mission.submit_for_approval', submission({ dropped }))).toHaveLength(1)
  })

  it('is the Coordinator’s, at the Mission’s revision', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    expect(group.refusal(cora, 'mission.submit_for_approval', submission(), { expectedRevision: 2 })).toMatchObject({ code: 'REVISION_CONFLICT', currentRevision: 3 })
    expect(group.code(wim, 'mission.submit_for_approval', submission(), { coordinatorEpoch: 1 })).toBe('AUTH_FORBIDDEN')
    expect(group.pass(86_400).code(cora, 'mission.submit_for_approval', submission())).toBe('WORK_LEASE_EXPIRED')
  })
})

describe('mission.approve', () => {
  it('completes the Mission at the submitted revision (A-24, A-113)', () => {
    const group = submitted()
    const payload = approve(group)
    const [event] = group.accept(ada, 'mission.approve', payload, { expectedRevision: 3 })
    expect(event).toMatchObject({ kind: 'mission.approved', aggregateRevision: 3, payload })
    expect(group.state.mission).toMatchObject({ state: 'approved', revision: 3 })
    expect(group.state.submissions).toMatchObject([{ outcome: 'approved', approval: payload.approval }])
    expect(group.state.sequenceOf.get(payload.approval.approvalId)).toBe(event?.sequence)
  })

  it('takes the artifact set in any order', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', 'verified')
    submitMission(group, 'a', 'b')
    expect(group.accept(ada, 'mission.approve', approve(group, { artifactHashes: [resultOf('b'), resultOf('a')] }))).toHaveLength(1)
  })

  it.each<[string, Partial<Approval>]>([
    ['another revision', { missionRevision: 2 }],
    ['fewer artifacts', { artifactHashes: [resultOf('b')] }],
    ['more artifacts', { artifactHashes: [resultOf('a'), resultOf('b')] }],
    ['another acceptance policy', { acceptancePolicyVersion: '2.0.0' }],
  ])('refuses an Approval of %s (A-223)', (_, changes) => {
    const group = submitted()
    expect(group.code(ada, 'mission.approve', approve(group, changes))).toBe('REVISION_CONFLICT')
  })

  it.each<[string, Partial<Approval>]>([
    ['another Mission', { missionId: urnOf('other') }],
    ['another Group', { groupId: urnOf('other') }],
    ['one WorkItem', { workItemId: workId('a') }],
    ['somebody else', { approver: ben }],
    ['an execution', { kind: 'work_execution', workItemId: workId('a') }],
    ['a refusal', { decision: 'denied' }],
    ['a request for changes', { decision: 'changes_requested' }],
  ])('refuses a document that is about, by or for %s', (_, changes) => {
    const group = submitted()
    expect(group.code(ada, 'mission.approve', approve(group, changes))).toBe('INVALID_COMMAND')
  })

  it('is the owner’s alone, with an authority key', () => {
    const group = submitted()
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })
    expect(group.code(ben, 'mission.approve', approve(group, { approver: ben }))).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'mission.approve', approve(group), { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, 'mission.approve', approve(group), { expectedRevision: 2 })).toBe('REVISION_CONFLICT')
  })

  it('is final (A-116)', () => {
    const group = submitted()
    group.accept(ada, 'mission.approve', approve(group))
    expect(group.code(ada, 'mission.approve', approve(group, { approvalId: urnOf('again') }))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(ada, 'mission.cancel', { reason: 'Too late.' })).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(cora, 'work.authorize', { workItemId: workId('b'), contract: workContract() })).toBe('INVALID_STATE_TRANSITION')
  })

  it('answers a submission, not an active Mission', () => {
    const group = founded()
    expect(group.code(ada, 'mission.approve', approve(group))).toBe('INVALID_STATE_TRANSITION')
  })

  it('refuses an Approval id that is in use (A-14)', () => {
    const group = submitted()
    group.accept(ada, 'mission.request_changes', requestChanges(group, { approvalId: urnOf('first') }))
    submitMission(group, 'a')
    expect(group.code(ada, 'mission.approve', approve(group, { approvalId: urnOf('first') }))).toBe('INVALID_COMMAND')
  })

  it('asks for no policy version where the Mission has none', () => {
    const group = new GroupFixture().found({ approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false } })
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    expect(group.accept(ada, 'mission.approve', approve(group, { acceptancePolicyVersion: '3.0.0' }))).toHaveLength(1)
  })
})

describe('mission.request_changes', () => {
  it('reopens the same Mission at the next revision (A-112, A-124)', () => {
    const group = submitted()
    const payload = requestChanges(group, { comments: 'The list lacks licences.' })
    const [event] = group.accept(ada, 'mission.request_changes', payload)
    expect(event).toMatchObject({ kind: 'mission.changes_requested', aggregateRevision: 4, payload: { feedback: 'The list lacks licences.', newRevision: 4, approval: payload.approval } })
    expect(group.state.mission).toMatchObject({ state: 'active', revision: 4 })
  })

  it('keeps earlier submissions beside the next one', () => {
    const group = submitted()
    group.accept(ada, 'mission.request_changes', requestChanges(group))
    reach(group, 'b', 'verified')
    submitMission(group, 'a', 'b')
    expect(group.state.submissions).toMatchObject([
      { submissionNumber: 1, missionRevision: 3, outcome: 'changes_requested' },
      { submissionNumber: 2, missionRevision: 6, outcome: 'pending' },
    ])
    expect(group.code(ada, 'mission.approve', approve(group, { missionRevision: 3, artifactHashes: [resultOf('a')] }))).toBe('REVISION_CONFLICT')
    expect(group.accept(ada, 'mission.approve', approve(group))).toHaveLength(1)
  })

  it.each(['', '   \n'])('has to say what to change (%j)', (comments) => {
    const group = submitted()
    expect(group.code(ada, 'mission.request_changes', requestChanges(group, { comments }))).toBe('INVALID_COMMAND')
  })

  it('refuses an Approval that approves, another set, and everybody but the owner', () => {
    const group = submitted()
    expect(group.code(ada, 'mission.request_changes', approve(group))).toBe('INVALID_COMMAND')
    expect(group.code(ada, 'mission.request_changes', requestChanges(group, { artifactHashes: [] }))).toBe('REVISION_CONFLICT')
    expect(group.code(cora, 'mission.request_changes', requestChanges(group))).toBe('AUTH_FORBIDDEN')
  })
})
