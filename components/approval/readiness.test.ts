import { describe, expect, it } from 'vitest'
import type { ArtifactCheck } from '../artifacts/artifact-check.ts'
import type { ObstacleCode, ReviewState } from './readiness.ts'
import { obstaclesTo, remarksFor, warningsFor } from './readiness.ts'
import { earlierDecision, hashOf, reviewArtifact, reviewFixture } from './review-fixture.ts'

const shown: ArtifactCheck = { state: 'match', preview: { kind: 'text', text: 'x' } }
const hidden: ArtifactCheck = { state: 'match', preview: { kind: 'none', reason: 'application/pdf is not shown in the page' } }
const mismatch: ArtifactCheck = { state: 'mismatch', actualHash: hashOf('else'), reason: 'the bytes have another hash than the one submitted' }
const unreadable: ArtifactCheck = { state: 'unreadable', reason: 'the server does not have it' }

const [a, b] = [reviewArtifact('a.md', 'a'), reviewArtifact('b.pdf', 'b')]
const review = (over: Partial<ReviewState> = {}): ReviewState => ({
  view: reviewFixture([a, b]),
  checks: new Map([[a.contentHash, shown], [b.contentHash, shown]]),
  acknowledged: new Set(),
  opened: new Set([a.contentHash, b.contentHash]),
  comment: '',
  conditions: [],
  delta: [],
  ...over,
})
const withCheck = (check: ArtifactCheck | undefined): ReviewState =>
  review({ checks: new Map([[a.contentHash, shown], ...(check ? [[b.contentHash, check] as const] : [])]) })
const codes = (decision: 'approved' | 'changes_requested', state: ReviewState): readonly ObstacleCode[] => obstaclesTo(decision, state).map((obstacle) => obstacle.code)

describe('approval is barred (signing rules 2, 4, 9, 19)', () => {
  it('by nothing once every artifact was hashed here and can be seen', () => {
    expect(codes('approved', review())).toEqual([])
  })

  it.each<[string, ArtifactCheck | undefined, ObstacleCode]>([
    ['an artifact not fetched yet', undefined, 'checking'],
    ['an artifact being hashed', { state: 'checking' }, 'checking'],
    ['a hash that differs', mismatch, 'mismatch'],
    ['an artifact that cannot be read', unreadable, 'unreadable'],
    ['an artifact without preview that was not ticked', hidden, 'not-acknowledged'],
  ])('by %s', (_, check, code) => {
    expect(obstaclesTo('approved', withCheck(check))).toMatchObject([{ code, contentHash: b.contentHash, sentence: expect.stringContaining('b.pdf') as string }])
  })

  it('by a submitted hash without manifest, and by a manifest that was not submitted', () => {
    expect(codes('approved', review({ view: reviewFixture([a, b], {}, { artifactHashes: [a.contentHash, b.contentHash, hashOf('c')] }) }))).toEqual(['manifest-missing'])
    expect(codes('approved', review({ view: reviewFixture([a, b], {}, { artifactHashes: [a.contentHash] }) }))).toEqual(['manifest-missing'])
  })

  it('by a mission that moved, a missing key, another owner, and a decided submission', () => {
    expect(codes('approved', review({ delta: ['Revision moved from 17 to 18 while you were reading.'] }))).toEqual(['review-moved'])
    expect(codes('approved', review({ keyObstacle: 'Your authority key was revoked.' }))).toEqual(['no-key'])
    const view = reviewFixture([a, b])
    expect(codes('approved', review({ view: { ...view, decider: view.mission.coordinator } }))).toEqual(['not-decider'])
    expect(codes('approved', review({ view: { ...view, mission: { ...view.mission, state: 'active' } } }))).toEqual(['nothing-submitted', ])
  })

  it('A-207: for the human at the root, once that decision is signed', () => {
    const view = reviewFixture([a, b], { isChild: true, signed: earlierDecision(17) })
    expect(obstaclesTo('approved', review({ view: { ...view, decider: view.mission.coordinator } }))).toMatchObject([{ code: 'not-decider', sentence: 'You have signed your decision; Report worker decides next.' }])
  })

  it('once per content, however many WorkItems published it', () => {
    const twice = reviewFixture([a, { ...a, workItemId: 'urn:uuid:00000000-0000-4000-8000-0000000000ff' }], {}, { artifactHashes: [a.contentHash] })
    expect(codes('approved', review({ view: twice, checks: new Map([[a.contentHash, unreadable]]) }))).toEqual(['unreadable'])
  })
})

describe('requesting changes', () => {
  it('needs a comment', () => {
    expect(codes('changes_requested', review({ comment: ' \n' }))).toEqual(['comment-missing'])
    expect(codes('changes_requested', review({ comment: 'The table is wrong.' }))).toEqual([])
  })

  it('stays open when an artifact fails its check, which the signed comment then says', () => {
    const state = { ...withCheck(mismatch), comment: 'Broken.' }
    expect(codes('changes_requested', state)).toEqual([])
    expect(remarksFor('changes_requested', state)).toEqual([`Not verified: b.pdf (${b.contentHash}): the bytes have another hash than the one submitted`])
  })

  it.each(['approved', 'changes_requested'] as const)('and %s refuse a comment that with its remarks exceeds the schema', (decision) => {
    expect(codes(decision, review({ comment: 'x'.repeat(10_000) }))).toEqual([])
    expect(codes(decision, review({ comment: 'x'.repeat(10_001) }))).toEqual(['comment-too-long'])
    expect(codes(decision, review({ comment: 'x', conditions: ['y'.repeat(2_001)] }))).toEqual(['condition-too-long'])
  })
})

describe('what the signer is told', () => {
  it('ticking an artifact without preview goes into the signed comment (rule 4)', () => {
    const state = { ...withCheck(hidden), acknowledged: new Set([b.contentHash]) }
    expect(codes('approved', state)).toEqual([])
    expect(remarksFor('approved', state)).toEqual([`Approved without preview: b.pdf (${b.contentHash})`])
  })

  it('missing evidence and unopened previews warn (rules 5 and 13)', () => {
    const view = reviewFixture([a, b], { criteria: [{ criterionId: 'licences', description: '', required: [], satisfied: false }] })
    expect(warningsFor('approved', review({ view, opened: new Set([a.contentHash]) }))).toEqual([
      '“licences” is not proven.', 'You have not opened the preview of 1 artifact.',
    ])
    expect(warningsFor('changes_requested', review({ view, opened: new Set() }))).toEqual([])
  })
})
