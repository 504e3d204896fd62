import { describe, expect, test } from 'vitest'
import { exampleDocuments } from './testing/example-documents.ts'
import { exampleCommandPayloads, exampleEventPayloads } from './testing/example-payloads.ts'
import { ABSENT, withChanges } from './testing/with-changes.ts'
import type { CommandPayloadKind, EventPayloadKind, ValidationFault } from './validate.ts'
import {
  commandPayloadKinds,
  eventPayloadKinds,
  isCommandPayloadKind,
  isEventPayloadKind,
  validateCommandPayload,
  validateDocument,
  validateEventPayload,
} from './validate.ts'

/** Members that each kind may leave out; every other one is required. */
const optionalMembers: Record<string, string[]> = {
  'ext.countersign.artifact.imported': ['approval'],
  'ext.countersign.mission.child_budget_raised': ['contract'],
  'mission.create': ['coordinatorLeaseSeconds'],
  'mission.create_follow_up': ['coordinatorLeaseSeconds'],
  'mission.create_child': ['allowedResources', 'capabilities', 'failurePolicy', 'coordinatorLeaseSeconds'],
  'ext.missionweaveprotocol.core.group_archive': ['firstOnlineSequence'],
  'group.archived': ['firstOnlineSequence'],
  'mission.approve': ['rootApproval'],
  'mission.created': ['parentLink'],
  'mission.approved': ['rootApproval'],
  'work.result.accepted': ['childMissionId'],
  'mission.assign_coordinator': ['leaseSeconds'],
  'mission.renew_coordinator': ['leaseSeconds'],
  'membership.change': ['scopes', 'visibilityStartSequence'],
  'message.post': ['mentions', 'references', 'authority'],
  'work.propose': ['parentWorkItemId'],
  'work.authorize': ['exclusive', 'proposalId', 'parentWorkItemId', 'replacesWorkItemId', 'delegationGrantId', 'overrideReason'],
  'work.offer': ['offerExpiresInSeconds', 'contract', 'contextPackage', 'delegationGrantId', 'overrideReason'],
  'work.accept_offer': ['offerId', 'ownershipLeaseSeconds', 'scheduleEstimate'],
  'work.start': ['executionLeaseSeconds'],
  'work.checkpoint': ['resumeWithinSeconds'],
  'work.block': ['blockedLeaseSeconds'],
  'ext.countersign.work.offer_decline': ['comment'],
  'ext.countersign.conversation.open': ['workItemId'],
  'work.fail': ['ownershipEpoch', 'executionLeaseId'],
  'ext.missionweaveprotocol.core.work_execution_lease_renew': ['leaseSeconds'],
  'work.authorized': ['proposalId', 'parentWorkItemId', 'replacesWorkItemId', 'delegationGrantId', 'overrideReason'],
  'ext.missionweaveprotocol.core.resource_usage_recorded': ['offlineReconciliation'],
  'ext.countersign.work.preemption_requested': ['escalation'],
  'work.offer.created': ['contract', 'contextPackage', 'delegationGrantId', 'overrideReason'],
  'work.offer.accepted': ['scheduleEstimate'],
  'work.contract.revised': ['fencedOwner'],
  'work.unblocked': ['resolution', 'ownershipLeaseExpiresAt', 'lapsedLeaseId'],
  'ext.countersign.work.offer_declined': ['comment'],
  'ext.missionweaveprotocol.core.work_execution_lease_revoked': ['sessionEpoch'],
}

type Judge = (payload: unknown) => ValidationFault | undefined
const payloads: [kind: string, example: object, judge: Judge][] = [
  ...commandPayloadKinds.map(
    (kind) =>
      [kind, exampleCommandPayloads[kind], (payload: unknown) => validateCommandPayload(kind, payload)] as const,
  ),
  ...eventPayloadKinds.map(
    (kind) => [kind, exampleEventPayloads[kind], (payload: unknown) => validateEventPayload(kind, payload)] as const,
  ),
].map(([kind, example, judge]) => [kind, example, judge])

describe('every payload', () => {
  test.each(payloads)('%s: the example is accepted', (_kind, example, judge) => {
    expect(judge(example)).toBeUndefined()
  })

  test.each(payloads)('%s: an unknown member is refused', (_kind, example, judge) => {
    expect(judge({ ...example, unknownMember: 1 })).toMatchObject({ path: '', keyword: 'additionalProperties' })
  })

  test.each(payloads)(
    '%s: exactly the listed members may be left out, and none may be null',
    (kind, example, judge) => {
      for (const member of Object.keys(example)) {
        const verdict = judge(withChanges(example, { [member]: ABSENT }))
        if (optionalMembers[kind]?.includes(member)) expect(verdict).toBeUndefined()
        else expect(verdict).toMatchObject({ keyword: 'required', message: `lacks the member ${member}` })
        expect(judge({ ...example, [member]: null })?.path).toBe(`/${member}`)
      }
    },
  )
})

