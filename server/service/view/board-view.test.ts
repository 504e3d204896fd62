import { expect, it } from 'vitest'
import { MISSION_BUDGET_RAISE, MISSION_CHILD_BUDGET_RAISE, RESOURCE_USAGE_RECORD, WORK_OFFER_DECLINE } from '../../../protocol/kinds.ts'
import { ada, cora, urnOf, wanda, wim } from '../../testing/cast.ts'
import { progress, workContract } from '../../testing/documents.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { childPayload, MissionTree } from '../../testing/mission-tree.ts'
import { block, citing, executionApproval, offerTo, reach, workId } from '../../testing/work-scenario.ts'
import { boardItems } from './board-view.ts'
import type { Naming } from './participants.ts'
import { statusLine } from './status-line.ts'

const naming: Naming = ({ id, type }) => ({ id, type, name: id, online: true })
const blockers = (group: GroupFixture) =>
  boardItems(group.state, naming, group.now).flatMap((item) => item.blockers.map(({ sentence }) => sentence))

it('says what blocked work waits for (A-186)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  expect(blockers(group)).toEqual([])
  block(group, 'a', { reason: 'A licence text is missing.', unblockCondition: 'Somebody finds it.' })
  expect(blockers(group)).toEqual(['Blocked: A licence text is missing. Goes on when: Somebody finds it.'])
})

it('goes by the log and not by what is told: phase and milestones, never a percentage (A-123)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  reach(group, 'b', 'queued', { contract: { dependencyWorkItemIds: [workId('a')] } })
  const told = progress({ currentPhase: '100 % done', completedMilestones: ['Read'], blockers: [] })
  group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: told })
  group.accept(cora, 'message.post', { messageId: urnOf('boast'), content: [{ type: 'text', text: 'Everything is verified.' }] })
  const [a, b] = boardItems(group.state, naming, group.now)
  expect([a?.state, a?.progress]).toEqual(['queued', { phase: '100 % done', milestones: ['Read'] }])
  expect([b?.dependsOn, b?.blockers.length]).toEqual([[{ workItemId: workId('a'), goal: expect.any(String), state: 'queued' }], 1])
})

it('says that nothing is left of the budget of queued work (A-197)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  group.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(group, 'a'), usageDelta: { modelTokens: 99 } })
  group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
  expect(blockers(group)).toEqual([])
  group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })
  group.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(group, 'a'), usageDelta: { modelTokens: 1 } })
  expect(blockers(group)).toEqual([])
  group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
  expect(blockers(group)).toEqual(['Its budget is used up (Model tokens); the Coordinator has to offer it again with more, or end it'])
})

it('says that the owner has to raise the budget once all of it is handed out and used (A-197)', () => {
  const group = new GroupFixture().found({ budget: { currency: 'EUR', financialLimit: 100, modelTokenLimit: 100 } })
  const status = () => statusLine(group.state, { name: naming, me: ada.id, now: group.now })
  reach(group, 'a', 'active')
  group.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(group, 'a'), usageDelta: { modelTokens: 100 } })
  group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
  expect(blockers(group)).toEqual([expect.stringMatching(/^Its budget is used up \(Model tokens\), and so is all that the mission can hand out; .+ has to raise the budget$/)])
  expect(status()).toMatchObject({ health: 'waiting-on-person', actor: { id: ada.id }, because: expect.stringContaining('you have to raise the budget') })
  group.accept(ada, MISSION_BUDGET_RAISE, { budget: { currency: 'EUR', financialLimit: 100, modelTokenLimit: 200 }, reason: 'There is more to do.' })
  expect(blockers(group)).toEqual(['Its budget is used up (Model tokens); the Coordinator has to offer it again with more, or end it'])
  expect(status().health).not.toBe('waiting-on-person')
})

it('says that the Coordinator has to act once every candidate has declined (A-169)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'offered')
  expect(boardItems(group.state, naming, group.now)).toMatchObject([{ blockers: [], offeredTo: [{ id: wim.id }] }])
  group.accept(wim, WORK_OFFER_DECLINE, { workItemId: workId('a'), offerId: offerTo(group, 'a', wim), reason: 'capacity' })
  expect(blockers(group)).toEqual(['Every candidate declined; the Coordinator has to offer it again'])
  expect(boardItems(group.state, naming, group.now)[0]).not.toHaveProperty('offeredTo')
})

