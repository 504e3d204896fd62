import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../../protocol/error-codes.ts'
import { LOCAL_SENTENCES, REFUSAL_SENTENCES, refusalWords } from './refusal-sentences.ts'

const rows = Object.entries({ ...REFUSAL_SENTENCES, ...LOCAL_SENTENCES })

describe('refusal sentences', () => {
  it('has one row for each of the 27 wire codes and no other (A-249 to A-275)', () => {
    expect(Object.keys(REFUSAL_SENTENCES).sort()).toEqual(Object.keys(ERROR_CODES).sort())
    expect(Object.keys(REFUSAL_SENTENCES)).toHaveLength(27)
  })

  it.each(rows)('%s says what happened and what to do, without apology, exclamation mark or code', (_, { happened, next }) => {
    for (const words of [happened, next]) {
      expect(words).toMatch(/^[A-Z].*\.$/)
      expect(words).not.toMatch(/!|sorry|please|oops|[A-Z]{3,}_/i)
    }
  })

  it('promises to have kept the bytes exactly where the same bytes may be sent again', () => {
    for (const [code, { retryable }] of Object.entries(ERROR_CODES)) {
      expect([code, /what you signed is kept/.test(REFUSAL_SENTENCES[code as keyof typeof ERROR_CODES].next)]).toEqual([code, retryable])
    }
  })

  it('leads whoever has used up a budget to who can raise it, and to no new mission (A-197)', () => {
    expect(REFUSAL_SENTENCES.BUDGET_EXCEEDED.next).toBe('See the budget on the board. The mission owner can raise that of the mission.')
  })

  it('names both revisions of a conflict', () => {
    expect(refusalWords('REVISION_CONFLICT', { expectedRevision: 6, currentRevision: 7 }).happened).toBe('Revision moved from 6 to 7 while you were reading.')
    expect(refusalWords('REVISION_CONFLICT').happened).toBe(REFUSAL_SENTENCES.REVISION_CONFLICT.happened)
  })
})
