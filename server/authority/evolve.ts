// The fold: one Event after the other, nothing but Events. A kind that it does not know stops it, visibly.
import type { EventDocument } from '../../protocol/generated/types.ts'
import {
  type AGENT_CARD_REGISTERED,
  ARTIFACT_IMPORTED,
  CONVERSATION_OPENED,
  IAP_RECORDED,
  type POLICY_CHANGED,
  MISSION_BUDGET_RAISED,
  MISSION_CHILD_BUDGET_RAISED,
  type PROFILE_APPROVED,
  type PROFILE_RETIRED,
  MISSION_CHILD_ENDED,
  MISSION_OWNER_MOVED,
  MISSION_RECONCILED,
  MISSION_ROOT_DECIDED,
  RESOURCE_USAGE_RECORDED,
  type SESSION_OPENED,
  WORK_EXECUTION_LEASE_EXPIRED,
  WORK_EXECUTION_LEASE_REVOKED,
  WORK_OFFER_DECLINED,
  WORK_PREEMPTION_REQUESTED,
} from '../../protocol/kinds.ts'
import { invariant } from '../../protocol/result.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { evolveImported } from './artifact-import.ts'
import { evolvePublished } from './artifact.ts'
import { evolveConversationOpened } from './conversation.ts'
import { evolveCoordinatorAssigned } from './coordinator-assign.ts'
import { evolveCoordinatorRenewed } from './coordinator.ts'
import { evolveDelegationGranted } from './delegation.ts'
import { evolveExecutionGranted } from './execution-approval.ts'
import { evolveExecutionEnded } from './execution-end.ts'
import { pinExtensions } from './extension-use.ts'
import { evolveArchived, evolveSnapshotCreated } from './group-archive.ts'
import { evolveMembership } from './membership.ts'
import { evolveMessageCorrected, evolveMessageRedacted, evolveMessageRetracted } from './message-amend.ts'
import { evolveMessagePosted } from './message.ts'
import { evolveApproved, evolveChangesRequested, evolveRootDecided, evolveSubmittedForApproval } from './mission-approval.ts'
import { evolveBudgetRaised } from './mission-budget.ts'
import { evolveMissionCancelled } from './mission-cancel.ts'
import { evolveChildBudgetRaised } from './mission-child-budget.ts'
import { evolveChildCreated } from './mission-child.ts'
import type { FoundedKind } from './mission-create.ts'
import { foundGroup } from './mission-create.ts'
import { evolveChildEnded, evolveOwnerMoved } from './mission-reaction.ts'
import { evolveReconciled } from './mission-reconcile.ts'
import { evolveMissionTerminated } from './mission-terminate.ts'
import { evolveNegotiationRecorded } from './negotiation.ts'
import { consumeOverride, evolveOverrideGranted } from './override-grant.ts'
import { policyEntryOf } from './policy-log.ts'
import { evolveProposed } from './proposal.ts'
import type { Evolver, GroupEvent } from './request.ts'
import type { GroupState } from './types.ts'
import { evolveUsageRecorded } from './usage.ts'
import { evolveOfferAccepted } from './work-acceptance.ts'
import { evolveAuthorized } from './work-authorize.ts'
import { evolveBlocked, evolveUnblocked } from './work-block.ts'
import { evolveDeclined } from './work-decline.ts'
import { evolveContractRevised } from './work-dependency.ts'
import { evolveFailed, evolveWorkCancelled } from './work-end.ts'
import { evolveCheckpointed, evolveProgressed, evolveStarted } from './work-execution.ts'
import { evolveOfferCreated } from './work-offer.ts'
import { evolvePreemptionRequested } from './work-preempt.ts'
import { introduce } from './work-record.ts'
import { evolveResultAccepted, evolveSubmitted } from './work-result.ts'

type FoldedKind = Exclude<EventPayloadKind, FoundedKind | typeof AGENT_CARD_REGISTERED | typeof SESSION_OPENED | typeof POLICY_CHANGED | typeof PROFILE_APPROVED | typeof PROFILE_RETIRED>

