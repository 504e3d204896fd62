// The only place where the wire names of Commands and Events are spelt.

/** Core Commands of protocol 0.1. */
export const CORE_COMMAND_KINDS = [
  'mission.create',
  'mission.assign_coordinator',
  'mission.renew_coordinator',
  'mission.submit_for_approval',
  'mission.approve',
  'mission.request_changes',
  'mission.cancel',
  'mission.terminate',
  'mission.create_child',
  'mission.create_follow_up',
  'membership.change',
  'membership.end',
  'membership.grant_delegation',
  'message.post',
  'message.correct',
  'message.retract',
  'message.redact',
  'work.propose',
  'work.authorize',
  'work.offer',
  'work.accept_offer',
  'work.start',
  'work.checkpoint',
  'work.block',
  'work.unblock',
  'work.submit',
  'work.accept_result',
  'work.fail',
  'work.cancel',
  'artifact.publish',
  'approval.grant_execution',
  'policy.grant_cooperation_override',
] as const

/** Core Events of protocol 0.1. */
export const CORE_EVENT_KINDS = [
  'mission.created',
  'mission.coordinator.assigned',
  'mission.coordinator.renewed',
  'mission.submitted_for_approval',
  'mission.approved',
  'mission.changes_requested',
  'mission.cancelled',
  'mission.terminated',
  'mission.child.created',
  'mission.follow_up.created',
  'membership.changed',
  'membership.ended',
  'membership.delegation.granted',
  'message.posted',
  'message.corrected',
  'message.retracted',
  'message.redacted',
  'work.proposed',
  'work.authorized',
  'work.offer.created',
  'work.offer.accepted',
  'work.contract.revised',
  'work.started',
  'work.progressed',
  'work.checkpointed',
  'work.blocked',
  'work.unblocked',
  'work.submitted',
  'work.result.accepted',
  'work.failed',
  'work.cancelled',
  'artifact.published',
  'approval.execution.granted',
  'policy.cooperation_override.granted',
  'group.snapshot.created',
  'group.archived',
] as const

export const AGENT_CARD_REGISTER = 'ext.missionweaveprotocol.registry.agent_card_register'
export const SESSION_OPEN = 'ext.missionweaveprotocol.identity.session_open'
export const GROUP_ARCHIVE = 'ext.missionweaveprotocol.core.group_archive'
export const WORK_DEPENDENCY_ADD = 'ext.missionweaveprotocol.core.work_dependency_add'
export const WORK_EXECUTION_LEASE_RENEW = 'ext.missionweaveprotocol.core.work_execution_lease_renew'
export const RESOURCE_USAGE_RECORD = 'ext.missionweaveprotocol.core.resource_usage_record'
export const WORK_OFFER_DECLINE = 'ext.countersign.work.offer_decline'
export const WORK_PREEMPTION_REQUEST = 'ext.countersign.work.preemption_request'
export const CONVERSATION_OPEN = 'ext.countersign.conversation.open'
export const POLICY_CHANGE = 'ext.countersign.policy.change'
export const MISSION_RECONCILE = 'ext.countersign.mission.reconcile'
export const MISSION_BUDGET_RAISE = 'ext.countersign.mission.budget_raise'
export const MISSION_CHILD_BUDGET_RAISE = 'ext.countersign.mission.child_budget_raise'
export const MISSION_ROOT_DECIDE = 'ext.countersign.mission.root_decide'
export const ARTIFACT_IMPORT = 'ext.countersign.artifact.import'
export const IAP_RECORD = 'ext.countersign.iap.record'
export const PROFILE_APPROVE = 'ext.countersign.profile.approve'
export const PROFILE_RETIRE = 'ext.countersign.profile.retire'

export const AGENT_CARD_REGISTERED = 'ext.missionweaveprotocol.registry.agent_card_registered'
export const SESSION_OPENED = 'ext.missionweaveprotocol.identity.session_opened'
export const RESOURCE_USAGE_RECORDED = 'ext.missionweaveprotocol.core.resource_usage_recorded'
export const WORK_EXECUTION_LEASE_REVOKED = 'ext.missionweaveprotocol.core.work_execution_lease_revoked'
export const WORK_EXECUTION_LEASE_EXPIRED = 'ext.missionweaveprotocol.core.work_execution_lease_expired'
export const WORK_OFFER_DECLINED = 'ext.countersign.work.offer_declined'
export const WORK_PREEMPTION_REQUESTED = 'ext.countersign.work.preemption_requested'
export const CONVERSATION_OPENED = 'ext.countersign.conversation.opened'
export const POLICY_CHANGED = 'ext.countersign.policy.changed'
export const PROFILE_APPROVED = 'ext.countersign.profile.approved'
export const PROFILE_RETIRED = 'ext.countersign.profile.retired'
export const MISSION_CHILD_ENDED = 'ext.countersign.mission.child_ended'
export const MISSION_OWNER_MOVED = 'ext.countersign.mission.owner_moved'
export const MISSION_RECONCILED = 'ext.countersign.mission.reconciled'
export const MISSION_BUDGET_RAISED = 'ext.countersign.mission.budget_raised'
export const MISSION_CHILD_BUDGET_RAISED = 'ext.countersign.mission.child_budget_raised'
export const MISSION_ROOT_DECIDED = 'ext.countersign.mission.root_decided'
export const ARTIFACT_IMPORTED = 'ext.countersign.artifact.imported'
export const IAP_RECORDED = 'ext.countersign.iap.recorded'

