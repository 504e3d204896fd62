// Read-model rows, derived from the same fold as the decision and written in the same transaction.
import type { EventDocument } from '../../protocol/generated/types.ts'
import { ARTIFACT_IMPORTED, MISSION_CHILD_ENDED, MISSION_OWNER_MOVED, WORK_EXECUTION_LEASE_EXPIRED, WORK_EXECUTION_LEASE_REVOKED } from '../../protocol/kinds.ts'
import { invariant } from '../../protocol/result.ts'
import type { GraphEdgeRow } from './graph-edges.ts'
import { edgesOf } from './graph-edges.ts'
import type { GroupEvent } from './request.ts'
import type { GroupState } from './types.ts'

export type { EdgeProvenance, GraphEdgeRow } from './graph-edges.ts'
export interface MissionRow {
  readonly spaceId: string
  readonly missionId: string
  readonly title: string
  readonly state: string
  readonly ownerId: string
}
export interface MembershipRow {
  readonly spaceId: string
  readonly memberId: string
  readonly role: string
  readonly state: string
  readonly membershipEpoch: number
  readonly visibilityStartSequence: number
  readonly missionId: string
}
export interface GraphNodeRow { readonly sequence: number; readonly kind: string; readonly conversationId?: string; readonly workItemId?: string }
export interface ArtifactRow { readonly sequence: number; readonly contentHash: string; readonly artifactId: string; readonly workItemId: string }
/** Which Agent holds an Execution Lease or a blocked lease, which time ends; `null` when nobody does any more. */
export interface ExecutionRow { readonly workItemId: string; readonly holderAgentId: string | null }

/** Rows of one batch. Inserts but for `mission`, `memberships` and `executions`, which replace the row with the same key. */
export interface ReadModelRows {
  readonly mission?: MissionRow
  readonly memberships: readonly MembershipRow[]
  readonly nodes: readonly GraphNodeRow[]
  readonly edges: readonly GraphEdgeRow[]
  readonly artifacts: readonly ArtifactRow[]
  readonly executions: readonly ExecutionRow[]
}

/** Kinds after which somebody else, or nobody, executes the WorkItem or keeps it blocked. */
const MOVES_EXECUTION: ReadonlySet<string> = new Set([
  'work.offer.created',
  'work.started',
  'work.checkpointed',
  'work.blocked',
  'work.unblocked',
  'work.contract.revised',
  'work.submitted',
  'work.failed',
  'work.cancelled',
  'mission.child.created',
  WORK_EXECUTION_LEASE_EXPIRED,
  WORK_EXECUTION_LEASE_REVOKED,
])

/**
 * Rows for consecutive Events of one Group, given the fold after the last of them. Rows that are inserted do not
 * depend on how the Events were cut into batches; rows that replace show the state after the batch.
 */
export function rowsOf(events: readonly EventDocument[], state: GroupState): ReadModelRows {
  const group = events.map(asGroupEvent)
  return {
    ...(group.some(movesMission) && { mission: missionRow(state) }),
    memberships: membershipRows(group, state),
    nodes: group.map(nodeRow),
    edges: group.flatMap((event) => edgesOf(event, state)),
    artifacts: group.flatMap(artifactRows),
    executions: executionRows(group, state),
  }
}

function asGroupEvent(document: EventDocument): GroupEvent {
  invariant(document.groupId !== undefined && document.sequence !== undefined, 'the Event belongs to no Group')
  return document as EventDocument & GroupEvent
}

const isKind = <K extends typeof MISSION_CHILD_ENDED | 'mission.created' | 'mission.follow_up.created' | 'membership.changed' | 'membership.ended' | 'artifact.published' | typeof ARTIFACT_IMPORTED>(
  event: GroupEvent,
  kind: K,
): event is GroupEvent<K> => event.kind === kind

/** A Mission changes its state by Events of its own alone; the many others leave its row as it is. */
const movesMission = ({ kind }: GroupEvent): boolean => kind.startsWith('mission.') || kind === MISSION_OWNER_MOVED

function missionRow({ groupId, mission, title }: GroupState): MissionRow {
  const { missionId, state, missionOwner } = mission
  return { spaceId: groupId, missionId, title, state, ownerId: missionOwner.id }
}

function membershipRows(events: readonly GroupEvent[], state: GroupState): MembershipRow[] {
  const touched = new Set(events.flatMap(touchedMembers))
  return [...touched].flatMap((memberId) => {
    const membership = state.memberships.get(memberId)
    if (!membership) return []
    const { role, state: membershipState, membershipEpoch, visibilityStartSequence, missionId } = membership
    return [{ spaceId: state.groupId, memberId, role, state: membershipState, membershipEpoch, visibilityStartSequence, missionId }]
  })
}

function touchedMembers(event: GroupEvent): string[] {
  if (isKind(event, 'mission.created') || isKind(event, 'mission.follow_up.created')) return event.payload.memberships.map(({ member }) => member.id)
  if (isKind(event, 'membership.changed') || isKind(event, 'membership.ended')) return [event.payload.membership.member.id]
  return []
}

function artifactRows(event: GroupEvent): ArtifactRow[] {
  const { sequence } = event
  if (isKind(event, MISSION_CHILD_ENDED)) {
    const { workItemId, artifacts } = event.payload
    return artifacts.map(({ contentHash, artifactId }) => ({ sequence, contentHash, artifactId, workItemId }))
  }
  if (!isKind(event, 'artifact.published') && !isKind(event, ARTIFACT_IMPORTED)) return []
  const { contentHash, artifactId, workItemId } = event.payload.artifact
  return [{ sequence, contentHash, artifactId, workItemId }]
}

function nodeRow({ sequence, kind, conversationId, workItemId }: GroupEvent): GraphNodeRow {
  return { sequence, kind, ...(conversationId !== undefined && { conversationId }), ...(workItemId !== undefined && { workItemId }) }
}

function executionRows(events: readonly GroupEvent[], state: GroupState): ExecutionRow[] {
  const moved = new Set(events.filter(({ kind }) => MOVES_EXECUTION.has(kind)).flatMap(({ workItemId }) => workItemId ?? []))
  return [...moved].map((workItemId) => {
    const record = state.workItems.get(workItemId)
    const lease = record?.executionLease ?? record?.blockedLease
    return { workItemId, holderAgentId: lease?.holderAgentId ?? null }
  })
}
