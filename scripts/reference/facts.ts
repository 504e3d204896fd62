// What no schema says of the Commands: who sends them, what is checked in which order, what comes of them. Read off the deciders.
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { CommandPayloadKind } from '../../protocol/validate.ts'

/** What has to hold, and the code of the refusal where it does not. */
export type Check = readonly [holds: string, ...codes: ErrorCode[]]

export interface CommandFacts {
  readonly sender: string
  /** What `expectedRevision` is compared with. */
  readonly revision: string
  /** After the checks that all Commands pass, in the order in which they are made. */
  readonly checks: readonly Check[]
  readonly effects: string
  /** The first Event answers the Command; what else comes with it, in the same batch. */
  readonly events: string
}

/** Codes of the checks that every Command passes before its own. */
export const COMMON_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PROTOCOL_VIOLATION', 'SCHEMA_VALIDATION_FAILED', 'AUTH_INVALID_SIGNATURE', 'ACTION_ID_COLLISION', 'UNKNOWN_CRITICAL_EXTENSION', 'INVALID_COMMAND',
  'WORK_CONTRACT_INCOMPLETE', 'AUTH_FORBIDDEN', 'GROUP_NOT_FOUND', 'AUTH_STALE_SESSION', 'MEMBERSHIP_STALE', 'MEMBERSHIP_REQUIRED', 'AUTH_STALE_COORDINATOR',
  'REVISION_CONFLICT', 'BACKPRESSURE', 'INTERNAL_ERROR',
])

const coordinator: Check = ['The sender is the Coordinator in office and cites its epoch.', 'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR']
const lease: Check = ['The Coordinator lease has not run out.', 'WORK_LEASE_EXPIRED']
const ownerOrCoordinator: Check = ['The sender is the MissionOwner or the Coordinator in office.', 'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR']
const leaseOfCoordinator: Check = ['A Coordinator acts under a live lease; the MissionOwner needs none.', 'WORK_LEASE_EXPIRED']
const owner: Check = ['The sender is the MissionOwner.', 'AUTH_FORBIDDEN']
const ownerOrService: Check = ['The sender is the MissionOwner, or a service that policy lets do this.', 'AUTH_FORBIDDEN']
const active: Check = ['The Mission is active.', 'INVALID_STATE_TRANSITION']
const notOver: Check = ['The Mission is not over.', 'INVALID_STATE_TRANSITION']
const workExists: Check = ['The WorkItem exists.', 'INVALID_COMMAND']
const worker: Check = ['The Ownership Epoch is the current one and the sender owns the WorkItem.', 'WORK_STALE_OWNERSHIP', 'AUTH_FORBIDDEN']
const executing: Check = ['The cited Execution Lease is in force, of this Session, and neither lease has run out.', 'WORK_LEASE_EXPIRED']
const card: Check = ['The Agent Card still covers what the work was accepted with.', 'AUTH_FORBIDDEN']
const isActive: Check = ['The WorkItem is active.', 'INVALID_STATE_TRANSITION']
const unfinished: Check = ['The WorkItem is unfinished: open, offered, queued, active, blocked or submitted.', 'INVALID_STATE_TRANSITION']
const newId: Check = ['Its ids are new in the Group.', 'INVALID_COMMAND']
const evidence: Check = ['The Evidence is the sender’s own, new, about this work and its criteria.', 'INVALID_COMMAND']
const entitled: Check = [
  'The sender is the Coordinator; or cites a Delegation Grant that is in force, its own and reaches this far; or is the MissionOwner and gives an `overrideReason`.',
  'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR', 'MEMBERSHIP_STALE', 'INVALID_COMMAND',
]
const ceilings: Check = ['The budget fits what is left above it and, for a delegate, the ceilings of the Grant.', 'BUDGET_EXCEEDED']
const contract: Check = [
  'The contract is coherent: no name twice, deadline within the Mission’s, dangerous work gated, resources and capabilities within those of the Mission above, dependencies known and without a cycle.',
  'INVALID_COMMAND', 'AUTH_FORBIDDEN',
]
const approvalAnswers: readonly Check[] = [
  ['The sender is the MissionOwner and does not coordinate the Mission as well.', 'AUTH_FORBIDDEN'],
  ['The Approval is the sender’s, of the right kind and decision, for this Mission.', 'INVALID_COMMAND'],
  ['The Mission awaits approval.', 'INVALID_STATE_TRANSITION'],
  ['The Approval names the submitted revision, the exact set of artifacts and the acceptance policy version in force.', 'REVISION_CONFLICT'],
  ['The id of the Approval is new.', 'INVALID_COMMAND'],
]

