import { describe, expect, it } from 'vitest'
import { countdownWords, relativeWords } from './duration.ts'

const now = Date.parse('2026-11-29T12:00:00Z')

describe('durations in words', () => {
  it.each([
    [0, '00:00'],
    [59.9, '00:59'],
    [3_599, '59:59'],
    [3_600, '1 h 00 min'],
    [86_399, '23 h 59 min'],
    [90_000, '1 d 01 h'],
    [-5, '00:00'],
  ])('counts %d seconds down as %s', (seconds, words) => {
    expect(countdownWords(seconds)).toBe(words)
  })

  it.each([
    [-30, 'now'],
    [-60, '1 minute ago'],
    [-7_199, '1 hour ago'],
    [86_400, 'tomorrow'],
    [3 * 86_400, 'in 3 days'],
    [30 * 86_400 - 1, 'in 30 days'],
    [29.4 * 86_400, 'in 29 days'],
    [29.6 * 86_400, 'in 30 days'],
    [86_399, 'tomorrow'],
    [3_599, 'in 1 hour'],
    [59, 'now'],
    [-2 * 86_400 + 1, 'yesterday'],
  ])('tells an instant %d seconds away as %s', (seconds, words) => {
    expect(relativeWords(now + seconds * 1000, now)).toBe(words)
  })
})
