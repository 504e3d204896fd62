import { describe, expect, it } from 'vitest'
import { areaWord, rulingSentence } from './ruling-words.ts'

describe('a ruling in words', () => {
  it.each([
    [{ area: 'redaction', reason: 'it names a customer' }, 'It names a customer.'],
    [{ area: 'escalation', reason: 'The limit is 4!' }, 'The limit is 4!'],
    [{ area: 'redaction' }, 'A message was redacted.'],
    [{ area: 'redaction', reason: '' }, 'A message was redacted.'],
    [{ area: 'tomorrow' }, 'tomorrow.'],
  ])('of %j is a sentence', (ruling, words) => {
    expect(rulingSentence(ruling)).toBe(words)
  })

  it('names its area, and an unknown one as it is written', () => {
    expect([areaWord('escalation'), areaWord('tomorrow')]).toEqual(['Limits and escalation', 'tomorrow'])
  })
})
