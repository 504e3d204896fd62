import { describe, expect, it } from 'vitest'
import { cora, groupAuthority, urnOf, wanda, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { citing, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { decideSessionReplaced } from './session-replaced.ts'

describe('a replaced Session', () => {
  it('revokes the Agent’s Execution Leases and keeps its ownership (A-183)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const { executionLeaseId } = citing(group, 'a')
    const events = group.replaceSession(wim)
    expect(events).toMatchObject([
      {
        kind: 'ext.missionweaveprotocol.core.work_execution_lease_revoked',
        actor: groupAuthority,
        cause: { type: 'event', id: urnOf(`session ${wim.id} 2`) },
        aggregateRevision: 5,
        payload: { workItemId: workId('a'), executionLeaseId, reason: 'session_replaced', state: 'queued', sessionEpoch: 2 },
      },
    ])
    expect(recordOf(group, 'a')).toMatchObject({ ownershipEpoch: 1, item: { state: 'queued', owner: { agentId: wim.id } } })
    expect(recordOf(group, 'a').ownershipLease).toBeDefined()
  })

  it('lets only the new runtime start the work, under a new lease', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const start = { workItemId: workId('a'), ownershipEpoch: 1 }
    group.replaceSession(wim)
    expect(group.code(wim, 'work.start', start, { sessionEpoch: 1 })).toBe('AUTH_STALE_SESSION')
    group.accept(wim, 'work.start', start)
    expect(recordOf(group, 'a').executionLease).toMatchObject({ sessionEpoch: 2 })
  })

  it('touches nobody else’s work and nothing that the new Session holds', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    reach(group, 'b', 'active', { worker: wanda })
    expect(group.replaceSession(cora)).toEqual([])
    expect(group.replaceSession(wanda).map(({ workItemId }) => workItemId)).toEqual([workId('b')])
    const again = decideSessionReplaced(group.state, { agentId: wim.id, sessionEpoch: 1, causeEventId: urnOf('late') }, group.env)
    expect(again).toEqual([])
  })

  it('comes to the same Event as an expiry noticed elsewhere: a lease ends once', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const [revoked] = decideSessionReplaced(group.state, { agentId: wim.id, sessionEpoch: 2, causeEventId: urnOf('e') }, group.env)
    const [expired] = group.pass(300).due()
    expect(expired?.eventId).toBe(revoked?.eventId)
  })
})
