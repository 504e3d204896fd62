import type { CommandPayloads, EventPayloads, Message, Policy } from '../generated/types.ts'
import { exampleDocuments } from './example-documents.ts'

const urn = (name: string) => `urn:example:${name}`
const at = '2026-07-15T08:00:00Z'
const hash = `sha256:${'5'.repeat(64)}`

const { approval, artifact, conversation, event, evidence, group, lease, membership, message, mission } =
  exampleDocuments
const card = exampleDocuments['agent-card']
const contextPackage = exampleDocuments['context-package']
const contract = exampleDocuments['work-contract']
const profile = exampleDocuments['extension-profile']
const workItem = exampleDocuments['work-item']
const { selectionBasis, scheduleEstimate, progress, owner, submission, offers } = workItem
if (!selectionBasis || !scheduleEstimate || !progress || !owner || !submission || !offers) {
  throw new Error('the example WorkItem has every optional member')
}

const [delegationGrant] = membership.delegationGrants ?? []
if (!delegationGrant) throw new Error('the example Membership has a Delegation Grant')

const workItemId = workItem.workItemId
const agentId = card.agentId
const fence = { workItemId, ownershipEpoch: 1, executionLeaseId: lease.leaseId }
const handover = {
  artifactHashes: [hash],
  summary: 'Everything asked for.',
  openRisks: ['One term is disputed.'],
  dropped: [{ workItemId, reason: 'Not needed any more.' }],
}
const usage = {
  currency: 'EUR',
  financial: 0.25,
  modelTokens: 10,
  toolCalls: 1,
  computeSeconds: 1,
  wallClockSeconds: 2,
  externalSideEffects: 0,
}
const { missionId, groupId } = mission

const amendment = (kind: Message['kind']): Message => ({ ...message, messageId: urn('amendment'), kind, targetMessageId: message.messageId, reason: 'It names a customer.' })

const founding = {
  missionId,
  groupId,
  title: 'Dutch handbook',
  coordinatorAgentId: agentId,
  objective: mission.objective,
  definitionOfDone: mission.definitionOfDone,
  budget: mission.budget,
  deadline: mission.deadline,
  approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: true, policyVersion: '1.0.0' },
  coordinatorLeaseSeconds: 600,
} satisfies CommandPayloads['mission.create']
const parentLink = {
  groupId: urn('parent-group'),
  eventId: event.eventId,
  coordinatorEpoch: 1,
  rootOwner: mission.missionOwner,
  allowedResources: contract.allowedResources,
  capabilities: contract.requiredCapabilities,
}
const founded = { mission, group, conversation, memberships: [membership], coordinatorLease: lease, title: 'Dutch handbook' }

const overrideTerms = {
  grantId: urn('override'),
  policyName: 'message_rate',
  beneficiary: { type: 'agent', id: agentId },
  targetCommandKind: 'message.post',
  targetActionId: urn('action'),
  reason: 'The last chapter comes in parts.',
  expiresAt: mission.deadline,
} satisfies CommandPayloads['policy.grant_cooperation_override']
const gated = { executionApproval: true, rootHumanApproval: true }
const policy: Policy = {
  version: 1,
  freshnessSeconds: 300,
  maximumDepth: { childMissions: 2, delegation: 3 },
  risk: { none: gated, reversible: gated, external: gated, high_risk: gated, destructive: gated },
  executionGates: { payment: ['pay.invoice'], production_deployment: [], destructive_change: [], external_communication: [], sensitive_data: [] },
  limits: { messagesPerMinute: 60, proposalsPerMinute: 10, openClarifications: 3, queuedWorkItems: 20, activeWorkItems: 2 },
  services: [{ principalId: urn('policy-service'), kinds: ['mission.cancel'] }],
}

const executionTerms = {
  ownershipEpoch: 1,
  contractVersion: contract.contractVersion,
  resources: [{ resource: urn('repository'), operations: ['read'] }],
  budget: { modelTokenLimit: 10 },
  expiresAt: at,
}

