// Submission and the signed answer to it: one exact revision with one exact set of artifacts.
import type { Actor, Approval, MissionSubmitForApprovalPayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { MISSION_ROOT_DECIDE, MISSION_ROOT_DECIDED } from '../../protocol/kinds.ts'
import { err, invariant } from '../../protocol/result.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import {
  coordinatorLeaseOver,
  idInUse,
  isCoordinator,
  missionNotActive,
  notCoordinator,
  notMissionOwner,
  revisionConflict,
} from './fences.ts'
import type { Decider, Evolver, GroupEvent, MemberRequest } from './request.ts'
import type { GroupState, Submission } from './types.ts'
import { introduce } from './work-record.ts'

/** `mission.submit_for_approval`. */
export const decideSubmitForApproval: Decider<'mission.submit_for_approval'> = (request) => {
  const { state, command, payload } = request
  const { missionId, revision } = state.mission
  const refusal =
    revisionConflict(command, revision) ??
    notCoordinator(request) ??
    coordinatorLeaseOver(request) ??
    missionNotActive(request) ??
    wrongDrops(state, payload) ??
    unfinishedWork(state, payload) ??
    foreignArtifacts(state, payload)
  if (refusal) return err(refusal)
  return accept(request, {
    kind: 'mission.submitted_for_approval',
    aggregateRevision: revision,
    payload: { missionId, missionRevision: revision, submissionNumber: state.submissions.length + 1, ...payload },
  })
}

/** Only failed work is dropped, and each item once. */
function wrongDrops({ workItems }: GroupState, { dropped }: MissionSubmitForApprovalPayload): Refusal {
  const ids = dropped.map(({ workItemId }) => workItemId)
  const isFailed = ids.every((id) => workItems.get(id)?.item.state === 'failed')
  if (isFailed && new Set(ids).size === ids.length) return undefined
  return reject('INVALID_COMMAND', 'only failed WorkItems can be dropped, each once')
}

function unfinishedWork(state: GroupState, { dropped }: MissionSubmitForApprovalPayload): Refusal {
  const records = [...state.workItems.values()]
  if (!records.some(({ item }) => item.state === 'verified')) return reject('INVALID_STATE_TRANSITION', 'no work is verified yet')
  const settled = settledFailures(state)
  for (const { workItemId } of dropped) settled.add(workItemId)
  const open = records.find(({ item }) => item.state !== 'verified' && item.state !== 'cancelled' && !settled.has(item.workItemId))
  if (!open) return undefined
  const { workItemId, state: workState } = open.item
  return reject('INVALID_STATE_TRANSITION', `a WorkItem is ${workState}`, { details: { workItemId, state: workState } })
}

/** Failed items that verified work replaced, directly or through replacements that failed as well. */
function settledFailures({ workItems }: GroupState): Set<string> {
  const settled = new Set<string>()
  // An item can only replace one authorized before it, so going backwards meets every replacement before what it replaced.
  for (const { item, replacesWorkItemId } of [...workItems.values()].reverse()) {
    if (replacesWorkItemId !== undefined && (item.state === 'verified' || settled.has(item.workItemId))) settled.add(replacesWorkItemId)
  }
  return settled
}

/** What came from a child Mission was published in another Group; the verified item names it in its submission. */
function foreignArtifacts({ artifacts, workItems }: GroupState, { artifactHashes }: MissionSubmitForApprovalPayload): Refusal {
  const isVerified = (workItemId: string) => workItems.get(workItemId)?.item.state === 'verified'
  const ofChildren = new Set([...workItems.values()].flatMap(({ item, child }) => (child && item.state === 'verified' ? (item.submission?.artifactHashes ?? []) : [])))
  const artifactHash = artifactHashes.find((hash) => !ofChildren.has(hash) && !artifacts.get(hash)?.some(({ workItemId }) => isVerified(workItemId)))
  if (artifactHash === undefined) return undefined
  return reject('INVALID_COMMAND', 'no verified work published one of the artifacts', { details: { artifactHash } })
}

