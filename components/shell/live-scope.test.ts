import { describe, expect, it } from 'vitest'
import { isConcerned, spaceAt } from './live-scope.ts'

const grown = { missionIds: new Set(['urn:uuid:1']), spaceIds: new Set(['urn:uuid:8']) }

describe('isConcerned', () => {
  it.each([
    ['the view of the mission that grew', [['missions', 'view'], { input: { missionId: 'urn:uuid:1' }, type: 'query' }], true],
    ['the view of another mission', [['missions', 'view'], { input: { missionId: 'urn:uuid:2' }, type: 'query' }], false],
    ['the list of missions', [['missions', 'list'], { type: 'query' }], true],
    ['the approvals', [['approvals', 'list'], { type: 'query' }], true],
    ['what is shown of the Space that grew', [['spaces', 'messages'], { input: { spaceId: 'urn:uuid:8', limit: 50 }, type: 'query' }], true],
    ['what is shown of another Space', [['spaces', 'view'], { input: { spaceId: 'urn:uuid:1' }, type: 'query' }], false],
    ['the list of Spaces', [['spaces', 'list'], { input: { limit: 50 }, type: 'query' }], false],
    ['the agents', [['agents', 'list'], { type: 'query' }], false],
    ['a query of no procedure', ['held-keys'], false],
  ])('%s', (_, key, expected) => {
    expect(isConcerned(key, grown)).toBe(expected)
  })

  it('leaves the missions alone when only an open Space grew', () => {
    const onlySpace = { missionIds: new Set<string>(), spaceIds: new Set(['urn:uuid:8']) }
    expect([['missions', 'list'], ['approvals', 'list'], ['missions', 'view']].map((path) => isConcerned([path, { type: 'query' }], onlySpace))).toEqual([false, false, false])
  })
})

describe('the Space that a page shows', () => {
  it.each([
    ['/spaces/urn%3Auuid%3A8/graph', 'urn:uuid:8'],
    ['/spaces/urn:uuid:8', 'urn:uuid:8'],
    ['/spaces', undefined],
    ['/missions/urn%3Auuid%3A8', undefined],
  ])('at %s is %s', (path, spaceId) => {
    expect(spaceAt(path)).toBe(spaceId)
  })
})