const negotiated = {
  workItemId,
  record: { recordId: urn('record'), taskId: 'task', ordinal: 3, type: 'task_bid', author: 'ann', speaker: { type: 'agent', id: agentId }, concerns: { type: 'agent', id: agentId }, at, refs: [urn('proposal')], content: { round: 1 }, omitted: { sha256: '0'.repeat(64), size: 70_000 } },
} satisfies CommandPayloads['ext.countersign.iap.record']

/** One valid payload of every Command kind, with all of its optional members. */
export const exampleCommandPayloads: { [Kind in keyof CommandPayloads]: Required<CommandPayloads[Kind]> } = {
  'mission.create': founding,
  'mission.create_child': {
    ...founding,
    parentWorkItemId: workItemId,
    allowedResources: contract.allowedResources,
    capabilities: contract.requiredCapabilities,
    failurePolicy: 'fail_parent_work_item',
  },
  'mission.create_follow_up': { ...founding, followUpOfMissionId: urn('approved-mission') },
  'mission.assign_coordinator': { coordinatorAgentId: agentId, leaseSeconds: 600, reason: 'The first one is silent.' },
  'mission.renew_coordinator': { leaseSeconds: 600 },
  'mission.submit_for_approval': handover,
  'ext.missionweaveprotocol.core.group_archive': { snapshot: exampleDocuments['group-snapshot'], firstOnlineSequence: 10 },
  'mission.approve': { approval, rootApproval: approval },
  'mission.request_changes': { approval },
  'mission.cancel': { reason: 'Overtaken by events.' },
  'mission.terminate': { reason: 'It cannot be done.' },
  'membership.change': {
    member: membership.member,
    role: 'reviewer',
    scopes: ['message.post'],
    visibilityStartSequence: 0,
  },
  'approval.grant_execution': { approval, terms: executionTerms },
  'membership.grant_delegation': {
    grantId: delegationGrant.grantId,
    granteeAgentId: delegationGrant.granteeAgentId,
    targetWorkItemId: delegationGrant.targetWorkItemId,
    allowedCapabilities: delegationGrant.allowedCapabilities,
    budget: delegationGrant.budget,
    maxDescendantDepth: delegationGrant.maxDescendantDepth,
    expiresAt: delegationGrant.expiresAt,
  },
  'membership.end': { member: membership.member, reason: 'Left.' },
  'message.post': {
    messageId: message.messageId,
    content: message.content,
    mentions: [membership.member],
    references: [urn('other-message')],
    authority: false,
  },
  'message.correct': { amendmentId: urn('amendment'), messageId: message.messageId, replacementContent: message.content, reason: 'A slip.' },
  'message.retract': { amendmentId: urn('amendment'), messageId: message.messageId, reason: 'It was wrong.' },
  'message.redact': { amendmentId: urn('amendment'), messageId: message.messageId, reason: 'It names a customer.' },
  'ext.countersign.conversation.open': { conversationId: urn('review'), type: 'review', title: 'The terms', participants: [membership.member], workItemId },
  'work.propose': { proposalId: urn('proposal'), contract, parentWorkItemId: urn('parent') },
  'work.authorize': {
    workItemId,
    contract,
    exclusive: true,
    proposalId: urn('proposal'),
    parentWorkItemId: urn('parent'),
    replacesWorkItemId: urn('failed'),
    delegationGrantId: urn('grant'),
    overrideReason: 'Nobody else can.',
  },
  'work.offer': {
    workItemId,
    candidateAgentIds: [agentId],
    selectionBasis,
    offerExpiresInSeconds: 60,
    contract,
    contextPackage,
    delegationGrantId: urn('grant'),
    overrideReason: 'Nobody else can.',
  },
  'work.accept_offer': { workItemId, offerId: urn('offer'), ownershipLeaseSeconds: 600, scheduleEstimate },
  'work.start': { workItemId, ownershipEpoch: 1, executionLeaseSeconds: 60 },
  'work.checkpoint': { ...fence, progress, resumeWithinSeconds: 600 },
  'work.block': {
    ...fence,
    progress,
    reason: 'The licence text is missing.',
    unblockCondition: 'Somebody finds the licence text.',
    blockedLeaseSeconds: 600,
  },
  'work.unblock': { workItemId, resolution: 'It was in the archive.' },
  'work.submit': { ...fence, artifactHashes: [hash], evidence: [evidence] },
  'work.accept_result': { workItemId, evidence: [evidence] },
  'work.fail': {
    workItemId,
    reason: 'The source is unreadable.',
    evidence: [evidence],
    ownershipEpoch: 1,
    executionLeaseId: lease.leaseId,
  },
  'work.cancel': { workItemId, reason: 'Not needed.' },
  'artifact.publish': { artifact, ownershipEpoch: 1, executionLeaseId: lease.leaseId },
  'ext.missionweaveprotocol.core.work_execution_lease_renew': { ...fence, leaseSeconds: 60 },
  'ext.missionweaveprotocol.core.work_dependency_add': { workItemId, dependencyId: urn('other-work') },
  'ext.countersign.work.offer_decline': { workItemId, offerId: urn('offer'), reason: 'capacity', comment: 'Next week.' },
  'ext.countersign.work.preemption_request': { workItemId, reason: 'Something urgent came in.', urgency: 'critical' },
  'ext.missionweaveprotocol.core.resource_usage_record': { ...fence, usageDelta: usage },
  'policy.grant_cooperation_override': overrideTerms,
  'ext.countersign.policy.change': { policy, reason: 'The pilot is over.' },
  'ext.countersign.mission.root_decide': { approval },
  'ext.countersign.iap.record': negotiated,
  'ext.countersign.mission.budget_raise': { budget: mission.budget, reason: 'The glossary is longer than expected.' },
  'ext.countersign.mission.child_budget_raise': { workItemId, budget: mission.budget, reason: 'The glossary is longer than expected.' },
  'ext.countersign.artifact.import': { sourceGroupId: urn('approved-group'), artifactId: artifact.artifactId, contentHash: hash, reason: 'The glossary is the same.' },
  'ext.countersign.mission.reconcile': { contextPackage, workItems: [{ workItemId, revision: 3, state: 'queued' }] },
  'ext.countersign.profile.approve': { profile, schema: 'true', reason: 'The laboratory has reviewed it.' },
  'ext.countersign.profile.retire': { profileUri: profile.profileUri, version: profile.version, reason: 'Nobody uses it.' },
  'ext.missionweaveprotocol.registry.agent_card_register': { card },
  'ext.missionweaveprotocol.identity.session_open': { agentId },
}

