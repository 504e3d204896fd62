// A person lets dangerous work start: one owner, stated operations, resources and budget, for a limited time.
import type { Actor, Approval, ExecutionTerms, WorkContract } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { executionConditions } from '../../protocol/execution-terms.ts'
import { err } from '../../protocol/result.ts'
import { differenceOf, DIMENSIONS, firstExcess, limitsOf, NOTHING } from './amounts.ts'
import { budgetNotContained, directUse, exceeded } from './budget.ts'
import { coversResources } from './ceilings.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, isSame, missionNotActive, notInState, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { Amounts, BudgetDimension, GroupState, WorkRecord } from './types.ts'
import { findWork, introduce, noteStep, putWork, workOf } from './work-record.ts'

/** `approval.grant_execution`; `expectedRevision` is the Mission's, the terms name epoch and contract themselves. */
export const decideGrantExecution: Decider<'approval.grant_execution'> = (request) => {
  const { state, command, payload, env } = request
  const { approval, terms } = payload
  const found = findWork(state, approval.workItemId ?? '')
  const refusal = revisionConflict(command, state.mission.revision) ?? notPersonInCharge(request) ?? otherMatter(request)
  if (refusal) return err(refusal)
  if (!found.ok) return found
  const record = found.value
  const { item } = record
  const unfit =
    staleTerms(record, terms) ??
    widerThanContract(terms, item.contract) ??
    idInUse(state, approval.approvalId) ??
    missionNotActive(request) ??
    notInState(record, 'queued') ??
    needless(item.contract) ??
    wrongExpiry(terms, item.contract, env.now)
  if (unfit) return err(unfit)
  return accept(request, {
    kind: 'approval.execution.granted',
    aggregateRevision: item.revision,
    item,
    payload: { workItemId: item.workItemId, approval, terms },
  })
}

/** Who lets work start in this Mission: its owner, or in a child Mission the human at the root. */
export const personInCharge = ({ parentLink, mission }: GroupState): Actor => parentLink?.rootOwner ?? mission.missionOwner

/** an execution Approval is the word of a person. */
function notPersonInCharge({ state, command }: MemberRequest): Refusal {
  return isSame(personInCharge(state), command.actor) ? undefined : reject('AUTH_FORBIDDEN', 'only the person in charge lets work start')
}

/** The signed Approval has to say what the Command around it does, terms included. */
function otherMatter({ state, command, payload: { approval, terms } }: MemberRequest<'approval.grant_execution'>): Refusal {
  const { missionId, groupId, revision, approvalPolicy } = state.mission
  const isThis = approval.missionId === missionId && approval.groupId === groupId && approval.missionRevision <= revision
  const isOwn = approval.approver.type === command.actor.type && approval.approver.id === command.actor.id
  if (!isThis || !isOwn || approval.kind !== 'work_execution' || approval.decision !== 'approved') {
    return reject('INVALID_COMMAND', "the Approval is not this owner's for work of this Mission")
  }
  if (command.workItemId !== undefined && command.workItemId !== approval.workItemId) {
    return reject('INVALID_COMMAND', 'envelope and Approval name different WorkItems')
  }
  const { policyVersion } = approvalPolicy
  if (policyVersion !== undefined && approval.acceptancePolicyVersion !== policyVersion) {
    return reject('REVISION_CONFLICT', `the acceptance policy is version ${policyVersion}`)
  }
  return statesTerms(approval, terms) ? undefined : reject('INVALID_COMMAND', 'the conditions of the Approval are not its terms')
}

function statesTerms({ conditions }: Approval, terms: ExecutionTerms): boolean {
  const lines = executionConditions(terms)
  return lines.length === conditions.length && lines.every((line, index) => line === conditions[index])
}