/** `mission.approve`; of a child Mission by the Parent Coordinator, and with the root human's Approval where the policy asks for it. */
export const decideApprove: Decider<'mission.approve'> = (request) => {
  const { approval } = request.payload
  const refusal = answerRefused(request, approval, 'approved') ?? rootApprovalRefused(request)
  if (refusal) return err(refusal)
  const { missionId, revision } = request.state.mission
  const rootApproval = request.payload.rootApproval ?? pendingOf(request.state).rootDecision
  return accept(request, { kind: 'mission.approved', aggregateRevision: revision, payload: { missionId, approval, ...(rootApproval && { rootApproval }) } })
}

/** the second signature is on the very same submission. It is on record already, or comes with the Command. */
function rootApprovalRefused({ state, payload }: MemberRequest<'mission.approve'>): Refusal {
  const { approval, rootApproval } = payload
  const { rootDecision } = pendingOf(state)
  if (rootDecision && rootApproval) return reject('INVALID_COMMAND', 'the root MissionOwner’s decision is on record already')
  if (!rootApproval) {
    const isMissing = needsRootApproval(state) && rootDecision?.decision !== 'approved'
    return isMissing ? reject('APPROVAL_REQUIRED', 'the policy of this child Mission asks for the root MissionOwner’s Approval as well') : undefined
  }
  const { approver } = rootApproval
  if (!isRootOwner(state, approver) || !isAbout(state, rootApproval, 'approved') || rootApproval.approvalId === approval.approvalId) {
    return reject('INVALID_COMMAND', 'the second Approval is not the root MissionOwner’s for this Mission')
  }
  return otherSubmission(state, rootApproval) ?? idInUse(state, rootApproval.approvalId)
}

/** whether a child Mission’s policy asks for the Approval of the human at the root besides that of its owner. */
export function needsRootApproval({ mission, parentLink }: GroupState): boolean {
  return parentLink !== undefined && mission.approvalPolicy.finalHumanApproval
}

function isRootOwner({ parentLink }: GroupState, { type, id }: Actor): boolean {
  return parentLink !== undefined && type === parentLink.rootOwner.type && id === parentLink.rootOwner.id
}

/** `mission.root_decide`: the human at the root approves the submission of a child Mission, or says what has to change; once for each submission. */
export const decideAtRoot: Decider<typeof MISSION_ROOT_DECIDE> = (request) => {
  const { state, command, payload } = request
  const { approval } = payload
  const { missionId, revision } = state.mission
  const decision = approval.decision === 'approved' ? 'approved' : 'changes_requested'
  const refusal =
    revisionConflict(command, revision) ??
    notRootOwner(request) ??
    otherMatter(request, approval, decision) ??
    notAwaitingApproval(state) ??
    rootHasDecided(state) ??
    otherSubmission(state, approval) ??
    idInUse(state, approval.approvalId) ??
    (decision === 'changes_requested' ? blankFeedback(approval) : undefined)
  if (refusal) return err(refusal)
  return accept(request, { kind: 'ext.countersign.mission.root_decided', aggregateRevision: revision, payload: { missionId, approval } })
}

function notRootOwner({ state, command }: MemberRequest): Refusal {
  if (isRootOwner(state, command.actor) && needsRootApproval(state)) return undefined
  return reject('AUTH_FORBIDDEN', 'only the root MissionOwner may do this, where the policy of a child Mission asks for it')
}

function rootHasDecided(state: GroupState): Refusal {
  return pendingOf(state).rootDecision && reject('INVALID_STATE_TRANSITION', 'the root MissionOwner has decided on this submission')
}

/** `mission.request_changes`. */
export const decideRequestChanges: Decider<'mission.request_changes'> = (request) => {
  const { approval } = request.payload
  const refusal = answerRefused(request, approval, 'changes_requested') ?? blankFeedback(approval)
  if (refusal) return err(refusal)
  const { missionId, revision } = request.state.mission
  return accept(request, {
    kind: 'mission.changes_requested',
    aggregateRevision: revision + 1,
    payload: { missionId, approval, feedback: approval.comments, newRevision: revision + 1 },
  })
}

function answerRefused(request: MemberRequest, approval: Approval, decision: Approval['decision']): Refusal {
  const { state, command } = request
  return (
    revisionConflict(command, state.mission.revision) ??
    notMissionOwner(request) ??
    ownWork(request) ??
    otherMatter(request, approval, decision) ??
    notAwaitingApproval(state) ??
    otherSubmission(state, approval) ??
    idInUse(state, approval.approvalId)
  )
}

