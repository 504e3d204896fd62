import { describe, expect, it } from 'vitest'
import { areaWord, rulingSentence } from './ruling-words.ts'

describe('a ruling in words', () => {
  it.each([
    [{ area: 'authorization', outcome: 'refused', reason: 'only the MissionOwner may do this' }, 'Only the MissionOwner may do this.'],
    [{ area: 'escalation', outcome: 'refused', reason: 'The limit is 4!' }, 'The limit is 4!'],
    [{ area: 'redaction', outcome: 'allowed', reason: 'It names a customer.' }, 'A message was redacted: It names a customer.'],
    [{ area: 'redaction', outcome: 'allowed' }, 'A message was redacted.'],
    [{ area: 'redaction', outcome: 'allowed', reason: '' }, 'A message was redacted.'],
    [{ area: 'tomorrow', outcome: 'allowed' }, 'tomorrow.'],
  ] as const)('of %j is a sentence', (ruling, words) => {
    expect(rulingSentence(ruling)).toBe(words)
  })

  it('names its area, and an unknown one as it is written', () => {
    expect([areaWord('escalation'), areaWord('tomorrow')]).toEqual(['Limits and escalation', 'tomorrow'])
  })
})