export const FACTS: Readonly<Record<CommandPayloadKind, CommandFacts>> = {
  'mission.create': {
    sender: 'A person with an authority key.',
    revision: 'nothing: the Mission is new',
    checks: [
      ['The sender is a person with an authority key.', 'AUTH_FORBIDDEN'],
      ['Payload and envelope name one Group, whose id is new and short enough.', 'INVALID_COMMAND'],
      ['The Coordinator has a valid Agent Card.', 'INVALID_COMMAND'],
      ['The terms are coherent: another Coordinator than owner, two ids, a deadline to come, no criterion twice.', 'INVALID_COMMAND'],
      ['No Mission of the Organization has this id.', 'INVALID_COMMAND'],
    ],
    effects: 'A Mission with its Group, its planning Conversation, the Memberships of owner and Coordinator, the Coordinator lease and an unused budget.',
    events: '`mission.created`, the first Event of the Group.',
  },
  'mission.create_follow_up': {
    sender: 'The person who owns the Mission that is followed up, with an authority key.',
    revision: 'nothing: the Mission is new',
    checks: [
      ['All that `mission.create` asks of sender, ids and Coordinator.', 'AUTH_FORBIDDEN', 'INVALID_COMMAND'],
      ['The Mission named is the sender’s and approved.', 'AUTH_FORBIDDEN', 'INVALID_STATE_TRANSITION'],
      ['The terms are coherent, as for `mission.create`.', 'INVALID_COMMAND'],
    ],
    effects: 'As for `mission.create`; the new Mission names the approved one, which stays as it is.',
    events: '`mission.follow_up.created`, the first Event of the Group.',
  },
  'mission.create_child': {
    sender: 'The Coordinator, who becomes owner of the child Mission.',
    revision: 'the Mission’s revision',
    checks: [
      workExists, coordinator,
      ['Resources and capabilities are within those of the WorkItem.', 'AUTH_FORBIDDEN'],
      ['The budget fits what the WorkItem and every account above have left.', 'BUDGET_EXCEEDED'],
      ['The child lies at most three levels below the root.', 'AUTH_FORBIDDEN'],
      ['The child gates dangerous work where the parent does, and asks the root human where the WorkItem is dangerous.', 'INVALID_COMMAND'],
      lease, active,
      ['The WorkItem is open, offered, queued, active or blocked, and no child Mission works on it.', 'INVALID_STATE_TRANSITION'],
      newId,
      ['The terms are coherent, and the deadline is within the WorkItem’s.', 'INVALID_COMMAND'],
      ['The Coordinator of the child has a valid Agent Card.', 'INVALID_COMMAND'],
    ],
    effects: 'The WorkItem is blocked, its owner fenced, and the Parent Coordinator owns it; the budget of the child is held. The child has a Group of its own.',
    events: '`mission.child.created` here, and in the same commit `mission.created` as the first Event of the child’s Group.',
  },
  'mission.assign_coordinator': {
    sender: 'The MissionOwner, or a service under policy.',
    revision: 'the Mission’s revision',
    checks: [
      ownerOrService, notOver,
      ['The Agent does not coordinate under a live lease already.', 'INVALID_STATE_TRANSITION'],
      ['The Agent has a valid Agent Card, does not own the Mission, coordinates no running child of it and owes no work here.', 'INVALID_COMMAND', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'Another Agent coordinates at the next Coordinator Epoch under a lease of its own and sees the whole Group. What the predecessor sends under its epoch is stale.',
    events: '`mission.coordinator.assigned`; for another Agent also `membership.ended` of the predecessor and `membership.changed` of the successor.',
  },
  'mission.renew_coordinator': {
    sender: 'The Coordinator.',
    revision: 'the Mission’s revision',
    checks: [coordinator, lease, notOver],
    effects: 'The same lease lasts longer, never shorter, bound to the Session that renewed it.',
    events: '`mission.coordinator.renewed`.',
  },
  'mission.submit_for_approval': {
    sender: 'The Coordinator.',
    revision: 'the Mission’s revision',
    checks: [
      coordinator, lease, active,
      ['Only failed WorkItems are dropped, each once.', 'INVALID_COMMAND'],
      ['Some work is verified; the rest is verified, cancelled, replaced by verified work or dropped.', 'INVALID_STATE_TRANSITION'],
      ['Verified work published every artifact.', 'INVALID_COMMAND'],
    ],
    effects: 'The Mission awaits approval of one revision with one set of artifacts; work waits until the owner has answered.',
    events: '`mission.submitted_for_approval`.',
  },
  'mission.approve': {
    sender: 'The MissionOwner; of a child Mission that is the Parent Coordinator.',
    revision: 'the Mission’s revision',
    checks: [
      ...approvalAnswers,
      ['Where a child’s policy asks for it, the root MissionOwner’s Approval of the same submission is there.', 'APPROVAL_REQUIRED', 'INVALID_COMMAND'],
    ],
    effects: 'The Mission is approved, which is final. A child’s artifacts and Approval become the Evidence of the WorkItem above.',
    events: '`mission.approved`.',
  },
  'mission.request_changes': {
    sender: 'The MissionOwner.',
    revision: 'the Mission’s revision',
    checks: [...approvalAnswers, ['The comments of the Approval say what to change.', 'INVALID_COMMAND']],
    effects: 'The same Mission is active again at its next revision; the submission stays on record.',
    events: '`mission.changes_requested`.',
  },
  'mission.cancel': {
    sender: 'The MissionOwner, or a service under policy.',
    revision: 'the Mission’s revision',
    checks: [ownerOrService, notOver],
    effects: 'The Mission is cancelled, which is final; unfinished work is cancelled, leases are revoked, running child Missions follow.',
    events: '`mission.cancelled`, then `work.cancelled` for every unfinished WorkItem.',
  },
  'mission.terminate': {
    sender: 'The Coordinator, or a service under policy; no person.',
    revision: 'the Mission’s revision',
    checks: [['The sender is the Coordinator in office under a live lease, or a service that policy lets do this.', 'AUTH_FORBIDDEN', 'WORK_LEASE_EXPIRED'], notOver],
    effects: 'The Mission has failed, which is final; unfinished work fails, leases are revoked, running child Missions follow.',
    events: '`mission.terminated`, then `work.failed` for every unfinished WorkItem.',
  },
  'membership.change': {
    sender: 'The MissionOwner or the Coordinator.',
    revision: 'the Membership Epoch of the member, 0 for a newcomer',
    checks: [
      ownerOrCoordinator,
      ['The member is neither owner nor Coordinator here, nor owner of the root Mission.', 'AUTH_FORBIDDEN'],
      ['The role is not one that the Mission gives.', 'AUTH_FORBIDDEN'],
      ['The member is a person, or an Agent with a valid card, of the type on record.', 'INVALID_COMMAND'],
      leaseOfCoordinator, notOver,
      ['A worker with live work stays a worker.', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'The Membership is active in this role at its next epoch; what the Command leaves out stays.',
    events: '`membership.changed`.',
  },
  'membership.end': {
    sender: 'The MissionOwner or the Coordinator.',
    revision: 'the Membership Epoch of the member',
    checks: [
      ownerOrCoordinator,
      ['The member is neither owner nor Coordinator here, nor owner of the root Mission.', 'AUTH_FORBIDDEN'],
      leaseOfCoordinator, notOver,
      ['The Membership is active.', 'INVALID_COMMAND'],
      ['The member owes no work.', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'The Membership has ended and its epoch is fenced; the member sees nothing that follows.',
    events: '`membership.ended`.',
  },
  'membership.grant_delegation': {
    sender: 'The Coordinator.',
    revision: 'the Membership Epoch of the grantee',
    checks: [
      coordinator,
      ['The grantee is an active work delegate.', 'AUTH_FORBIDDEN'],
      newId,
      ['The ceilings are within the Mission’s budget.', 'BUDGET_EXCEEDED'],
      ['The depth is within policy.', 'RATE_LIMITED'],
      lease, active,
      ['The target WorkItem exists and is unfinished.', 'INVALID_COMMAND', 'INVALID_STATE_TRANSITION'],
      ['The Grant ends in time to come, before the Mission.', 'INVALID_COMMAND'],
    ],
    effects: 'The grantee may authorize and offer work below the target within the ceilings. The Grant ends with its time, its Membership, its Coordinator or its target.',
    events: '`membership.delegation.granted`.',
  },
  'message.post': {
    sender: 'Any member, also with a conversation key.',
    revision: 'the sequence of the Group',
    checks: [
      ['The member is within the rate of Messages.', 'RATE_LIMITED'],
      notOver, newId,
      ['The Conversation exists, the sender takes part in it, and it is about the WorkItem named.', 'INVALID_COMMAND', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The Message stands in its Conversation. It authorizes nothing.',
    events: '`message.posted`.',
  },
  'message.correct': {
    sender: 'The author, also with a conversation key.',
    revision: 'the sequence of the Group',
    checks: [
      ['The sender may read such a Message.', 'INVALID_COMMAND'],
      ['The sender wrote it.', 'AUTH_FORBIDDEN'],
      notOver,
      ['It was neither retracted nor redacted.', 'INVALID_STATE_TRANSITION'],
      newId,
    ],
    effects: 'Readers see the new text; the original and every correction stay in the log.',
    events: '`message.corrected`.',
  },
  'message.retract': {
    sender: 'The author, also with a conversation key.',
    revision: 'the sequence of the Group',
    checks: [
      ['The sender may read such a Message.', 'INVALID_COMMAND'],
      ['The sender wrote it.', 'AUTH_FORBIDDEN'],
      notOver,
      ['It was neither retracted nor redacted.', 'INVALID_STATE_TRANSITION'],
      newId,
    ],
    effects: 'The Message is taken back, for good; the original stays in the log.',
    events: '`message.retracted`.',
  },
  'message.redact': {
    sender: 'The MissionOwner, also after the Mission has ended.',
    revision: 'the sequence of the Group',
    checks: [
      ['The sender may read such a Message.', 'INVALID_COMMAND'],
      owner,
      ['It was not redacted before.', 'INVALID_STATE_TRANSITION'],
      newId,
    ],
    effects: 'Readers get a signed stand-in without the words of the Message and its corrections; the log keeps its bytes.',
    events: '`message.redacted`.',
  },
  'work.propose': {
    sender: 'Any member, also with a conversation key.',
    revision: 'the Mission’s revision',
    checks: [
      ['The budget is within the Mission’s.', 'BUDGET_EXCEEDED'],
      ['The member is within the rate of proposals.', 'RATE_LIMITED'],
      active, newId,
      ['The parent WorkItem, if one is named, exists.', 'INVALID_COMMAND'],
      contract,
    ],
    effects: 'A proposal is open. It binds nobody and allocates nothing; the Mission’s revision grows.',
    events: '`work.proposed`.',
  },
  'work.authorize': {
    sender: 'The Coordinator, a delegate under its Grant, or the MissionOwner who gives a reason for stepping in.',
    revision: '0: the WorkItem is new',
    checks: [
      entitled, newId,
      ['The parent WorkItem, if one is named, is unfinished and allows the resources.', 'INVALID_COMMAND', 'INVALID_STATE_TRANSITION', 'AUTH_FORBIDDEN'],
      ceilings,
      ['The work lies no deeper than policy allows.', 'RATE_LIMITED'],
      leaseOfCoordinator, active,
      ['A proposal that is named is open and says the same.', 'INVALID_COMMAND', 'INVALID_STATE_TRANSITION', 'REVISION_CONFLICT'],
      ['Work that is replaced has failed or was cancelled.', 'INVALID_COMMAND', 'INVALID_STATE_TRANSITION'],
      contract,
    ],
    effects: 'An open WorkItem with its Conversation; its budget is allocated. The Mission’s revision grows.',
    events: '`work.authorized`.',
  },
  'work.offer': {
    sender: 'The Coordinator, a delegate under its Grant, or the MissionOwner who gives a reason for stepping in.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, entitled,
      ['Only the Coordinator or the MissionOwner revises the contract.', 'AUTH_FORBIDDEN'],
      ceilings,
      ['Every candidate is an active worker with a valid card and the required capabilities.', 'AUTH_FORBIDDEN'],
      leaseOfCoordinator,
      ['Nobody owns the WorkItem under a live lease.', 'INVALID_STATE_TRANSITION'],
      active,
      ['The WorkItem is open, offered, queued, active, blocked or failed, no child Mission works on it, attempts are left and its parent is unfinished.', 'INVALID_STATE_TRANSITION'],
      ['A revised contract has the next version and is coherent.', 'REVISION_CONFLICT', 'INVALID_COMMAND', 'AUTH_FORBIDDEN'],
    ],
    effects: 'One expiring offer for each candidate; earlier offers are void, an owner whose lease has run out is fenced.',
    events: '`work.offer.created`.',
  },
  'work.accept_offer': {
    sender: 'The candidate.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists,
      ['The sender is a worker of the Group, and the offer was made to it.', 'AUTH_FORBIDDEN'],
      ['Nobody accepted before, and the offer is the latest and has not expired.', 'WORK_ALREADY_OWNED', 'WORK_OFFER_EXPIRED'],
      ['The card of the moment covers the required capabilities.', 'AUTH_FORBIDDEN'],
      ['The Agent holds no more work than policy allows.', 'RATE_LIMITED'],
      active,
      ['The WorkItem is offered.', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'The work is queued for its owner at the next Ownership Epoch under an ownership lease, with card and capabilities pinned; other candidates have lost.',
    events: '`work.offer.accepted`.',
  },
  'work.start': {
    sender: 'The Worker who owns the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, worker, card,
      ['An execution Approval is in force where the contract asks for one.', 'APPROVAL_REQUIRED'],
      ['The Agent executes no more at once than policy allows.', 'RATE_LIMITED'],
      ['The ownership lease has not run out.', 'WORK_LEASE_EXPIRED'],
      active,
      ['The WorkItem is queued, and what it depends on is verified.', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'The work is active under an Execution Lease bound to Agent, Session and Ownership Epoch.',
    events: '`work.started`.',
  },
  'work.checkpoint': {
    sender: 'The Worker who executes the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [workExists, worker, executing, isActive],
    effects: 'Progress is on record, the Execution Lease is released, the work is queued for the same owner.',
    events: '`work.checkpointed`.',
  },
  'work.block': {
    sender: 'The Worker who executes the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [workExists, worker, executing, isActive],
    effects: 'The work is blocked, with what would unblock it; the Execution Lease is released, ownership lasts as long as a bounded blocked lease.',
    events: '`work.blocked`.',
  },
  'work.unblock': {
    sender: 'The Coordinator.',
    revision: 'the WorkItem’s revision',
    checks: [workExists, coordinator, lease, active, ['The WorkItem is blocked, and no child Mission works on it.', 'INVALID_STATE_TRANSITION']],
    effects: 'The work is queued for its owner again, or open if the blocked lease has run out.',
    events: '`work.unblocked`.',
  },
  'work.submit': {
    sender: 'The Worker who executes the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, worker, card, executing, isActive,
      ['This work published every artifact.', 'INVALID_COMMAND'],
      evidence,
      ['Every criterion has the Evidence that it asks of the producer.', 'INVALID_COMMAND'],
    ],
    effects: 'The work is submitted, the Execution Lease released; the owner stays answerable until the review.',
    events: '`work.submitted`.',
  },
  'work.accept_result': {
    sender: 'The Coordinator.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, coordinator, lease, active,
      ['The WorkItem is submitted.', 'INVALID_STATE_TRANSITION'],
      ['The Evidence comes from reviewers, is new, about this work, and finds no failure.', 'INVALID_COMMAND'],
      ['Every criterion that asks for a reviewer has one, and nobody reviews alone what it made.', 'INVALID_COMMAND', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The work is verified, which is final. The Mission’s revision grows and what the budget did not need comes back.',
    events: '`work.result.accepted`.',
  },
  'work.fail': {
    sender: 'The Coordinator for any unfinished work, the owner for what it executes.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists,
      ['The Coordinator acts under its epoch and a live lease; an owner cites Ownership Epoch and Execution Lease.', 'AUTH_FORBIDDEN', 'AUTH_STALE_COORDINATOR', 'WORK_STALE_OWNERSHIP', 'WORK_LEASE_EXPIRED', 'INVALID_COMMAND'],
      unfinished, evidence,
    ],
    effects: 'The work has failed; leases are revoked, offers closed, the unused budget comes back. The Coordinator may offer it again.',
    events: '`work.failed`.',
  },
  'work.cancel': {
    sender: 'The MissionOwner or the Coordinator.',
    revision: 'the WorkItem’s revision',
    checks: [workExists, ownerOrCoordinator, leaseOfCoordinator, unfinished],
    effects: 'The work is cancelled, which is final; its owner is fenced, offers are closed, the unused budget comes back.',
    events: '`work.cancelled`.',
  },
  'artifact.publish': {
    sender: 'The Worker who executes the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, worker, executing, isActive,
      ['The signed manifest names this work, this producer and the card version that was pinned, is not dated ahead, and its id is new.', 'INVALID_COMMAND', 'REVISION_CONFLICT'],
      ['Every source is an artifact of the Group, and none is more confidential.', 'INVALID_COMMAND', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The artifact is registered by its hash; the WorkItem stays as it is.',
    events: '`artifact.published`.',
  },
  'approval.grant_execution': {
    sender: 'The MissionOwner, a person.',
    revision: 'the Mission’s revision',
    checks: [
      owner,
      ['The signed Approval says what the Command does, terms included, under the acceptance policy in force.', 'INVALID_COMMAND', 'REVISION_CONFLICT'],
      workExists,
      ['The terms name the current Ownership Epoch and contract version.', 'WORK_STALE_OWNERSHIP', 'REVISION_CONFLICT'],
      ['Budget and resources are within the contract.', 'BUDGET_EXCEEDED', 'AUTH_FORBIDDEN'],
      newId, active,
      ['The WorkItem is queued.', 'INVALID_STATE_TRANSITION'],
      ['The contract asks for an Approval, which ends in time to come and within the contract.', 'INVALID_COMMAND'],
    ],
    effects: 'This owner may start this work, within the terms and until they expire. Nothing moves.',
    events: '`approval.execution.granted`.',
  },
  'policy.grant_cooperation_override': {
    sender: 'The MissionOwner, or a service under policy.',
    revision: '0: the grant is new',
    checks: [
      ownerOrService,
      ['The beneficiary is an active member.', 'AUTH_FORBIDDEN'],
      newId,
      ['The limit named holds the Command kind named back.', 'INVALID_COMMAND'],
      ['The grant ends in time to come, before the Mission.', 'INVALID_COMMAND'],
      notOver,
    ],
    effects: 'One Command, by kind and Action ID, may pass one limit once.',
    events: '`policy.cooperation_override.granted`.',
  },
  'ext.missionweaveprotocol.core.work_execution_lease_renew': {
    sender: 'The Worker who executes the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [workExists, worker, card, executing, isActive],
    effects: 'The Execution Lease lasts longer, and ownership with it; neither ever gets shorter.',
    events: '`work.progressed`.',
  },
  'ext.missionweaveprotocol.core.work_dependency_add': {
    sender: 'The Coordinator.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, coordinator, lease, active,
      ['The WorkItem is open, offered, queued or blocked.', 'INVALID_STATE_TRANSITION'],
      ['The dependency is new, a WorkItem of this Mission, and closes no cycle.', 'INVALID_STATE_TRANSITION', 'INVALID_COMMAND'],
    ],
    effects: 'The next version of the contract. Offers stand; an owner is fenced and the work is open, because it has to be accepted anew.',
    events: '`work.contract.revised`.',
  },
  'ext.countersign.work.offer_decline': {
    sender: 'The candidate.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists,
      ['The offer was made to the sender, is the latest, is open and has not expired.', 'AUTH_FORBIDDEN', 'WORK_ALREADY_OWNED', 'WORK_OFFER_EXPIRED'],
      active,
      ['The WorkItem is offered.', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'This offer is declined with its reason; others stand and the work stays offered.',
    events: '`ext.countersign.work.offer_declined`.',
  },
  'ext.countersign.work.preemption_request': {
    sender: 'The Coordinator.',
    revision: 'the WorkItem’s revision',
    checks: [workExists, coordinator, lease, active, isActive, ['The Worker was not asked before.', 'INVALID_STATE_TRANSITION']],
    effects: 'The Worker is asked to pause at its next safe point. No lease is taken away.',
    events: '`ext.countersign.work.preemption_requested`.',
  },
  'ext.missionweaveprotocol.core.resource_usage_record': {
    sender: 'The Worker who executes the WorkItem.',
    revision: 'the WorkItem’s revision',
    checks: [
      workExists, worker,
      ['The usage is not zero, and money is in whole millionths and names its currency.', 'INVALID_COMMAND'],
      ['The currency is the budget’s, and every account up to the Mission covers the charge.', 'BUDGET_EXCEEDED'],
      executing, isActive,
    ],
    effects: 'The usage is charged to the WorkItem and everything above it, all or nothing.',
    events: '`ext.missionweaveprotocol.core.resource_usage_recorded`.',
  },
  'ext.countersign.conversation.open': {
    sender: 'The MissionOwner or the Coordinator.',
    revision: '0: the Conversation is new',
    checks: [
      ownerOrCoordinator, newId,
      ['Every participant is an active member.', 'INVALID_COMMAND'],
      ['The WorkItem, if one is named, exists.', 'INVALID_COMMAND'],
      leaseOfCoordinator, notOver,
    ],
    effects: 'A Conversation in which its participants, the owner and the Coordinator post; a restricted one is read by nobody else.',
    events: '`ext.countersign.conversation.opened`.',
  },
  'ext.countersign.policy.change': {
    sender: 'An administrator of the Organization with an authority key, in the Space of the policy.',
    revision: 'the version of the policy in force; it may not be left out',
    checks: [
      ['The sender is an administrator with an authority key and cites Membership Epoch 1.', 'AUTH_FORBIDDEN', 'MEMBERSHIP_STALE'],
      ['The Command replaces the version in force by the next one.', 'INVALID_COMMAND', 'REVISION_CONFLICT'],
      ['No service is named twice.', 'INVALID_COMMAND'],
    ],
    effects: 'The policy is in force from its Event on, on every node.',
    events: '`ext.countersign.policy.changed`.',
  },
  'ext.missionweaveprotocol.registry.agent_card_register': {
    sender: 'A service of the Organization; the Command has no Group and no epochs.',
    revision: 'the version of the Agent’s card, 0 without one',
    checks: [
      ['The sender is a service with a key for services.', 'AUTH_FORBIDDEN'],
      ['The version of the card is higher than the one registered.', 'REVISION_CONFLICT'],
      ['The card was issued for this Organization.', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The card is in force.',
    events: '`ext.missionweaveprotocol.registry.agent_card_registered`, in the Organization’s log.',
  },
  'ext.missionweaveprotocol.identity.session_open': {
    sender: 'The identity service of the authority, at the end of a handshake; the Command has no Group and no epochs.',
    revision: 'nothing',
    checks: [
      ['The sender is a service with a key for services.', 'AUTH_FORBIDDEN'],
      ['The Agent has a valid card.', 'INVALID_COMMAND'],
      ['The Agent has just proved its key in a handshake.', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The Agent has the next Session Epoch; older Sessions and the Execution Leases held in them are over.',
    events: '`ext.missionweaveprotocol.identity.session_opened`, in the Organization’s log.',
  },
}
