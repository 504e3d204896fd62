// Fenced leases: who holds what until when. The fold keeps held leases only; a closed one is history.
import type { Lease } from '../../protocol/generated/types.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { isAfter, later } from './instants.ts'

/** Defaults when a Command names no duration, in seconds. */
export const DEFAULT_SECONDS = { coordinator: 300, offer: 300, ownership: 900, execution: 300, blocked: 900 } as const

export interface LeaseTerms {
  readonly leaseId: string
  readonly missionId: string
  readonly groupId: string
  readonly holderAgentId: string
  readonly sessionEpoch: number
  readonly now: string
  readonly seconds: number
}

export function coordinatorLease(terms: LeaseTerms, coordinatorEpoch: number): Lease {
  return { ...held(terms, 'coordinator'), coordinatorEpoch }
}

/** The start-by deadline of an owner is the end of its lease: both pass, or neither does. */
export function ownershipLease(terms: LeaseTerms, workItemId: string, ownershipEpoch: number): Lease {
  const lease = held(terms, 'ownership')
  return { ...lease, workItemId, ownershipEpoch, startBy: lease.expiresAt }
}

export function executionLease(terms: LeaseTerms, workItemId: string, ownershipEpoch: number): Lease {
  return { ...held(terms, 'execution'), workItemId, ownershipEpoch }
}

/** How long an owner keeps work that waits for others. */
export function blockedLease(terms: LeaseTerms, workItemId: string, ownershipEpoch: number): Lease {
  return { ...held(terms, 'blocked'), workItemId, ownershipEpoch }
}

function held(terms: LeaseTerms, leaseType: Lease['leaseType']): Lease {
  const { now, seconds, ...holder } = terms
  return { ...holder, leaseType, issuedAt: now, startsAt: now, expiresAt: addSeconds(now, seconds), state: 'active', renewalCount: 0 }
}

/** A renewal moves the end later or leaves it; it never takes time away. */
export function renewed(lease: Lease, until: string, now: string): Lease {
  const expiresAt = later(lease.expiresAt, until)
  const startBy = lease.leaseType === 'ownership' ? { startBy: expiresAt } : {}
  return { ...lease, ...startBy, expiresAt, renewalCount: lease.renewalCount + 1, lastRenewedAt: now }
}

/** Like a renewal, but a lease that already lasts that long stays as it is. */
export function raised(lease: Lease, until: string, now: string): Lease {
  return isAfter(until, lease.expiresAt) ? renewed(lease, until, now) : lease
}

/** Expiry is judged against authority time, whether or not a timer has run; the last instant no longer counts. */
export function isLive(lease: Lease | undefined, now: string): lease is Lease {
  return lease !== undefined && isAfter(lease.expiresAt, now)
}