/** One valid payload of every Event kind, with all of its optional members. */
export const exampleEventPayloads: { [Kind in keyof EventPayloads]: Required<EventPayloads[Kind]> } = {
  'policy.cooperation_override.granted': { cooperationOverrideGrant: { ...overrideTerms, missionId: mission.missionId, groupId: mission.groupId, approver: mission.missionOwner, grantedAt: mission.createdAt } },
  'group.snapshot.created': { snapshotId: urn('snapshot'), throughSequence: 9, stateHash: hash, snapshotArtifactHash: hash },
  'group.archived': { snapshotId: urn('snapshot'), archivedAt: at, firstOnlineSequence: 10 },
  'ext.countersign.policy.changed': { policy, reason: 'The pilot is over.' },
  'ext.countersign.profile.approved': { profile, schema: 'true', reason: 'The laboratory has reviewed it.' },
  'ext.countersign.profile.retired': { profileUri: profile.profileUri, version: profile.version, reason: 'Nobody uses it.' },
  'mission.created': { ...founded, parentLink },
  'mission.child.created': {
    parentMissionId: missionId,
    parentWorkItemId: workItemId,
    childMissionId: urn('child-mission'),
    childGroupId: urn('child-group'),
    title: 'Dutch glossary',
    coordinatorAgentId: agentId,
    budget: mission.budget,
    deadline: mission.deadline,
    failurePolicy: 'block_parent_work_item',
    owner,
    selectionBasis,
  },
  'ext.countersign.mission.child_ended': {
    workItemId,
    childMissionId: urn('child-mission'),
    childGroupId: urn('child-group'),
    outcome: 'approved',
    reason: 'The child Mission was approved.',
    usage,
    approval,
    artifacts: [artifact],
    sourceEventId: event.eventId,
  },
  'ext.countersign.mission.owner_moved': {
    missionId,
    previousOwner: { type: 'agent', id: urn('silent-agent') },
    missionOwner: { type: 'agent', id: agentId },
    parentCoordinatorEpoch: 2,
  },
  'ext.countersign.mission.root_decided': { missionId, approval },
  'ext.countersign.iap.recorded': negotiated,
  'ext.countersign.mission.budget_raised': { missionId, previousBudget: mission.budget, budget: mission.budget, reason: 'The glossary is longer than expected.' },
  'ext.countersign.mission.child_budget_raised': { workItemId, childMissionId: urn('child-mission'), previousBudget: mission.budget, budget: mission.budget, contract, reason: 'The glossary is longer than expected.' },
  'ext.countersign.artifact.imported': { artifact, sourceGroupId: artifact.groupId, sourceEventId: event.eventId, approval, reason: 'The glossary is the same.' },
  'ext.countersign.mission.reconciled': { coordinatorEpoch: 2, contextPackage, workItems: [{ workItemId, revision: 3, state: 'queued' }] },
  'mission.follow_up.created': { ...founded, followUpOfMissionId: urn('approved-mission') },
  'mission.coordinator.assigned': {
    previousCoordinatorId: urn('silent-agent'),
    coordinatorId: agentId,
    coordinatorEpoch: 2,
    coordinator: mission.coordinator,
    coordinatorLease: lease,
    leaseExpiresAt: at,
    reason: 'The first one is silent.',
  },
  'mission.coordinator.renewed': { coordinatorEpoch: 1, coordinatorLease: lease, leaseExpiresAt: at },
  'mission.submitted_for_approval': { missionId, missionRevision: 3, submissionNumber: 1, ...handover },
  'mission.approved': { missionId, approval, rootApproval: approval },
  'mission.changes_requested': { missionId, approval, feedback: '', newRevision: 4 },
  'mission.cancelled': { missionId, reason: 'Overtaken by events.' },
  'mission.terminated': { missionId, reason: 'It cannot be done.' },
  'membership.changed': { membership },
  'approval.execution.granted': { workItemId, approval, terms: executionTerms },
  'membership.delegation.granted': { delegationGrant },
  'membership.ended': { membership, reason: 'Left.' },
  'message.posted': { message },
  'message.corrected': { message: amendment('correction') },
  'message.retracted': { message: amendment('retraction') },
  'message.redacted': { message: amendment('redaction') },
  'ext.countersign.conversation.opened': { conversation },
  'work.proposed': {
    proposal: {
      proposalId: urn('proposal'),
      missionId,
      groupId,
      proposedBy: event.actor,
      contract,
      parentWorkItemId: urn('parent'),
      status: 'open',
      createdAt: at,
    },
  },
  'work.authorized': {
    workItem,
    conversation,
    proposalId: urn('proposal'),
    parentWorkItemId: urn('parent'),
    replacesWorkItemId: urn('failed'),
    delegationGrantId: urn('grant'),
    overrideReason: 'Nobody else can.',
  },
  'work.offer.created': {
    workItemId,
    offers,
    selectionBasis,
    candidateAgentIds: [agentId],
    offerExpiresAt: at,
    contract,
    contextPackage,
    delegationGrantId: urn('grant'),
    overrideReason: 'Nobody else can.',
  },
  'work.offer.accepted': {
    workItemId,
    offerId: urn('offer'),
    owner,
    ownershipLease: lease,
    assigneeId: agentId,
    ownershipEpoch: 1,
    ownershipLeaseExpiresAt: at,
    agentCardVersion: 1,
    scheduleEstimate,
  },
  'work.started': { workItemId, ownershipEpoch: 1, executionLease: lease, executionLeaseExpiresAt: at },
  'work.progressed': { workItemId, ownershipEpoch: 1, executionLease: lease, executionLeaseExpiresAt: at },
  'work.checkpointed': {
    workItemId,
    ownershipEpoch: 1,
    progress,
    releasedLeaseId: lease.leaseId,
    ownershipLeaseExpiresAt: at,
  },
  'work.contract.revised': {
    workItemId,
    contract,
    contractVersion: 2,
    dependencyId: urn('other-work'),
    state: 'open',
    fencedOwner: agentId,
  },
  'work.blocked': {
    workItemId,
    ownershipEpoch: 1,
    progress,
    reason: 'The licence text is missing.',
    unblockCondition: 'Somebody finds the licence text.',
    releasedLeaseId: lease.leaseId,
    blockedLease: lease,
    ownershipLeaseExpiresAt: at,
  },
  'work.unblocked': {
    workItemId,
    state: 'queued',
    resolution: 'It was in the archive.',
    ownershipLeaseExpiresAt: at,
    lapsedLeaseId: lease.leaseId,
  },
  'work.submitted': { workItemId, ownershipEpoch: 1, submission, evidence: [evidence], releasedLeaseId: lease.leaseId },
  'work.result.accepted': {
    workItemId,
    evidence: [evidence],
    childMissionId: urn('child-mission'),
    childApprovalId: approval.approvalId,
    sourceEventId: event.eventId,
    submission,
  },
  'work.failed': { workItemId, reason: 'The lease ran out.', evidence: [] },
  'work.cancelled': { workItemId, reason: 'Not needed.' },
  'artifact.published': { artifact },
  'ext.countersign.work.offer_declined': {
    workItemId,
    offerId: urn('offer'),
    agentId,
    reason: 'capacity',
    comment: 'Next week.',
  },
  'ext.countersign.work.preemption_requested': {
    workItemId,
    reason: 'Something urgent came in.',
    urgency: 'critical',
    requestedAt: at,
    escalation: { dimension: 'toolCalls', to: { type: 'agent', id: agentId } },
  },
  'ext.missionweaveprotocol.core.work_execution_lease_revoked': {
    workItemId,
    executionLeaseId: lease.leaseId,
    reason: 'The session was replaced.',
    state: 'queued',
    sessionEpoch: 2,
  },
  'ext.missionweaveprotocol.core.work_execution_lease_expired': {
    workItemId,
    executionLeaseId: lease.leaseId,
    expiredAt: at,
  },
  'ext.missionweaveprotocol.core.resource_usage_recorded': {
    workItemId,
    executionLeaseId: lease.leaseId,
    ownershipEpoch: 1,
    usageDelta: usage,
    cumulativeUsage: usage,
    remainingBudget: {},
    offlineReconciliation: {
      disconnectedAt: at,
      bufferedAt: at,
      graceDeadline: at,
      executionSessionEpoch: 1,
      reconciliationSessionEpoch: 2,
      reconciledAt: at,
      progressActionId: urn('progress'),
    },
  },
  'ext.missionweaveprotocol.registry.agent_card_registered': { agentId, cardVersion: 1, card },
  'ext.missionweaveprotocol.identity.session_opened': { agentId, sessionEpoch: 1, keyId: urn('key-1') },
}
