// Builders of the documents inside Commands. Each is complete and valid; a test changes only what it is about.
import type { Actor, Approval, Artifact, CapabilityRef, ContextPackage, EventDocument, Evidence, ExtensionProfile, GroupSnapshot, MissionCreatePayload, Progress, SelectionBasis, WorkContract } from '../../protocol/generated/types.ts'
import { snapshotOf } from '../authority/group-archive.ts'
import type { GroupState } from '../authority/types.ts'
import { ada, CAPABILITY, cora, groupAuthority, hashOf, urnOf, verifiedSignature } from './cast.ts'

export const DEADLINE = '2026-12-24T18:00:00Z'
export const CRITERION = 'complete'
const capability = { id: CAPABILITY, version: '1.0.0' }

export function missionPayload(name: string, changes: Partial<MissionCreatePayload> = {}): MissionCreatePayload {
  return {
    missionId: urnOf(`mission ${name}`),
    groupId: urnOf(`group ${name}`),
    title: `Release ${name}`,
    coordinatorAgentId: cora.id,
    objective: 'Ship the release with everything accounted for.',
    definitionOfDone: [{ criterionId: CRITERION, description: 'Everything is accounted for.', evidenceRequired: ['deterministic_test'] }],
    budget: { currency: 'EUR', financialLimit: 100, modelTokenLimit: 1000, toolCallLimit: 50 },
    deadline: DEADLINE,
    approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: true, policyVersion: '1.0.0' },
    coordinatorLeaseSeconds: 86_400,
    ...changes,
  }
}

export function workContract(changes: Partial<WorkContract> = {}): WorkContract {
  return {
    contractVersion: 1,
    goal: 'List every dependency',
    requiredDeliverables: [{ deliverableId: 'list', description: 'The list.', mediaType: 'application/json', schema: 'urn:example:list' }],
    acceptanceCriteria: [{ criterionId: CRITERION, description: 'Nothing is missing.', evidenceRequired: ['deterministic_test'] }],
    inputArtifacts: [],
    dependencyWorkItemIds: [],
    allowedResources: [{ resource: 'urn:example:repository', operations: ['read'] }],
    requiredCapabilities: [capability],
    deadline: '2026-12-20T18:00:00Z',
    requestedUrgency: 'normal',
    businessImpact: 'Without it the release waits.',
    retryPolicy: { maxAttempts: 2, backoff: 'none', maxDelay: 'PT0S', retryableFailures: [] },
    budget: { currency: 'EUR', financialLimit: 10, modelTokenLimit: 100 },
    sideEffectRisk: 'none',
    executionApproval: 'not_required',
    ...changes,
  }
}

export function selectionBasis(required: CapabilityRef = capability): SelectionBasis {
  return {
    requiredCapabilities: [required],
    verifiedMatches: [required],
    authorizationEligible: true,
    availabilityEstimate: '2026-11-29T13:00:00Z',
    expectedCost: 1,
    reliabilityEvidence: [],
    policyRulesApplied: ['least cost'],
  }
}

export function progress(changes: Partial<Progress> = {}): Progress {
  return {
    currentPhase: 'counting',
    completedMilestones: ['found the lock file'],
    nextCheckpoint: 'list complete',
    blockers: [],
    updatedCompletionEstimate: '2026-11-30T12:00:00Z',
    evidenceIds: [],
    ...changes,
  }
}

/** The names that every document of a WorkItem repeats. */
interface Place {
  readonly state: GroupState
  readonly workItemId: string
  readonly now: string
}

export function artifactOf({ state, workItemId, now }: Place, name: string, changes: Partial<Artifact> = {}): Artifact {
  const { missionId, groupId } = state.mission
  const owner = state.workItems.get(workItemId)?.item.owner
  return {
    artifactId: urnOf(`artifact ${name} of ${workItemId}`),
    contentHash: hashOf(name),
    uri: `https://artifacts.example/${encodeURIComponent(name)}`,
    sizeBytes: 1200,
    mediaType: 'application/json',
    schemaUri: 'urn:example:list',
    producer: { agentId: owner?.agentId ?? cora.id, agentCardVersion: owner?.agentCardVersion ?? 1, capabilities: [capability] },
    missionId,
    groupId,
    workItemId,
    sourceArtifactHashes: [],
    toolVersions: [],
    modelVersions: [],
    classification: 'internal',
    createdAt: now,
    signature: verifiedSignature(now),
    ...changes,
  }
}

