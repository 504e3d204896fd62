import { describe, expect, test } from 'vitest'
import { MISSION_RECONCILE } from '../protocol/kinds.ts'
import { ada, agentCard, otto, verifiedSignature } from '../server/testing/cast.ts'
import { GroupFixture } from '../server/testing/group-fixture.ts'
import { block, reach, standingOf, workId } from '../server/testing/work-scenario.ts'
import { GroupMirror } from './group-mirror.ts'
import { stockOf } from './reconcile.ts'

function takenOver(): GroupFixture {
  const group = new GroupFixture().found()
  group.cards.set(otto.id, agentCard(otto))
  group.sessionEpochs.set(otto.id, 1)
  reach(group, 'done', 'verified')
  reach(group, 'a', 'active')
  block(group, 'a')
  reach(group, 'b', 'offered')
  group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'No answer.' })
  return group
}

function mirrorOf(group: GroupFixture): GroupMirror {
  const mirror = new GroupMirror()
  for (const event of group.log) mirror.apply(event)
  return mirror
}

function send(group: GroupFixture): void {
  const { contextPackage, workItems } = stockOf(mirrorOf(group), otto.id)
  group.accept(otto, MISSION_RECONCILE, { contextPackage: { ...contextPackage, signature: verifiedSignature(group.now) }, workItems })
}

describe('taking stock', () => {
  test('A-121: what a successor makes of the log is accepted by the authority', () => {
    const group = takenOver()
    const { contextPackage, workItems } = stockOf(mirrorOf(group), otto.id)
    expect(workItems).toEqual(standingOf(group))
    expect(workItems.map(({ workItemId, state }) => [workItemId, state])).toEqual([[workId('a'), 'blocked'], [workId('b'), 'offered']])
    expect(contextPackage.unresolvedQuestions).toEqual(['Do a: A licence text is missing. Somebody finds it.'])
    send(group)
    expect(group.state.takeover).toBeUndefined()
  })

  test('A-203: the next stocktaking is a later version of the one before', () => {
    const group = takenOver()
    send(group)
    group.pass(86_401).accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'It is back.' })
    send(group)
    expect([...group.state.contextPackages.values()].map(({ version }) => version)).toEqual([1, 2])
  })

  test('a mirror that has not seen the Mission from its beginning has nothing to say', () => {
    expect(() => stockOf(new GroupMirror(), otto.id)).toThrow(RangeError)
  })
})
