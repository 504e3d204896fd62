// What a token of the Authorization Service may say, and whether it still holds: judged by the fold, stored nowhere.
import type { Budget, ResourceGrant, Usage } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { amountsOf, differenceOf, DIMENSIONS, firstExcess, isExact, LIMIT_OF, limitsOf, smallerOf, sumOf } from './amounts.ts'
import { budgetNotContained, directUse, exceeded, remainingFor } from './budget.ts'
import { incompatibleCard } from './capability.ts'
import { coversResources } from './ceilings.ts'
import { approvedLimitsLeft, isGateClosed } from './execution-approval.ts'
import type { Refusal } from './fences.ts'
import { missionNotActive, notInState } from './fences.ts'
import { isAfter } from './instants.ts'
import { isLive } from './lease.ts'
import type { Amounts, DecisionEnv, GroupState, WorkRecord } from './types.ts'
import { findWork } from './work-record.ts'

/** Longest life of a token, in seconds. */
const MAX_TOKEN_SECONDS = 300

/** An Agent in its current Session. */
export interface TokenHolder {
  readonly agentId: string
  readonly sessionEpoch: number
}

/** What is known of the Agents at this moment. */
export type TokenMoment = Pick<DecisionEnv, 'now' | 'cardOf' | 'sessionEpochOf'>

/** What is left out is granted as far as contract, Approval and remaining budget allow. */
export interface TokenRequest {
  readonly workItemId: string
  readonly resources?: readonly ResourceGrant[] | undefined
  readonly budget?: Budget | undefined
  readonly seconds?: number | undefined
}

/** The bindings of A-194. */
export interface TokenGrant {
  readonly agentId: string
  readonly sessionEpoch: number
  readonly missionId: string
  readonly groupId: string
  readonly workItemId: string
  readonly ownershipEpoch: number
  readonly executionLeaseId: string
  readonly resources: readonly ResourceGrant[]
  readonly budget: Budget
  /** Charged to the WorkItem itself before the token; what came since counts against its budget. */
  readonly usedBefore: Amounts
  readonly issuedAt: string
  readonly expiresAt: string
}

/** One thing that the holder is about to do, with what it will cost. */
export interface TokenUse {
  readonly resource: string
  readonly operation: string
  readonly usage?: Usage | undefined
}

/** The narrowest grant for this request, or why there is none. */
export function grantToken(state: GroupState, holder: TokenHolder, request: TokenRequest, moment: TokenMoment): Result<TokenGrant, Rejection> {
  const found = findWork(state, request.workItemId)
  if (!found.ok) return found
  const record = found.value
  const { now } = moment
  const { item, ownershipEpoch, executionLease } = record
  const resources = request.resources ?? allowedResources(record)
  const limits = request.budget ? limitsOf(request.budget) : allowedLimits(state, record)
  const refusal =
    notHolder(record, holder) ??
    incompatibleCard(record, moment) ??
    inexactMoney(request.budget) ??
    outsideContract(record, resources, request.budget) ??
    overBudget(limits, limitsLeft(state, record)) ??
    gateClosed(record, now) ??
    outsideApproval(state, record, resources, limits) ??
    leasesOver(record, holder, now) ??
    missionNotActive({ state }) ??
    notInState(record, 'active')
  if (refusal) return err(refusal)
  invariant(executionLease, 'the lease was found in force')
  const { missionId, groupId, workItemId, contract } = item
  return ok({
    ...holder,
    missionId,
    groupId,
    workItemId,
    ownershipEpoch,
    executionLeaseId: executionLease.leaseId,
    resources,
    budget: budgetOf(limits, contract.budget.currency),
    usedBefore: directUse(state, workItemId),
    issuedAt: now,
    expiresAt: endOf(record, addSeconds(now, Math.min(request.seconds ?? MAX_TOKEN_SECONDS, MAX_TOKEN_SECONDS))),
  })
}

/** Why the token does not allow this use now: expired, revoked with its lease, mismatched, or over its budget. */
export function tokenRefused(state: GroupState, grant: TokenGrant, use: TokenUse, moment: TokenMoment): Refusal {
  const record = state.workItems.get(grant.workItemId)
  const { now } = moment
  if (moment.sessionEpochOf(grant.agentId) !== grant.sessionEpoch) return reject('AUTH_STALE_SESSION', 'the Agent has a newer session')
  if (record?.ownershipEpoch !== grant.ownershipEpoch) return reject('WORK_STALE_OWNERSHIP', 'the WorkItem has a newer owner')
  return (
    notHolder(record, grant) ??
    incompatibleCard(record, moment) ??
    notAllowed(grant, use) ??
    inexactMoney(use.usage) ??
    foreignMoney(grant, use) ??
    pausedForWantOfMeans(record) ??
    overBudget(sumOf(spentUnder(state, grant), amountsOf(use.usage ?? {})), limitsOf(grant.budget)) ??
    overBudget(amountsOf(use.usage ?? {}), allowedLimits(state, record)) ??
    gateClosed(record, now) ??
    leaseEnded(record, grant, now) ??
    missionNotActive({ state }) ??
    notInState(record, 'active')
  )
}

