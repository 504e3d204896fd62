import { expect, it } from 'vitest'
import { WORK_OFFER_DECLINE } from '../../../protocol/kinds.ts'
import { ada, wim } from '../../testing/cast.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { block, executionApproval, offerTo, reach, workId } from '../../testing/work-scenario.ts'
import { boardItems } from './board-view.ts'

const blockers = (group: GroupFixture) =>
  boardItems(group.state, ({ id, type }) => ({ id, type, name: id, online: true }), group.now).flatMap((item) => item.blockers.map(({ sentence }) => sentence))

it('says what blocked work waits for (A-186)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  expect(blockers(group)).toEqual([])
  block(group, 'a', { reason: 'A licence text is missing.', unblockCondition: 'Somebody finds it.' })
  expect(blockers(group)).toEqual(['Blocked: A licence text is missing. Goes on when: Somebody finds it.'])
})

it('says that the Coordinator has to act once every candidate has declined (A-169)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'offered')
  group.accept(wim, WORK_OFFER_DECLINE, { workItemId: workId('a'), offerId: offerTo(group, 'a', wim), reason: 'capacity' })
  expect(blockers(group)).toEqual(['Every candidate declined; the Coordinator has to offer it again'])
})

it('flags queued work that waits for a person, until the owner has approved its start (A-196)', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required' } })
  const gates = () => boardItems(group.state, ({ id, type }) => ({ id, type, name: 'Ada' }), group.now).map(({ startGate }) => startGate)
  expect(blockers(group)).toEqual([`Waits for execution approval by ${ada.id}`])
  expect(gates()).toEqual([{ ownershipEpoch: 1, contractVersion: 1, resources: [{ resource: 'urn:example:repository', operations: ['read'] }], budget: { currency: 'EUR', financialLimit: 10, modelTokenLimit: 100 }, acceptancePolicyVersion: '1.0.0' }])
  group.accept(ada, 'approval.grant_execution', executionApproval(group, 'a'))
  expect([blockers(group), gates()]).toEqual([[], [undefined]])
})
