import { beforeEach, describe, expect, it } from 'vitest'
import type { Budget } from '../../protocol/generated/types.ts'
import { MISSION_BUDGET_RAISED, MISSION_CHILD_BUDGET_RAISE, MISSION_CHILD_BUDGET_RAISED, RESOURCE_USAGE_RECORD } from '../../protocol/kinds.ts'
import { ada, cora, wanda, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { MissionTree } from '../testing/mission-tree.ts'
import { approve, citing, reach, recordOf, submitMission, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const before: Budget = { currency: 'EUR', financialLimit: 8, modelTokenLimit: 60 }
const raise = (changes: Partial<Budget>) => ({ workItemId: workId('a'), budget: { ...before, ...changes }, reason: 'The handbook is longer than expected.' })
/** In the parent's Mission and WorkItem and, as it is held there, in the child's account. */
const limits = ({ state }: GroupFixture, id: string) => {
  const { limit, allocated, held } = state.ledgers.get(id)!
  return { limit: limit.modelTokenLimit, allocated: allocated.modelTokens, held: held.modelTokens }
}

let tree: MissionTree
let root: GroupFixture
let child: GroupFixture

/** A child Mission with 60 of the 100 model tokens of its WorkItem, in a Mission that has 300 and tool calls besides. */
beforeEach(() => {
  tree = new MissionTree(new GroupFixture('root').found({ budget: { currency: 'EUR', financialLimit: 100, modelTokenLimit: 300, toolCallLimit: 5 } }))
  ;({ root } = tree)
  reach(root, 'a', 'open', { contract: { budget: { currency: 'EUR', financialLimit: 20, modelTokenLimit: 100 } } })
  child = tree.child(root, 'child', 'a')
})

const give = (changes: Partial<Budget>) => root.accept(cora, MISSION_CHILD_BUDGET_RAISE, raise(changes))

describe('ext.countersign.mission.child_budget_raise', () => {
  it('A-197, A-206: holds more for the child in every account above, and the child has it then', () => {
    const { missionId } = child.state.mission
    const { revision } = recordOf(root, 'a').item
    const [event, ...rest] = root.accept(cora, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 90 }), { expectedRevision: revision })
    expect(rest).toEqual([])
    expect(event).toMatchObject({ kind: MISSION_CHILD_BUDGET_RAISED, actor: cora, aggregateRevision: revision + 1, workItemId: workId('a'), payload: { childMissionId: missionId, previousBudget: before, budget: { modelTokenLimit: 90 } } })
    expect(event?.payload).not.toHaveProperty('contract')
    expect(limits(root, missionId)).toEqual({ limit: 90, allocated: 0, held: 90 })
    expect(limits(root, workId('a'))).toEqual({ limit: 100, allocated: 90, held: 90 })
    expect(limits(root, root.state.mission.missionId)).toEqual({ limit: 300, allocated: 100, held: 90 })
    expect(limits(child, missionId).limit).toBe(60)
    const [followed, ...others] = tree.settle()
    expect(others).toEqual([])
    expect(followed).toMatchObject({ kind: MISSION_BUDGET_RAISED, cause: { type: 'event', id: event?.eventId }, payload: { missionId, previousBudget: before, budget: { ...before, modelTokenLimit: 90 }, reason: 'The handbook is longer than expected.' } })
    expect(child.state.mission).toMatchObject({ revision: followed?.aggregateRevision, budget: { modelTokenLimit: 90 } })
    expect(limits(child, missionId).limit).toBe(90)
    for (const group of [root, child]) expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-126: stands in the Policy Log of both Groups', () => {
    give({ modelTokenLimit: 90 })
    tree.settle()
    expect(root.state.policyLog.at(-1)).toMatchObject({ decision: MISSION_CHILD_BUDGET_RAISED, actor: cora })
    expect(child.state.policyLog.at(-1)).toMatchObject({ decision: MISSION_BUDGET_RAISED })
  })

  it('A-206, A-141: lets the contract grow by what it lacks, with its next version', () => {
    const [event] = give({ modelTokenLimit: 130, toolCallLimit: 5 })
    const { contract } = recordOf(root, 'a').item
    expect(event?.payload).toMatchObject({ contract: { contractVersion: 2, budget: { currency: 'EUR', financialLimit: 20, modelTokenLimit: 130, toolCallLimit: 5 } } })
    expect(contract).toEqual((event?.payload as { contract: unknown }).contract)
    expect(limits(root, workId('a'))).toEqual({ limit: 130, allocated: 130, held: 130 })
    expect(limits(root, root.state.mission.missionId)).toEqual({ limit: 300, allocated: 130, held: 130 })
  })

  it.each<[string, Partial<Budget>]>([
    ['than the Mission above has left to hand out', { modelTokenLimit: 121 }],
    ['of what the Mission above has none of', { externalSideEffectLimit: 1 }],
  ])('A-25, A-198: gives no more %s, and changes nothing', (_, changes) => {
    root = new GroupFixture('root').found({ budget: { currency: 'EUR', financialLimit: 100, modelTokenLimit: 220, toolCallLimit: 5 } })
    tree = new MissionTree(root)
    reach(root, 'a', 'open', { contract: { budget: { currency: 'EUR', financialLimit: 20, modelTokenLimit: 100 } } })
    reach(root, 'b', 'open', { contract: { budget: { modelTokenLimit: 100 } } })
    child = tree.child(root, 'child', 'a')
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, raise(changes))).toBe('BUDGET_EXCEEDED')
    expect(root.judge(root.command(cora, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 120 }))).ok).toBe(true)
  })

  it('A-25: counts what the item itself has charged before it became a Mission', () => {
    reach(root, 'b', 'active', { contract: { budget: { modelTokenLimit: 100 } } })
    root.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(root, 'b'), usageDelta: { modelTokens: 40 } })
    tree.child(root, 'second', 'b', { changes: { budget: { modelTokenLimit: 50 } } })
    const grown = { workItemId: workId('b'), budget: { modelTokenLimit: 70 }, reason: 'More.' }
    expect(root.accept(cora, MISSION_CHILD_BUDGET_RAISE, grown)[0]?.payload).toMatchObject({ contract: { budget: { modelTokenLimit: 110 } } })
  })

  it('A-25, A-198: counts what work above has used, whatever it may hand out', () => {
    reach(root, 'b', 'active', { contract: { budget: { modelTokenLimit: 100 } } })
    root.accept(wim, RESOURCE_USAGE_RECORD, { ...citing(root, 'b'), usageDelta: { modelTokens: 80 } })
    root.accept(cora, 'work.authorize', { workItemId: workId('part'), parentWorkItemId: workId('b'), contract: workContract({ budget: { modelTokenLimit: 10 } }) })
    tree.child(root, 'second', 'part', { changes: { budget: { modelTokenLimit: 10 } } })
    const grown = (modelTokenLimit: number) => ({ workItemId: workId('part'), budget: { modelTokenLimit }, reason: 'More.' })
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, grown(21))).toBe('BUDGET_EXCEEDED')
    expect(root.accept(cora, MISSION_CHILD_BUDGET_RAISE, grown(20))).toHaveLength(1)
  })

  it.each<[string, string, Partial<Budget>]>([
    ['no more', 'INVALID_COMMAND', {}],
    ['less of something', 'INVALID_COMMAND', { modelTokenLimit: 90, financialLimit: 7 }],
    ['another currency', 'INVALID_COMMAND', { modelTokenLimit: 90, currency: 'USD' }],
  ])('A-197: refuses a budget with %s', (_, code, changes) => {
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, raise(changes))).toBe(code)
  })

  it('A-119, A-218: is the Parent Coordinator’s, under a live lease, while the child runs', () => {
    expect(root.code(ada, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 90 }))).toBe('AUTH_FORBIDDEN')
    expect(root.code(wim, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 90 }))).toBe('AUTH_FORBIDDEN')
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 90 }), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    reach(root, 'b', 'open')
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, { ...raise({ modelTokenLimit: 90 }), workItemId: workId('b') })).toBe('INVALID_STATE_TRANSITION')
    child.accept(cora, 'mission.cancel', { reason: 'Enough.' })
    tree.settle()
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 90 }))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-159: gives nothing to the child of work that has ended, although the child does not know of it yet', () => {
    root.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'Not needed.' })
    expect(recordOf(root, 'a')).toMatchObject({ item: { state: 'cancelled' }, child: { state: 'running' } })
    expect(root.code(cora, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 130 }))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-118: takes a lease that has not run out', () => {
    expect(root.pass(86_400).code(cora, MISSION_CHILD_BUDGET_RAISE, raise({ modelTokenLimit: 90 }))).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-22: is recorded once, and a later raise that came first stands', () => {
    give({ modelTokenLimit: 70 })
    give({ modelTokenLimit: 90 })
    const [first, second] = root.reactions.slice(-2)
    expect(child.react(second!)).toHaveLength(1)
    expect(child.react(second!)).toEqual([])
    expect(child.react(first!)).toEqual([])
    expect(child.state.mission.budget.modelTokenLimit).toBe(90)
  })

  it('A-113: leaves the revision that was submitted, which is approved as it is', () => {
    reach(child, 'part', 'verified', { contract: { budget: { modelTokenLimit: 5 }, deadline: '2026-12-18T18:00:00Z' }, worker: wanda })
    submitMission(child, 'part')
    const { revision } = child.state.mission
    give({ modelTokenLimit: 90 })
    expect(tree.settle()).toMatchObject([{ kind: MISSION_BUDGET_RAISED, aggregateRevision: revision }])
    expect(child.state.mission).toMatchObject({ revision, budget: { modelTokenLimit: 90 } })
    expect(child.accept(cora, 'mission.approve', approve(child))).toHaveLength(1)
  })

  it('A-198: goes back with the end of the child, but for what was used', () => {
    give({ modelTokenLimit: 130 })
    tree.settle()
    child.accept(cora, 'mission.cancel', { reason: 'Enough.' })
    tree.settle()
    expect(limits(root, root.state.mission.missionId)).toMatchObject({ held: 0 })
    root.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'Not needed.' })
    expect(limits(root, root.state.mission.missionId)).toEqual({ limit: 300, allocated: 0, held: 0 })
  })

  it('A-197: lets a child that has handed out everything hand out more', () => {
    reach(child, 'part', 'open', { contract: { budget: { modelTokenLimit: 60 }, deadline: '2026-12-18T18:00:00Z' } })
    const more = { workItemId: workId('other'), contract: workContract({ budget: { modelTokenLimit: 10 }, deadline: '2026-12-18T18:00:00Z' }) }
    expect(child.code(wim, 'work.authorize', more)).toBe('BUDGET_EXCEEDED')
    give({ modelTokenLimit: 70 })
    tree.settle()
    expect(child.accept(wim, 'work.authorize', more)).toHaveLength(1)
  })
})
