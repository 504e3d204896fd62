// From a task to a WorkItem and back: the Coordinator signs the offer to the winner; what the winner does after is signed with its custodial key.
import { randomUUID } from 'node:crypto'
import { ARTIFACT_NAME } from '../../../protocol/artifact-name.ts'
import { canonicalize } from '../../../protocol/canonical-json.ts'
import { deriveUrn } from '../../../protocol/digest.ts'
import type { Artifact, CommandPayloads, Evidence, Lease } from '../../../protocol/generated/types.ts'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import { isTerminal } from '../../../protocol/iap/task-status.ts'
import type { AgentId, IAPMessage, TaskId, TaskResult } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { foldTask } from '../../authority/iap/evolve-task.ts'
import type { RecordOf, TaskRecord } from '../../authority/iap/records.ts'
import type { TaskState } from '../../authority/iap/types.ts'
import type { GroupState, WorkRecord } from '../../authority/types.ts'
import type { Log } from '../../log.ts'
import type { Custody } from '../doors/types.ts'
import type { ArtifactStore, Clock } from '../ports.ts'
import type { Feeds, Reads } from '../service.ts'
import { Turns } from '../turns.ts'
import type { AgentNodes } from './agent-nodes.ts'
import type { IapStore, IapTaskRow, TaskWork } from './store-port.ts'

/** What the router sends the Coordinator: everything that the offer to the winner consists of. */
export const WORK_OFFER_CONTEXT = 'mwp.work_offer'

const ownershipSeconds = 3_600
const longestExecutionSeconds = 3_600
const maximumFindings = 50
const maximumResultBytes = 1024 * 1024

type Finding = Pick<Evidence, 'type' | 'result' | 'method' | 'artifactHashes'> & Partial<Pick<Evidence, 'criterionIds'>>

export interface WorkBridgeNeeds {
  readonly store: Pick<IapStore, 'tasksAtWork' | 'workOver' | 'records'>
  readonly custody: Custody
  readonly reads: Pick<Reads, 'groupFor'>
  readonly feeds: Pick<Feeds, 'onGrowth'>
  readonly artifacts: Pick<ArtifactStore, 'put'>
  readonly clock: Clock
  readonly origin: string
  readonly nodes: Pick<AgentNodes, 'principalOf'>
  readonly diagnostics: Log
}

/** A WorkItem, and the task that is done for it by this Principal. */
interface Work { readonly workerId: string; readonly work: TaskWork; readonly state: GroupState; readonly record: WorkRecord; readonly task: TaskState }

export class WorkBridge {
  readonly #needs: WorkBridgeNeeds
  readonly #turns = new Turns<TaskId>()
  readonly #rows = new Map<TaskId, IapTaskRow>()
  readonly #running = new Set<Promise<void>>()
  readonly #stopListening: () => void
  #isStopped = false