function staleTerms({ item, ownershipEpoch }: WorkRecord, terms: ExecutionTerms): Refusal {
  if (terms.ownershipEpoch !== ownershipEpoch) return reject('WORK_STALE_OWNERSHIP', 'the WorkItem has another Ownership Epoch')
  const [expectedRevision, currentRevision] = [terms.contractVersion, item.contract.contractVersion]
  if (expectedRevision === currentRevision) return undefined
  return reject('REVISION_CONFLICT', 'the contract has been revised', { expectedRevision, currentRevision })
}

function widerThanContract({ resources, budget }: ExecutionTerms, contract: WorkContract): Refusal {
  const wider = budgetNotContained(budget, contract.budget)
  if (wider || coversResources(contract.allowedResources, resources)) return wider
  return reject('AUTH_FORBIDDEN', 'the contract does not allow all of these operations')
}

function needless({ executionApproval }: WorkContract): Refusal {
  return executionApproval === 'not_required' ? reject('INVALID_COMMAND', 'this work needs no Approval to start') : undefined
}

function wrongExpiry({ expiresAt }: ExecutionTerms, { deadline }: WorkContract, now: string): Refusal {
  if (!isAfter(expiresAt, now)) return reject('INVALID_COMMAND', 'the Approval would have expired already')
  return isAfter(expiresAt, deadline) ? reject('INVALID_COMMAND', 'the Approval would outlast the work') : undefined
}

/**
 * whether the WorkItem waits for a person before it starts. A new Ownership Epoch, another version of the
 * contract and the end of its time close the gate again.
 */
export function isGateClosed({ item, ownershipEpoch, executionApproval }: WorkRecord, now: string): boolean {
  if (item.contract.executionApproval === 'not_required') return false
  if (executionApproval?.terms.ownershipEpoch !== ownershipEpoch) return true
  const { contractVersion, expiresAt } = executionApproval.terms
  return contractVersion !== item.contract.contractVersion || !isAfter(expiresAt, now)
}

/** What is left of the budget of the Approval that the work needs; undefined where it needs none or has none yet. */
export function approvedLimitsLeft(state: GroupState, { item, executionApproval }: WorkRecord): Amounts | undefined {
  if (item.contract.executionApproval === 'not_required' || !executionApproval) return undefined
  const { terms, usedBefore } = executionApproval
  return differenceOf(limitsOf(terms.budget), differenceOf(directUse(state, item.workItemId), usedBefore))
}

/** all that is charged to the work itself lies within what a person has approved. */
export function beyondApproval(state: GroupState, record: WorkRecord, delta: Amounts): Refusal {
  const left = approvedLimitsLeft(state, record)
  const excess = left && firstExcess(delta, left)
  return excess && exceeded(excess, `the execution Approval does not cover so much ${excess}`)
}

/** The first dimension that the Approval grants and in which nothing is left of it, once this much more is charged. */
export function exhaustedApproval(state: GroupState, record: WorkRecord, delta: Amounts = NOTHING): BudgetDimension | undefined {
  const left = approvedLimitsLeft(state, record)
  const limits = limitsOf(record.executionApproval?.terms.budget ?? {})
  return left && DIMENSIONS.find((name) => limits[name] > 0 && left[name] <= delta[name])
}

export const approvalUsedUp = (dimension: BudgetDimension): string => `what the execution Approval allows of ${dimension} is used up`

/** work does not begin or go on under an Approval of which nothing is left in a dimension that it grants. */
export function approvalExhausted(state: GroupState, record: WorkRecord): Refusal {
  const dimension = exhaustedApproval(state, record)
  return dimension && exceeded(dimension, approvalUsedUp(dimension))
}

export const evolveExecutionGranted: Evolver<'approval.execution.granted'> = (state, event) => {
  const { workItemId, approval, terms } = event.payload
  const executionApproval = { approvalId: approval.approvalId, terms, usedBefore: directUse(state, workItemId) }
  putWork(state, { ...workOf(state, workItemId), executionApproval })
  introduce(state, approval.approvalId, event.sequence)
  noteStep(state, workItemId, event)
}
