// One piece of work from authorization to an approved Mission, every document signed for real.
import { createHash } from 'node:crypto'
import type { EventDocument, Evidence } from '../../protocol/generated/types.ts'
import type { Clock } from '../service/ports.ts'
import type { Agent, Draft, Fixture, Person, Signatory } from './authority-fixture.ts'
import { eventOf, newUrn, signAs } from './authority-fixture.ts'
import { selectionBasis, workContract } from './documents.ts'

const capability = { id: 'release.report', version: '1.0.0' }
const criterion = { criterionId: 'report', description: 'There is a report.', evidenceRequired: ['artifact_integrity' as const] }

const contract = workContract({
  goal: 'Write the report.',
  requiredDeliverables: [{ deliverableId: 'report', description: 'The report.', mediaType: 'text/plain', schema: 'urn:example:report' }],
  acceptanceCriteria: [criterion],
  requiredCapabilities: [capability],
  budget: { toolCallLimit: 10 },
})

export class ReleaseFlow {
  static readonly contract = contract
  static readonly selectionBasis = selectionBasis(capability)
  readonly missionId: string
  readonly groupId: string
  readonly workItemId = newUrn()
  readonly content = new TextEncoder().encode('All licences allow it.\n')
  readonly contentHash = `sha256:${createHash('sha256').update(this.content).digest('hex')}`
  readonly #fixture: Fixture<Clock>
  readonly #owner: Person
  readonly #coordinator: Agent
  readonly #worker: Agent
  ownershipEpoch = 0
  executionLeaseId = ''

  private constructor(fixture: Fixture<Clock>, roles: { owner: Person; coordinator: Agent; worker: Agent }, mission: { missionId: string; groupId: string }) {
    this.#fixture = fixture
    this.#owner = roles.owner
    this.#coordinator = roles.coordinator
    this.#worker = roles.worker
    this.missionId = mission.missionId
    this.groupId = mission.groupId
  }

  /** A Mission whose one WorkItem is being executed. */
  static async executing(fixture: Fixture<Clock>, roles: { owner: Person; coordinator: Agent; worker: Agent }): Promise<ReleaseFlow> {
    const flow = new ReleaseFlow(fixture, roles, await fixture.mission(roles.owner, roles.coordinator))
    const { workItemId } = flow
    await flow.coordinate({ kind: 'membership.change', payload: { member: roles.worker.actor, role: 'worker' } })
    await flow.coordinate({ kind: 'work.authorize', payload: { workItemId, contract } })
    const offered = await flow.coordinate({ kind: 'work.offer', payload: { workItemId, candidateAgentIds: [roles.worker.actor.id], selectionBasis: ReleaseFlow.selectionBasis, offerExpiresInSeconds: 600 } })
    const { offers } = offered.payload as { offers: { offerId: string }[] }
    const accepted = await flow.work({ kind: 'work.accept_offer', payload: { workItemId, offerId: offers[0]!.offerId, ownershipLeaseSeconds: 3600 } })
    flow.ownershipEpoch = (accepted.payload as { ownershipEpoch: number }).ownershipEpoch
    await flow.start()
    return flow
  }

  async start(executionLeaseSeconds = 600): Promise<EventDocument> {
    const started = await this.work({ kind: 'work.start', payload: { workItemId: this.workItemId, ownershipEpoch: this.ownershipEpoch, executionLeaseSeconds } })
    this.executionLeaseId = (started.payload as { executionLease: { leaseId: string } }).executionLease.leaseId
    return started
  }

  /** The Command that publishes the report; `changes` go into the manifest after it was signed. */
  async publishDraft(changes: Record<string, unknown> = {}): Promise<Draft> {
    const { missionId, groupId, workItemId, contentHash, content } = this
    const manifest = {
      artifactId: newUrn(), contentHash, uri: `http://127.0.0.1:4310/artifacts/${contentHash}`, sizeBytes: content.length, mediaType: 'text/plain',
      schemaUri: 'urn:example:report', producer: { agentId: this.#worker.actor.id, agentCardVersion: 1, capabilities: [capability] }, missionId, groupId, workItemId,
      sourceArtifactHashes: [], toolVersions: [], modelVersions: [], classification: 'internal' as const, createdAt: this.#fixture.clock.now(),
    }
    const artifact = { ...(await signAs(this.#worker, manifest, 'createdAt')), ...changes }
    return { kind: 'artifact.publish', payload: { artifact, ownershipEpoch: this.ownershipEpoch, executionLeaseId: this.executionLeaseId } }
  }

  async evidence(signatory: Signatory): Promise<Evidence> {
    const { missionId, groupId, workItemId, contentHash } = this
    const unsigned = {
      evidenceId: newUrn(), missionId, groupId, workItemId, type: 'artifact_integrity' as const, subject: { type: 'work_item' as const, id: workItemId }, criterionIds: ['report'],
      method: 'Hashed it.', result: 'passed' as const, artifactHashes: [contentHash], generatedBy: signatory.actor, createdAt: this.#fixture.clock.now(),
    }
    return signAs(signatory, unsigned, 'createdAt')
  }

  /** Publishes, hands in, reviews and submits the Mission; it then waits for its owner. Without the content where it is not to be stored. */
  async submitForApproval({ isStored = true } = {}): Promise<void> {
    const { workItemId, ownershipEpoch, executionLeaseId, contentHash } = this
    const { artifacts } = this.#fixture.service
    if (isStored) await artifacts.put([this.content] as unknown as AsyncIterable<Uint8Array>, { mediaType: 'text/plain', maxBytes: 1000, uploadedBy: this.#worker.actor.id })
    await this.work(await this.publishDraft())
    await this.work({ kind: 'work.submit', payload: { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [contentHash], evidence: [await this.evidence(this.#worker)] } })
    await this.coordinate({ kind: 'work.accept_result', payload: { workItemId, evidence: [await this.evidence(this.#coordinator)] } })
    await this.coordinate({ kind: 'mission.submit_for_approval', payload: { artifactHashes: [contentHash], summary: 'All done.', openRisks: [], dropped: [] } })
  }

  async approveDraft(): Promise<Draft> {
    const found = await this.#fixture.service.reads.groupFor(this.#owner.actor.id, this.groupId)
    const unsigned = {
      approvalId: newUrn(), kind: 'mission_final' as const, decision: 'approved' as const, missionId: this.missionId, groupId: this.groupId,
      missionRevision: found!.state.submissions.at(-1)!.missionRevision, artifactHashes: [this.contentHash], acceptancePolicyVersion: '1.0.0', approver: this.#owner.actor,
      comments: 'Read it.', conditions: [], occurredAt: this.#fixture.clock.now(),
    }
    return { kind: 'mission.approve', groupId: this.groupId, membershipEpoch: 1, payload: { approval: await signAs(this.#owner, unsigned, 'occurredAt') } }
  }

  async coordinate(draft: Draft): Promise<EventDocument> {
    return eventOf(await this.#fixture.submit(this.#coordinator, { ...this.#epochs(this.#coordinator), coordinatorEpoch: 1, ...draft }))
  }

  async work(draft: Draft): Promise<EventDocument> {
    return eventOf(await this.#fixture.submit(this.#worker, this.workDraft(draft)))
  }

  workDraft(draft: Draft): Draft {
    return { ...this.#epochs(this.#worker), ...draft }
  }

  #epochs({ session }: Agent) {
    return { groupId: this.groupId, sessionEpoch: session.sessionEpoch, membershipEpoch: 1 }
  }
}
