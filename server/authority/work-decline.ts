// A candidate turns an offer down; the others keep theirs, and the item stays offered (A-169, O-4).
import type { WorkOffer } from '../../protocol/generated/types.ts'
import { type WORK_OFFER_DECLINE, WORK_OFFER_DECLINED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { accept } from './draft.ts'
import { missionNotActive, notInState, revisionConflict } from './fences.ts'
import type { Decider, Evolver } from './request.ts'
import { offerGone } from './work-acceptance.ts'
import { findWork, noteStep, putWork, revised, workOf } from './work-record.ts'

/** `ext.countersign.work.offer_decline`. */
export const decideDecline: Decider<typeof WORK_OFFER_DECLINE> = (request) => {
  const { state, command, payload } = request
  const { workItemId, offerId, reason, comment } = payload
  const found = findWork(state, workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    offerGone(request, record) ??
    missionNotActive(request) ??
    notInState(record, 'offered')
  if (refusal) return err(refusal)
  return accept(request, {
    kind: WORK_OFFER_DECLINED,
    aggregateRevision: record.item.revision + 1,
    item: record.item,
    payload: { workItemId, offerId, agentId: command.actor.id, reason, ...(comment !== undefined && { comment }) },
  })
}

export const evolveDeclined: Evolver<typeof WORK_OFFER_DECLINED> = (state, event) => {
  const { workItemId, offerId, reason } = event.payload
  const record = workOf(state, workItemId)
  const decline = (offer: WorkOffer): WorkOffer => (offer.offerId === offerId ? { ...offer, status: 'declined', declineReason: reason } : offer)
  putWork(state, { ...record, item: revised(record.item, event.occurredAt, { offers: (record.item.offers ?? []).map(decline) }) })
  noteStep(state, workItemId, event)
}