  constructor(needs: WorkBridgeNeeds) {
    this.#needs = needs
    this.#stopListening = needs.feeds.onGrowth((groupId) => {
      for (const row of this.#rows.values()) if (row.work?.groupId === groupId) this.advance(row)
    })
  }

  async start(): Promise<void> {
    for (const row of await this.#needs.store.tasksAtWork()) this.advance(row)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** The WorkItem that a proposal names: only the Coordinator in office has work done, and only what can be offered. */
  async admit(principalId: string, metadata: Readonly<Record<string, unknown>> | undefined): Promise<Result<TaskWork | undefined, string>> {
    const { groupId, workItemId } = metadata ?? {}
    if (groupId === undefined && workItemId === undefined) return ok(undefined)
    if (typeof groupId !== 'string' || typeof workItemId !== 'string') return err('metadata names both groupId and workItemId')
    const state = (await this.#needs.reads.groupFor(principalId, groupId))?.state
    const record = state?.workItems.get(workItemId)
    if (state === undefined || record === undefined) return err('there is no such WorkItem for this agent')
    if (state.mission.coordinator.agentId !== principalId) return err('only the Coordinator has work of a Mission done')
    if (!['open', 'offered', 'failed'].includes(record.item.state)) return err('the WorkItem cannot be offered now')
    const workers = [...state.memberships.values()].filter(({ member, role, state: standing }) => member.type === 'agent' && role === 'worker' && standing !== 'ended')
    return ok({ groupId, workItemId, requiredCapabilities: record.item.contract.requiredCapabilities, workerIds: workers.map(({ member }) => member.id) })
  }

  /** Does for the WorkItem whatever can be done now; called after everything that may have changed that. */
  advance(row: IapTaskRow): void {
    if (row.work === undefined || this.#isStopped) return
    this.#rows.set(row.taskId, row)
    const turn = this.#turns.run(row.taskId, () => this.#advance(row)).catch((fault: unknown) => this.#needs.diagnostics.error({ err: fault, taskId: row.taskId }, 'a WorkItem could not be told of its task yet'))
    this.#running.add(turn)
    void turn.finally(() => this.#running.delete(turn))
  }

  async #advance({ taskId, work }: IapTaskRow): Promise<void> {
    if (this.#isStopped || !this.#rows.has(taskId)) return
    const task = foldTask(await this.#recordsOf(taskId))
    if (task === undefined || work === undefined) return
    for (const agentId of task.released.keys()) if (agentId !== task.holding?.agent.agentId) await this.#giveUp(agentId, work, task)
    const agentId = task.holding?.agent.agentId
    if (agentId === undefined || task.holding?.acceptance === undefined) return isTerminal(task.status) ? this.#over(taskId) : undefined
    const workerId = await this.#needs.nodes.principalOf(agentId)
    // Somebody with a key of its own signs for itself.
    if (workerId === undefined || !this.#needs.custody.holds(workerId)) return this.#over(taskId)
    // Each step changes the WorkItem, until there is none.
    for (;;) {
      const found = await this.#needs.reads.groupFor(workerId, work.groupId)
      const record = found?.state.workItems.get(work.workItemId)
      if (found === undefined || record === undefined) return
      const step = await this.#step({ workerId, work, state: found.state, record, task })
      if (step === 'over') return this.#over(taskId)
      if (step === 'wait') return
    }
  }

  /** Work that is in the hands of an agent which let go of the task fails at once, so that it can be offered to the next. */
  async #giveUp(agentId: AgentId, work: TaskWork, task: TaskState): Promise<void> {
    const workerId = await this.#needs.nodes.principalOf(agentId)
    if (workerId === undefined || !this.#needs.custody.holds(workerId)) return
    const found = await this.#needs.reads.groupFor(workerId, work.groupId)
    const record = found?.state.workItems.get(work.workItemId)
    const lease = record?.executionLease
    if (found === undefined || record === undefined || record.item.state !== 'active' || lease?.holderAgentId !== workerId) return
    await this.#fail({ workerId, work, state: found.state, record, task }, lease, 'The agent let go of the task.')
  }

  async #fail(at: Work, lease: Lease, reason: string): Promise<'done' | 'wait' | 'over'> {
    const evidence = await this.#evidence(at, { type: 'failure_report', result: 'failed', method: reason, artifactHashes: [] })
    return evidence === undefined ? 'over' : this.#submit(at, 'work.fail', { ...citationOf(at, lease), reason, evidence: [evidence] })
  }

  /** The next step from where the WorkItem stands. */
  async #step(at: Work): Promise<'done' | 'wait' | 'over'> {
    const { record: { item }, workerId, task } = at
    const offer = item.state === 'offered' ? item.offers?.find(({ agentId, status, expiresAt }) => agentId === workerId && status === 'pending' && Date.parse(expiresAt) > this.#needs.clock.nowMs()) : undefined
    if (offer) return this.#submit(at, 'work.accept_offer', { workItemId: item.workItemId, offerId: offer.offerId, ownershipLeaseSeconds: ownershipSeconds })
    if (item.owner?.agentId !== workerId) return isTerminal(task.status) && item.state !== 'offered' && item.state !== 'open' ? 'over' : this.#waitFor(task)
    if (item.state === 'queued') return this.#submit(at, 'work.start', { workItemId: item.workItemId, ownershipEpoch: at.record.ownershipEpoch, executionLeaseSeconds: this.#executionSeconds(task) })
    const lease = at.record.executionLease
    if (item.state !== 'active' || lease?.holderAgentId !== workerId) return 'over'
    if (!isTerminal(task.status)) return 'wait'
    return this.#handIn(at, lease)
  }

  /** An ended task whose offer was never signed leaves the WorkItem alone; its result is in the Space. */
  #waitFor({ status }: TaskState): 'wait' | 'over' {
    return status === 'completed' || !isTerminal(status) ? 'wait' : 'over'
  }

  async #handIn(at: Work, lease: Lease): Promise<'wait' | 'over'> {
    const result = await this.#resultOf(at.task.taskId)
    if (result?.status !== 'completed') return this.#last(this.#fail(at, lease, result === undefined ? 'The task ended without a result.' : 'The agent reports that it failed.'))
    const cited = citationOf(at, lease)
    const artifact = await this.#artifact(at, result)
    if (artifact === undefined) return 'over'
    const { contentHash } = artifact
    const isPublished = at.state.artifacts.get(contentHash)?.some((other) => other.workItemId === at.work.workItemId) === true
    const published = isPublished ? 'done' : await this.#submit(at, 'artifact.publish', { artifact, ownershipEpoch: cited.ownershipEpoch, executionLeaseId: cited.executionLeaseId })
    if (published !== 'done') return published
    const hashed: Finding = { type: 'artifact_integrity', result: 'passed', method: 'The result was hashed as it was stored.', artifactHashes: [contentHash] }
    const findings = [hashed, ...findingsOf(result, contentHash)]
    const evidence = (await Promise.all(findings.map((finding) => this.#evidence(at, finding)))).flatMap((each) => each ?? [])
    return this.#last(this.#submit(at, 'work.submit', { ...cited, artifactHashes: [contentHash], evidence }))
  }

  async #last(step: Promise<'done' | 'wait' | 'over'>): Promise<'wait' | 'over'> {
    return (await step) === 'wait' ? 'wait' : 'over'
  }

  async #artifact({ workerId, work, state, record: { item }, task }: Work, { result }: TaskResult): Promise<Artifact | undefined> {
    const [deliverable] = item.contract.requiredDeliverables
    const content = deliverable && contentOf(result, deliverable.mediaType)
    if (deliverable === undefined || content === undefined) return undefined
    const { bytes, mediaType } = content
    const stored = await this.#needs.artifacts.put(piecesOf(bytes), { mediaType, maxBytes: maximumResultBytes, uploadedBy: workerId })
    if (typeof stored === 'string') return undefined
    const { owner } = item
    const signed = await this.#needs.custody.signArtifact(workerId, {
      artifactId: deriveUrn('iap-result', task.taskId, task.holding!.assignmentId),
      contentHash: stored.contentHash,
      uri: `${this.#needs.origin}/artifacts/${stored.contentHash}`,
      mediaType,
      schemaUri: deliverable.schema,
      sizeBytes: stored.sizeBytes,
      producer: { agentId: workerId, agentCardVersion: owner?.agentCardVersion ?? 1, capabilities: owner?.capabilityPins ?? [] },
      missionId: state.mission.missionId,
      groupId: work.groupId,
      workItemId: work.workItemId,
      toolVersions: [],
      modelVersions: [],
      sourceArtifactHashes: [],
      classification: 'internal',
      createdAt: this.#needs.clock.now(),
      extensions: { [ARTIFACT_NAME]: { version: '1.0.0', critical: false, data: deliverable.deliverableId } },
    })
    return signed.ok ? signed.value : undefined
  }

  async #evidence({ workerId, work, state, record }: Work, finding: Finding): Promise<Evidence | undefined> {
    const [contentHash] = finding.artifactHashes
    const signed = await this.#needs.custody.signEvidence(workerId, {
      ...finding,
      evidenceId: `urn:uuid:${randomUUID()}`,
      subject: contentHash === undefined ? { type: 'work_item', id: work.workItemId } : { type: 'artifact', id: contentHash },
      criterionIds: finding.criterionIds ?? record.item.contract.acceptanceCriteria.map(({ criterionId }) => criterionId),
      missionId: state.mission.missionId,
      groupId: work.groupId,
      workItemId: work.workItemId,
      generatedBy: { type: 'agent', id: workerId },
      createdAt: this.#needs.clock.now(),
    })
    return signed.ok ? signed.value : undefined
  }

  /** A refusal changes nothing by being repeated: a later Event may. */
  async #submit<K extends keyof CommandPayloads>({ workerId, work: { groupId, workItemId }, task }: Work, kind: K, payload: CommandPayloads[K]): Promise<'done' | 'wait'> {
    const outcome = await this.#needs.custody.submit(workerId, { kind, groupId, workItemId, payload: payload as Readonly<Record<string, unknown>> })
    if (outcome.ok) return 'done'
    this.#needs.diagnostics.warn({ taskId: task.taskId, kind, code: outcome.rejection.code }, 'a step of bridged work was refused')
    return 'wait'
  }

  #executionSeconds({ holding }: TaskState): number {
    const leftMs = (holding?.acceptance?.timeoutMs ?? 0) - this.#needs.clock.nowMs()
    return Math.min(longestExecutionSeconds, Math.max(60, Math.ceil(leftMs / 1000)))
  }

  async #resultOf(taskId: TaskId): Promise<TaskResult | undefined> {
    const records = await this.#recordsOf(taskId)
    const applied = records.findLast((record): record is RecordOf<'task_result'> => record.type === 'task_result' && record.content.refused === undefined)
    return applied?.content.result
  }

  /** What is committed. The desk is ahead of that while it writes, and nothing may be signed on what might not come to be. */
  async #recordsOf(taskId: TaskId): Promise<readonly TaskRecord[]> {
    return (await this.#needs.store.records([taskId])).map(({ record }) => JSON.parse(record) as TaskRecord)
  }

  async #over(taskId: TaskId): Promise<void> {
    this.#rows.delete(taskId)
    await this.#needs.store.workOver(taskId)
  }
}

