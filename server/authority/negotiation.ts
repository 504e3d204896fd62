// Negotiations of the Inter-Agent Protocol about a WorkItem, in the log of its Group. The router says what it saw and decided; nothing
// here gives or takes work: that is the Coordinator's offer and what follows from it.
import { deriveUrn } from '../../protocol/digest.ts'
import type { Actor, WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { type IAP_RECORD, IAP_RECORDED } from '../../protocol/kinds.ts'
import { err } from '../../protocol/result.ts'
import { grantToOffer } from './delegation.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, isCoordinator, isSame, missionNotActive, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import { findWork, introduce } from './work-record.ts'

type Request = MemberRequest<typeof IAP_RECORD>

/** Id of the record of this ordinal of a task that is done for the WorkItem. */
export const recordIdOf = (workItemId: string, taskId: string, ordinal: number): string => deriveUrn('iap-record', workItemId, taskId, String(ordinal))

/**
 * `ext.countersign.iap.record`, by the router alone; `expectedRevision` is the Group sequence, because a record has no other
 * aggregate. The proposal of whoever may offer the work opens a negotiation. Whatever it leads to is taken until the Group is archived, also
 * after the end of the Mission or of a Membership: a late result is evidence.
 */
export const decideRecordNegotiation: Decider<typeof IAP_RECORD> = (request) => {
  const { state, command, payload: { workItemId, record } } = request
  const found = findWork(state, workItemId)
  const refusal = revisionConflict(command, state.sequence) ?? notRouter(request) ?? idInUse(state, record.recordId)
  if (refusal) return err(refusal)
  if (!found.ok) return found
  const unfounded = strangers(request) ?? unknownRefs(request) ?? (record.type === 'task_proposal' ? notProposable(request, found.value.item) : notProposed(request))
  if (unfounded) return err(unfounded)
  return accept(request, { kind: IAP_RECORDED, aggregateRevision: state.sequence + 1, item: found.value.item, payload: { workItemId, record } })
}

function notRouter({ command, env }: Request): Refusal {
  return isSame(command.actor, env.router) ? undefined : reject('AUTH_FORBIDDEN', 'only the I.A.P. router records negotiations')
}

/** Those whom a record names belong to the Group, or did. */
function strangers({ state, payload: { record: { speaker, concerns } } }: Request): Refusal {
  const isKnown = (actor: Actor | undefined) => actor === undefined || state.memberships.get(actor.id)?.member.type === actor.type
  return isKnown(speaker) && isKnown(concerns) ? undefined : reject('AUTH_FORBIDDEN', 'the record names somebody who never belonged to the Group')
}

function unknownRefs({ state, payload: { record: { refs } } }: Request): Refusal {
  return refs.every((id) => state.sequenceOf.has(id)) ? undefined : reject('INVALID_COMMAND', 'the record refers to something that is not in the log')
}

/** whoever may offer the work has it bid for: the Coordinator, and a delegate under its Grant. */
function notProposable(request: Request, item: WorkItem): Refusal {
  const { state, payload: { workItemId, record } } = request
  if (record.recordId !== recordIdOf(workItemId, record.taskId, 0)) return reject('INVALID_COMMAND', 'a negotiation begins with its proposal')
  const { speaker } = record
  const isEntitled = speaker !== undefined && (isCoordinator(state, speaker) || grantToOffer(request, speaker.id, item) !== undefined)
  if (!isEntitled) return reject('AUTH_FORBIDDEN', 'only the Coordinator, or a delegate under its Grant, has work of the Mission done')
  return missionNotActive(request)
}

function notProposed({ state, payload: { workItemId, record } }: Request): Refusal {
  return state.sequenceOf.has(recordIdOf(workItemId, record.taskId, 0)) ? undefined : reject('INVALID_COMMAND', 'the task was not proposed for this WorkItem')
}

/** The WorkItem stays as it is. */
export const evolveNegotiationRecorded: Evolver<typeof IAP_RECORDED> = (state, { payload: { record }, sequence }) => introduce(state, record.recordId, sequence)