/** an owner that came to coordinate the child Mission as well puts somebody else in charge first. */
function ownWork({ state, command }: MemberRequest): Refusal {
  return isCoordinator(state, command.actor) ? reject('AUTH_FORBIDDEN', 'nobody approves its own submission') : undefined
}

/** The signed Approval has to say what the Command around it does. */
function otherMatter({ state, command }: MemberRequest, approval: Approval, decision: Approval['decision']): Refusal {
  const isOwn = approval.approver.type === command.actor.type && approval.approver.id === command.actor.id
  if (isOwn && isAbout(state, approval, decision)) return undefined
  return reject('INVALID_COMMAND', `the Approval is not this owner’s final ${decision} for this Mission`)
}

/** An Approval of the final kind for this Mission, which for a child Mission is another than for a root one (R-APR-2). */
function isAbout({ mission, parentLink }: GroupState, approval: Approval, decision: Approval['decision']): boolean {
  const isThis = approval.missionId === mission.missionId && approval.groupId === mission.groupId && approval.workItemId === undefined
  return isThis && approval.kind === (parentLink ? 'child_mission' : 'mission_final') && approval.decision === decision
}

function notAwaitingApproval({ mission }: GroupState): Refusal {
  return mission.state === 'awaiting_approval' ? undefined : reject('INVALID_STATE_TRANSITION', `the Mission is ${mission.state}`)
}

/** always compare-and-set, against revision, artifact set and acceptance policy. */
function otherSubmission(state: GroupState, approval: Approval): Refusal {
  const pending = pendingOf(state)
  const { policyVersion } = state.mission.approvalPolicy
  const [expectedRevision, currentRevision] = [approval.missionRevision, pending.missionRevision]
  if (expectedRevision !== currentRevision) {
    return reject('REVISION_CONFLICT', 'another revision was submitted', { expectedRevision, currentRevision })
  }
  if (!isSameSet(approval.artifactHashes, pending.artifactHashes)) return reject('REVISION_CONFLICT', 'another set of artifacts was submitted')
  if (policyVersion === undefined || approval.acceptancePolicyVersion === policyVersion) return undefined
  return reject('REVISION_CONFLICT', `the acceptance policy is version ${policyVersion}`)
}

/** Both lists are free of repetition by schema. */
function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const members = new Set(b)
  return a.length === members.size && a.every((member) => members.has(member))
}

function blankFeedback({ comments }: Approval): Refusal {
  return /\S/.test(comments) ? undefined : reject('INVALID_COMMAND', 'a request for changes has to say which')
}

function pendingOf({ submissions }: GroupState): Submission {
  const pending = submissions.at(-1)
  invariant(pending?.outcome === 'pending', 'a Mission awaits approval without a submission')
  return pending
}

export const evolveSubmittedForApproval: Evolver<'mission.submitted_for_approval'> = (state, { payload, sequence, occurredAt }) => {
  const { missionId: _missionId, ...submitted } = payload
  state.submissions = [...state.submissions, { ...submitted, sequence, submittedAt: occurredAt, outcome: 'pending' }]
  state.mission = { ...state.mission, state: 'awaiting_approval' }
}

export const evolveApproved: Evolver<'mission.approved'> = (state, event) => {
  const { rootApproval } = event.payload
  answer(state, event, 'approved')
  if (rootApproval) introduce(state, rootApproval.approvalId, event.sequence)
  state.mission = { ...state.mission, state: 'approved' }
}

export const evolveChangesRequested: Evolver<'mission.changes_requested'> = (state, event) => {
  answer(state, event, 'changes_requested')
  state.mission = { ...state.mission, state: 'active', revision: event.payload.newRevision }
}

export const evolveRootDecided: Evolver<typeof MISSION_ROOT_DECIDED> = (state, { payload: { approval }, sequence }) => {
  state.submissions = [...state.submissions.slice(0, -1), { ...pendingOf(state), rootDecision: approval }]
  introduce(state, approval.approvalId, sequence)
}

type AnswerEvent = GroupEvent<'mission.approved' | 'mission.changes_requested'>

function answer(state: GroupState, event: AnswerEvent, outcome: 'approved' | 'changes_requested'): void {
  const { approval } = event.payload
  state.submissions = [...state.submissions.slice(0, -1), { ...pendingOf(state), outcome, approval }]
  introduce(state, approval.approvalId, event.sequence)
}
