import { beforeEach, describe, expect, it } from 'vitest'
import type { Budget } from '../../protocol/generated/types.ts'
import { MISSION_BUDGET_RAISE, MISSION_BUDGET_RAISED, RESOURCE_USAGE_RECORD } from '../../protocol/kinds.ts'
import { ada, ben, cora, wim } from '../testing/cast.ts'
import { progress, workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { MissionTree } from '../testing/mission-tree.ts'
import { advance, citing, offerPayload, reach, submitMission, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const present: Budget = { currency: 'EUR', financialLimit: 100, modelTokenLimit: 100 }
const raise = (changes: Partial<Budget>) => ({ budget: { ...present, ...changes }, reason: 'The handbook is longer than expected.' })

let group: GroupFixture

beforeEach(() => {
  group = new GroupFixture().found({ budget: present })
})

describe('ext.countersign.mission.budget_raise', () => {
  it('A-197: gives the Mission more, as a new revision that stands in the Policy Log', () => {
    const { missionId, revision } = group.state.mission
    const [event, ...rest] = group.accept(ada, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 150, toolCallLimit: 5 }))
    expect(rest).toEqual([])
    expect(event).toMatchObject({ kind: MISSION_BUDGET_RAISED, actor: ada, aggregateRevision: revision + 1, payload: { missionId, previousBudget: present, budget: { ...present, modelTokenLimit: 150, toolCallLimit: 5 } } })
    expect(group.state.mission).toMatchObject({ revision: revision + 1, budget: { modelTokenLimit: 150 } })
    expect(group.state.ledgers.get(missionId)).toMatchObject({ limit: { modelTokenLimit: 150, toolCallLimit: 5 } })
    expect(group.state.policyLog.at(-1)).toMatchObject({ entryId: event?.eventId, decision: MISSION_BUDGET_RAISED, actor: ada })
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-197: lets the Coordinator hand out more, and work goes on with a revised contract', () => {
    reach(group, 'a', 'active')
    const more = { workItemId: workId('c'), contract: workContract({ budget: { modelTokenLimit: 50 } }) }
    group.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(group, 'a'), usageDelta: { modelTokens: 100 } })
    group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })
    expect(group.code(cora, 'work.authorize', more)).toBe('BUDGET_EXCEEDED')
    group.accept(ada, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 160 }))
    expect(group.accept(cora, 'work.authorize', more)).toHaveLength(1)
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('BUDGET_EXCEEDED')
    const revised = { contract: workContract({ contractVersion: 2, budget: { currency: 'EUR', financialLimit: 10, modelTokenLimit: 110 } }) }
    group.pass(3600).accept(cora, 'work.offer', { ...offerPayload('a'), ...revised })
    expect(advance(group, 'a', 'queued', 'active').item.state).toBe('active')
  })

  it.each<[string, Partial<Budget>]>([
    ['as much as before', {}],
    ['less in one dimension, for all it has more in another', { modelTokenLimit: 99, toolCallLimit: 5 }],
    ['another currency', { currency: 'USD', financialLimit: 200 }],
    ['money finer than it is counted', { financialLimit: 100.0000001 }],
  ])('A-197: is refused with %s', (_, changes) => {
    expect(group.code(ada, MISSION_BUDGET_RAISE, raise(changes))).toBe('INVALID_COMMAND')
  })

  it('A-197: is the MissionOwner’s, with an authority key and at the present revision', () => {
    group.accept(ada, 'membership.change', { member: ben, role: 'reviewer' })
    for (const actor of [ben, cora, wim]) expect(group.code(actor, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 150 }))).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 150 }), { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
    expect(group.code(ada, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 150 }), { expectedRevision: 9 })).toBe('REVISION_CONFLICT')
  })

  it('A-206: does not widen a child Mission, whose budget is held and raised above it', () => {
    reach(group, 'a', 'open')
    const child = new MissionTree(group).child(group, 'two', 'a')
    const budget = { ...child.state.mission.budget, modelTokenLimit: 61 }
    expect(child.code(cora, MISSION_BUDGET_RAISE, { budget, reason: 'It is not enough.' })).toBe('AUTH_FORBIDDEN')
  })

  it('A-113: leaves what was submitted as it is, and comes too late for what has ended', () => {
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    expect(group.code(ada, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 150 }))).toBe('INVALID_STATE_TRANSITION')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(ada, MISSION_BUDGET_RAISE, raise({ modelTokenLimit: 150 }))).toBe('INVALID_STATE_TRANSITION')
  })
})
