// Missions below one another on a running authority, every document signed for real.
import { createHash } from 'node:crypto'
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { GroupState } from '../authority/types.ts'
import { invariant } from '../../protocol/result.ts'
import type { Clock } from '../service/ports.ts'
import type { SubmitOutcome } from '../service/service.ts'
import type { Agent, Draft, Fixture, Person, Signatory } from './authority-fixture.ts'
import { eventOf, newUrn, signAs } from './authority-fixture.ts'
import { selectionBasis, workContract } from './documents.ts'

const capability = { id: 'release.report', version: '1.0.0' }
const deadline = '2026-12-20T00:00:00Z'
const criterion = { criterionId: 'report', description: 'There is a report.', evidenceRequired: ['artifact_integrity' as const] }
const policy = { finalHumanApproval: false, highRiskExecutionApproval: false, policyVersion: '1.0.0' }
const content = new TextEncoder().encode('All licences allow it.\n')
export const contentHash = `sha256:${createHash('sha256').update(content).digest('hex')}`

const contractFor = (toolCallLimit: number) =>
  workContract({
    goal: 'Write the report.',
    requiredDeliverables: [{ deliverableId: 'report', description: 'The report.', mediaType: 'text/plain', schema: 'urn:example:report' }],
    acceptanceCriteria: [criterion],
    requiredCapabilities: [capability],
    deadline,
    budget: { toolCallLimit },
  })

export interface Level {
  readonly missionId: string
  readonly groupId: string
  readonly owner: Person | Agent
  readonly coordinator: Agent
  /** The one WorkItem of the Mission. */
  readonly workItemId: string
}

const isAgent = (sender: Signatory): sender is Agent => sender.actor.type === 'agent'

export class TreeFlow {
  readonly levels: Level[] = []
  readonly #fixture: Fixture<Clock>
  readonly #owner: Person
  readonly #agents: readonly Agent[]

  private constructor(fixture: Fixture<Clock>, owner: Person, agents: readonly Agent[]) {
    this.#fixture = fixture
    this.#owner = owner
    this.#agents = agents
  }

  /** A root Mission with one WorkItem; each further Agent coordinates the next Mission below. */
  static async root(fixture: Fixture<Clock>, owner: Person, agents: readonly Agent[]): Promise<TreeFlow> {
    const flow = new TreeFlow(fixture, owner, agents)
    await flow.#enter({ ...(await fixture.mission(owner, agents[0]!)), owner, coordinator: agents[0]! })
    return flow
  }

  get deepest(): Level {
    return this.levels.at(-1)!
  }

  /** The Command that founds the next Mission below the deepest one. */
  childDraft(changes: Record<string, unknown> = {}): Draft {
    const { workItemId } = this.deepest
    const coordinatorAgentId = this.#agents[this.levels.length]!.actor.id
    const budget = { toolCallLimit: 40 - this.levels.length * 10 + 5 }
    const terms = { title: 'A part', coordinatorAgentId, objective: 'Do a part.', definitionOfDone: [criterion], budget, deadline, approvalPolicy: policy, coordinatorLeaseSeconds: 86_400 }
    return { kind: 'mission.create_child', payload: { missionId: newUrn(), groupId: newUrn(), parentWorkItemId: workItemId, ...terms, ...changes } }
  }

  /** Founds it, with one WorkItem. */
  async child(changes: Record<string, unknown> = {}): Promise<Level> {
    const { coordinator: owner, groupId: parentId } = this.deepest
    const coordinator = this.#agents[this.levels.length]!
    const created = eventOf(await this.send(owner, parentId, this.childDraft(changes), true))
    const { childMissionId: missionId, childGroupId: groupId } = created.payload as { childMissionId: string; childGroupId: string }
    return this.#enter({ missionId, groupId, owner, coordinator })
  }

