import { describe, expect, it } from 'vitest'
import { encodeRows, joinRows, latestRows } from './read-model-rows.ts'
import type { MembershipRow, MissionRow, ReadModelRows } from './read-models.ts'

const none: ReadModelRows = { memberships: [], nodes: [], edges: [], artifacts: [], executions: [] }
const mission: MissionRow = { spaceId: 'urn:x:s', missionId: 'urn:x:m', title: 'T', state: 'active', ownerId: 'urn:x:o' }
const member = (memberId: string, membershipEpoch: number): MembershipRow => ({
  spaceId: 'urn:x:s', memberId, role: 'worker', state: 'active', membershipEpoch, visibilityStartSequence: 0, missionId: 'urn:x:m',
})

describe('read-model rows', () => {
  it('keep the last of rows that replace one another, and every other row', () => {
    const rows = latestRows({
      ...none,
      memberships: [member('a', 1), member('b', 1), member('a', 2)],
      executions: [{ workItemId: 'w', holderAgentId: 'a' }, { workItemId: 'w', holderAgentId: null }],
      nodes: [{ sequence: 1, kind: 'k' }, { sequence: 2, kind: 'k' }],
    })
    expect(rows.memberships).toEqual([member('a', 2), member('b', 1)])
    expect(rows.executions).toEqual([{ workItemId: 'w', holderAgentId: null }])
    expect(rows.nodes).toHaveLength(2)
  })

  it('join batches so that the newest Mission stays', () => {
    const joined = joinRows([{ ...none, mission }, { ...none, mission: { ...mission, state: 'approved' }, memberships: [member('a', 1)] }, none])
    expect(joined).toEqual({ ...none, mission: { ...mission, state: 'approved' }, memberships: [member('a', 1)] })
    expect(joinRows([none])).toEqual(none)
  })

  it('encode to one text whatever their order', () => {
    const edges = [{ child: 10, parent: 9, provenance: 'reply' }, { child: 10, parent: 2, provenance: 'reply' }, { child: 9, parent: 2, provenance: 'cause' }] as const
    const rows = { ...none, mission, memberships: [member('b', 1), member('a', 1)], edges }
    const other = { ...none, edges: [...edges].reverse(), memberships: [member('a', 1), member('b', 1)], mission }
    expect(encodeRows(rows)).toBe(encodeRows(other))
    expect(JSON.parse(encodeRows(rows))).toMatchObject({ edges: [edges[2], edges[1], edges[0]] })
  })

  it('encode differently when one member differs', () => {
    expect(encodeRows({ ...none, mission })).not.toBe(encodeRows({ ...none, mission: { ...mission, state: 'approved' } }))
  })

  it('replace U+0000 in a title, as the database must', () => {
    expect(latestRows({ ...none, mission: { ...mission, title: 'a\0b' } }).mission?.title).toBe('a\uFFFDb')
  })
})