describe('kinds', () => {
  test('every kind is one that an envelope can carry', () => {
    for (const kind of commandPayloadKinds) {
      const fault = validateDocument('command', { ...exampleDocuments.command, kind })
      expect(fault?.path, kind).not.toBe('/kind')
    }
    for (const kind of eventPayloadKinds) {
      const fault = validateDocument('event', { ...exampleDocuments.event, kind })
      expect(fault?.path, kind).not.toBe('/kind')
    }
  })

  test('a name from outside is a kind only when it has a schema', () => {
    expect(isCommandPayloadKind('work.offer')).toBe(true)
    expect(isEventPayloadKind('work.offer.created')).toBe(true)
    for (const name of ['work.offer.created', 'constructor', '__proto__', 'toString', '']) {
      expect(isCommandPayloadKind(name)).toBe(false)
    }
    for (const name of ['work.offer', 'constructor', '__proto__', 'toString', '']) {
      expect(isEventPayloadKind(name)).toBe(false)
    }
  })
})

describe('bounds', () => {
  const command = (kind: CommandPayloadKind, changes: Record<string, unknown>) =>
    validateCommandPayload(kind, withChanges(exampleCommandPayloads[kind], changes))
  const event = (kind: EventPayloadKind, changes: Record<string, unknown>) =>
    validateEventPayload(kind, withChanges(exampleEventPayloads[kind], changes))

  test.each([
    ['mission.create', 'coordinatorLeaseSeconds'],
    ['mission.renew_coordinator', 'leaseSeconds'],
    ['work.offer', 'offerExpiresInSeconds'],
    ['work.accept_offer', 'ownershipLeaseSeconds'],
    ['work.start', 'executionLeaseSeconds'],
    ['work.checkpoint', 'resumeWithinSeconds'],
    ['work.block', 'blockedLeaseSeconds'],
    ['ext.missionweaveprotocol.core.work_execution_lease_renew', 'leaseSeconds'],
  ] as const)('%s: %s runs from a second to a year', (kind, member) => {
    for (const seconds of [1, 31_536_000]) expect(command(kind, { [member]: seconds })).toBeUndefined()
    for (const seconds of [0, -1, 1.5, 31_536_001, '60']) expect(command(kind, { [member]: seconds })).toBeDefined()
  })

  test.each<[CommandPayloadKind, Record<string, unknown>]>([
    ['mission.create', { title: '' }],
    ['mission.create', { title: 'a'.repeat(201) }],
    ['mission.create', { definitionOfDone: [] }],
    ['mission.create', { budget: {} }],
    ['mission.create', { 'approvalPolicy.finalHumanApproval': false }],
    ['mission.submit_for_approval', { artifactHashes: [] }],
    ['mission.submit_for_approval', { 'dropped.0.reason': '' }],
    ['mission.submit_for_approval', { 'dropped.0.because': 'no such member' }],
    ['mission.approve', { 'approval.artifactHashes': [] }],
    ['mission.cancel', { reason: 'a'.repeat(4001) }],
    ['membership.change', { role: 'admin' }],
    ['membership.change', { scopes: [] }],
    ['membership.change', { scopes: ['Everything'] }],
    ['message.post', { content: [] }],
    ['message.post', { authority: true }],
    ['work.offer', { candidateAgentIds: [] }],
    ['work.submit', { evidence: [] }],
    ['work.accept_result', { evidence: [] }],
    ['work.fail', { evidence: [] }],
    ['work.block', { unblockCondition: '' }],
    ['work.unblock', { resolution: '' }],
    ['ext.countersign.work.offer_decline', { reason: 'mood' }],
    ['ext.countersign.work.preemption_request', { urgency: 'now' }],
    ['ext.missionweaveprotocol.core.resource_usage_record', { 'usageDelta.toolCalls': -1 }],
    ['ext.missionweaveprotocol.core.resource_usage_record', { 'usageDelta.electricity': 1 }],
  ])('%s refuses %o', (kind, changes) => {
    expect(command(kind, changes)).toBeDefined()
  })

  test('A-185: progress tells phase, milestones, next checkpoint, blockers, estimate and Evidence, and no percentage', () => {
    for (const member of ['currentPhase', 'completedMilestones', 'nextCheckpoint', 'blockers', 'updatedCompletionEstimate', 'evidenceIds']) {
      expect(command('work.checkpoint', { [`progress.${member}`]: ABSENT })).toBeDefined()
    }
    expect(command('work.checkpoint', { 'progress.percentage': 90 })).toBeDefined()
  })

  test.each<[EventPayloadKind, Record<string, unknown>]>([
    ['mission.created', { memberships: [] }],
    ['mission.changes_requested', { feedback: 'a'.repeat(10_001) }],
    ['work.proposed', { 'proposal.status': 'accepted' }],
    ['work.offer.created', { offers: [] }],
    ['work.submitted', { evidence: [] }],
    ['work.unblocked', { state: 'active' }],
    ['work.contract.revised', { state: 'queued' }],
    ['ext.missionweaveprotocol.core.work_execution_lease_revoked', { state: 'accepted' }],
    ['ext.missionweaveprotocol.core.work_execution_lease_revoked', { reason: 'a'.repeat(513) }],
  ])('%s refuses %o', (kind, changes) => {
    expect(event(kind, changes)).toBeDefined()
  })
})
