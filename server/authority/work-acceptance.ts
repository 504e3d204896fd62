// An Agent takes an offer: the first valid acceptance starts the next Ownership Epoch and every other offer has lost.
import type { Lease, WorkOffer, WorkOwner } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { type WORK_OFFER_DECLINE } from '../../protocol/kinds.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { activationDrafts } from './candidacy.ts'
import { capabilityPins } from './capability.ts'
import { overLimits, workExcess } from './cooperation.ts'
import { leaseIdOf, primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { missionNotActive, notInState, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import { DEFAULT_SECONDS, ownershipLease } from './lease.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { WorkRecord } from './types.ts'
import { ineligibility } from './work-offer.ts'
import { findWork, noteStep, putWork, revised, workOf } from './work-record.ts'

/** `work.accept_offer`. */
export const decideAcceptOffer: Decider<'work.accept_offer'> = (received) => {
  const found = findWork(received.state, received.payload.workItemId)
  if (!found.ok) return found
  const record = found.value
  const offerId = received.payload.offerId ?? ownOffer(received, record)
  const request = { ...received, payload: { ...received.payload, ...(offerId !== undefined && { offerId }) } }
  const { command, payload } = request
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notWorker(request) ??
    unnamedRound(received) ??
    offerGone(request, record) ??
    noLongerEligible(request, record) ??
    overLimits(request, [workExcess(request, 'queued_work_items', 1), workExcess(request, 'active_work_items', 0)]) ??
    missionNotActive(request) ??
    notInState(record, 'offered')
  if (refusal) return err(refusal)
  invariant(offerId !== undefined, 'an offer that is valid has an id')
  const { owner, lease } = newOwnership(request, record)
  const accepted = primaryDraft(request, {
    kind: 'work.offer.accepted',
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: {
      workItemId: payload.workItemId,
      offerId,
      owner,
      ownershipLease: lease,
      assigneeId: owner.agentId,
      ownershipEpoch: owner.ownershipEpoch,
      ownershipLeaseExpiresAt: lease.expiresAt,
      agentCardVersion: owner.agentCardVersion,
      ...(payload.scheduleEstimate && { scheduleEstimate: payload.scheduleEstimate }),
    },
  })
  return ok([accepted, ...activationDrafts(request, record.item)])
}

/** What an acceptance in the form of the public reference means, which names no offer: a round has one for each candidate. */
function ownOffer({ command }: MemberRequest, { item }: WorkRecord): string | undefined {
  return item.offers?.find(({ agentId }) => agentId === command.actor.id)?.offerId
}

function notWorker({ command, membership }: MemberRequest): Refusal {
  if (command.actor.type === 'agent' && membership?.role === 'worker') return undefined
  return reject('AUTH_FORBIDDEN', 'only a worker of this Group accepts offers')
}

/** an acceptance is compared with the offer that its sender has seen, so it names the offer or the revision. */
function unnamedRound({ command, payload }: MemberRequest<'work.accept_offer'>): Refusal {
  if (payload.offerId !== undefined || command.expectedRevision !== undefined) return undefined
  return reject('INVALID_COMMAND', 'an acceptance names its offer, or the revision at which it was made')
}

/** The WorkItem keeps the latest round of offers; one that is not in it has been replaced. */
export function offerGone({ command, payload, env }: MemberRequest<'work.accept_offer' | typeof WORK_OFFER_DECLINE>, { item }: WorkRecord): Refusal {
  const offer = item.offers?.find(({ offerId }) => offerId === payload.offerId)
  if (offer && offer.agentId !== command.actor.id) return reject('AUTH_FORBIDDEN', 'this offer was made to another Agent')
  if (offer?.status === 'lost_race') return reject('WORK_ALREADY_OWNED', 'another candidate accepted first')
  if (offer?.status === 'accepted') return undefined
  if (offer?.status === 'pending' && isAfter(offer.expiresAt, env.now)) return undefined
  return reject('WORK_OFFER_EXPIRED', 'this offer is no longer valid')
}

/** the card may have changed since the offer; what counts is what it vouches for now. */
function noLongerEligible(request: MemberRequest<'work.accept_offer'>, { item }: WorkRecord): Refusal {
  const reason = ineligibility(request, request.command.actor.id, item.contract.requiredCapabilities)
  return reason === undefined ? undefined : reject('AUTH_FORBIDDEN', `the Agent ${reason}`)
}

interface Ownership {
  readonly owner: WorkOwner
  readonly lease: Lease
}

function newOwnership({ state, command, payload, env, signingHash }: MemberRequest<'work.accept_offer'>, record: WorkRecord): Ownership {
  const agentId = command.actor.id
  const card = env.cardOf(agentId)
  const pins = card && capabilityPins(card, record.item.contract.requiredCapabilities)
  invariant(card && pins, 'eligibility was judged before')
  const { missionId, groupId } = state.mission
  const ownershipEpoch = record.ownershipEpoch + 1
  const terms = {
    leaseId: leaseIdOf(signingHash, 'ownership'),
    missionId,
    groupId,
    holderAgentId: agentId,
    sessionEpoch: env.sessionEpochOf(agentId),
    now: env.now,
    seconds: payload.ownershipLeaseSeconds ?? DEFAULT_SECONDS.ownership,
  }
  const lease = ownershipLease(terms, payload.workItemId, ownershipEpoch)
  const pinned = { agentCardVersion: card.cardVersion, capabilityPins: pins }
  return { lease, owner: { agentId, ...pinned, ownershipEpoch, ownershipLeaseId: lease.leaseId, acceptedAt: env.now } }
}

/** Whoever did not get the work has lost, unless it had turned the offer down before. */
function settledOffer(offer: WorkOffer, acceptedId: string): WorkOffer {
  if (offer.offerId === acceptedId) return { ...offer, status: 'accepted' }
  return offer.status === 'declined' ? offer : { ...offer, status: 'lost_race' }
}

export const evolveOfferAccepted: Evolver<'work.offer.accepted'> = (state, event) => {
  const { workItemId, offerId, owner, ownershipLease: lease, scheduleEstimate } = event.payload
  const record = workOf(state, workItemId)
  const offers = (record.item.offers ?? []).map((offer) => settledOffer(offer, offerId))
  const changes = { state: 'queued', owner, offers, ...(scheduleEstimate && { scheduleEstimate }) } as const
  putWork(state, {
    ...record,
    item: revised(record.item, event.occurredAt, changes),
    ownershipEpoch: owner.ownershipEpoch,
    ownershipLease: lease,
  })
  noteStep(state, workItemId, event)
}
