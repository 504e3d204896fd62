import { describe, expect, it } from 'vitest'
import { isConcerned } from './live-scope.ts'

const grown = new Set(['urn:uuid:1'])

describe('isConcerned', () => {
  it.each([
    ['the view of the mission that grew', [['missions', 'view'], { input: { missionId: 'urn:uuid:1' }, type: 'query' }], true],
    ['the view of another mission', [['missions', 'view'], { input: { missionId: 'urn:uuid:2' }, type: 'query' }], false],
    ['the list of missions', [['missions', 'list'], { type: 'query' }], true],
    ['the approvals', [['approvals', 'list'], { type: 'query' }], true],
    ['the agents', [['agents', 'list'], { type: 'query' }], false],
    ['a query of no procedure', ['held-keys'], false],
  ])('%s', (_, key, expected) => {
    expect(isConcerned(key, grown)).toBe(expected)
  })
})
