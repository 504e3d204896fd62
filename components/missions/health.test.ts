import { describe, expect, it } from 'vitest'
import type { MissionSummary } from '../trpc.tsx'
import { healthSentence, signaturesAsked, sortByUrgency } from './health.ts'

const mission = (health: MissionSummary['status']['health'], deadline = '2026-12-01T00:00:00Z', waitingOnMe = false) =>
  ({ status: { health, sentence: '', because: '' }, deadline, waitingOnMe, startsWaitingOnMe: 0 }) as MissionSummary

describe('health of missions', () => {
  it('puts what fails before what waits, and what is due sooner before what is due later', () => {
    const sorted = sortByUrgency([mission('healthy'), mission('blocked', '2026-12-03T00:00:00Z'), mission('failing'), mission('blocked', '2026-12-02T00:00:00Z')])
    expect(sorted.map(({ status, deadline }) => `${status.health} ${deadline.slice(8, 10)}`)).toEqual(['failing 01', 'blocked 02', 'blocked 03', 'healthy 01'])
  })

  it('counts every signature that is asked for, the result’s and each start’s (A-196)', () => {
    const missions = [mission('waiting-on-person', undefined, true), { ...mission('healthy'), startsWaitingOnMe: 2 }, mission('healthy')]
    expect(signaturesAsked(missions)).toBe(3)
    expect(healthSentence(missions)).toBe('2 wait on you, 1 is healthy.')
  })

  it('answers in one sentence', () => {
    expect(healthSentence([mission('waiting-on-person', undefined, true), mission('failing'), mission('blocked'), mission('healthy')])).toBe('1 waits on you, 2 are failing or blocked, 1 is healthy.')
    expect(healthSentence([mission('finished')])).toBe('Everything is finished.')
    expect(healthSentence([])).toBe('There are no missions yet.')
  })
})
