// One Command against one Group: the fences that every Command passes, then the decider of its kind.
import { reject } from '../../protocol/error-codes.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { BoundedOfflineExecution, Budget, Membership, Usage } from '../../protocol/generated/types.ts'
import {
  type AGENT_CARD_REGISTER,
  ARTIFACT_IMPORT,
  CONVERSATION_OPEN,
  GROUP_ARCHIVE,
  IAP_RECORD,
  MISSION_BUDGET_RAISE,
  MISSION_CHILD_BUDGET_RAISE,
  MISSION_RECONCILE,
  MISSION_ROOT_DECIDE,
  type POLICY_CHANGE,
  type PROFILE_APPROVE,
  type PROFILE_RETIRE,
  RESOURCE_USAGE_RECORD,
  type SESSION_OPEN,
  WORK_DEPENDENCY_ADD,
  WORK_EXECUTION_LEASE_RENEW,
  WORK_OFFER_DECLINE,
  WORK_PREEMPTION_REQUEST,
} from '../../protocol/kinds.ts'
import { offlineEntryOf } from '../../protocol/offline-execution.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { CommandPayloadKind } from '../../protocol/validate.ts'
import { isExact } from './amounts.ts'
import { decideImport } from './artifact-import.ts'
import { decidePublish } from './artifact.ts'
import { decideOpenConversation } from './conversation.ts'
import { needlessOverride } from './cooperation.ts'
import { decideAssignCoordinator } from './coordinator-assign.ts'
import { decideRenewCoordinator } from './coordinator.ts'
import { decideGrantDelegation } from './delegation.ts'
import { decideGrantExecution } from './execution-approval.ts'
import { pinnedOtherwise } from './extension-use.ts'
import type { Refusal } from './fences.ts'
import { groupNotFound, keyTooWeak, notUnderPolicy, reservedExtension, staleCoordinator, staleMembership, staleSession, supersededCoordinator, supersededOwner } from './fences.ts'
import { decideArchive, groupArchived } from './group-archive.ts'
import { decideChangeMembership, decideEndMembership } from './membership.ts'
import { decideCorrect, decideRedact, decideRetract } from './message-amend.ts'
import { decidePostMessage } from './message.ts'
import { decideApprove, decideAtRoot, decideRequestChanges, decideSubmitForApproval } from './mission-approval.ts'
import { decideRaiseBudget } from './mission-budget.ts'
import { decideCancelMission } from './mission-cancel.ts'
import { decideRaiseChildBudget } from './mission-child-budget.ts'
import { decideCreateChild } from './mission-child.ts'
import type { FoundingKind } from './mission-create.ts'
import { decideMissionCreate, isFounding } from './mission-create.ts'
import { decideReconcile } from './mission-reconcile.ts'
import { decideTerminateMission } from './mission-terminate.ts'
import { decideRecordNegotiation } from './negotiation.ts'
import { misplacedOffline } from './offline-execution.ts'
import { payloadRefused } from './payload.ts'
import { decideGrantOverride } from './override-grant.ts'
import { decidePropose } from './proposal.ts'
import type { Decider, MemberRequest } from './request.ts'
import type { Decision, DecisionEnv, GroupState, VerifiedCommand } from './types.ts'
import { decideRecordUsage } from './usage.ts'
import { decideAcceptOffer } from './work-acceptance.ts'
import { decideAuthorize } from './work-authorize.ts'
import { decideBlock, decideUnblock } from './work-block.ts'
import { decideDecline } from './work-decline.ts'
import { decideAddDependency } from './work-dependency.ts'
import { decideCancelWork, decideFail } from './work-end.ts'
import { decideCheckpoint, decideRenewExecution, decideStart } from './work-execution.ts'
import { decideOffer } from './work-offer.ts'
import { decideRequestPreemption } from './work-preempt.ts'
import { decideAcceptResult, decideSubmit } from './work-result.ts'

type MemberKind = Exclude<CommandPayloadKind, FoundingKind | typeof AGENT_CARD_REGISTER | typeof SESSION_OPEN | typeof POLICY_CHANGE | typeof PROFILE_APPROVE | typeof PROFILE_RETIRE>

