import { describe, expect, it } from 'vitest'
import { validateCommandPayload } from '../../protocol/validate.ts'
import { draftFaults, emptyDraft, payloadOf, withExample, type MissionDraft } from './mission-draft.ts'

const now = Date.parse('2026-11-29T12:00:00Z')
const ids = { missionId: 'urn:uuid:11111111-1111-4111-8111-111111111111', groupId: 'urn:uuid:22222222-2222-4222-8222-222222222222' }
const ready: MissionDraft = { ...withExample(emptyDraft(ids, now)), coordinatorAgentId: 'urn:uuid:33333333-3333-4333-8333-333333333333' }

describe('a mission draft', () => {
  it('with the example and a coordinator has no fault and fits the payload schema', () => {
    expect(draftFaults(ready, now)).toEqual({})
    expect(validateCommandPayload('mission.create', payloadOf(ready))).toBeUndefined()
  })

  it('is created with the human approval that a root mission demands', () => {
    expect(payloadOf(ready).approvalPolicy.finalHumanApproval).toBe(true)
  })

  it('keeps its ids, so that signing it twice cannot found two missions', () => {
    expect([payloadOf(ready), payloadOf({ ...ready, title: 'Changed' })].map(({ missionId }) => missionId)).toEqual([ids.missionId, ids.missionId])
  })

  it('names every field that an empty draft lacks', () => {
    expect(Object.keys(draftFaults(emptyDraft(ids, now), now)).sort()).toEqual(['coordinatorAgentId', 'criteria', 'objective', 'title'])
  })

  it.each<[string, Partial<MissionDraft>, string]>([
    ['a deadline that has passed', { deadline: '2020-01-01T00:00' }, 'deadline'],
    ['no deadline', { deadline: '' }, 'deadline'],
    ['a criterion whose name has capitals', { criteria: [{ ...ready.criteria[0]!, criterionId: 'Link Check' }] }, 'criteria'],
    ['two criteria of one name', { criteria: [ready.criteria[0]!, ready.criteria[0]!].map((one) => ({ ...one })) }, 'criteria'],
    ['a criterion without evidence', { criteria: [{ ...ready.criteria[0]!, evidenceRequired: [] }] }, 'criteria'],
    ['a cost without a currency', { budget: { ...ready.budget, currency: '' } }, 'budget'],
    ['a negative limit', { budget: { ...ready.budget, toolCallLimit: '-1' } }, 'budget'],
    ['a limit beyond whole numbers', { budget: { ...ready.budget, modelTokenLimit: '9007199254740993' } }, 'budget'],
    ['no limit at all', { budget: { currency: 'EUR', financialLimit: '', modelTokenLimit: '', toolCallLimit: '', computeSecondsLimit: '', wallClockSecondsLimit: '', externalSideEffectLimit: '' } }, 'budget'],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, 'title'],
  ])('refuses %s', (_, change, field) => {
    expect(Object.keys(draftFaults({ ...ready, ...change }, now))).toEqual([field])
  })

  it('leaves a limit out when its field is empty', () => {
    const { budget } = payloadOf({ ...ready, budget: { ...ready.budget, financialLimit: '', toolCallLimit: '' } })
    expect(budget).toEqual({ modelTokenLimit: 1_000_000, computeSecondsLimit: 7_200, wallClockSecondsLimit: 86_400, externalSideEffectLimit: 100 })
  })
})
