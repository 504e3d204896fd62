// A Group records what an Event of its parent or child Mission means for it. Once: whatever is settled already asks for nothing more.
import type { EventPayloads, Membership, MissionChildEndedPayload } from '../../protocol/generated/types.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { MISSION_BUDGET_RAISED, MISSION_CHILD_ENDED, MISSION_OWNER_MOVED } from '../../protocol/kinds.ts'
import { amountsOf } from './amounts.ts'
import { keepArtifact } from './artifact.ts'
import { settleChildAccount } from './budget.ts'
import type { NewEvent } from './draft.ts'
import { eventIdOf } from './draft.ts'
import { isCoordinator, missionOver } from './fences.ts'
import { endedMembership, grantedMembership } from './membership.ts'
import { notRaised, revisionAfterRaise } from './mission-budget.ts'
import { WHOLE_GROUP } from './mission-create.ts'
import type { BudgetRaised, ChildEnded, OwnerMoved, ParentEnded, Reaction } from './reactions.ts'
import type { Evolver } from './request.ts'
import type { DecisionEnv, EventDraft, GroupState } from './types.ts'
import { introduce, isUnfinished, noteStep, putWork, revised, workOf } from './work-record.ts'

type AnyEvent = { [K in EventPayloadKind]: NewEvent<K> }[EventPayloadKind]

/** The Events that record the reaction, in the name of the authority; none when there is nothing left to record. */
export function decideReaction(state: GroupState, reaction: Reaction, env: DecisionEnv): readonly EventDraft[] {
  return eventsFor(state, reaction, env).map((event, index) => draftOf(reaction, index, event, env))
}

function eventsFor(state: GroupState, { body, eventId }: Reaction, env: DecisionEnv): readonly AnyEvent[] {
  if (body.type === 'child-ended') return childEnded(state, body, eventId, env)
  if (missionOver({ state })) return []
  if (body.type === 'budget-raised') return budgetRaised(state, body)
  return body.type === 'parent-ended' ? parentEnded(state, body) : ownerMoved(state, body, env)
}

/** The id derives from what caused it: two nodes that record the same reaction write the same Event. */
function draftOf({ eventId, targetGroupId, correlationId }: Reaction, index: number, event: AnyEvent, { authority }: DecisionEnv): EventDraft {
  const conversationId = event.item?.conversationId ?? event.conversationId
  return {
    eventId: eventIdOf(`reaction to ${eventId} in ${targetGroupId}`, index),
    kind: event.kind,
    actor: authority,
    cause: { type: 'event', id: eventId },
    correlationId,
    aggregateRevision: event.aggregateRevision,
    payload: event.payload as unknown as Record<string, unknown>,
    ...(conversationId !== undefined && { conversationId }),
    ...(event.item && { workItemId: event.item.workItemId }),
  }
}

/** how the child ended, and what that makes of the WorkItem if it still waits for the child. */
function childEnded(state: GroupState, body: ChildEnded, sourceEventId: string, env: DecisionEnv): readonly AnyEvent[] {
  const { type: _type, ...result } = body
  const record = state.workItems.get(body.workItemId)
  if (record?.child?.missionId !== body.childMissionId || record.child.state !== 'running') return []
  const { item, child } = record
  const payload: MissionChildEndedPayload = { ...result, usage: { ...body.usage, ...currencyOf(state) }, artifacts: [...body.artifacts], sourceEventId }
  const revision = item.revision + 1
  const ended: AnyEvent = { kind: MISSION_CHILD_ENDED, aggregateRevision: revision, item, payload }
  if (item.state !== 'blocked' || missionOver({ state })) return [ended]
  if (body.approval) {
    const { approvalId, artifactHashes } = body.approval
    const submission = { artifactHashes, evidenceIds: [approvalId], submittedAt: env.now }
    const accepted = { workItemId: item.workItemId, evidence: [], childMissionId: body.childMissionId, childApprovalId: approvalId, sourceEventId, submission }
    return [ended, { kind: 'work.result.accepted', aggregateRevision: revision + 1, item, payload: accepted }]
  }
  if (body.outcome === 'cancelled' || child.failurePolicy === 'block_parent_work_item') return [ended]
  const failed: AnyEvent = { kind: 'work.failed', aggregateRevision: revision + 1, item, payload: { workItemId: item.workItemId, reason: body.reason, evidence: [] } }
  if (child.failurePolicy === 'fail_parent_work_item') return [ended, failed]
  return [ended, failed, terminated(state, body.reason), ...endAll(state, 'work.failed', 'The Mission has failed.', item.workItemId)]
}

function currencyOf({ mission }: GroupState): { currency?: string } {
  return mission.budget.currency === undefined ? {} : { currency: mission.budget.currency }
}

