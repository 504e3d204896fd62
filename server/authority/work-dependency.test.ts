import { describe, expect, it } from 'vitest'
import { WORK_DEPENDENCY_ADD } from '../../protocol/kinds.ts'
import { ada, cora, urnOf, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, block, offerTo, reach, recordOf, submitMission, workId } from '../testing/work-scenario.ts'

const names = ['a', 'b', 'c', 'd'] as const

function founded(): GroupFixture {
  const group = new GroupFixture().found()
  for (const name of names) reach(group, name, 'open')
  return group
}

const add = (name: string, dependency: string) => ({ workItemId: workId(name), dependencyId: workId(dependency) })

describe('core.work_dependency_add', () => {
  it('makes the next version of the contract, with the dependencies in order (A-140, A-141)', () => {
    const group = founded()
    const { revision } = group.state.mission
    const [event] = group.accept(cora, WORK_DEPENDENCY_ADD, add('a', 'c'))
    expect(event).toMatchObject({ kind: 'work.contract.revised', aggregateRevision: 2, payload: { contractVersion: 2, dependencyId: workId('c'), state: 'open' } })
    expect(event?.payload).not.toHaveProperty('fencedOwner')
    group.accept(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))
    const { item } = recordOf(group, 'a')
    expect(item).toMatchObject({ state: 'open', revision: 3, contract: { contractVersion: 3, dependencyWorkItemIds: [workId('b'), workId('c')].sort() } })
    expect(group.state.mission.revision).toBe(revision + 2)
  })

  it('holds the start of the work until it is met (A-171)', () => {
    const group = founded()
    group.accept(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))
    advance(group, 'a', 'offered', 'queued')
    const start = { workItemId: workId('a'), ownershipEpoch: 1 }
    expect(group.refusal(wim, 'work.start', start)).toMatchObject({ code: 'INVALID_STATE_TRANSITION', details: { waitsFor: [workId('b')] } })
    advance(group, 'b', 'offered', 'verified')
    expect(group.accept(wim, 'work.start', start)).toHaveLength(1)
  })

  it('leaves offers standing: who accepts then accepts the revised contract (A-141)', () => {
    const group = founded()
    advance(group, 'a', 'offered', 'offered')
    group.accept(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))
    expect(recordOf(group, 'a').item).toMatchObject({ state: 'offered', offers: [{ status: 'pending' }] })
    group.accept(wim, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wim) })
    expect(recordOf(group, 'a').item).toMatchObject({ state: 'queued', contract: { contractVersion: 2 } })
  })

  it.each([
    ['queued', (group: GroupFixture) => advance(group, 'a', 'offered', 'queued')],
    ['blocked', (group: GroupFixture) => (advance(group, 'a', 'offered', 'active'), block(group, 'a'))],
    ['queued under a lapsed ownership', (group: GroupFixture) => (advance(group, 'a', 'offered', 'queued'), group.pass(3600))],
  ])('fences the owner of %s work, which needs a fresh offer and acceptance (A-141)', (_, bring) => {
    const group = founded()
    bring(group)
    const [event] = group.accept(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))
    expect(event?.payload).toMatchObject({ state: 'open', fencedOwner: wim.id })
    const record = recordOf(group, 'a')
    expect(record).toMatchObject({ ownershipEpoch: 2, item: { state: 'open' } })
    for (const member of ['ownershipLease', 'blockedLease']) expect(record).not.toHaveProperty(member)
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('WORK_STALE_OWNERSHIP')
    advance(group, 'a', 'offered', 'queued')
    expect(recordOf(group, 'a').ownershipEpoch).toBe(3)
  })

  it.each([1, 2, 3, 4])('refuses a cycle of length %i (A-171)', (length) => {
    const group = founded()
    const chain = names.slice(0, length)
    for (const [index, name] of chain.slice(0, -1).entries()) group.accept(cora, WORK_DEPENDENCY_ADD, add(name, chain[index + 1] ?? name))
    expect(group.refusal(cora, WORK_DEPENDENCY_ADD, add(chain.at(-1) ?? 'a', 'a'))).toMatchObject({ code: 'INVALID_COMMAND', message: 'the dependencies would form a cycle' })
  })

  it('allows a diamond: two ways to one dependency are no cycle (A-171)', () => {
    const group = founded()
    for (const [name, dependency] of [['a', 'b'], ['a', 'c'], ['b', 'd'], ['c', 'd']] as const) group.accept(cora, WORK_DEPENDENCY_ADD, add(name, dependency))
    expect(recordOf(group, 'a').item.contract.dependencyWorkItemIds).toHaveLength(2)
  })

  it('refuses a dependency that is there already or that does not exist', () => {
    const group = founded()
    group.accept(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))
    expect(group.code(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(cora, WORK_DEPENDENCY_ADD, { workItemId: workId('a'), dependencyId: urnOf('nothing') })).toBe('INVALID_COMMAND')
    expect(group.code(cora, WORK_DEPENDENCY_ADD, { workItemId: urnOf('nothing'), dependencyId: workId('a') })).toBe('INVALID_COMMAND')
  })

  it('is the Coordinator’s, while the Mission runs (A-119)', () => {
    const group = founded()
    for (const actor of [ada, wim]) expect(group.code(actor, WORK_DEPENDENCY_ADD, add('a', 'b'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, WORK_DEPENDENCY_ADD, add('a', 'b'), { expectedRevision: 7 })).toBe('REVISION_CONFLICT')
    for (const name of names) advance(group, name, 'offered', 'verified')
    submitMission(group, 'a')
    expect(group.code(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))).toBe('INVALID_STATE_TRANSITION')
    expect(group.pass(86_400).code(cora, WORK_DEPENDENCY_ADD, add('a', 'b'))).toBe('WORK_LEASE_EXPIRED')
  })
})