/** Tells the Coordinator what it may sign. Public facts of the choice, never private reasoning. */
export function offerBasisFor({ taskId, proposal: { proposerId }, proposalMessageId, bids }: TaskState, { at, content }: RecordOf<'task_assignment'>, { work, winnerId }: { readonly work: TaskWork; readonly winnerId: string }): IAPMessage {
  const { groupId, workItemId, requiredCapabilities } = work
  const { assignmentId, acceptBy, selection } = content
  const bid = bids.find(({ ordinal }) => ordinal === selection.winner)!.bid
  const selectionBasis = {
    requiredCapabilities, verifiedMatches: requiredCapabilities, authorizationEligible: true, availabilityEstimate: acceptBy, expectedCost: bid.estimatedCost, reliabilityEvidence: [], policyRulesApplied: [selection.rule, `iap-assignment ${assignmentId}`],
  }
  const data = { groupId, offer: { workItemId, candidateAgentIds: [winnerId], selectionBasis } }
  const payload = { fromAgent: ROUTER, toAgent: proposerId as AgentId, taskId, contextType: WORK_OFFER_CONTEXT, data, compression: 'none' as const }
  return composeMessage('CONTEXT_TRANSFER', { messageId: deriveUrn('iap-work-offer', taskId, assignmentId), from: ROUTER, to: proposerId, timestamp: at, correlationId: proposalMessageId }, payload) as IAPMessage
}

/** What every Command of an executing Worker cites. */
const citationOf = ({ work: { workItemId }, record: { ownershipEpoch } }: Work, { leaseId }: Lease) => ({ workItemId, ownershipEpoch, executionLeaseId: leaseId })

/** Text as it is where the contract asks for a text; JSON in its canonical form otherwise. */
function contentOf(result: unknown, wanted: string): { readonly bytes: Uint8Array; readonly mediaType: string } | undefined {
  if (typeof result === 'string' && wanted !== 'application/json') return { bytes: new TextEncoder().encode(result), mediaType: wanted }
  const bytes = canonicalize(result)
  return bytes.ok ? { bytes: bytes.value, mediaType: 'application/json' } : undefined
}

/** What the agent itself says of its result in `evidence`; what is no finding is left out. */
function findingsOf(result: TaskResult, contentHash: string): readonly Finding[] {
  const told: unknown = (result as { readonly evidence?: unknown }).evidence
  if (!Array.isArray(told)) return []
  return told.slice(0, maximumFindings).map((each) => {
    const { type, result: outcome, method, criterionIds } = (each ?? {}) as Partial<Evidence>
    return { type, result: outcome, method, criterionIds, artifactHashes: [contentHash] } as Finding
  })
}

async function* piecesOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
