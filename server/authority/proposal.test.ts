import { describe, expect, it } from 'vitest'
import type { WorkContract } from '../../protocol/generated/types.ts'
import { ada, ben, cora, urnOf, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { reach, workId } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()
const proposal = (changes: Partial<WorkContract> = {}, more: object = {}) => ({ proposalId: urnOf('p'), contract: workContract(changes), ...more })

describe('work.propose', () => {
  it('records an open proposal and moves the Mission’s revision (A-147)', () => {
    const group = founded()
    const [event] = group.accept(wim, 'work.propose', proposal(), { expectedRevision: 1 })
    expect(event).toMatchObject({ kind: 'work.proposed', aggregateRevision: 2, payload: { proposal: { proposalId: urnOf('p'), proposedBy: wim, status: 'open', createdAt: group.now } } })
    expect(event).not.toHaveProperty('workItemId')
    expect(group.state.proposals.get(urnOf('p'))).toEqual({ ...proposal(), proposedBy: wim, status: 'open', createdAt: group.now })
    expect(group.state.workItems.size).toBe(0)
    expect(group.state.mission.revision).toBe(2)
  })

  it('is open to every member and allocates nothing (A-137)', () => {
    const group = founded()
    group.accept(ada, 'membership.change', { member: ben, role: 'observer' })
    group.accept(ben, 'work.propose', proposal({ budget: { modelTokenLimit: 1000 } }))
    expect(group.state.ledgers.size).toBe(1)
  })

  it('may be about work below existing work', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const [event] = group.accept(wim, 'work.propose', proposal({ dependencyWorkItemIds: [workId('a')] }, { parentWorkItemId: workId('a') }))
    expect(event?.payload).toMatchObject({ proposal: { parentWorkItemId: workId('a') } })
  })

  it.each([
    ['a budget larger than the Mission’s (A-25)', 'BUDGET_EXCEEDED', proposal({ budget: { modelTokenLimit: 1001 } })],
    ['a budget in another currency', 'BUDGET_EXCEEDED', proposal({ budget: { currency: 'USD', financialLimit: 1 } })],
    ['a dimension the Mission has not (A-193)', 'BUDGET_EXCEEDED', proposal({ budget: { computeSecondsLimit: 1 } })],
    ['a deadline after the Mission’s', 'INVALID_COMMAND', proposal({ deadline: '2026-12-24T18:00:01Z' })],
    ['a deadline that has passed', 'INVALID_COMMAND', proposal({ deadline: '2026-11-29T12:00:00Z' })],
    ['an unknown dependency (A-171)', 'INVALID_COMMAND', proposal({ dependencyWorkItemIds: [urnOf('x')] })],
    ['an unknown parent', 'INVALID_COMMAND', proposal({}, { parentWorkItemId: urnOf('x') })],
    ['dangerous work without a gate (A-196)', 'INVALID_COMMAND', proposal({ sideEffectRisk: 'destructive' })],
    ['no capability (A-139)', 'WORK_CONTRACT_INCOMPLETE', proposal({ requiredCapabilities: [] })],
  ])('refuses %s', (_, code, payload) => {
    expect(founded().code(wim, 'work.propose', payload)).toBe(code)
  })

  it('refuses an id in use, a stale revision and an inactive Mission', () => {
    const group = founded()
    group.accept(wim, 'work.propose', proposal())
    expect(group.code(cora, 'work.propose', proposal())).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'work.propose', proposal({}, { proposalId: urnOf('q') }), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(cora, 'work.propose', proposal({}, { proposalId: urnOf('q') }))).toBe('INVALID_STATE_TRANSITION')
  })
})
