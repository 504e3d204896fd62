import { expect, it } from 'vitest'
import { ARTIFACT_IMPORT } from '../../../protocol/kinds.ts'
import { ada, cora, hashOf, wanda } from '../../testing/cast.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { MissionTree } from '../../testing/mission-tree.ts'
import { advance, approve, artifactName, publish, reach, submitMission, workId } from '../../testing/work-scenario.ts'
import { approvalView } from './approval-view.ts'
import { artifactViews } from './mission-view.ts'
import type { Naming } from './participants.ts'

const name: Naming = ({ id, type }) => ({ id, type, name: id, online: true })
const contextOf = (group: GroupFixture) => ({ name, me: ada.id, now: group.now })
const content = hashOf(artifactName('part'))

/** A Mission whose result `part` was approved. */
function approved(): GroupFixture {
  const group = new GroupFixture('source').found()
  reach(group, 'part', 'verified')
  submitMission(group, 'part')
  group.accept(ada, 'mission.approve', approve(group))
  return group
}

function bringIn(group: GroupFixture, source: GroupFixture): void {
  group.elsewhere = new Map([[source.state.groupId, source.state]])
  const [artifact] = source.state.artifacts.get(content)!
  group.accept(ada, ARTIFACT_IMPORT, { sourceGroupId: source.state.groupId, artifactId: artifact!.artifactId, contentHash: content, reason: 'It is the same.' })
}

it('names the work of this Mission behind an artifact, and none behind what another Mission made (A-204)', () => {
  const group = new GroupFixture().found()
  reach(group, 'own', 'published')
  bringIn(group, approved())
  expect(artifactViews(group.state, contextOf(group)).map(({ workItemId, workGoal }) => [workItemId, workGoal])).toEqual([[workId('own'), 'Do own'], [workId('part'), undefined]])
})

it('names the work that a child Mission did behind what the child was approved for (A-207)', () => {
  const tree = new MissionTree()
  reach(tree.root, 'report', 'open')
  const child = tree.child(tree.root, 'child', 'report')
  reach(child, 'part', 'verified', { worker: wanda, contract: { budget: { modelTokenLimit: 5 }, deadline: '2026-12-18T18:00:00Z' } })
  submitMission(child, 'part')
  child.accept(cora, 'mission.approve', approve(child))
  tree.settle()
  expect(artifactViews(tree.root.state, contextOf(tree.root))).toMatchObject([{ workItemId: workId('report'), workGoal: 'Do report' }])
})

it('shows the approver the manifest of what this Mission made, whatever else has the same content (A-24)', () => {
  const group = new GroupFixture().found()
  reach(group, 'own', 'active')
  publish(group, 'own', {}, artifactName('part'))
  bringIn(group, approved())
  advance(group, 'own', 'submitted', 'verified')
  submitMission(group, 'part')
  expect(approvalView(group.state, contextOf(group)).artifacts).toMatchObject([{ contentHash: content, workItemId: workId('own'), artifact: { groupId: group.state.groupId } }])
})
