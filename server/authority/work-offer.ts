// The Coordinator, or whoever stands in for it, offers open or failed work to eligible Agents.
import type { CapabilityRef, WorkOffer, WorkOfferPayload } from '../../protocol/generated/types.ts'
import { deriveUrn } from '../../protocol/digest.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { reallocationRefused, reopenAccount } from './budget.ts'
import { alreadyCandidate, mayNotBringIn, newcomers, provisionalDrafts } from './candidacy.ts'
import { capabilityPins, isCardValid } from './capability.ts'
import { notePackage, packageRefused } from './context-package.ts'
import { contractRefused, widerResources } from './contract.ts'
import { ceilingReached, commitUnder } from './delegation.ts'
import { primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { missionNotActive, notInState, revisionConflict } from './fences.ts'
import { DEFAULT_SECONDS, isLive } from './lease.ts'
import { stocktakingDue } from './mission-reconcile.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { GroupState, WorkRecord } from './types.ts'
import { entitlementOf, entitlementOver, notEntitled } from './work-authority.ts'
import { childRunning, fenced, findWork, isUnfinished, noteStep, ownershipHold, putWork, revised, workOf } from './work-record.ts'

/** `work.offer`; with a contract it also revises the contract, which takes fresh acceptance. */
export const decideOffer: Decider<'work.offer'> = (request) => {
  const { state, command, payload, env } = request
  const found = findWork(state, payload.workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notEntitled(request, { at: payload.workItemId, levelsBelow: 0, requiredCapabilities: record.item.contract.requiredCapabilities }) ??
    revisesForOthers(request) ??
    mayNotBringIn(request) ??
    budgetRefused(request, record) ??
    ceilingReached(state, payload.delegationGrantId, payload.workItemId, record.item.contract.budget) ??
    ineligibleCandidate(request, record) ??
    wrongPackage(request) ??
    entitlementOver(request) ??
    stillOwned(request, record) ??
    alreadyCandidate(request) ??
    missionNotActive(request) ??
    stocktakingDue(request) ??
    childRunning(record) ??
    notInState(record, 'open', 'offered', 'queued', 'active', 'blocked', 'failed') ??
    attemptsUsedUp(request, record) ??
    finishedParent(state, record) ??
    wrongRevision(request, record)
  if (refusal) return err(refusal)
  const offerExpiresAt = addSeconds(env.now, payload.offerExpiresInSeconds ?? DEFAULT_SECONDS.offer)
  const offers = payload.candidateAgentIds.map((agentId) => offerTo(agentId, request, offerExpiresAt))
  const { workItemId, selectionBasis, candidateAgentIds } = payload
  const offered = primaryDraft(request, {
    kind: 'work.offer.created',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, offers, selectionBasis, candidateAgentIds, offerExpiresAt, ...contractShown(request, record), ...entitlementOf(payload) },
  })
  return ok([offered, ...provisionalDrafts(request, record.item, offerExpiresAt)])
}

/** A newcomer reads nothing of the log before its offer, so the contract stands in the offer even where it stays as it was. */
function contractShown({ payload }: MemberRequest<'work.offer'>, { item }: WorkRecord): Pick<WorkOfferPayload, 'contract' | 'contextPackage'> {
  const { contract, contextPackage } = payload
  if (contextPackage) return { contract: contract ?? item.contract, contextPackage }
  return contract ? { contract } : {}
}

function wrongPackage({ state, payload }: MemberRequest<'work.offer'>): Refusal {
  return payload.contextPackage && packageRefused(state, payload.contextPackage, payload.workItemId)
}

/** A delegate offers contracts as they are; revising one is the Coordinator's. */
function revisesForOthers({ payload }: MemberRequest<'work.offer'>): Refusal {
  if (payload.delegationGrantId === undefined || !payload.contract) return undefined
  return reject('AUTH_FORBIDDEN', 'a Delegation Grant does not cover revising a contract')
}

function offerTo(agentId: string, { env, signingHash }: MemberRequest, expiresAt: string): WorkOffer {
  const card = env.cardOf(agentId)
  invariant(card, 'eligibility was judged before')
  const offerId = deriveUrn('offer', signingHash, agentId)
  return { offerId, agentId, agentCardVersion: card.cardVersion, expiresAt, status: 'pending' }
}

/** Needed again when the contract changes, or when failed work gave its allocation back. */
function budgetRefused({ state, payload }: MemberRequest<'work.offer'>, { item }: WorkRecord): Refusal {
  if (!payload.contract && item.state !== 'failed') return undefined
  return reallocationRefused(state, item.workItemId, (payload.contract ?? item.contract).budget)
}

function ineligibleCandidate(request: MemberRequest<'work.offer'>, { item }: WorkRecord): Refusal {
  const { requiredCapabilities } = request.payload.contract ?? item.contract
  const welcome = request.payload.contextPackage ? newcomers(request) : []
  for (const agentId of request.payload.candidateAgentIds) {
    const judge = welcome.includes(agentId) ? lacksQualification : ineligibility
    const reason = judge(request, agentId, requiredCapabilities)
    if (reason !== undefined) return reject('AUTH_FORBIDDEN', `a candidate ${reason}`, { details: { agentId } })
  }
  return undefined
}

/** Why this Agent may not be given work that requires these capabilities; also judged again when it accepts. */
export function ineligibility(request: MemberRequest, agentId: string, required: readonly CapabilityRef[]): string | undefined {
  const membership = request.state.memberships.get(agentId)
  const isWorker = membership !== undefined && membership.state !== 'ended' && membership.role === 'worker' && membership.member.type === 'agent'
  return isWorker ? lacksQualification(request, agentId, required) : 'is not a worker of this Group'
}

function lacksQualification({ env }: MemberRequest, agentId: string, required: readonly CapabilityRef[]): string | undefined {
  const card = env.cardOf(agentId)
  if (!card || !isCardValid(card, env.now)) return 'has no valid Agent Card'
  return capabilityPins(card, required) ? undefined : 'lacks a required capability'
}

/** Only while nobody owns it live; an owner whose lease has run out is fenced by the offer. */
function stillOwned({ env }: MemberRequest, record: WorkRecord): Refusal {
  const hold = ownershipHold(record)
  if (!record.item.owner || !isLive(hold, env.now)) return undefined
  return reject('INVALID_STATE_TRANSITION', `an Agent owns this WorkItem until ${hold.expiresAt}`)
}

/** once the contract's attempts are used up, the work fails for good or gets a revised contract. */
function attemptsUsedUp({ payload }: MemberRequest<'work.offer'>, { item, attempts }: WorkRecord): Refusal {
  const { maxAttempts } = (payload.contract ?? item.contract).retryPolicy
  if (attempts < maxAttempts) return undefined
  return reject('INVALID_STATE_TRANSITION', 'the contract allows no further attempt', { details: { attempts, maxAttempts } })
}

function finishedParent({ workItems }: GroupState, { parentWorkItemId }: WorkRecord): Refusal {
  const parent = parentWorkItemId === undefined ? undefined : workItems.get(parentWorkItemId)
  if (!parent || isUnfinished(parent)) return undefined
  return reject('INVALID_STATE_TRANSITION', `the parent WorkItem is ${parent.item.state}`)
}

function wrongRevision(request: MemberRequest<'work.offer'>, { item, parentWorkItemId }: WorkRecord): Refusal {
  const { contract } = request.payload
  if (!contract) return undefined
  const next = item.contract.contractVersion + 1
  if (contract.contractVersion !== next) {
    return reject('REVISION_CONFLICT', `the revised contract has to be version ${next}`, { currentRevision: item.contract.contractVersion })
  }
  const parent = parentWorkItemId === undefined ? undefined : request.state.workItems.get(parentWorkItemId)
  return contractRefused(request, contract, item.workItemId) ?? (parent && widerResources(contract, parent.item.contract))
}

export const evolveOfferCreated: Evolver<'work.offer.created'> = (state, event) => {
  const { workItemId, offers, selectionBasis, contract, contextPackage, delegationGrantId } = event.payload
  const record = fenced(workOf(state, workItemId))
  const { submission: _submission, ...item } = record.item
  const { reason: _reason, ...kept } = record
  if (contract || item.state === 'failed') reopenAccount(state, workItemId, (contract ?? item.contract).budget)
  commitUnder(state, delegationGrantId, workItemId, item.contract.budget)
  if (contextPackage) notePackage(state, contextPackage, event.sequence)
  const changes = { state: 'offered', offers, selectionBasis, ...(contract && { contract }) } as const
  putWork(state, { ...kept, item: revised(item, event.occurredAt, changes) })
  noteStep(state, workItemId, event)
}
