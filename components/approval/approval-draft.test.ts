import { describe, expect, it } from 'vitest'
import { ACT_TEMPLATE, actSentence, actWords, signedSentence } from './act-sentence.ts'
import { draftApproval, signedComments } from './approval-draft.ts'
import { reviewDelta } from './review-delta.ts'
import { earlierDecision, hashOf, reviewArtifact, reviewFixture } from './review-fixture.ts'

const [a, b] = [reviewArtifact('a.md', 'a', 'changed'), reviewArtifact('b.md', 'b')]
const stamp = { approvalId: 'urn:uuid:00000000-0000-4000-8000-0000000000aa', approverId: 'urn:uuid:00000000-0000-4000-8000-000000000001', occurredAt: '2026-11-29T10:00:00.000Z' }

describe('the sentence of the act (signing rule 6)', () => {
  it('names decision, revision, title, artifacts and what changed since the last signature', () => {
    const view = reviewFixture([a, b], { decisions: [earlierDecision(14)], removed: [reviewArtifact('c.md', 'c')] })
    expect(actSentence(view, 'approved')).toBe('Approve revision 17 of “Release 4.2”: 2 artifacts, 1 changed, 1 added and 1 removed since your decision on revision 14.')
  })

  it('says when there was no earlier decision or nothing changed', () => {
    expect(actSentence(reviewFixture([b]), 'changes_requested')).toBe('Request changes to revision 17 of “Release 4.2”: 1 artifact, your first decision on this mission.')
    const same = reviewFixture([reviewArtifact('b.md', 'b', 'same')], { decisions: [earlierDecision(16)] })
    expect(actSentence(same, 'approved')).toContain('1 artifact, none changed since your decision on revision 16.')
  })

  it('is never rewritten by a title that looks like a placeholder', () => {
    const view = reviewFixture([b])
    expect(actSentence({ ...view, mission: { ...view.mission, title: '{since} $& $1' } }, 'approved')).toContain('“{since} $& $1”')
  })

  it('R-APR-2: names the kind of the Approval in words, and never by the id of a template', () => {
    expect(actWords(reviewFixture([b], { isChild: true }))).toBe('This page asks for the approval of a child mission. Both sentences follow version 1 of their template')
    expect(actWords(reviewFixture([b]))).toBe('This page asks for the final approval of a mission. Both sentences follow version 1 of their template')
  })

  it('says what this person did, once it is signed', () => {
    const { approval, sequence } = earlierDecision(17)
    const view = reviewFixture([b])
    const [changes, approved] = (['changes_requested', 'approved'] as const).map((decision) => signedSentence(view, { approval: { ...approval, decision }, sequence }))
    expect(changes).toBe('You requested changes to revision 17 of “Release 4.2”.')
    expect(approved).toBe('You approved revision 17 of “Release 4.2”.')
  })

  it('has a template hash that names its exact wording', () => {
    expect(ACT_TEMPLATE.hash).toMatch(/^sha256:[0-9a-f]{64}$/)
  })
})

describe('the Approval', () => {
  it('names exactly what was submitted, in that order', () => {
    const view = reviewFixture([a, b], {}, { artifactHashes: [b.contentHash, a.contentHash] })
    expect(draftApproval(view, { decision: 'approved', comment: ' Fine. ', conditions: [' Rotate keys. ', ''], remarks: ['Approved without preview: x'] }, stamp)).toEqual({
      approvalId: stamp.approvalId, kind: 'mission_final', decision: 'approved', missionId: view.mission.missionId, groupId: view.mission.groupId,
      missionRevision: 17, artifactHashes: [b.contentHash, a.contentHash], acceptancePolicyVersion: '1.2.0',
      approver: { type: 'human', id: stamp.approverId }, comments: 'Fine.\n\nApproved without preview: x', conditions: ['Rotate keys.'],
      occurredAt: stamp.occurredAt,
    })
  })

  it('R-APR-2: is of another kind for a child Mission', () => {
    expect(draftApproval(reviewFixture([a], { isChild: true }), { decision: 'approved', comment: '', conditions: [], remarks: [] }, stamp).kind).toBe('child_mission')
  })

  it('has an empty comment when there is nothing to say', () => {
    expect(signedComments({ comment: '  ', remarks: [] })).toBe('')
  })
})

describe('a review that moved (signing rules 9 and 10)', () => {
  const opened = reviewFixture([a, b])

  it('is the same review while nothing it names moved', () => {
    expect(reviewDelta(opened, reviewFixture([a, b], { mission: { ...opened.mission, head: 99 } }))).toEqual([])
  })

  it('says which revision, submission and artifacts moved', () => {
    const now = reviewFixture([a, reviewArtifact('c.md', 'c')], { mission: { ...opened.mission, revision: 18 } }, { submissionNumber: 3, missionRevision: 18 })
    expect(reviewDelta(opened, now)).toEqual([
      'Revision moved from 17 to 18 while you were reading.', 'Submission 3 replaced submission 2.',
      'The submission now names revision 18 instead of 17.', '1 artifact added.', '1 artifact removed.',
    ])
  })

  it('names who decides now with every hidden character written out', () => {
    expect(reviewDelta(opened, reviewFixture([a, b], { decider: { id: 'urn:x:other', type: 'human', name: 'Ol\u200bga' } }))).toEqual(['Ol⟨U+200B⟩ga decides now.'])
  })

  it.each<[string, Parameters<typeof reviewFixture>]>([
    ['the order of artifacts', [[a, b], {}, { artifactHashes: [b.contentHash, a.contentHash] }]],
    ['the open risks', [[a, b], {}, { openRisks: ['One'] }]],
    ['the dropped work', [[a, b], {}, { dropped: [{ workItemId: hashOf('w'), goal: 'x', reason: 'y' }] }]],
    ['who decides', [[a, b], { decider: opened.mission.coordinator }]],
    ['the policy', [[a, b], { acceptancePolicyVersion: '2.0.0' }]],
    ['the state', [[a, b], { mission: { ...opened.mission, state: 'cancelled' } }]],
  ])('notices %s', (_, now) => {
    expect(reviewDelta(opened, reviewFixture(...now))).toHaveLength(1)
  })
})
