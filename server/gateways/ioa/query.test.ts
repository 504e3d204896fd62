import { describe, expect, it } from 'vitest'
import { directionOf, flagOf, forkDepthOf, isSearchable, limitOf } from './query.ts'

const query = (text: string) => new URLSearchParams(text)
const unusable = { ok: false, error: { status: 422, detail: expect.any(String) } }

describe('limit', () => {
  it.each([['limit=7', 7], ['limit=%2B7', 7], ['limit=', undefined], ['', undefined], ['limit=3&limit=x', 3]])('%s is %s', (text, value) => {
    expect(limitOf(query(text), 100)).toEqual({ ok: true, value })
  })
  it.each(['0', '-1', '1.5', 'x', '1e2', ' 1', '101', '99999999999999999999'])('%s is refused', (text) => {
    expect(limitOf(query(`limit=${text}`), 100)).toEqual(unusable)
  })
})

describe('all', () => {
  it.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('%s is true', (text) => expect(flagOf(query(`all=${text}`), 'all')).toEqual({ ok: true, value: true }))
  it.each(['0', 'f', 'F', 'FALSE', 'false', 'False', ''])('"%s" is false', (text) => expect(flagOf(query(`all=${text}`), 'all')).toEqual({ ok: true, value: false }))
  it.each(['yes', 'tRUE', '2'])('%s is refused', (text) => expect(flagOf(query(`all=${text}`), 'all')).toEqual(unusable))
})

it('direction is up, down or both', () => {
  expect(['direction=upstream', 'direction=downstream', 'direction=', ''].map((text) => directionOf(query(text)))).toEqual(['upstream', 'downstream', 'both', 'both'].map((value) => ({ ok: true, value })))
  expect(directionOf(query('direction=sideways'))).toEqual(unusable)
})

it('IOA repair: fork_depth has a ceiling, and an unusable one is 1', () => {
  expect(['', '0', '-3', 'x', '1', '2', '100', '101', '99999999999999999999'].map((depth) => forkDepthOf(query(`fork_depth=${depth}`)))).toEqual([1, 1, 1, 1, 1, 2, 100, 100, 100])
})

it('what no text may hold is not looked for', () => {
  expect(['after=a', 'after=%00', 'sender=%ff'].map((text) => isSearchable(query(text)))).toEqual([true, false, true])
})
