import { describe, expect, it } from 'vitest'
import type { BoardItem, MissionView } from '../trpc.tsx'
import { boardLanes, waitingOnMe } from './lanes.ts'

const item = (workItemId: string, state: string): BoardItem => ({
  workItemId, state, goal: workItemId, revision: 1, sequence: 1, deadline: '2026-12-01T00:00:00Z', dependsOn: [], blockers: [], budget: [], artifactHashes: [],
  conversationId: 'urn:x:c', attempts: 0,
})

describe('lanes of the board', () => {
  it('shows every WorkItem exactly once, in the lane of its state', () => {
    const states = ['open', 'offered', 'queued', 'active', 'blocked', 'submitted', 'verified', 'failed', 'cancelled', 'something_new']
    const lanes = boardLanes(states.map((state) => item(state, state)))
    expect(lanes.flatMap((lane) => lane.items.map((work) => work.workItemId)).sort()).toEqual([...states].sort())
    expect(lanes.find((lane) => lane.id === 'ended')?.items).toHaveLength(2)
    expect(lanes.at(-1)?.title).toBe('something_new')
  })

  it('keeps the lanes of the ordinary way in place when they are empty', () => {
    expect(boardLanes([]).map((lane) => lane.id)).toEqual(['open', 'offered', 'queued', 'active', 'submitted', 'verified'])
  })

  it('waits on me only for a decision that is mine', () => {
    const mission = {
      revision: 7, waitingOnMe: true, work: [], me: { principalId: 'urn:me' }, status: { because: 'The Coordinator submitted 2 artifacts' },
      submissions: [{ submissionNumber: 1, missionRevision: 7, outcome: 'pending', sequence: 40, submittedAt: '' }],
    } as unknown as MissionView
    expect(waitingOnMe(mission)).toEqual([{ title: 'Decide on revision 7', sentence: 'The Coordinator submitted 2 artifacts', sequence: 40 }])
    expect(waitingOnMe({ ...mission, waitingOnMe: false })).toEqual([])
    const gated = (personId: string) => ({ ...item(`work for ${personId}`, 'queued'), startGate: { personId } }) as BoardItem
    const starting = { ...mission, waitingOnMe: false, work: [gated('urn:me'), gated('urn:other'), item('open', 'queued')] } as MissionView
    expect(waitingOnMe(starting)).toMatchObject([{ title: 'Decide on a start', workItemId: 'work for urn:me' }])
  })
})