const EVOLVERS: { readonly [K in FoldedKind]: Evolver<K> } = {
  'mission.coordinator.assigned': evolveCoordinatorAssigned,
  'mission.coordinator.renewed': evolveCoordinatorRenewed,
  'mission.submitted_for_approval': evolveSubmittedForApproval,
  'mission.approved': evolveApproved,
  'mission.changes_requested': evolveChangesRequested,
  'mission.cancelled': evolveMissionCancelled,
  'mission.terminated': evolveMissionTerminated,
  'mission.child.created': evolveChildCreated,
  [MISSION_CHILD_ENDED]: evolveChildEnded,
  [MISSION_OWNER_MOVED]: evolveOwnerMoved,
  [MISSION_RECONCILED]: evolveReconciled,
  [MISSION_BUDGET_RAISED]: evolveBudgetRaised,
  [MISSION_CHILD_BUDGET_RAISED]: evolveChildBudgetRaised,
  [MISSION_ROOT_DECIDED]: evolveRootDecided,
  [ARTIFACT_IMPORTED]: evolveImported,
  [IAP_RECORDED]: evolveNegotiationRecorded,
  'membership.changed': evolveMembership,
  'membership.ended': evolveMembership,
  'membership.delegation.granted': evolveDelegationGranted,
  'message.posted': evolveMessagePosted,
  'message.corrected': evolveMessageCorrected,
  'message.retracted': evolveMessageRetracted,
  'message.redacted': evolveMessageRedacted,
  'policy.cooperation_override.granted': evolveOverrideGranted,
  'work.proposed': evolveProposed,
  'work.authorized': evolveAuthorized,
  'work.offer.created': evolveOfferCreated,
  'work.offer.accepted': evolveOfferAccepted,
  'work.contract.revised': evolveContractRevised,
  'work.started': evolveStarted,
  'work.progressed': evolveProgressed,
  'work.checkpointed': evolveCheckpointed,
  'work.blocked': evolveBlocked,
  'work.unblocked': evolveUnblocked,
  'work.submitted': evolveSubmitted,
  'work.result.accepted': evolveResultAccepted,
  'work.failed': evolveFailed,
  'work.cancelled': evolveWorkCancelled,
  'artifact.published': evolvePublished,
  'approval.execution.granted': evolveExecutionGranted,
  'group.snapshot.created': evolveSnapshotCreated,
  'group.archived': evolveArchived,
  [WORK_EXECUTION_LEASE_EXPIRED]: evolveExecutionEnded,
  [WORK_EXECUTION_LEASE_REVOKED]: evolveExecutionEnded,
  [WORK_OFFER_DECLINED]: evolveDeclined,
  [WORK_PREEMPTION_REQUESTED]: evolvePreemptionRequested,
  [RESOURCE_USAGE_RECORDED]: evolveUsageRecorded,
  [CONVERSATION_OPENED]: evolveConversationOpened,
}

const isFolded = (kind: string): kind is FoldedKind => Object.hasOwn(EVOLVERS, kind)

/**
 * The state after one more Event; `state` is updated in place and returned, `undefined` stands for an empty log.
 * Throws InvariantViolation on an unknown kind, a gap in the sequence or an Event of another Group.
 */
export function evolve(state: GroupState | undefined, document: EventDocument): GroupState {
  invariant(isGroupEvent(document), 'the Event belongs to no Group')
  const next = state ? applied(state, document) : founded(document)
  next.sequence = document.sequence
  next.lastOccurredAt = document.occurredAt
  introduce(next, document.eventId, document.sequence)
  next.eventIds.push(document.eventId)
  pinExtensions(next, document)
  const entry = policyEntryOf(document)
  if (entry) next.policyLog.push(entry)
  return next
}

/** The payload was written by `decide`, or checked on the way in. */
function isGroupEvent(document: EventDocument): document is EventDocument & GroupEvent {
  return document.groupId !== undefined && document.sequence !== undefined
}

function founded(event: EventDocument & GroupEvent): GroupState {
  const isFounding = event.kind === 'mission.created' || event.kind === 'mission.follow_up.created'
  invariant(isFounding && event.sequence === 1, 'the log of a Group begins with its Mission')
  return foundGroup(event as GroupEvent<FoundedKind>)
}

function applied(state: GroupState, event: EventDocument & GroupEvent): GroupState {
  invariant(event.groupId === state.groupId, 'the Event belongs to another Group')
  invariant(event.sequence === state.sequence + 1, `Event ${event.sequence} does not follow ${state.sequence}`)
  const { kind } = event
  invariant(isFolded(kind), `the fold does not know Events of kind ${kind}`)
  const evolver = EVOLVERS[kind] as Evolver<EventPayloadKind>
  evolver(state, event)
  consumeOverride(state, event)
  return state
}