const DECIDERS: { readonly [K in MemberKind]: Decider<K> } = {
  'mission.assign_coordinator': decideAssignCoordinator,
  'mission.renew_coordinator': decideRenewCoordinator,
  'mission.submit_for_approval': decideSubmitForApproval,
  'mission.approve': decideApprove,
  'mission.request_changes': decideRequestChanges,
  'mission.cancel': decideCancelMission,
  'mission.terminate': decideTerminateMission,
  'mission.create_child': decideCreateChild,
  'membership.change': decideChangeMembership,
  'membership.end': decideEndMembership,
  'membership.grant_delegation': decideGrantDelegation,
  'message.post': decidePostMessage,
  'message.correct': decideCorrect,
  'message.retract': decideRetract,
  'message.redact': decideRedact,
  'policy.grant_cooperation_override': decideGrantOverride,
  'work.propose': decidePropose,
  'work.authorize': decideAuthorize,
  'work.offer': decideOffer,
  'work.accept_offer': decideAcceptOffer,
  'work.start': decideStart,
  'work.checkpoint': decideCheckpoint,
  'work.block': decideBlock,
  'work.unblock': decideUnblock,
  'work.submit': decideSubmit,
  'work.accept_result': decideAcceptResult,
  'work.fail': decideFail,
  'work.cancel': decideCancelWork,
  'artifact.publish': decidePublish,
  'approval.grant_execution': decideGrantExecution,
  [WORK_EXECUTION_LEASE_RENEW]: decideRenewExecution,
  [WORK_DEPENDENCY_ADD]: decideAddDependency,
  [WORK_OFFER_DECLINE]: decideDecline,
  [WORK_PREEMPTION_REQUEST]: decideRequestPreemption,
  [RESOURCE_USAGE_RECORD]: decideRecordUsage,
  [CONVERSATION_OPEN]: decideOpenConversation,
  [GROUP_ARCHIVE]: decideArchive,
  [MISSION_RECONCILE]: decideReconcile,
  [MISSION_BUDGET_RAISE]: decideRaiseBudget,
  [MISSION_CHILD_BUDGET_RAISE]: decideRaiseChildBudget,
  [MISSION_ROOT_DECIDE]: decideAtRoot,
  [ARTIFACT_IMPORT]: decideImport,
  [IAP_RECORD]: decideRecordNegotiation,
}

const isServed = (kind: string): kind is MemberKind | FoundingKind => isFounding(kind) || Object.hasOwn(DECIDERS, kind)

/**
 * The Events that accept a verified Command, or why it is refused. Reads the state, never changes it.
 * `state` is undefined for a Group without any Event.
 */
export function decide(state: GroupState | undefined, verified: VerifiedCommand, env: DecisionEnv): Decision {
  const { command, signingHash, source } = verified
  const { kind } = command
  if (!isServed(kind)) return err(reject('INVALID_COMMAND', `this authority does not serve ${kind} yet`))
  const refusal = payloadRefused(kind, command.payload) ?? contradiction(verified) ?? reservedExtension(verified) ?? misplacedOffline(verified) ?? inexactMoney(verified) ?? keyTooWeak(verified)
  if (refusal) return err(refusal)
  if (isFounding(kind)) return decideMissionCreate(state, verified, env)
  if (!state) return err(groupNotFound())
  const membership = admit(state, verified, env)
  if (!membership.ok) return membership
  const pinned = pinnedOtherwise(state.extensionPins, command)
  if (pinned) return err(pinned)
  // The table pairs every kind with its own decider, and the payload has been checked against that kind.
  const decider = DECIDERS[kind] as (request: MemberRequest) => Decision
  const decision = decider({ state, command, signingHash, env, membership: membership.value, payload: command.payload as MemberRequest['payload'], ...(source && { source }) })
  const closed = decision.ok ? groupArchived(state) : undefined
  return closed ? err(closed) : decision
}

/** Members of payloads that hold budgets and usages. */
type Costly = { readonly budget?: Budget; readonly contract?: { readonly budget?: Budget }; readonly terms?: { readonly budget?: Budget }; readonly usageDelta?: Usage }

/** every amount that enters the accounts can be counted exactly, whichever Command brings it. */
function inexactMoney({ command }: VerifiedCommand): Refusal {
  const { budget, contract, terms, usageDelta } = command.payload as Costly
  const offline = offlineEntryOf(command)?.data as BoundedOfflineExecution | undefined
  if (isExact(budget, contract?.budget, terms?.budget, usageDelta, offline?.resourceUsageDelta)) return undefined
  return reject('INVALID_COMMAND', 'money is counted in whole millionths, up to two thousand million')
}

/** Envelope and payload may both name the WorkItem; they have to mean the same one. */
function contradiction({ command: { workItemId, payload } }: VerifiedCommand): Refusal {
  if (workItemId === undefined || payload.workItemId === undefined || workItemId === payload.workItemId) return undefined
  return reject('INVALID_COMMAND', 'envelope and payload name different WorkItems')
}

/** A-221 up to the Coordinator Epoch. Whoever never belonged to the Group cannot tell that it exists. */
function admit(state: GroupState, { command }: VerifiedCommand, env: DecisionEnv): Result<Membership | undefined, Rejection> {
  const { actor } = command
  if (actor.type === 'service') return permitted(notUnderPolicy(command, env) ?? staleCoordinator({ command, state }) ?? needlessOverride({ command }), undefined)
  const membership = state.memberships.get(actor.id)
  if (membership?.member.type !== actor.type) return err(groupNotFound())
  const refusal =
    staleSession(command, env) ??
    supersededCoordinator({ command, state }) ??
    staleMembership(command, membership) ??
    staleCoordinator({ command, state }) ??
    supersededOwner({ command, state }, env) ??
    needlessOverride({ command })
  return permitted(refusal, membership)
}

const permitted = <T>(refusal: Refusal, standing: T): Result<T, Rejection> => (refusal ? err(refusal) : ok(standing))