/** Extension Commands that this Organization has approved. */
export const EXTENSION_COMMAND_KINDS = [
  AGENT_CARD_REGISTER,
  SESSION_OPEN,
  GROUP_ARCHIVE,
  WORK_DEPENDENCY_ADD,
  WORK_EXECUTION_LEASE_RENEW,
  RESOURCE_USAGE_RECORD,
  WORK_OFFER_DECLINE,
  WORK_PREEMPTION_REQUEST,
  CONVERSATION_OPEN,
  POLICY_CHANGE,
  MISSION_RECONCILE,
  MISSION_BUDGET_RAISE,
  MISSION_CHILD_BUDGET_RAISE,
  MISSION_ROOT_DECIDE,
  ARTIFACT_IMPORT,
  IAP_RECORD,
  PROFILE_APPROVE,
  PROFILE_RETIRE,
] as const

/** Extension Events that this Organization has approved. */
export const EXTENSION_EVENT_KINDS = [
  AGENT_CARD_REGISTERED,
  SESSION_OPENED,
  RESOURCE_USAGE_RECORDED,
  WORK_EXECUTION_LEASE_REVOKED,
  WORK_EXECUTION_LEASE_EXPIRED,
  WORK_OFFER_DECLINED,
  WORK_PREEMPTION_REQUESTED,
  CONVERSATION_OPENED,
  POLICY_CHANGED,
  PROFILE_APPROVED,
  PROFILE_RETIRED,
  MISSION_CHILD_ENDED,
  MISSION_OWNER_MOVED,
  MISSION_RECONCILED,
  MISSION_BUDGET_RAISED,
  MISSION_CHILD_BUDGET_RAISED,
  MISSION_ROOT_DECIDED,
  ARTIFACT_IMPORTED,
  IAP_RECORDED,
] as const

export type CoreCommandKind = (typeof CORE_COMMAND_KINDS)[number]
export type CoreEventKind = (typeof CORE_EVENT_KINDS)[number]
export type ExtensionCommandKind = (typeof EXTENSION_COMMAND_KINDS)[number]
export type ExtensionEventKind = (typeof EXTENSION_EVENT_KINDS)[number]
export type CommandKind = CoreCommandKind | ExtensionCommandKind
export type EventKind = CoreEventKind | ExtensionEventKind

/** The Event that answers the sender of an accepted Command. */
export const PRIMARY_EVENT_OF = {
  'mission.create': 'mission.created',
  'mission.assign_coordinator': 'mission.coordinator.assigned',
  'mission.renew_coordinator': 'mission.coordinator.renewed',
  'mission.submit_for_approval': 'mission.submitted_for_approval',
  'mission.approve': 'mission.approved',
  'mission.request_changes': 'mission.changes_requested',
  'mission.cancel': 'mission.cancelled',
  'mission.terminate': 'mission.terminated',
  'mission.create_child': 'mission.child.created',
  'mission.create_follow_up': 'mission.follow_up.created',
  'membership.change': 'membership.changed',
  'membership.end': 'membership.ended',
  'membership.grant_delegation': 'membership.delegation.granted',
  'message.post': 'message.posted',
  'message.correct': 'message.corrected',
  'message.retract': 'message.retracted',
  'message.redact': 'message.redacted',
  'work.propose': 'work.proposed',
  'work.authorize': 'work.authorized',
  'work.offer': 'work.offer.created',
  'work.accept_offer': 'work.offer.accepted',
  'work.start': 'work.started',
  'work.checkpoint': 'work.checkpointed',
  'work.block': 'work.blocked',
  'work.unblock': 'work.unblocked',
  'work.submit': 'work.submitted',
  'work.accept_result': 'work.result.accepted',
  'work.fail': 'work.failed',
  'work.cancel': 'work.cancelled',
  'artifact.publish': 'artifact.published',
  'approval.grant_execution': 'approval.execution.granted',
  'policy.grant_cooperation_override': 'policy.cooperation_override.granted',
  [AGENT_CARD_REGISTER]: AGENT_CARD_REGISTERED,
  [SESSION_OPEN]: SESSION_OPENED,
  [GROUP_ARCHIVE]: 'group.archived',
  [WORK_DEPENDENCY_ADD]: 'work.contract.revised',
  [WORK_EXECUTION_LEASE_RENEW]: 'work.progressed',
  [RESOURCE_USAGE_RECORD]: RESOURCE_USAGE_RECORDED,
  [WORK_OFFER_DECLINE]: WORK_OFFER_DECLINED,
  [WORK_PREEMPTION_REQUEST]: WORK_PREEMPTION_REQUESTED,
  [CONVERSATION_OPEN]: CONVERSATION_OPENED,
  [POLICY_CHANGE]: POLICY_CHANGED,
  [MISSION_RECONCILE]: MISSION_RECONCILED,
  [MISSION_BUDGET_RAISE]: MISSION_BUDGET_RAISED,
  [MISSION_CHILD_BUDGET_RAISE]: MISSION_CHILD_BUDGET_RAISED,
  [MISSION_ROOT_DECIDE]: MISSION_ROOT_DECIDED,
  [ARTIFACT_IMPORT]: ARTIFACT_IMPORTED,
  [IAP_RECORD]: IAP_RECORDED,
  [PROFILE_APPROVE]: PROFILE_APPROVED,
  [PROFILE_RETIRE]: PROFILE_RETIRED,
} as const satisfies Record<CommandKind, EventKind>