export function evidenceOf({ state, workItemId, now }: Place, by: Actor, changes: Partial<Evidence> = {}): Evidence {
  const { missionId, groupId } = state.mission
  const revision = state.workItems.get(workItemId)?.item.revision ?? 0
  return {
    evidenceId: urnOf(`evidence ${workItemId} ${revision} ${by.id}`),
    missionId,
    groupId,
    workItemId,
    type: 'deterministic_test',
    subject: { type: 'work_item', id: workItemId },
    criterionIds: [CRITERION],
    method: 'Counted twice.',
    result: 'passed',
    artifactHashes: [],
    generatedBy: by,
    createdAt: now,
    signature: verifiedSignature(now),
    ...changes,
  }
}

/** An answer to the latest submission. */
export function approvalOf(state: GroupState, decision: Approval['decision'], now: string, changes: Partial<Approval> = {}): Approval {
  const { missionId, groupId, missionOwner } = state.mission
  const submission = state.submissions.at(-1)
  return {
    approvalId: urnOf(`${decision} ${missionId} ${state.submissions.length}`),
    kind: state.parentLink ? 'child_mission' : 'mission_final',
    decision,
    missionId,
    groupId,
    missionRevision: submission?.missionRevision ?? 0,
    artifactHashes: [...(submission?.artifactHashes ?? [hashOf('nothing')])],
    acceptancePolicyVersion: '1.0.0',
    approver: missionOwner,
    comments: 'Looked at everything.',
    conditions: [],
    occurredAt: now,
    signature: verifiedSignature(now),
    ...changes,
  }
}

/** The whole log so far, summed up by the Coordinator. */
export function packageOf(state: GroupState, log: readonly EventDocument[], now: string, changes: Partial<ContextPackage> = {}): ContextPackage {
  const { missionId, groupId, coordinator } = state.mission
  const eventIds = log.map(({ eventId }) => eventId)
  return {
    contextPackageId: urnOf(`context package ${groupId} ${log.length}`),
    version: 1,
    missionId,
    groupId,
    sourceEventRange: { fromSequence: 1, toSequence: log.length, eventIds },
    artifactHashes: [],
    summary: 'The release is under way.',
    decisions: [{ description: 'It ships in December.', sourceEventIds: [eventIds[0] ?? ''] }],
    constraints: ['Nothing leaves the house.'],
    unresolvedQuestions: ['Who signs?'],
    generatedBy: { type: 'agent', id: coordinator.agentId },
    generatedAt: now,
    signature: verifiedSignature(now),
    ...changes,
  }
}

/** A snapshot of the Group as it is now, by the Group Authority. */
export function archivalSnapshot({ state, now }: { readonly state: GroupState; readonly now: string }, changes: Partial<GroupSnapshot> = {}): GroupSnapshot {
  const createdBy = { type: 'service', id: groupAuthority.id } as const
  return { ...snapshotOf(state, { snapshotId: urnOf('snapshot'), createdBy, createdAt: now }), signature: verifiedSignature(now), ...changes }
}

/** The schema of `extensionProfile`: an object with a temperature and nothing else. */
export const DATA_SCHEMA = '{ "type": "object", "properties": { "celsius": { "type": "number" } }, "required": ["celsius"], "additionalProperties": false }'

export function extensionProfile(changes: Partial<ExtensionProfile> = {}): ExtensionProfile {
  const approvedAt = changes.approvedAt ?? '2026-11-29T12:00:00Z'
  return {
    profileUri: 'urn:example:profile:temperature',
    name: 'Temperature',
    version: '1.2.0',
    schemaUri: 'https://example.org/temperature.schema.json',
    schemaHash: hashOf(DATA_SCHEMA),
    requiredCapabilities: [],
    critical: true,
    commandKinds: [],
    eventKinds: [],
    overridesCoreInvariants: false,
    approvedBy: ada,
    approvedAt,
    signature: verifiedSignature(approvedAt),
    ...changes,
  }
}
