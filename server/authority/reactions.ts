// What Events of one Group bring about in another: the child's end in the parent, the parent's in its children.
// A reaction carries all that the other Group needs to know, so that it can be recorded without looking back.
import type { Actor, Approval, Artifact, Budget, EventDocument } from '../../protocol/generated/types.ts'
import { MISSION_CHILD_BUDGET_RAISED } from '../../protocol/kinds.ts'
import { resultManifests } from './artifact.ts'
import { spentBy } from './budget.ts'
import type { GroupEvent } from './request.ts'
import type { Amounts, ChildLink, GroupState } from './types.ts'
import { runningChildren } from './work-record.ts'

/** A child Mission is over; for its parent. */
export interface ChildEnded {
  readonly type: 'child-ended'
  readonly childMissionId: string
  readonly childGroupId: string
  readonly workItemId: string
  readonly outcome: Exclude<ChildLink['state'], 'running'>
  readonly reason: string
  readonly usage: Amounts
  readonly approval?: Approval
  readonly artifacts: readonly Artifact[]
}

/** The WorkItem that a child Mission works on is over; for the child. */
export interface ParentEnded {
  readonly type: 'parent-ended'
  readonly outcome: 'cancelled' | 'failed'
  readonly reason: string
}

/** Another Agent coordinates the parent and owns the child from now on. */
export interface OwnerMoved {
  readonly type: 'owner-moved'
  readonly owner: Actor
  readonly coordinatorEpoch: number
}

/** The Group above has set aside more for the child Mission. */
export interface BudgetRaised {
  readonly type: 'budget-raised'
  readonly budget: Budget
  readonly reason: string
}

/** One Event calls for at most one reaction in another Group, so the two ids name it. */
export interface Reaction {
  readonly targetGroupId: string
  /** The Event that calls for it. */
  readonly eventId: string
  readonly correlationId: string
  readonly body: ChildEnded | ParentEnded | OwnerMoved | BudgetRaised
}

type Bodies = readonly { readonly targetGroupId: string; readonly body: Reaction['body'] }[]
type Rule = (state: GroupState, event: GroupEvent) => Bodies

const CALLS: Readonly<Record<string, Rule>> = {
  'mission.approved': (state, event) => childEnded(state, 'approved', 'The child Mission was approved.', event),
  'mission.terminated': (state, event) => childEnded(state, 'failed', (event as GroupEvent<'mission.terminated'>).payload.reason, event),
  'mission.cancelled': (state, event) => childEnded(state, 'cancelled', (event as GroupEvent<'mission.cancelled'>).payload.reason, event),
  'work.cancelled': (state, event) => parentEnded(state, 'cancelled', event),
  'work.failed': (state, event) => parentEnded(state, 'failed', event),
  'mission.coordinator.assigned': (state, event) => ownerMoved(state, event as GroupEvent<'mission.coordinator.assigned'>),
  [MISSION_CHILD_BUDGET_RAISED]: (state, event) => budgetRaised(state, event as GroupEvent<typeof MISSION_CHILD_BUDGET_RAISED>),
}

/** The reactions that the Events of one batch call for; `state` is the fold after the batch. */
export function reactionsTo(events: readonly EventDocument[], state: GroupState): readonly Reaction[] {
  const called: Reaction[] = []
  for (const event of events) {
    const bodies = CALLS[event.kind]?.(state, event as EventDocument & GroupEvent) ?? []
    for (const { targetGroupId, body } of bodies) called.push({ targetGroupId, eventId: event.eventId, correlationId: event.correlationId, body })
  }
  return called
}

/** What its own children may still charge counts as used: their account closes with this one. */
function childEnded(state: GroupState, outcome: ChildEnded['outcome'], reason: string, event: GroupEvent): Bodies {
  const { mission, parentLink, groupId: childGroupId } = state
  if (!parentLink || !mission.parent) return []
  const { missionId: childMissionId } = mission
  const { approval } = event.payload as { approval?: Approval }
  // What was brought in from other Missions with the same content is not the child's to hand on.
  const artifacts = onceById((approval?.artifactHashes ?? []).flatMap((hash) => resultManifests(state, hash)))
  const usage = spentBy(state, childMissionId)
  const body = { type: 'child-ended', childMissionId, childGroupId, workItemId: mission.parent.workItemId, outcome, reason, usage, ...(approval && { approval }), artifacts } as const
  return [{ targetGroupId: parentLink.groupId, body }]
}

/** Missions below may have published under an artifactId that is in use here; the Group above keeps the first. */
function onceById(artifacts: readonly Artifact[]): Artifact[] {
  return [...new Map(artifacts.toReversed().map((artifact) => [artifact.artifactId, artifact])).values()].toReversed()
}

/** Work that ended because of its child has none that still runs. */
function parentEnded({ workItems }: GroupState, outcome: ParentEnded['outcome'], event: GroupEvent): Bodies {
  const { workItemId, reason } = (event as GroupEvent<'work.cancelled' | 'work.failed'>).payload
  const child = workItems.get(workItemId)?.child
  return child?.state === 'running' ? [{ targetGroupId: child.groupId, body: { type: 'parent-ended', outcome, reason } }] : []
}

function ownerMoved(state: GroupState, { payload }: GroupEvent<'mission.coordinator.assigned'>): Bodies {
  const { previousCoordinatorId, coordinatorId, coordinatorEpoch } = payload
  if (coordinatorId === previousCoordinatorId) return []
  const body = { type: 'owner-moved', owner: { type: 'agent', id: coordinatorId }, coordinatorEpoch } as const
  return runningChildren(state).map(({ groupId: targetGroupId }) => ({ targetGroupId, body }))
}

function budgetRaised({ workItems }: GroupState, { payload: { workItemId, budget, reason } }: GroupEvent<typeof MISSION_CHILD_BUDGET_RAISED>): Bodies {
  const child = workItems.get(workItemId)?.child
  return child?.state === 'running' ? [{ targetGroupId: child.groupId, body: { type: 'budget-raised', budget, reason } }] : []
}
