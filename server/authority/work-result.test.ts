import { describe, expect, it } from 'vitest'
import type { Actor, Evidence } from '../../protocol/generated/types.ts'
import { ada, cora, hashOf, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { CRITERION, evidenceOf, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import type { Setting, Stage } from '../testing/work-scenario.ts'
import { advance, artifactName, citing, offerTo, place, reach, recordOf, workId } from '../testing/work-scenario.ts'

function at(stage: Stage, setting: Setting = {}): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', stage, setting)
  return group
}

const RESULT = hashOf(artifactName('a'))
const evidence = (group: GroupFixture, changes: Partial<Evidence> = {}, by = wim) => evidenceOf(place(group, 'a'), by, changes)
const submission = (group: GroupFixture, more: object = {}) => ({ ...citing(group, 'a'), artifactHashes: [RESULT], evidence: [evidence(group)], ...more })
const review = (group: GroupFixture, changes: Partial<Evidence> = {}) => ({ workItemId: workId('a'), evidence: [evidence(group, changes, cora)] })

describe('work.submit', () => {
  it('hands in artifacts with Evidence and releases the lease (A-157, A-182)', () => {
    const group = at('published')
    const payload = submission(group)
    const [event] = group.accept(wim, 'work.submit', payload, { expectedRevision: 4 })
    expect(event).toMatchObject({ kind: 'work.submitted', aggregateRevision: 5, payload: { releasedLeaseId: payload.executionLeaseId, evidence: payload.evidence } })
    const record = recordOf(group, 'a')
    expect(record.item).toMatchObject({ state: 'submitted', submission: { artifactHashes: [RESULT], evidenceIds: [payload.evidence[0]?.evidenceId], submittedAt: group.now } })
    expect(record).toMatchObject({ evidence: payload.evidence, ownershipLease: { state: 'active' } })
    expect(record).not.toHaveProperty('executionLease')
    expect(group.state.sequenceOf.get(payload.evidence[0]?.evidenceId ?? '')).toBe(event?.sequence)
  })

  it('needs each kind of Evidence that a criterion asks of the producer; the rest is for others to judge (A-201)', () => {
    const criterion = { criterionId: CRITERION, description: 'All.', evidenceRequired: ['deterministic_test', 'schema_validation', 'reviewer_assessment', 'human_review'] as const }
    const group = at('published', { contract: { acceptanceCriteria: [{ ...criterion, evidenceRequired: [...criterion.evidenceRequired] }] } })
    expect(group.refusal(wim, 'work.submit', submission(group))).toMatchObject({ code: 'INVALID_COMMAND', details: { criterionId: CRITERION, evidenceType: 'schema_validation' } })
    const both = [evidence(group), evidence(group, { evidenceId: urnOf('second'), type: 'schema_validation' })]
    expect(group.accept(wim, 'work.submit', submission(group, { evidence: both }))).toHaveLength(1)
  })

  it('needs Evidence for every acceptance criterion (A-201)', () => {
    const more = { criterionId: 'signed', description: 'Signed.', evidenceRequired: ['policy_check' as const] }
    const group = at('published', { contract: { acceptanceCriteria: [...workContract().acceptanceCriteria, more] } })
    expect(group.refusal(wim, 'work.submit', submission(group))).toMatchObject({ code: 'INVALID_COMMAND', message: 'no Evidence for the criterion signed' })
    const both = [evidence(group), evidence(group, { evidenceId: urnOf('second'), type: 'policy_check', criterionIds: ['signed'] })]
    expect(group.accept(wim, 'work.submit', submission(group, { evidence: both }))).toHaveLength(1)
  })

  it('takes artifacts of this work only', () => {
    const group = at('published')
    reach(group, 'b', 'published', { worker: wanda })
    const foreign = submission(group, { artifactHashes: [RESULT, hashOf(artifactName('b'))] })
    expect(group.refusal(wim, 'work.submit', foreign)).toMatchObject({ code: 'INVALID_COMMAND', details: { artifactHash: hashOf(artifactName('b')) } })
  })

  it.each<[string, Partial<Evidence>]>([
    ['about another Mission', { missionId: urnOf('x') }],
    ['about another Group', { groupId: urnOf('x') }],
    ['about other work', { workItemId: workId('b') }],
    ['of somebody else', { generatedBy: wanda }],
    ['of a person with the Agent’s id', { generatedBy: { type: 'human', id: wim.id } }],
    ['for a criterion that the contract lacks', { criterionIds: [CRITERION, 'other'] }],
    ['on an artifact of other work', { artifactHashes: [hashOf('elsewhere')] }],
    ['whose subject is other work', { subject: { type: 'work_item', id: workId('b') } }],
    ['whose subject is another Mission', { subject: { type: 'mission', id: urnOf('x') } }],
    ['whose subject is an artifact of other work', { subject: { type: 'artifact', id: hashOf('elsewhere') } }],
  ])('refuses Evidence %s (A-202)', (_, changes) => {
    const group = at('published')
    expect(group.code(wim, 'work.submit', submission(group, { evidence: [evidence(group, changes)] }))).toBe('INVALID_COMMAND')
  })

  it.each<[string, Partial<Evidence>]>([
    ['its artifact', { subject: { type: 'artifact', id: RESULT }, artifactHashes: [RESULT] }],
    ['the Mission', { subject: { type: 'mission', id: urnOf('mission one') } }],
  ])('takes Evidence whose subject is %s', (_, changes) => {
    const group = at('published')
    expect(group.accept(wim, 'work.submit', submission(group, { evidence: [evidence(group, changes)] }))).toHaveLength(1)
  })

  it('refuses one Evidence listed twice', () => {
    const group = at('published')
    expect(group.code(wim, 'work.submit', submission(group, { evidence: [evidence(group), evidence(group)] }))).toBe('INVALID_COMMAND')
  })

  it('is the executing owner’s (A-17, A-180)', () => {
    const group = at('published')
    expect(group.code(wim, 'work.submit', submission(group, { ownershipEpoch: 2 }))).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wim, 'work.submit', submission(group, { executionLeaseId: urnOf('old') }))).toBe('WORK_LEASE_EXPIRED')
    expect(group.code(wanda, 'work.submit', submission(group))).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'work.submit', submission(group), { expectedRevision: 3 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'work.submit', submission(group, { workItemId: workId('unknown') }))).toBe('INVALID_COMMAND')
    expect(group.pass(300).code(wim, 'work.submit', submission(group))).toBe('WORK_LEASE_EXPIRED')
  })

  it('happens once', () => {
    const group = at('published')
    const payload = submission(group)
    group.accept(wim, 'work.submit', payload)
    expect(group.code(wim, 'work.submit', payload)).toBe('WORK_LEASE_EXPIRED')
  })
})