  /** A Worker does the deepest Mission's work, and its Coordinator submits the Mission. */
  async finishDeepest(worker: Agent): Promise<void> {
    const level = this.deepest
    const { workItemId, groupId, missionId, coordinator } = level
    const now = () => this.#fixture.clock.now()
    const work = async (draft: Draft) => eventOf(await this.send(worker, groupId, draft))
    await this.#coordinate(level, { kind: 'membership.change', payload: { member: worker.actor, role: 'worker' } })
    const offered = await this.#coordinate(level, { kind: 'work.offer', payload: { workItemId, candidateAgentIds: [worker.actor.id], selectionBasis: selectionBasis(capability), offerExpiresInSeconds: 600 } })
    const { offers } = offered.payload as { offers: { offerId: string }[] }
    const accepted = await work({ kind: 'work.accept_offer', payload: { workItemId, offerId: offers[0]!.offerId } })
    const { ownershipEpoch } = accepted.payload as { ownershipEpoch: number }
    const started = await work({ kind: 'work.start', payload: { workItemId, ownershipEpoch } })
    const executionLeaseId = (started.payload as { executionLease: { leaseId: string } }).executionLease.leaseId
    const fence = { ownershipEpoch, executionLeaseId }
    await work({ kind: 'ext.missionweaveprotocol.core.resource_usage_record', payload: { workItemId, ...fence, usageDelta: { toolCalls: 3 } } })
    const manifest = {
      artifactId: newUrn(), contentHash, uri: `http://127.0.0.1:4310/artifacts/${contentHash}`, sizeBytes: content.length, mediaType: 'text/plain', schemaUri: 'urn:example:report',
      producer: { agentId: worker.actor.id, agentCardVersion: 1, capabilities: [capability] }, missionId, groupId, workItemId,
      sourceArtifactHashes: [], toolVersions: [], modelVersions: [], classification: 'internal' as const, createdAt: now(),
    }
    await this.#fixture.service.artifacts.put([content] as unknown as AsyncIterable<Uint8Array>, { mediaType: 'text/plain', maxBytes: 1000, uploadedBy: worker.actor.id })
    await work({ kind: 'artifact.publish', payload: { artifact: await signAs(worker, manifest, 'createdAt'), ...fence } })
    const evidence = async (by: Signatory) => {
      const unsigned = { evidenceId: newUrn(), missionId, groupId, workItemId, type: 'artifact_integrity' as const, subject: { type: 'work_item' as const, id: workItemId }, criterionIds: ['report'], method: 'Hashed it.', result: 'passed' as const, artifactHashes: [contentHash], generatedBy: by.actor, createdAt: now() }
      return signAs(by, unsigned, 'createdAt')
    }
    await work({ kind: 'work.submit', payload: { workItemId, ...fence, artifactHashes: [contentHash], evidence: [await evidence(worker)] } })
    await this.#coordinate(level, { kind: 'work.accept_result', payload: { workItemId, evidence: [await evidence(coordinator)] } })
    await this.submit(level)
  }

  async submit(level: Level): Promise<EventDocument> {
    return this.#coordinate(level, { kind: 'mission.submit_for_approval', payload: { artifactHashes: [contentHash], summary: 'All done.', openRisks: [], dropped: [] } })
  }

  /** The owner's answer to the pending submission. */
  async approve(level: Level, changes: Record<string, unknown> = {}): Promise<SubmitOutcome> {
    const { owner, groupId } = level
    return this.send(owner, groupId, { kind: 'mission.approve', payload: { approval: await this.approval(level, owner), ...changes } })
  }

  async approval({ missionId, groupId, owner }: Level, approver: Signatory): Promise<object> {
    const { submissions } = await this.state(groupId)
    const unsigned = {
      approvalId: newUrn(), kind: isAgent(owner) ? ('child_mission' as const) : ('mission_final' as const), decision: 'approved' as const, missionId, groupId,
      missionRevision: submissions.at(-1)!.missionRevision, artifactHashes: [contentHash], acceptancePolicyVersion: '1.0.0', approver: approver.actor, comments: 'Read it.', conditions: [], occurredAt: this.#fixture.clock.now(),
    }
    return signAs(approver, unsigned, 'occurredAt')
  }

  /** What the root owner sees of a Group. */
  async state(groupId: string): Promise<GroupState> {
    const found = await this.#fixture.service.reads.groupFor(this.#owner.actor.id, groupId)
    invariant(found, 'the root owner sees every Group of the tree')
    return found.state
  }

  async workState({ groupId, workItemId }: Level): Promise<string | undefined> {
    return (await this.state(groupId)).workItems.get(workItemId)?.item.state
  }

  /** From the root down. */
  async missionStates(): Promise<string[]> {
    return Promise.all(this.levels.map(async ({ groupId }) => (await this.state(groupId)).mission.state))
  }

  async send(sender: Person | Agent, groupId: string, draft: Draft, isCoordinating = false): Promise<SubmitOutcome> {
    const session = isAgent(sender) ? { sessionEpoch: sender.session.sessionEpoch } : {}
    return this.#fixture.submit(sender, { groupId, membershipEpoch: 1, ...session, ...(isCoordinating && { coordinatorEpoch: 1 }), ...draft })
  }

  async #coordinate({ coordinator, groupId }: Level, draft: Draft): Promise<EventDocument> {
    return eventOf(await this.send(coordinator, groupId, draft, true))
  }

  async #enter(mission: Omit<Level, 'workItemId'>): Promise<Level> {
    const level = { ...mission, workItemId: newUrn() }
    await this.#coordinate(level, { kind: 'work.authorize', payload: { workItemId: level.workItemId, contract: contractFor(40 - this.levels.length * 10) } })
    this.levels.push(level)
    return level
  }
}
