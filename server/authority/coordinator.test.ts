import { describe, expect, it } from 'vitest'
import { ada, cora, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'

const founded = () => new GroupFixture().found({ coordinatorLeaseSeconds: 600 })

describe('mission.renew_coordinator', () => {
  it('extends the same lease and counts the renewal (A-118)', () => {
    const group = founded()
    const before = group.state.coordinatorLease
    const [event] = group.pass(500).accept(cora, 'mission.renew_coordinator', { leaseSeconds: 600 })
    expect(event).toMatchObject({ kind: 'mission.coordinator.renewed', aggregateRevision: 1, payload: { coordinatorEpoch: 1, leaseExpiresAt: '2026-11-29T12:18:20.000Z' } })
    expect(group.state.coordinatorLease).toEqual({ ...before, expiresAt: '2026-11-29T12:18:20.000Z', renewalCount: 1, lastRenewedAt: group.now })
    expect(group.state.mission.revision).toBe(1)
  })

  it('never shortens the lease', () => {
    const group = founded()
    group.accept(cora, 'mission.renew_coordinator', { leaseSeconds: 1 })
    expect(group.state.coordinatorLease).toMatchObject({ expiresAt: '2026-11-29T12:10:00.000Z', renewalCount: 1 })
  })

  it('binds the lease to the Session that renews it', () => {
    const group = founded()
    group.replaceSession(cora)
    group.accept(cora, 'mission.renew_coordinator', {})
    expect(group.state.coordinatorLease.sessionEpoch).toBe(2)
  })

  it('cannot revive a lease that has run out (A-120)', () => {
    const group = founded()
    expect(group.pass(600).code(cora, 'mission.renew_coordinator', {})).toBe('WORK_LEASE_EXPIRED')
  })

  it('is the Coordinator’s alone, at the current epoch (A-211)', () => {
    const group = founded()
    expect(group.code(wim, 'mission.renew_coordinator', {}, { coordinatorEpoch: 1 })).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'mission.renew_coordinator', {}, { coordinatorEpoch: 2 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(cora, 'mission.renew_coordinator', {}, { expectedRevision: 7 })).toBe('REVISION_CONFLICT')
  })

  it('is over when the Mission is (A-116)', () => {
    const group = founded()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(cora, 'mission.renew_coordinator', {})).toBe('INVALID_STATE_TRANSITION')
  })
})