it('flags queued work that waits for a person, until the owner has approved its start (A-196)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required' } })
  const gates = () => boardItems(group.state, ({ id, type }) => ({ id, type, name: 'Ada' }), group.now).map(({ startGate }) => startGate)
  expect(blockers(group)).toEqual([`Waits for execution approval by ${ada.id}`])
  expect(gates()).toEqual([{ personId: ada.id, ownershipEpoch: 1, contractVersion: 1, resources: [{ resource: 'urn:example:repository', operations: ['read'] }], budget: { currency: 'EUR', financialLimit: 10, modelTokenLimit: 100 }, acceptancePolicyVersion: '1.0.0' }])
  group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a'))
  expect([blockers(group), gates()]).toEqual([[], [undefined]])
})

it('says of a child Mission that whoever owns it has to raise its budget, which is no person (A-197, A-206)', () => {
  const tree = new MissionTree()
  reach(tree.root, 'report', 'open')
  const child = tree.child(tree.root, 'two', 'report', { changes: { coordinatorAgentId: wanda.id }, worker: wim })
  reach(child, 'part', 'active', { contract: { budget: { modelTokenLimit: 60 }, deadline: '2026-12-18T18:00:00Z' } })
  child.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(child, 'part'), usageDelta: { modelTokens: 60 } })
  child.accept(wim, 'work.checkpoint', { ...citing(child, 'part'), progress: progress() })
  const status = () => statusLine(child.state, { name: naming, me: ada.id, now: child.now })
  expect(blockers(child)).toEqual([expect.stringContaining(`${cora.id} has to raise the budget`)])
  expect(status()).toMatchObject({ health: 'blocked', actor: { id: cora.id } })
  tree.root.accept(cora, MISSION_CHILD_BUDGET_RAISE, { workItemId: workId('report'), budget: { ...child.state.mission.budget, modelTokenLimit: 90 }, reason: 'There is more to do.' })
  tree.settle()
  expect(blockers(child)).toEqual(['Its budget is used up (Model tokens); the Coordinator has to offer it again with more, or end it'])
})

it('ties work to the proposal that it was made of, so that nobody is asked to authorize it again (A-148)', () => {
  const group = new GroupFixture('root').found()
  reach(group, 'a', 'open')
  group.accept(wim, 'work.propose', { proposalId: urnOf('p'), contract: workContract() })
  group.accept(cora, 'work.authorize', { workItemId: workId('b'), proposalId: urnOf('p'), contract: workContract() })
  const [direct, proposed] = boardItems(group.state, naming, group.now)
  expect(direct).not.toHaveProperty('proposalId')
  expect(proposed).toMatchObject({ workItemId: workId('b'), proposalId: urnOf('p') })
})

it('links work to the child Mission that does it, and says that it waits for it (A-205)', () => {
  const group = new GroupFixture('root').found()
  reach(group, 'report', 'open')
  group.accept(cora, 'mission.create_child', childPayload('two', 'report', { title: 'The report' }))
  const [item] = boardItems(group.state, ({ id, type }) => ({ id, type, name: id }), group.now)
  expect(item?.child).toMatchObject({ title: 'The report', state: 'running' })
  expect(blockers(group)).toEqual(['Waits for its own Mission “The report”'])
})

it('asks the human at the root to let work of a child Mission start, and nobody below (A-196, A-207)', () => {
  const tree = new MissionTree(new GroupFixture('root').found())
  reach(tree.root, 'report', 'open')
  const child = tree.child(tree.root, 'two', 'report', { changes: { coordinatorAgentId: wanda.id }, worker: wim })
  reach(child, 'part', 'queued', { contract: { executionApproval: 'human_required', budget: { modelTokenLimit: 5 }, deadline: '2026-12-18T18:00:00Z' } })
  expect(blockers(child)).toEqual([`Waits for execution approval by ${ada.id}`])
  expect(child.code(cora, 'approval.grant_execution', executionApproval(child, 'part', undefined, { approver: cora }))).toBe('AUTH_FORBIDDEN')
  child.accept(ada, 'approval.grant_execution', executionApproval(child, 'part', undefined, { approver: ada }))
  expect(blockers(child)).toEqual([])
})
