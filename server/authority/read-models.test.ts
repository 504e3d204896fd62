import { describe, expect, it } from 'vitest'
import { ada, ben, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { progress } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { block, citing, fail, reach, submitMission, workId } from '../testing/work-scenario.ts'
import { evolve } from './evolve.ts'
import { encodeRows, joinRows, latestRows } from './read-model-rows.ts'
import { rowsOf } from './read-models.ts'
import type { GroupState } from './types.ts'

const founded = () => new GroupFixture().found()

describe('rows of the founding Event', () => {
  const group = new GroupFixture()
  group.found()
  const rows = rowsOf(group.log.slice(0, 1), replay(group.log.slice(0, 1)))

  it('name the Mission, both members and one node', () => {
    const spaceId = group.state.groupId
    const missionId = group.state.mission.missionId
    expect(rows).toEqual({
      mission: { spaceId, missionId, title: 'Release one', state: 'active', ownerId: ada.id },
      memberships: [
        { spaceId, memberId: ada.id, role: 'mission_owner', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0, missionId },
        { spaceId, memberId: cora.id, role: 'coordinator', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0, missionId },
      ],
      nodes: [{ sequence: 1, kind: 'mission.created' }],
      edges: [],
      artifacts: [],
      executions: [],
    })
  })
})

describe('rows of later Events', () => {
  it('follow the Mission and its Memberships', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    const events = [...submitMission(group, 'a'), ...group.accept(ada, 'membership.change', { member: ben, role: 'observer' }), ...group.accept(ada, 'membership.end', { member: ben, reason: 'No.' })]
    const rows = rowsOf(events, group.state)
    expect(rows.mission).toMatchObject({ state: 'awaiting_approval' })
    expect(rows.memberships).toMatchObject([{ memberId: ben.id, state: 'ended', membershipEpoch: 2 }])
  })

  it('index Messages and publications by sequence', () => {
    const group = founded()
    reach(group, 'a', 'published')
    const published = group.state.sequence
    const events = group.accept(wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] }, { workItemId: workId('a') })
    const conversationId = `${group.state.groupId}:work:${workId('a')}`
    expect(rowsOf(events, group.state).mission).toBeUndefined()
    expect(rowsOf(events, group.state).nodes).toEqual([{ sequence: published + 1, kind: 'message.posted', conversationId, workItemId: workId('a') }])
    const [artifact] = [...group.state.artifacts.values()].flat()
    expect(rowsOf(group.log.slice(published - 1, published), group.state).artifacts).toEqual([{ sequence: published, contentHash: artifact?.contentHash, artifactId: artifact?.artifactId, workItemId: workId('a') }])
  })

  it.each([
    ['starts', 'wim', (group: GroupFixture) => group.log.slice(-1)],
    ['checkpoints', null, (group: GroupFixture) => group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })],
    ['loses its lease', null, (group: GroupFixture) => group.pass(300).due()],
    ['is replaced by a newer Session', null, (group: GroupFixture) => group.replaceSession(wim)],
    ['waits for others under a blocked lease', wim, (group: GroupFixture) => block(group, 'a')],
    ['loses its blocked lease', null, (group: GroupFixture) => (block(group, 'a'), group.pass(900).due())],
    ['goes on after a block', null, (group: GroupFixture) => (block(group, 'a'), group.accept(cora, 'work.unblock', { workItemId: workId('a'), resolution: 'Found.' }))],
    ['sees its work fail', null, (group: GroupFixture) => fail(group, 'a')],
    ['sees its work cancelled', null, (group: GroupFixture) => group.accept(ada, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })],
  ])('say who executes when a worker %s', (_, holder, act) => {
    const group = founded()
    reach(group, 'a', 'active')
    expect(rowsOf(act(group), group.state).executions).toEqual([{ workItemId: workId('a'), holderAgentId: holder === null ? null : wim.id }])
  })
})

describe('batches', () => {
  it('of any size come to the same stored rows', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    reach(group, 'b', 'active', { worker: wanda })
    group.accept(wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }], references: [workId('a'), group.log[2]?.eventId ?? ''] })
    group.pass(300).due()
    fail(group, 'b')
    submitWithoutB(group)
    const stored = [1, 3, 7, group.log.length].map((size) => encodeRows(latestRows(joinRows(inBatches(group, size)))))
    expect(new Set(stored).size).toBe(1)
  })

  it('of nothing say nothing', () => {
    expect(rowsOf([], founded().state)).toEqual({ memberships: [], nodes: [], edges: [], artifacts: [], executions: [] })
  })
})

/** Drops the failed WorkItem `b` from the submission. */
function submitWithoutB(group: GroupFixture): void {
  const artifactHashes = [...group.state.artifacts.keys()].slice(0, 1)
  group.accept(cora, 'mission.submit_for_approval', { artifactHashes, summary: 'Done.', openRisks: [], dropped: [{ workItemId: workId('b'), reason: 'No.' }] })
}

function inBatches(group: GroupFixture, size: number) {
  let state: GroupState | undefined
  const batches = []
  for (let at = 0; at < group.log.length; at += size) {
    const events = group.log.slice(at, at + size)
    for (const event of events) state = evolve(state, event)
    if (state) batches.push(rowsOf(events, state))
  }
  return batches
}
