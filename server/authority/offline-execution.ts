// Progress that an Agent made while the authority could not be reached, handed in later under the lease of that time.
import type { BoundedOfflineExecution, Lease } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import { RESOURCE_USAGE_RECORDED } from '../../protocol/kinds.ts'
import { isReconcilable, offlineEntryOf } from '../../protocol/offline-execution.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { validateExtensionData } from '../../protocol/validate.ts'
import { amountsOf, isNothing } from './amounts.ts'
import { chargeRefused } from './budget.ts'
import { budgetPauses } from './budget-pause.ts'
import { followingDraft } from './draft.ts'
import { beyondApproval } from './execution-approval.ts'
import type { Refusal } from './fences.ts'
import { notInState, notOwner, ownershipLeaseOver } from './fences.ts'
import { isAfter } from './instants.ts'
import type { MemberRequest } from './request.ts'
import type { EventDraft, VerifiedCommand, WorkRecord } from './types.ts'
import { totalsAfter, wrongCurrency, wrongMoney } from './usage.ts'
import { findWork } from './work-record.ts'

export interface Reconciliation {
  readonly binding: BoundedOfflineExecution
  readonly record: WorkRecord
}

/** A lease as it was held, and when it ended unless it still is. */
interface HeldThen {
  readonly lease: Lease
  readonly closedAt?: string
}

/** the extension is in the right place, framed right and coherent in itself. */
export function misplacedOffline({ command }: VerifiedCommand): Refusal {
  const entry = offlineEntryOf(command)
  if (!entry) return undefined
  if (!isReconcilable(command.kind)) return reject('INVALID_COMMAND', 'only Messages and checkpoints are handed in later')
  if (!entry.isWellFramed) return reject('INVALID_COMMAND', 'bounded offline execution is critical and of version 0.1.0')
  const fault = validateExtensionData('bounded-offline-execution', entry.data)
  if (fault) return reject('INVALID_COMMAND', `the offline binding${fault.path} ${fault.message}`)
  return incoherent(entry.data as BoundedOfflineExecution, command.issuedAt)
}

/** what is visible outside is never done without the authority. */
function incoherent(binding: BoundedOfflineExecution, issuedAt: string): Refusal {
  const { disconnectedAt, bufferedAt, graceDeadline, executionLeaseExpiresAt, resourceUsageDelta } = binding
  const isInOrder = !isAfter(disconnectedAt, bufferedAt) && isAfter(graceDeadline, bufferedAt) && !isAfter(graceDeadline, executionLeaseExpiresAt)
  if (!isInOrder) return reject('INVALID_COMMAND', 'the times of the offline binding contradict one another')
  if (isAfter(bufferedAt, issuedAt)) return reject('INVALID_COMMAND', 'the Command was issued before its progress was buffered')
  if (resourceUsageDelta.externalSideEffects === 0) return undefined
  return reject('INVALID_COMMAND', 'nothing outwardly visible is done offline')
}

/** What the Command reconciles, undefined where it brings nothing from offline; or why it may not. */
export function reconciliationOf(request: MemberRequest<'message.post' | 'work.checkpoint'>): Result<Reconciliation | undefined, Rejection> {
  const entry = offlineEntryOf(request.command)
  if (!entry) return ok(undefined)
  const binding = entry.data as BoundedOfflineExecution
  const stranger = boundToOthers(request, binding)
  if (stranger) return err(stranger)
  const found = findWork(request.state, binding.workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    notOwner(request, record, binding.ownershipEpoch) ??
    wrongCharge(request, record, binding) ??
    ownershipLeaseOver(request, record) ??
    outsideLease(record, binding) ??
    notInState(record, 'active', 'queued')
  return refusal ? err(refusal) : ok({ binding, record })
}

function boundToOthers({ command, state }: MemberRequest, { agentId, groupId }: BoundedOfflineExecution): Refusal {
  const isOwn = command.actor.type === 'agent' && command.actor.id === agentId && groupId === state.groupId
  return isOwn ? undefined : reject('AUTH_FORBIDDEN', 'the offline binding is that of another Agent or Group')
}

function wrongCharge({ state }: MemberRequest, record: WorkRecord, { resourceUsageDelta: usage }: BoundedOfflineExecution): Refusal {
  const { workItemId, contract } = record.item
  const delta = amountsOf(usage)
  return wrongMoney(usage) ?? wrongCurrency(usage, contract.budget) ?? chargeRefused(state, workItemId, delta) ?? beyondApproval(state, record, delta)
}

/** The lease of that time covers the disconnection and everything that was buffered after it. */
function outsideLease(record: WorkRecord, binding: BoundedOfflineExecution): Refusal {
  const held = heldThen(record, binding.executionLeaseId)
  if (!held) return leaseOver('this Execution Lease was not held under this ownership')
  const { lease, closedAt } = held
  if (lease.sessionEpoch !== binding.sessionEpoch) return reject('AUTH_STALE_SESSION', 'the lease was held in another session')
  if (lease.expiresAt !== binding.executionLeaseExpiresAt) return leaseOver('the lease ran until another time')
  if (isAfter(lease.startsAt, binding.disconnectedAt)) return leaseOver('the lease began after the disconnection')
  if (closedAt !== undefined && isAfter(binding.bufferedAt, closedAt)) return leaseOver('the lease had ended when this was buffered')
  return undefined
}

const leaseOver = (message: string): Rejection => reject('WORK_LEASE_EXPIRED', message)

function heldThen({ executionLease, closedExecutions = [] }: WorkRecord, leaseId: string): HeldThen | undefined {
  if (executionLease?.leaseId === leaseId) return { lease: executionLease }
  return closedExecutions.find(({ lease }) => lease.leaseId === leaseId)
}

/** what the charge leaves without means is asked to pause; `paused` is what the Command itself brings to a pause. */
export function offlinePauses(request: MemberRequest, reconciliation: Reconciliation | undefined, paused?: string): readonly EventDraft[] {
  if (!reconciliation) return []
  const { workItemId, resourceUsageDelta } = reconciliation.binding
  const delta = amountsOf(resourceUsageDelta)
  return isNothing(delta) ? [] : budgetPauses(request, { id: workItemId, delta }, { first: 2, ...(paused !== undefined && { paused }) })
}

/** the charge that goes before the Message or checkpoint; none where nothing was used. */
export function chargeDrafts(request: MemberRequest, reconciliation: Reconciliation | undefined): readonly EventDraft[] {
  if (!reconciliation || isNothing(amountsOf(reconciliation.binding.resourceUsageDelta))) return []
  const { binding, record } = reconciliation
  const { workItemId, ownershipEpoch, executionLeaseId, resourceUsageDelta: usageDelta } = binding
  const { disconnectedAt, bufferedAt, graceDeadline, sessionEpoch: executionSessionEpoch } = binding
  const reconciled = { reconciliationSessionEpoch: request.command.sessionEpoch ?? 0, reconciledAt: request.env.now, progressActionId: request.command.actionId }
  const charge = followingDraft(request, 1, {
    kind: RESOURCE_USAGE_RECORDED,
    aggregateRevision: record.item.revision,
    item: record.item,
    payload: {
      workItemId,
      executionLeaseId,
      ownershipEpoch,
      usageDelta,
      ...totalsAfter(request.state, record.item, amountsOf(usageDelta)),
      offlineReconciliation: { disconnectedAt, bufferedAt, graceDeadline, executionSessionEpoch, ...reconciled },
    },
  })
  return [charge]
}
