// Which Commands the server signs for an Agent: talk, and the work of a worker. Everything that decides is somebody else's.
import type { CommandKind } from '../../../protocol/kinds.ts'
import {
  AGENT_CARD_REGISTER,
  ARTIFACT_IMPORT,
  CONVERSATION_OPEN,
  GROUP_ARCHIVE,
  IAP_RECORD,
  MISSION_BUDGET_RAISE,
  MISSION_CHILD_BUDGET_RAISE,
  MISSION_RECONCILE,
  MISSION_ROOT_DECIDE,
  POLICY_CHANGE,
  PROFILE_APPROVE,
  PROFILE_RETIRE,
  RESOURCE_USAGE_RECORD,
  SESSION_OPEN,
  WORK_DEPENDENCY_ADD,
  WORK_EXECUTION_LEASE_RENEW,
  WORK_OFFER_DECLINE,
  WORK_PREEMPTION_REQUEST,
} from '../../../protocol/kinds.ts'

type Reason = 'talk' | 'work' | 'coordination' | 'decision' | 'administration'

/** What each kind is; a new one has to be put in its place before this compiles. */
const REASONS: Readonly<Record<CommandKind, Reason>> = {
  'mission.create': 'decision',
  'mission.assign_coordinator': 'decision',
  'mission.renew_coordinator': 'coordination',
  'mission.submit_for_approval': 'coordination',
  'mission.approve': 'decision',
  'mission.request_changes': 'decision',
  'mission.cancel': 'decision',
  'mission.terminate': 'coordination',
  'mission.create_child': 'coordination',
  'mission.create_follow_up': 'decision',
  'membership.change': 'coordination',
  'membership.end': 'coordination',
  'membership.grant_delegation': 'coordination',
  'message.post': 'talk',
  'message.correct': 'talk',
  'message.retract': 'talk',
  'message.redact': 'decision',
  'work.propose': 'talk',
  'work.authorize': 'coordination',
  'work.offer': 'coordination',
  'work.accept_offer': 'work',
  'work.start': 'work',
  'work.checkpoint': 'work',
  'work.block': 'work',
  'work.unblock': 'coordination',
  'work.submit': 'work',
  'work.accept_result': 'coordination',
  'work.fail': 'work',
  'work.cancel': 'coordination',
  'artifact.publish': 'work',
  'approval.grant_execution': 'decision',
  'policy.grant_cooperation_override': 'decision',
  [AGENT_CARD_REGISTER]: 'administration',
  [SESSION_OPEN]: 'administration',
  [GROUP_ARCHIVE]: 'administration',
  [WORK_DEPENDENCY_ADD]: 'coordination',
  [WORK_EXECUTION_LEASE_RENEW]: 'work',
  [RESOURCE_USAGE_RECORD]: 'work',
  [WORK_OFFER_DECLINE]: 'work',
  [WORK_PREEMPTION_REQUEST]: 'coordination',
  [CONVERSATION_OPEN]: 'coordination',
  [POLICY_CHANGE]: 'administration',
  [MISSION_RECONCILE]: 'coordination',
  [MISSION_BUDGET_RAISE]: 'decision',
  [MISSION_CHILD_BUDGET_RAISE]: 'coordination',
  [MISSION_ROOT_DECIDE]: 'decision',
  [ARTIFACT_IMPORT]: 'coordination',
  [IAP_RECORD]: 'administration',
  [PROFILE_APPROVE]: 'administration',
  [PROFILE_RETIRE]: 'administration',
}

/** The kinds that custody signs, and no others. */
export function isCustodialKind(kind: string): kind is CommandKind {
  const reason = Object.hasOwn(REASONS, kind) ? REASONS[kind as CommandKind] : undefined
  return reason === 'talk' || reason === 'work'
}
