// Edges of the Space's graph. Each is stated by the Event itself or by an Event before it; nothing is guessed.
import type { ContextPackage } from '../../protocol/generated/types.ts'
import { IAP_RECORDED, MISSION_RECONCILED, MISSION_ROOT_DECIDED } from '../../protocol/kinds.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { CAUSED_BY_EXTENSION } from './draft.ts'
import { overrideOf } from './override-grant.ts'
import type { GroupEvent } from './request.ts'
import type { GroupState } from './types.ts'

export type EdgeProvenance = 'reply' | 'mention' | 'cause' | 'target' | 'source' | 'depends' | 'decides'
export interface GraphEdgeRow { readonly child: number; readonly parent: number; readonly provenance: EdgeProvenance }

/** An edge to the Event with this sequence; `undefined` is an id that nothing here introduced. */
type Parent = readonly [provenance: EdgeProvenance, sequence: number | undefined]

type Parents = { readonly [K in EventPayloadKind]?: (state: GroupState, event: GroupEvent<K>) => readonly Parent[] }

/** What the kinds state beyond cause and order. */
const PARENTS: Parents = {
  'message.posted': ({ sequenceOf }, { payload: { message } }) => [
    ...(message.references ?? []).map((id): Parent => ['reply', sequenceOf.get(id)]),
    ...(message.mentions ?? []).map(({ id }): Parent => ['mention', sequenceOf.get(id)]),
  ],
  'message.corrected': amended,
  'message.retracted': amended,
  'message.redacted': amended,
  'work.authorized': (state, { payload: { workItem, proposalId, parentWorkItemId, replacesWorkItemId, delegationGrantId } }) => [
    ...dependencies(state, workItem.contract.dependencyWorkItemIds),
    ...[proposalId, parentWorkItemId, replacesWorkItemId, delegationGrantId].map((id): Parent => ['cause', id === undefined ? id : state.sequenceOf.get(id)]),
  ],
  'work.offer.created': (state, { payload: { contract, contextPackage, delegationGrantId } }) => [
    ...dependencies(state, contract?.dependencyWorkItemIds ?? []),
    ...packageSources(state, contextPackage),
    ['cause', delegationGrantId === undefined ? undefined : state.sequenceOf.get(delegationGrantId)],
  ],
  [MISSION_RECONCILED]: (state, { payload }) => packageSources(state, payload.contextPackage),
  [IAP_RECORDED]: ({ sequenceOf }, { payload: { record } }) => record.refs.map((id) => [record.type === 'task_assignment' ? 'decides' : 'reply', sequenceOf.get(id)]),
  'membership.delegation.granted': ({ sequenceOf }, { payload: { delegationGrant } }) => [['target', sequenceOf.get(delegationGrant.granteeAgentId)]],
  'policy.cooperation_override.granted': ({ sequenceOf }, { payload: { cooperationOverrideGrant } }) => [['target', sequenceOf.get(cooperationOverrideGrant.beneficiary.id)]],
  'work.contract.revised': (state, { payload }) => dependencies(state, [payload.dependencyId]),
  'work.submitted': ownPublications,
  'artifact.published': (state, { payload }) => publications(state, 'source', payload.artifact.sourceArtifactHashes),
  'mission.submitted_for_approval': (state, { payload }) => publications(state, 'decides', payload.artifactHashes),
  'mission.approved': decided,
  'mission.changes_requested': decided,
  [MISSION_ROOT_DECIDED]: decided,
}

/** an amendment cites the Message that was posted. */
function amended({ sequenceOf }: GroupState, { payload: { message } }: GroupEvent<'message.corrected' | 'message.retracted' | 'message.redacted'>): Parent[] {
  return [['target', message.targetMessageId === undefined ? undefined : sequenceOf.get(message.targetMessageId)]]
}

function dependencies({ workSteps }: GroupState, ids: readonly string[]): Parent[] {
  return ids.map((id) => ['depends', workSteps.get(id)?.[0]])
}

/** the version before it, and the artifacts that it refers to. */
function packageSources(state: GroupState, document: ContextPackage | undefined): Parent[] {
  if (!document) return []
  const previous = document.previousContextPackageId
  return [['source', previous === undefined ? undefined : state.sequenceOf.get(previous)], ...publications(state, 'source', document.artifactHashes)]
}

/** Every publication of the content. */
function publications({ artifacts, sequenceOf }: GroupState, provenance: EdgeProvenance, hashes: readonly string[]): Parent[] {
  return hashes.flatMap((hash) => artifacts.get(hash) ?? []).map(({ artifactId }) => [provenance, sequenceOf.get(artifactId)])
}

/** What this WorkItem itself published of what it submits. */
function ownPublications({ artifacts, sequenceOf, groupId: own }: GroupState, { payload }: GroupEvent<'work.submitted'>): Parent[] {
  const published = payload.submission.artifactHashes.flatMap((hash) => artifacts.get(hash) ?? [])
  return published.filter(({ groupId, workItemId }) => groupId === own && workItemId === payload.workItemId).map(({ artifactId }) => ['source', sequenceOf.get(artifactId)])
}

function decided(state: GroupState, { payload: { approval } }: GroupEvent<'mission.approved' | 'mission.changes_requested' | typeof MISSION_ROOT_DECIDED>): Parent[] {
  const answered = state.submissions.find((submission) => [submission.approval, submission.rootDecision].some((signed) => signed?.approvalId === approval.approvalId))
  return [['decides', answered?.sequence], ...publications(state, 'decides', approval.artifactHashes)]
}

/**
 * Edges from an Event to earlier ones. `state` is the fold after the Event or any later one; the answer is the same,
 * so a batch of any size gives the same graph.
 */
export function edgesOf(event: GroupEvent, state: GroupState): readonly GraphEdgeRow[] {
  const stated = PARENTS[event.kind as EventPayloadKind] as ((state: GroupState, event: GroupEvent) => readonly Parent[]) | undefined
  const parents: Parent[] = [...causes(event, state), ['cause', stepBefore(event, state)], ...(stated?.(state, event) ?? [])]
  const edges = new Map<string, GraphEdgeRow>()
  for (const [provenance, parent] of parents) {
    if (parent !== undefined && parent < event.sequence) edges.set(`${provenance} ${parent}`, { child: event.sequence, parent, provenance })
  }
  return [...edges.values()]
}

function causes(event: GroupEvent, { sequenceOf }: GroupState): Parent[] {
  const { cause, extensions } = event
  const causedBy = (extensions?.[CAUSED_BY_EXTENSION]?.data as { eventId?: unknown } | undefined)?.eventId
  const ids = [cause.type === 'event' ? cause.id : undefined, causedBy, overrideOf(event)]
  return ids.flatMap((id): Parent[] => (typeof id === 'string' ? [['cause', sequenceOf.get(id)]] : []))
}

/** The step of the WorkItem's life that this Event follows on; talk about the WorkItem follows on none, a negotiation with its proposal alone. */
function stepBefore(event: GroupEvent, { workSteps }: GroupState): number | undefined {
  const { kind, workItemId, sequence } = event
  if (workItemId === undefined || kind.startsWith('message.') || isLaterRecord(event)) return undefined
  return workSteps.get(workItemId)?.findLast((step) => step < sequence)
}

const isLaterRecord = ({ kind, payload }: GroupEvent): boolean => kind === IAP_RECORDED && (payload as GroupEvent<typeof IAP_RECORDED>['payload']).record.refs.length > 0
