import { describe, expect, it } from 'vitest'
import { WORK_PREEMPTION_REQUEST } from '../../protocol/kinds.ts'
import { ada, cora, wim } from '../testing/cast.ts'
import { progress } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { block, citing, fail, reach, recordOf, workId } from '../testing/work-scenario.ts'

const ask = { workItemId: workId('a'), reason: 'The report is needed first.', urgency: 'critical' } as const

function executing(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'published')
  return group
}

describe('ext.countersign.work.preemption_request', () => {
  it('asks and takes nothing: the Worker goes on under the same leases (A-184)', () => {
    const group = executing()
    const before = recordOf(group, 'a')
    const [event] = group.accept(cora, WORK_PREEMPTION_REQUEST, ask)
    expect(event).toMatchObject({ kind: 'ext.countersign.work.preemption_requested', aggregateRevision: before.item.revision + 1, payload: { ...ask, requestedAt: group.now } })
    const { item, preemption, ...after } = recordOf(group, 'a')
    expect(preemption).toEqual({ requestedBy: cora, requestedAt: group.now, reason: ask.reason, urgency: 'critical' })
    expect(after).toEqual({ ...before, item: undefined })
    expect(item.state).toBe('active')
    group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', citing(group, 'a'))
    expect(recordOf(group, 'a').preemption).toEqual(preemption)
  })

  it.each([
    ['a checkpoint', (group: GroupFixture) => group.accept(wim, 'work.checkpoint', { ...citing(group, 'a'), progress: progress() })],
    ['a block', (group: GroupFixture) => block(group, 'a')],
    ['a lapsed lease', (group: GroupFixture) => group.pass(300).due()],
    ['another session', (group: GroupFixture) => group.replaceSession(wim)],
    ['a failure', (group: GroupFixture) => fail(group, 'a')],
  ])('is answered by %s (A-184)', (_, act) => {
    const group = executing()
    group.accept(cora, WORK_PREEMPTION_REQUEST, ask)
    act(group)
    expect(recordOf(group, 'a')).not.toHaveProperty('preemption')
  })

  it('is asked once, by the Coordinator', () => {
    const group = executing()
    for (const actor of [ada, wim]) expect(group.code(actor, WORK_PREEMPTION_REQUEST, ask)).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, WORK_PREEMPTION_REQUEST, ask, { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
    expect(group.code(cora, WORK_PREEMPTION_REQUEST, { ...ask, workItemId: workId('unknown') })).toBe('INVALID_COMMAND')
    group.accept(cora, WORK_PREEMPTION_REQUEST, ask)
    expect(group.code(cora, WORK_PREEMPTION_REQUEST, ask)).toBe('INVALID_STATE_TRANSITION')
    expect(group.pass(86_400).code(cora, WORK_PREEMPTION_REQUEST, ask)).toBe('WORK_LEASE_EXPIRED')
  })
})
