// A submission under review, for tests: three artifacts, one criterion, one earlier decision.
import { sha256Hash } from '../../protocol/digest.ts'
import type { ApprovalView } from '../trpc.tsx'

const urn = (digit: string): string => `urn:uuid:00000000-0000-4000-8000-00000000000${digit}`
const owner = { id: urn('1'), type: 'human', name: 'Mara Lind' } as const
const worker = { id: urn('2'), type: 'agent', name: 'Report worker' } as const
const signature = { algorithm: 'Ed25519', keyId: urn('9'), createdAt: '2026-11-29T09:00:00Z', value: 'AA' } as const

export const hashOf = (text: string): string => sha256Hash(new TextEncoder().encode(text))

type ReviewArtifact = ApprovalView['artifacts'][number]

/** An artifact whose content is `text`. */
export function reviewArtifact(name: string, text: string, change: ReviewArtifact['change'] = 'added'): ReviewArtifact {
  const contentHash = hashOf(text)
  return {
    contentHash, name, change, producer: worker, workItemId: urn('3'), workGoal: 'Write the report', sequence: 20, submitted: true,
    artifact: {
      artifactId: urn('4'), contentHash, uri: `https://countersign.example/artifacts/${contentHash}`, sizeBytes: text.length, mediaType: 'text/markdown',
      schemaUri: 'https://example.org/report', producer: { agentId: worker.id, agentCardVersion: 1, capabilities: [{ id: 'release.report', version: '1.0.0' }] },
      missionId: urn('5'), groupId: urn('6'), workItemId: urn('3'), sourceArtifactHashes: [], toolVersions: [], modelVersions: [],
      classification: 'internal', createdAt: '2026-11-29T09:00:00Z', signature,
    },
  }
}

const mission: ApprovalView['mission'] = {
  missionId: urn('5'), groupId: urn('6'), title: 'Release 4.2', state: 'awaiting_approval', revision: 17, owner, coordinator: worker,
  status: { health: 'waiting-on-person', sentence: 'Waits for your decision on revision 17', because: '' },
  deadline: '2026-12-01T00:00:00Z', updatedAt: '2026-11-29T09:00:00Z', counts: {}, waitingOnMe: true, startsWaitingOnMe: 0, head: 40, objective: 'Ship it',
  definitionOfDone: [], budget: [], limits: {}, coordinatorLeaseExpiresAt: '2026-11-29T12:00:00Z', coordinatorEpoch: 1, work: [], conversations: [], people: [],
  createdAt: '2026-11-29T08:00:00Z', me: { principalId: owner.id, role: 'mission_owner', membershipEpoch: 1 }, submissions: [],
}

/** The review of `artifacts`; `over` replaces members, `pending` members of the submission. */
export function reviewFixture(artifacts: ReviewArtifact[], over: Partial<ApprovalView> = {}, pending: Partial<NonNullable<ApprovalView['pending']>> = {}): ApprovalView {
  return {
    mission,
    decider: owner,
    isChild: false,
    pending: {
      submissionNumber: 2, missionRevision: 17, artifactHashes: artifacts.map((artifact) => artifact.contentHash), summary: 'All checks ran.',
      openRisks: [], dropped: [], sequence: 38, submittedAt: '2026-11-29T09:00:00Z', ...pending,
    },
    artifacts,
    removed: [],
    criteria: [],
    decisions: [],
    acceptancePolicyVersion: '1.2.0',
    ...over,
  }
}

/** An earlier decision of the caller on a revision. */
export function earlierDecision(missionRevision: number): ApprovalView['decisions'][number] {
  return {
    sequence: 30,
    approval: {
      approvalId: urn('8'), kind: 'mission_final', decision: 'changes_requested', missionId: urn('5'), groupId: urn('6'), missionRevision, artifactHashes: [],
      acceptancePolicyVersion: '1.2.0', approver: { type: 'human', id: owner.id }, comments: '', conditions: [], occurredAt: '2026-11-29T09:00:00Z', signature,
    },
  }
}
