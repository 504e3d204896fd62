import { describe, expect, it } from 'vitest'
import type { Lease } from '../../protocol/generated/types.ts'
import { validateDocument } from '../../protocol/validate.ts'
import { START, urnOf, wim } from '../testing/cast.ts'
import { compareTimes, isAfter, later } from './instants.ts'
import { coordinatorLease, executionLease, isLive, ownershipLease, raised, renewed } from './lease.ts'

const terms = { leaseId: urnOf('lease'), missionId: urnOf('m'), groupId: urnOf('g'), holderAgentId: wim.id, sessionEpoch: 3, now: START, seconds: 60 }
const leases: Record<string, Lease> = {
  coordinator: coordinatorLease(terms, 2),
  ownership: ownershipLease(terms, urnOf('w'), 5),
  execution: executionLease(terms, urnOf('w'), 5),
}

describe.each(Object.entries(leases))('a %s lease', (leaseType, lease) => {
  it('fits its schema, new, renewed and raised (R-LSE-1 to R-LSE-8)', () => {
    const later = '2026-11-29T13:00:00.000Z'
    for (const version of [lease, renewed(lease, later, START), raised(lease, later, START)]) expect(validateDocument('lease', version)).toBeUndefined()
    expect(lease).toMatchObject({ leaseType, state: 'active', renewalCount: 0, issuedAt: START, expiresAt: '2026-11-29T12:01:00.000Z' })
  })

  it('keeps its id and never loses time', () => {
    const same = renewed(lease, START, START)
    expect(same).toMatchObject({ leaseId: lease.leaseId, expiresAt: lease.expiresAt, renewalCount: 1, lastRenewedAt: START })
    expect(raised(lease, lease.expiresAt, START)).toBe(lease)
  })
})

describe('start-by', () => {
  it('is the end of ownership, also after a renewal (A-178)', () => {
    const { ownership, execution } = leases as { ownership: Lease; execution: Lease }
    expect(ownership.startBy).toBe(ownership.expiresAt)
    const longer = raised(ownership, '2026-11-29T13:00:00.000Z', START)
    expect(longer.startBy).toBe(longer.expiresAt)
    expect(renewed(execution, '2026-11-29T13:00:00.000Z', START)).not.toHaveProperty('startBy')
  })
})

describe('expiry', () => {
  it('excludes the last instant and counts every fraction digit (A-10)', () => {
    const { execution } = leases as { execution: Lease }
    expect(isLive(execution, '2026-11-29T12:00:59.9999999Z')).toBe(true)
    expect(isLive(execution, execution.expiresAt)).toBe(false)
    expect(isLive(execution, '2026-11-29T12:01:00.0000001Z')).toBe(false)
    expect(isLive(undefined, START)).toBe(false)
  })

  it('compares instants, not spellings', () => {
    expect(compareTimes('2026-11-29T14:00:00+02:00', '2026-11-29T12:00:00Z')).toBe(0)
    expect(isAfter('2026-11-29t12:00:00.5z', '2026-11-29T12:00:00.49999Z')).toBe(true)
    expect(later('2026-11-29T14:00:00+02:00', '2026-11-29T12:00:01Z')).toBe('2026-11-29T12:00:01Z')
  })
})
