// How the fold holds a WorkItem: the normative object with its leases, and the indexes over all of them.
import type { Lease, WorkItem, WorkItemState, WorkOffer } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import type { GroupEvent } from './request.ts'
import type { ChildLink, GroupState, WorkRecord } from './types.ts'

/** The six states that failing, cancelling and the end of the Mission apply to. */
export const UNFINISHED: readonly WorkItemState[] = ['open', 'offered', 'queued', 'active', 'blocked', 'submitted']

export const isUnfinished = ({ item }: WorkRecord): boolean => UNFINISHED.includes(item.state)

/** The WorkItem that a Command names. */
export function findWork(state: GroupState, workItemId: string): Result<WorkRecord, Rejection> {
  const record = state.workItems.get(workItemId)
  return record ? ok(record) : err(reject('INVALID_COMMAND', 'there is no such WorkItem in this Group'))
}

/** The WorkItem of an accepted Event, which exists. */
export function workOf(state: GroupState, workItemId: string): WorkRecord {
  const record = state.workItems.get(workItemId)
  invariant(record, 'an Event names a WorkItem that the Group does not have')
  return record
}

/** The next revision of the WorkItem; every transition and every change of a lease is one. */
export function revised(item: WorkItem, occurredAt: string, changes: Partial<WorkItem>): WorkItem {
  return { ...item, ...changes, revision: item.revision + 1, updatedAt: occurredAt }
}

/** Without owner and leases, and with a higher Ownership Epoch if there was an owner: nothing it still sends can count. */
export function fenced(record: WorkRecord): WorkRecord {
  const kept = unleased(record)
  if (!record.item.owner) return kept
  const { owner: _owner, scheduleEstimate: _estimate, ...item } = record.item
  return { ...kept, item, ownershipEpoch: record.ownershipEpoch + 1 }
}

/** Without leases; the owner stays on record. */
export function unleased(record: WorkRecord): WorkRecord {
  const { ownershipLease: _ownership, ...kept } = notWaiting(notExecuting(record))
  return kept
}

/** Without an Execution Lease, and without a request to pause what no longer runs. */
export function notExecuting(record: WorkRecord): WorkRecord {
  const { executionLease: _execution, preemption: _preemption, ...kept } = record
  return kept
}

/** Without a blocked lease and what it waited for. */
export function notWaiting(record: WorkRecord): WorkRecord {
  const { blockedLease: _blocked, blocker: _blocker, ...kept } = record
  return kept
}

/** The lease that ownership rests on: while the item is blocked the blocked one, whatever is left of the other. */
export function ownershipHold({ item, ownershipLease, blockedLease }: WorkRecord): Lease | undefined {
  return item.state === 'blocked' ? blockedLease : ownershipLease
}

/** Without pending offers: they are withdrawn. */
export function withdrawn(item: WorkItem): WorkItem {
  const withdraw = (offer: WorkOffer): WorkOffer => (offer.status === 'pending' ? { ...offer, status: 'withdrawn' } : offer)
  return item.offers ? { ...item, offers: item.offers.map(withdraw) } : item
}

/** The child Missions that have not reported their end yet. */
export function runningChildren({ workItems }: GroupState): readonly ChildLink[] {
  return [...workItems.values()].flatMap(({ child }) => (child?.state === 'running' ? [child] : []))
}

/** what blocks this work is a Mission of its own, and only its end moves the work on. */
export function childRunning({ child }: WorkRecord): Rejection | undefined {
  if (child?.state !== 'running') return undefined
  return reject('INVALID_STATE_TRANSITION', 'a child Mission works on this WorkItem', { details: { childMissionId: child.missionId } })
}

/** Stores the record and keeps the indexes over all WorkItems true. */
export function putWork(state: GroupState, changed: WorkRecord): void {
  const { workItemId } = changed.item
  const previous = state.workItems.get(workItemId)
  const record = withClosedExecutions(changed, previous)
  const before = answerableFor(previous)
  const after = answerableFor(record)
  if (before !== undefined && before !== after) removeFrom(state.ownedBy, before, workItemId)
  if (after !== undefined && before !== after) addTo(state.ownedBy, after, workItemId)
  if (record.executionLease) state.executing.add(workItemId)
  else state.executing.delete(workItemId)
  if (record.blockedLease) state.waiting.add(workItemId)
  else state.waiting.delete(workItemId)
  state.workItems.set(workItemId, record)
  if (!isUnfinished(record)) endDelegations(state, workItemId)
}

/** Of more leases than this nobody has anything left in a buffer. */
const CLOSED_KEPT = 8

/** Remembers an Execution Lease that is held no longer, for as long as the same Agent goes on owning the unfinished work. */
function withClosedExecutions(record: WorkRecord, previous: WorkRecord | undefined): WorkRecord {
  const ended = previous?.executionLease
  const hasEnded = ended !== undefined && ended.leaseId !== record.executionLease?.leaseId
  const isOver = record.ownershipEpoch !== previous?.ownershipEpoch || !isUnfinished(record)
  if (!hasEnded && !(isOver && record.closedExecutions)) return record
  const { closedExecutions = [], ...kept } = record
  if (isOver || !ended) return kept
  const closed = { lease: ended, closedAt: record.item.updatedAt ?? ended.expiresAt }
  return { ...kept, closedExecutions: [...closedExecutions, closed].slice(-CLOSED_KEPT) }
}

/** a target that has ended ends its Grants, even if it comes back. */
function endDelegations({ delegations }: GroupState, targetWorkItemId: string): void {
  for (const [grantId, { grant }] of delegations) if (grant.targetWorkItemId === targetWorkItemId) delegations.delete(grantId)
}

/** The Agent that has to bring this WorkItem to an end. */
function answerableFor(record: WorkRecord | undefined): string | undefined {
  if (!record || record.item.state === 'failed' || record.item.state === 'verified') return undefined
  return record.item.owner?.agentId
}

function addTo(index: Map<string, Set<string>>, key: string, member: string): void {
  const members = index.get(key)
  if (members) members.add(member)
  else index.set(key, new Set([member]))
}

function removeFrom(index: Map<string, Set<string>>, key: string, member: string): void {
  const members = index.get(key)
  members?.delete(member)
  if (members?.size === 0) index.delete(key)
}

/** Remembers the first Event that introduced an id. */
export function introduce(state: GroupState, id: string, sequence: number): void {
  if (!state.sequenceOf.has(id)) state.sequenceOf.set(id, sequence)
}

/** Notes a lifecycle step of the WorkItem. */
export function noteStep(state: GroupState, workItemId: string, event: GroupEvent<EventPayloadKind>): void {
  const steps = state.workSteps.get(workItemId)
  if (steps) steps.push(event.sequence)
  else state.workSteps.set(workItemId, [event.sequence])
}
