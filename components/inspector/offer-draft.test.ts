import { describe, expect, it } from 'vitest'
import { validateCommandPayload } from '../../protocol/validate.ts'
import type { OfferView } from '../trpc.tsx'
import { offerDraft } from './offer-draft.ts'

const urn = (digit: string) => `urn:uuid:00000000-0000-4000-8000-00000000000${digit}`
const [required, held] = [{ id: 'release.report', version: '1.0.0' }, { id: 'release.report', version: '1.2.0' }]
const candidate = (id: string): OfferView['candidates'][number] => ({ who: { id, type: 'agent', name: id }, verifiedMatches: [held] })
const offer: OfferView = { workItemId: urn('1'), revision: 3, deadline: '2026-12-01T00:00:00Z', requiredCapabilities: [required], candidates: [candidate(urn('2')), candidate(urn('3'))] }
const now = '2026-11-30T10:00:00.000Z'
const draft = (candidateIds: readonly string[]) => offerDraft(offer, { candidateIds, seconds: 600 }, 'Nobody answers.', now)

describe('the offer of an owner who steps in', () => {
  it('A-117, A-170: says why, to whom, and what the cards vouch for, as the schema wants it', () => {
    const made = draft([urn('3')])
    expect(made).toMatchObject({ kind: 'work.offer', workItemId: urn('1'), expectedRevision: 3, payload: { candidateAgentIds: [urn('3')], overrideReason: 'Nobody answers.', selectionBasis: { requiredCapabilities: [required], verifiedMatches: [held] } } })
    expect(validateCommandPayload('work.offer', made?.payload)).toBeUndefined()
  })

  it('A-170: names each version that one of the chosen cards vouches for once, of nobody else', () => {
    const older = { ...candidate(urn('3')), verifiedMatches: [required] }
    const mixed: OfferView = { ...offer, candidates: [candidate(urn('2')), older, candidate(urn('4')), { ...candidate(urn('5')), verifiedMatches: [{ id: 'release.report', version: '9.0.0' }] }] }
    const made = offerDraft(mixed, { candidateIds: [urn('2'), urn('3'), urn('4')], seconds: 600 }, 'Nobody answers.', now)
    expect(made?.payload).toMatchObject({ selectionBasis: { verifiedMatches: [held, required] } })
    expect(validateCommandPayload('work.offer', made?.payload)).toBeUndefined()
  })

  it('keeps the order in which the candidates are listed, whoever was ticked first', () => {
    expect((draft([urn('3'), urn('2')])?.payload as { candidateAgentIds: string[] }).candidateAgentIds).toEqual([urn('2'), urn('3')])
  })

  it('A-149: leaves out whoever was ticked and can no longer take the work', () => {
    const gone: OfferView = { ...offer, candidates: [candidate(urn('2')), { ...candidate(urn('3')), whyNot: 'It has no valid card.' }] }
    const made = offerDraft(gone, { candidateIds: [urn('2'), urn('3')], seconds: 600 }, 'Nobody answers.', now)
    expect(made?.payload).toMatchObject({ candidateAgentIds: [urn('2')] })
    expect(offerDraft(gone, { candidateIds: [urn('3')], seconds: 600 }, 'Nobody answers.', now)).toBeUndefined()
  })

  it('cannot be signed while nobody is chosen, nor for somebody who is not listed', () => {
    expect([draft([]), draft([urn('9')])]).toEqual([undefined, undefined])
  })
})