const allowedResources = ({ item, executionApproval }: WorkRecord): readonly ResourceGrant[] =>
  isGated({ item }) ? (executionApproval?.terms.resources ?? []) : item.contract.allowedResources

const isGated = ({ item }: Pick<WorkRecord, 'item'>): boolean => item.contract.executionApproval !== 'not_required'

function allowedLimits(state: GroupState, record: WorkRecord): Amounts {
  const left = limitsLeft(state, record)
  return smallerOf(left, approvedLimitsLeft(state, record) ?? left)
}

/** capped by the contract and by what every account above still has. */
function limitsLeft(state: GroupState, { item }: WorkRecord): Amounts {
  return smallerOf(limitsOf(item.contract.budget), remainingFor(state, item.workItemId))
}

function notHolder({ item }: WorkRecord, { agentId }: Pick<TokenHolder, 'agentId'>): Refusal {
  return item.owner?.agentId === agentId ? undefined : reject('AUTH_FORBIDDEN', 'another Agent owns this WorkItem')
}

function outsideContract({ item: { contract } }: WorkRecord, resources: readonly ResourceGrant[], budget: Budget | undefined): Refusal {
  if (!coversResources(contract.allowedResources, resources)) return reject('AUTH_FORBIDDEN', 'the contract does not allow all of these operations')
  return budget && budgetNotContained(budget, contract.budget)
}

function outsideApproval(state: GroupState, record: WorkRecord, resources: readonly ResourceGrant[], limits: Amounts): Refusal {
  if (!isGated(record) || !record.executionApproval) return undefined
  const { terms } = record.executionApproval
  if (!coversResources(terms.resources, resources)) return reject('AUTH_FORBIDDEN', 'the execution Approval does not cover all of these operations')
  return overBudget(limits, approvedLimitsLeft(state, record) ?? limitsOf(terms.budget))
}

function overBudget(wanted: Amounts, available: Amounts): Refusal {
  const excess = firstExcess(wanted, available)
  return excess && exceeded(excess, `the budget for ${excess} does not cover this`)
}

function gateClosed(record: WorkRecord, now: string): Refusal {
  return isGateClosed(record, now) ? reject('APPROVAL_REQUIRED', 'this work needs an execution Approval') : undefined
}

function leasesOver(record: WorkRecord, { sessionEpoch }: TokenHolder, now: string): Refusal {
  const { ownershipLease, executionLease } = record
  if (isLive(ownershipLease, now) && isLive(executionLease, now) && executionLease.sessionEpoch === sessionEpoch) return undefined
  return reject('WORK_LEASE_EXPIRED', 'the Agent does not execute this WorkItem')
}

/** with its lease a token ends, whatever ended the lease. */
function leaseEnded(record: WorkRecord, grant: TokenGrant, now: string): Refusal {
  if (!isAfter(grant.expiresAt, now)) return reject('WORK_LEASE_EXPIRED', 'the token has expired')
  if (record.executionLease?.leaseId !== grant.executionLeaseId) return reject('WORK_LEASE_EXPIRED', 'the lease of the token is no longer in force')
  return leasesOver(record, grant, now)
}

function notAllowed({ resources }: TokenGrant, { resource, operation }: TokenUse): Refusal {
  return coversResources(resources, [{ resource, operations: [operation] }]) ? undefined : reject('AUTH_FORBIDDEN', 'the token does not allow this operation')
}

/** what runs on an exhausted budget comes to a pause, and does nothing new before. */
function pausedForWantOfMeans({ preemption }: WorkRecord): Refusal {
  const dimension = preemption?.escalation?.dimension
  return dimension && exceeded(dimension, 'the work is to pause until somebody has decided on its budget')
}

const inexactMoney = (carrier: Budget | Usage | undefined): Refusal =>
  isExact(carrier) ? undefined : reject('INVALID_COMMAND', 'money is counted in whole millionths, up to two thousand million')

function foreignMoney({ budget }: TokenGrant, { usage }: TokenUse): Refusal {
  if (usage?.financial === undefined || usage.currency === budget.currency) return undefined
  return exceeded('financial', 'the token is for another currency')
}

const spentUnder = (state: GroupState, { workItemId, usedBefore }: TokenGrant): Amounts => differenceOf(directUse(state, workItemId), usedBefore)

/** Never later than either lease, nor than the Approval. */
function endOf({ ownershipLease, executionLease, executionApproval, item }: WorkRecord, wanted: string): string {
  const approval = isGated({ item }) ? executionApproval?.terms.expiresAt : undefined
  return [ownershipLease?.expiresAt, executionLease?.expiresAt, approval].reduce<string>((end, limit) => (limit !== undefined && isAfter(end, limit) ? limit : end), wanted)
}

/** All six limits; money only in a budget that has a currency. */
function budgetOf(limits: Amounts, currency: string | undefined): Budget {
  const members = DIMENSIONS.filter((dimension) => dimension !== 'financial' || currency !== undefined).map((dimension) => [LIMIT_OF[dimension], limits[dimension]])
  return { ...Object.fromEntries(members), ...(currency !== undefined && { currency }) } as Budget
}