/** what was cancelled above is cancelled here, what failed above fails here. */
function parentEnded(state: GroupState, { outcome, reason }: ParentEnded): readonly AnyEvent[] {
  if (outcome === 'failed') return [terminated(state, reason), ...endAll(state, 'work.failed', 'The Mission has failed.')]
  const { missionId, revision } = state.mission
  const cancelled: AnyEvent = { kind: 'mission.cancelled', aggregateRevision: revision, payload: { missionId, reason } }
  return [cancelled, ...endAll(state, 'work.cancelled', 'The Mission was cancelled.')]
}

function terminated({ mission: { missionId, revision } }: GroupState, reason: string): AnyEvent {
  return { kind: 'mission.terminated', aggregateRevision: revision, payload: { missionId, reason } }
}

/** One Event for every unfinished WorkItem but the one that has had its own. */
function endAll(state: GroupState, kind: 'work.cancelled' | 'work.failed', reason: string, done?: string): readonly AnyEvent[] {
  const unfinished = [...state.workItems.values()].filter((record) => isUnfinished(record) && record.item.workItemId !== done)
  return unfinished.map(({ item }): AnyEvent => {
    const event = { aggregateRevision: item.revision + 1, item }
    const { workItemId } = item
    return kind === 'work.failed' ? { ...event, kind, payload: { workItemId, reason, evidence: [] } } : { ...event, kind, payload: { workItemId, reason } }
  })
}

/** A later Coordinator Epoch of the parent counts, whichever reaction comes first. */
function ownerMoved(state: GroupState, { owner, coordinatorEpoch }: OwnerMoved, env: DecisionEnv): readonly AnyEvent[] {
  const { mission, parentLink } = state
  if (!parentLink || coordinatorEpoch <= parentLink.coordinatorEpoch) return []
  const { missionId, revision, missionOwner: previousOwner } = mission
  const before = state.memberships.get(previousOwner.id)
  const granted = grantedMembership({ state, env }, { member: owner, role: 'mission_owner', scopes: WHOLE_GROUP, visibilityStartSequence: 0 })
  const moved: AnyEvent = { kind: MISSION_OWNER_MOVED, aggregateRevision: revision, payload: { missionId, previousOwner, missionOwner: owner, parentCoordinatorEpoch: coordinatorEpoch } }
  return [
    moved,
    ...(before?.state === 'active' && previousOwner.id !== owner.id ? [formerOwner(state, before, env)] : []),
    { kind: 'membership.changed', aggregateRevision: granted.membershipEpoch, payload: { membership: granted } },
  ]
}

/** Whoever owned the Mission leaves it, unless it coordinates the Mission: two successions at the same time may bring that about. */
function formerOwner(state: GroupState, before: Membership, env: DecisionEnv): AnyEvent {
  if (isCoordinator(state, before.member)) {
    const membership = grantedMembership({ state, env }, { member: before.member, role: 'coordinator' })
    return { kind: 'membership.changed', aggregateRevision: membership.membershipEpoch, payload: { membership } }
  }
  const membership = endedMembership(before, env.now)
  return { kind: 'membership.ended', aggregateRevision: membership.membershipEpoch, payload: { membership, reason: 'Another Agent coordinates the parent Mission.' } }
}

/** Budgets only grow, so a later raise that came first leaves nothing to an earlier one. */
function budgetRaised({ mission }: GroupState, { budget, reason }: BudgetRaised): readonly AnyEvent[] {
  const { missionId, budget: previousBudget } = mission
  if (notRaised(previousBudget, budget)) return []
  return [{ kind: MISSION_BUDGET_RAISED, aggregateRevision: revisionAfterRaise(mission), payload: { missionId, previousBudget, budget, reason } }]
}

type Moved = EventPayloads[typeof MISSION_OWNER_MOVED]

export const evolveOwnerMoved: Evolver<typeof MISSION_OWNER_MOVED> = (state, { payload }) => {
  const { missionOwner, parentCoordinatorEpoch }: Moved = payload
  state.mission = { ...state.mission, missionOwner }
  if (state.parentLink) state.parentLink = { ...state.parentLink, coordinatorEpoch: parentCoordinatorEpoch }
}

/** The child's account is settled, and its approved artifacts are known here with their provenance. */
export const evolveChildEnded: Evolver<typeof MISSION_CHILD_ENDED> = (state, event) => {
  const { workItemId, childMissionId, outcome, reason, usage, approval, artifacts } = event.payload
  settleChildAccount(state, childMissionId, amountsOf(usage))
  const record = workOf(state, workItemId)
  const child = record.child && { child: { ...record.child, state: outcome } }
  const isFree = record.item.state === 'blocked' && outcome !== 'approved'
  const blocker = isFree && { blocker: { reason: `The child Mission ${outcome === 'failed' ? 'failed' : 'was cancelled'}: ${reason}`, unblockCondition: 'The Coordinator unblocks it, offers it again or founds another child Mission.' } }
  putWork(state, { ...record, ...child, ...blocker, item: revised(record.item, event.occurredAt, {}) })
  for (const artifact of artifacts) keepArtifact(state, artifact, event.sequence)
  if (approval) introduce(state, approval.approvalId, event.sequence)
  noteStep(state, workItemId, event)
}
