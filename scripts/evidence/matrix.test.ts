import { describe, expect, it } from 'vitest'
import { EVENT_KINDS, MISSION_ROWS, WORK_ROWS } from './catalogue.ts'
import { DIFFERENCES } from './differences.ts'
import { findingsOf, isMissing } from './matrix.ts'
import { conformancePage } from './page.ts'
import type { Proof } from './proofs.ts'
import { rulesIn } from './proofs.ts'

const seen = (sightings: readonly string[], title = 'saw it'): Proof => ({ file: 'a.test.ts', title, rules: rulesIn(title), sightings: sightings.map((text) => text.split(' ')) })
const finding = (subject: string, ...proofs: Proof[]) => findingsOf(proofs, []).find((one) => one.subject.startsWith(subject))!

describe('the evidence', () => {
  it('A-284: of a Command is both an acceptance and a refusal', () => {
    expect(isMissing(finding('work.start', seen(['accepted work.start'])))).toBe(true)
    expect(isMissing(finding('work.start', seen(['refused work.start AUTH_FORBIDDEN work:active'])))).toBe(true)
    expect(isMissing(finding('work.start', seen(['accepted work.start']), seen(['refused work.start AUTH_FORBIDDEN work:active'])))).toBe(false)
  })

  it('A-284: of a row is the move from each of its origins, and a refusal where the row does not apply', () => {
    const moves = ['active', 'awaiting_approval'].map((from) => `moved mission ${from} mission.cancelled cancelled`)
    const refusal = 'refused mission.cancel INVALID_STATE_TRANSITION mission:approved'
    expect(isMissing(finding('A-114 ', seen([...moves, refusal])))).toBe(false)
    expect(isMissing(finding('A-114 ', seen([moves[0]!, refusal])))).toBe(true)
    expect(isMissing(finding('A-114 ', seen(moves)))).toBe(true)
    expect(isMissing(finding('A-114 ', seen([...moves, 'refused mission.cancel REVISION_CONFLICT mission:approved'])))).toBe(true)
    expect(isMissing(finding('A-114 ', seen([...moves, 'refused mission.cancel AUTH_FORBIDDEN mission:active'])))).toBe(true)
  })

  it('is no title of a rule where something has to be seen, and is the title where a rule is named', () => {
    expect(isMissing(finding('work.start', seen([], 'work.start is accepted and refused')))).toBe(true)
    expect(isMissing(finding('A-150', seen([], 'A-147 to A-151: all of it')))).toBe(true)
    expect(rulesIn('A-147 to A-149, R-WIT-1: all of it')).toEqual(new Set(['R-WIT-1', 'A-147', 'A-148', 'A-149']))
  })
})

describe('a difference from the public reference', () => {
  const { tests = [], asks, decision } = DIFFERENCES.find(({ row }) => row === 28)!
  const note = `${decision}-a-note.md`
  const finding = (proofs: readonly Proof[], notes: readonly string[]) => findingsOf(proofs, notes).find(({ subject }) => subject === `28 ${asks}`)!
  const shown = tests.map((title) => seen([], `somewhere ${title} and more`))

  it('is shown when every one of its tests has passed and its decision is written down', () => {
    const whole = finding(shown, [note])
    expect([whole.positive.length, whole.decidedBy, isMissing(whole)]).toEqual([tests.length, note, false])
    expect(isMissing(finding(shown.slice(1), [note]))).toBe(true)
    expect(isMissing(finding(shown, ['0001-another.md']))).toBe(true)
  })

  it('is one row of the comparison, each once', () => {
    expect(DIFFERENCES.map(({ row }) => row)).toEqual(Array.from({ length: 52 }, (_, index) => index + 1))
  })
})

describe('docs/conformance.md', () => {
  it('A-284: names a narrower subset as long as one Event has no evidence', () => {
    const all = findingsOf([], []).map((one) => ({ ...one, positive: [seen([])], ...(one.negative && { negative: [seen([])] }) }))
    expect(conformancePage(all)).toContain('**full MissionWeaveProtocol 0.1 Group Authority**')
    const gap = all.map((one) => (one.subject === 'work.started' ? { ...one, positive: [] } : one))
    expect(conformancePage(gap)).toContain('these, for which evidence is missing: `work.started`.')
  })
})

it('A-283: the catalogue has every row of the two tables', () => {
  expect(MISSION_ROWS.map(({ rule }) => rule)).toEqual(Array.from({ length: 8 }, (_, index) => `A-${108 + index}`))
  const withoutMove = ['A-151']
  expect(WORK_ROWS.map(({ rule }) => rule)).toEqual(Array.from({ length: 17 }, (_, index) => `A-${148 + index}`).filter((rule) => !withoutMove.includes(rule)))
  expect([...MISSION_ROWS, ...WORK_ROWS].flatMap(({ events }) => events).filter((kind) => !EVENT_KINDS.includes(kind))).toEqual([])
})