/** As a child Mission will make it (O-1): what the Coordinator itself submitted is up for its review. */
function ownedByCoordinator(): GroupFixture {
  const group = at('offered')
  const acceptance = group.judge(group.command(wim, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wim) }))
  if (!acceptance.ok) throw new Error(acceptance.error.message)
  group.append(JSON.parse(JSON.stringify(acceptance.value).replaceAll(wim.id, cora.id)) as typeof acceptance.value)
  advance(group, 'a', 'active', 'submitted', { worker: cora })
  return group
}

describe('work.accept_result', () => {
  it('verifies the work and moves the Mission’s revision (A-158)', () => {
    const group = at('submitted')
    const payload = review(group)
    const [event] = group.accept(cora, 'work.accept_result', payload, { expectedRevision: 5 })
    expect(event).toMatchObject({ kind: 'work.result.accepted', aggregateRevision: 6, payload })
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ acceptedEvidence: payload.evidence, item: { state: 'verified', owner: { agentId: wim.id } } })
    expect(record).not.toHaveProperty('ownershipLease')
    expect(group.state.mission.revision).toBe(3)
    expect(group.state.ownedBy.has(wim.id)).toBe(false)
    expect(group.state.sequenceOf.get(payload.evidence[0]?.evidenceId ?? '')).toBe(event?.sequence)
  })

  it('does not ask whether ownership still lasts: the work is done', () => {
    const group = at('submitted').pass(3600)
    expect(group.accept(cora, 'work.accept_result', review(group))).toHaveLength(1)
  })

  it('does not accept on Evidence of a failure', () => {
    const group = at('submitted')
    expect(group.code(cora, 'work.accept_result', review(group, { result: 'failed' }))).toBe('INVALID_COMMAND')
    expect(group.accept(cora, 'work.accept_result', review(group, { result: 'inconclusive' }))).toHaveLength(1)
  })

  it('takes the Coordinator’s own Evidence about this work only', () => {
    const group = at('submitted')
    expect(group.code(cora, 'work.accept_result', review(group, { generatedBy: wim }))).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'work.accept_result', review(group, { criterionIds: ['other'] }))).toBe('INVALID_COMMAND')
  })

  it('takes Evidence of other Agents of the Group, but never of the producer about its own work (A-122, A-201)', () => {
    const group = at('submitted')
    const [own] = review(group).evidence
    const by = (generatedBy: Actor) => ({ workItemId: workId('a'), evidence: [evidence(group, {}, generatedBy), ...(own ? [own] : [])] })
    for (const stranger of [wim, otto, ada, { type: 'human', id: wanda.id } as const]) expect(group.code(cora, 'work.accept_result', by(stranger))).toBe('INVALID_COMMAND')
    const observing = at('submitted')
    observing.accept(ada, 'membership.change', { member: wanda, role: 'observer' })
    expect(observing.code(cora, 'work.accept_result', by(wanda))).toBe('INVALID_COMMAND')
    expect(group.accept(cora, 'work.accept_result', by(wanda))).toHaveLength(1)
    expect(recordOf(group, 'a').acceptedEvidence.map(({ generatedBy }) => generatedBy.id)).toEqual([wanda.id, cora.id])
  })

  it('needs a reviewer’s assessment where a criterion asks for one (A-201)', () => {
    const acceptanceCriteria = [{ criterionId: CRITERION, description: 'Well written.', evidenceRequired: ['reviewer_assessment' as const] }]
    const group = at('submitted', { contract: { acceptanceCriteria } })
    expect(group.refusal(cora, 'work.accept_result', review(group))).toMatchObject({ code: 'INVALID_COMMAND', details: { evidenceType: 'reviewer_assessment' } })
    expect(group.accept(cora, 'work.accept_result', review(group, { type: 'reviewer_assessment' }))).toHaveLength(1)
  })

  it('does not let a Coordinator review its own output alone (A-122, row 38)', () => {
    const group = ownedByCoordinator()
    expect(group.code(cora, 'work.accept_result', review(group))).toBe('AUTH_FORBIDDEN')
    const seconded = { workItemId: workId('a'), evidence: [...review(group).evidence, evidence(group, {}, wanda)] }
    expect(group.accept(cora, 'work.accept_result', seconded)).toHaveLength(1)
  })

  it('is the Coordinator’s (A-119)', () => {
    const group = at('submitted')
    const byWorker = { workItemId: workId('a'), evidence: [evidence(group)] }
    expect(group.code(wim, 'work.accept_result', byWorker, { coordinatorEpoch: 1 })).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'work.accept_result', review(group), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(cora, 'work.accept_result', { ...review(group), workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    expect(group.pass(86_400).code(cora, 'work.accept_result', review(group))).toBe('WORK_LEASE_EXPIRED')
  })

  it.each(['open', 'offered', 'queued', 'active', 'verified'] as const)('refuses %s work', (stage) => {
    const group = at(stage)
    expect(group.code(cora, 'work.accept_result', review(group))).toBe('INVALID_STATE_TRANSITION')
  })

  it('is over with the Mission', () => {
    const group = at('submitted')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(cora, 'work.accept_result', review(group))).toBe('INVALID_STATE_TRANSITION')
  })
})
