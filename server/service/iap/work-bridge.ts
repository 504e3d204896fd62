// From a task to a WorkItem and back: the Coordinator signs the offer to the winner; what the winner does after is signed with its custodial key.
import { randomUUID } from 'node:crypto'
import { ARTIFACT_NAME } from '../../../protocol/artifact-name.ts'
import { canonicalize } from '../../../protocol/canonical-json.ts'
import { deriveUrn } from '../../../protocol/digest.ts'
import type { Artifact, CommandPayloads, DelegationGrant, Evidence, Lease, Policy, WorkOffer } from '../../../protocol/generated/types.ts'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import { isTerminal, TaskStatus } from '../../../protocol/iap/task-status.ts'
import type { AgentId, IAPMessage, TaskId, TaskResult } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { RecordOf, TaskRecord } from '../../authority/iap/records.ts'
import type { TaskState } from '../../authority/iap/types.ts'
import { grantToOffer } from '../../authority/delegation.ts'
import { missionOver } from '../../authority/fences.ts'
import { recordIdOf } from '../../authority/negotiation.ts'
import type { GroupState, WorkRecord } from '../../authority/types.ts'
import type { Log } from '../../log.ts'
import type { Custody } from '../doors/types.ts'
import type { ArtifactStore, Clock } from '../ports.ts'
import type { Feeds, Reads } from '../service.ts'
import { Turns } from '../turns.ts'
import type { AgentNodes } from './agent-nodes.ts'
import type { IapStore, IapTaskRow, TaskWork } from './store-port.ts'
import { standsInItsGroup } from './store-port.ts'
import { TaskReader } from './task-reader.ts'

/** What the router sends the Coordinator: everything that the offer to the winner consists of. */
export const WORK_OFFER_CONTEXT = 'mwp.work_offer'

const ownershipSeconds = 3_600
const longestExecutionSeconds = 3_600
const maximumFindings = 50
const maximumResultBytes = 1024 * 1024

type Finding = Pick<Evidence, 'type' | 'result' | 'method' | 'artifactHashes'> & Partial<Pick<Evidence, 'criterionIds'>>

export interface WorkBridgeNeeds {
  readonly store: Pick<IapStore, 'tasksAtWork' | 'workOver' | 'recordsFrom'>
  readonly custody: Custody
  /** Whether the Principal can sign without the server. */
  readonly holdsOwnKey: (principalId: string) => boolean
  readonly reads: Pick<Reads, 'groupFor'>
  /** The Organization's policy in force. */
  readonly policy: () => Policy
  /** A Group as it stands, whoever asks. */
  readonly stateOf: (groupId: string) => Promise<GroupState | undefined>
  readonly feeds: Pick<Feeds, 'onGrowth'>
  readonly artifacts: Pick<ArtifactStore, 'put'>
  readonly clock: Clock
  readonly origin: string
  readonly nodes: Pick<AgentNodes, 'principalOf' | 'agentIdOf'>
  /** Puts a message into the mailbox of its receiver; false where there is no room. */
  readonly tell: (message: IAPMessage) => Promise<boolean>
  readonly diagnostics: Log
}

/** A task as far as it is committed, and its records without parts of results. */
interface Task { readonly work: TaskWork; readonly task: TaskState; readonly records: readonly TaskRecord[] }
/** A WorkItem, and the task that is done for it by this Principal. */
interface Work extends Task { readonly workerId: string; readonly state: GroupState; readonly record: WorkRecord }

/** Who may sign the offer to a winner, and the Grant that lets it, unless it is the Coordinator. */
interface Signer { readonly agentId: AgentId; readonly delegationGrantId?: string }
/** What it is told. */
interface Notice { readonly messageId: string; readonly to: AgentId; readonly isTold: boolean }

export class WorkBridge {
  readonly #needs: WorkBridgeNeeds
  readonly #turns = new Turns<TaskId>()
  readonly #rows = new Map<TaskId, IapTaskRow>()
  readonly #reader: TaskReader
  /** What was last to be told of an award, in this run. */
  readonly #notices = new Map<TaskId, Notice>()
  readonly #waiting = new Set<TaskId>()
  readonly #running = new Set<Promise<void>>()
  readonly #stopListening: () => void
  #isStopped = false

  constructor(needs: WorkBridgeNeeds) {
    this.#needs = needs
    this.#reader = new TaskReader(needs.store)
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

  /** The WorkItem that a proposal names: only the Coordinator in office, or a delegate under its Grant, has work done, and only what can be offered. */
  async admit(principalId: string, metadata: Readonly<Record<string, unknown>> | undefined): Promise<Result<TaskWork | undefined, string>> {
    const { groupId, workItemId, spaceId = groupId } = metadata ?? {}
    if (groupId === undefined && workItemId === undefined) return ok(undefined)
    if (typeof groupId !== 'string' || typeof workItemId !== 'string') return err('metadata names both groupId and workItemId')
    if (spaceId !== groupId) return err('the negotiation of a WorkItem stands in the Space of its Mission')
    const state = (await this.#needs.reads.groupFor(principalId, groupId))?.state
    const record = state?.workItems.get(workItemId)
    if (state === undefined || record === undefined) return err('there is no such WorkItem for this agent')
    if (state.mission.coordinator.agentId !== principalId && this.#grantOf(principalId, { state, record }) === undefined) return err('only the Coordinator, or a delegate under its Grant, has work of a Mission done')
    if (!this.#needs.holdsOwnKey(principalId)) return err('the server holds the key of this agent and signs no offer with it; whoever has work of a Mission done needs a key of its own')
    if (state.mission.state !== 'active') return err(`the Mission is ${state.mission.state}`)
    if (!isOfferable(record)) return err('the WorkItem cannot be offered now')
    const workers = [...state.memberships.values()].filter(({ member, role, state: standing }) => member.type === 'agent' && role === 'worker' && standing !== 'ended')
    return ok({ groupId, workItemId, requiredCapabilities: record.item.contract.requiredCapabilities, workerIds: workers.map(({ member }) => member.id) })
  }

  #grantOf(principalId: string, { state, record: { item } }: Pick<Work, 'state' | 'record'>): DelegationGrant | undefined {
    const { clock, policy } = this.#needs
    return grantToOffer({ state, env: { now: clock.now(), policy: policy() } }, principalId, item)
  }

  /** Does for the WorkItem whatever can be done now; called after everything that may have changed that. */
  advance(row: IapTaskRow): void {
    if (row.work === undefined || this.#isStopped) return
    this.#rows.set(row.taskId, row)
    // What waits for its turn will see all that has happened until then.
    if (this.#waiting.has(row.taskId)) return
    this.#waiting.add(row.taskId)
    const act = () => {
      this.#waiting.delete(row.taskId)
      return this.#advance(row)
    }
    const turn = this.#turns.run(row.taskId, act).catch((fault: unknown) => this.#needs.diagnostics.error({ err: fault, taskId: row.taskId }, 'a WorkItem could not be told of its task yet'))
    this.#running.add(turn)
    void turn.finally(() => this.#running.delete(turn))
  }

  /** More may wait for the agent again: it is told what there was no room for. */
  roomFor(agentId: AgentId): void {
    for (const [taskId, { to, isTold }] of this.#notices) if (to === agentId && !isTold) this.advance(this.#rows.get(taskId)!)
  }

  async #advance(row: IapTaskRow): Promise<void> {
    const { taskId, work } = row
    if (this.#isStopped || work === undefined || !this.#rows.has(taskId)) return
    // What is committed. The desk is ahead of that while it writes, and nothing may be signed on what might not come to be.
    const { task, records, isRefused } = await this.#reader.read(taskId)
    const state = await this.#needs.stateOf(work.groupId)
    if (task === undefined || state === undefined) return
    const isPast = isTerminal(task.status) && missionOver({ state }) !== undefined
    if (isPast || isRefused) return this.#over(taskId)
    // What is signed rests on records that everybody in the Group can read. Each of them is an Event, after which this is asked again.
    if (standsInItsGroup(row) && !isRecorded({ state, work, taskId }, records)) return
    for (const agentId of task.released.keys()) if (agentId !== task.holding?.agent.agentId) await this.#giveUp(agentId, { work, task, records })
    await this.#tellSigner({ work, task, records })
    const agentId = task.holding?.agent.agentId
    if (agentId === undefined || task.holding?.acceptance === undefined) return isTerminal(task.status) ? this.#over(taskId) : undefined
    const workerId = await this.#needs.nodes.principalOf(agentId)
    // Somebody with a key of its own signs for itself.
    if (workerId === undefined || !this.#needs.custody.holds(workerId)) return isTerminal(task.status) ? this.#over(taskId) : undefined
    // Each step changes the WorkItem, until there is none.
    for (;;) {
      const at = await this.#workOf(workerId, { work, task, records })
      const step = at && (await this.#step(at))
      if (step === 'over') return this.#over(taskId)
      if (step !== 'done') return
    }
  }

  async #workOf(workerId: string, task: Task): Promise<Work | undefined> {
    const state = await this.#needs.stateOf(task.work.groupId)
    const record = state?.workItems.get(task.work.workItemId)
    return state && record && { ...task, workerId, state, record }
  }

  /**
   * Whoever proposed the work, while it may offer it; otherwise the Coordinator in office, if it is an agent of this door and holds its own key.
   * nobody before a new Coordinator has taken stock, which is an Event, after which this is asked again.
   */
  async #signerOf({ state, record, task: { proposal: { proposerId } } }: Work): Promise<Signer | undefined> {
    if (state.takeover) return undefined
    const { nodes, holdsOwnKey } = this.#needs
    const coordinatorId = state.mission.coordinator.agentId
    const principalId = await nodes.principalOf(proposerId)
    if (principalId === coordinatorId) return { agentId: proposerId }
    const grant = principalId === undefined ? undefined : this.#grantOf(principalId, { state, record })
    if (grant) return { agentId: proposerId, delegationGrantId: grant.grantId }
    const agentId = holdsOwnKey(coordinatorId) ? await nodes.agentIdOf(coordinatorId) : undefined
    return agentId === undefined ? undefined : { agentId }
  }

  /** Whoever may sign the offer to the winner is told once the WorkItem can be offered, and told again by the next run if that still waits. */
  async #tellSigner(of: Task): Promise<void> {
    const { task: { taskId, holding, status }, records } = of
    const award = records.findLast((record) => record.type === 'task_assignment')
    if (holding === undefined || award === undefined || (isTerminal(status) && status !== TaskStatus.COMPLETED)) return
    const winnerId = await this.#needs.nodes.principalOf(holding.agent.agentId)
    const at = winnerId === undefined ? undefined : await this.#workOf(winnerId, of)
    if (at === undefined || !isOfferable(at.record) || this.#offerTo(at) !== undefined) return
    const signer = await this.#signerOf(at)
    if (signer === undefined) return
    const message = offerBasisFor(at, award, signer)
    const { messageId, to } = message
    const last = this.#notices.get(taskId)
    if (last?.messageId === messageId && last.isTold) return
    // Noted before it is told, so that room which comes meanwhile is not missed.
    this.#notices.set(taskId, { messageId, to, isTold: false })
    if (await this.#needs.tell(message)) this.#notices.set(taskId, { messageId, to, isTold: true })
  }

  #offerTo({ workerId, record: { item } }: Work): WorkOffer | undefined {
    if (item.state !== 'offered') return undefined
    return item.offers?.find(({ agentId, status, expiresAt }) => agentId === workerId && status === 'pending' && Date.parse(expiresAt) > this.#needs.clock.nowMs())
  }

  /** Work that is in the hands of an agent which let go of the task fails at once, so that it can be offered to the next. */
  async #giveUp(agentId: AgentId, task: Task): Promise<void> {
    const workerId = await this.#needs.nodes.principalOf(agentId)
    if (workerId === undefined || !this.#needs.custody.holds(workerId)) return
    const at = await this.#workOf(workerId, task)
    const lease = at?.record.executionLease
    if (at?.record.item.state !== 'active' || lease?.holderAgentId !== workerId) return
    const release = task.records.findLast((record) => record.type === 'task_release' && record.content.agentId === agentId)
    await this.#fail(at, lease, { reason: 'The agent let go of the task.', cause: release })
  }

  async #fail(at: Work, lease: Lease, { reason, cause }: { readonly reason: string; readonly cause: TaskRecord | undefined }): Promise<'done' | 'wait' | 'over'> {
    const evidence = await this.#evidence(at, { type: 'failure_report', result: 'failed', method: reason, artifactHashes: [] })
    return evidence === undefined ? 'over' : this.#submit(at, 'work.fail', { ...citationOf(at, lease), reason, evidence: [evidence] }, cause)
  }

  /** The next step from where the WorkItem stands. */
  async #step(at: Work): Promise<'done' | 'wait' | 'over'> {
    const { record: { item }, workerId, task } = at
    const offer = this.#offerTo(at)
    if (offer) return this.#submit(at, 'work.accept_offer', { workItemId: item.workItemId, offerId: offer.offerId, ownershipLeaseSeconds: ownershipSeconds }, at.records.find(({ ordinal }) => ordinal === task.holding!.acceptance!.ordinal))
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
    const applied = at.records.findLast((record): record is RecordOf<'task_result'> => record.type === 'task_result' && record.content.refused === undefined)
    const result = applied?.content.result
    if (result?.status !== 'completed') return this.#last(this.#fail(at, lease, { reason: result === undefined ? 'The task ended without a result.' : 'The agent reports that it failed.', cause: applied ?? at.records.at(-1) }))
    const cited = citationOf(at, lease)
    const artifact = await this.#artifact(at, result)
    if (artifact === undefined) return 'over'
    const { contentHash } = artifact
    const isPublished = at.state.artifacts.get(contentHash)?.some((other) => other.workItemId === at.work.workItemId) === true
    const published = isPublished ? 'done' : await this.#submit(at, 'artifact.publish', { artifact, ownershipEpoch: cited.ownershipEpoch, executionLeaseId: cited.executionLeaseId }, applied)
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

  /** A refusal changes nothing by being repeated: a later Event may. `cause` is what the agent said that led to the Command. */
  async #submit<K extends keyof CommandPayloads>(at: Work, kind: K, payload: CommandPayloads[K], cause?: TaskRecord): Promise<'done' | 'wait'> {
    const { workerId, work: { groupId, workItemId }, task } = at
    const causedByEventId = cause && eventIdOf(at, cause)
    const outcome = await this.#needs.custody.submit(workerId, { kind, groupId, workItemId, payload: payload as Readonly<Record<string, unknown>>, ...(causedByEventId !== undefined && { causedByEventId }) })
    if (outcome.ok) return 'done'
    this.#needs.diagnostics.warn({ taskId: task.taskId, kind, code: outcome.rejection.code }, 'a step of bridged work was refused')
    return 'wait'
  }

  #executionSeconds({ holding }: TaskState): number {
    const leftMs = (holding?.acceptance?.timeoutMs ?? 0) - this.#needs.clock.nowMs()
    return Math.min(longestExecutionSeconds, Math.max(60, Math.ceil(leftMs / 1000)))
  }

  async #over(taskId: TaskId): Promise<void> {
    this.#rows.delete(taskId)
    this.#notices.delete(taskId)
    this.#reader.forget(taskId)
    await this.#needs.store.workOver(taskId)
  }
}

/** Tells whoever may sign the offer what to sign. Public facts of the choice, never private reasoning. */
function offerBasisFor(at: Work, award: RecordOf<'task_assignment'>, { agentId, delegationGrantId }: Signer): IAPMessage {
  const { work: { groupId, workItemId, requiredCapabilities }, workerId, task: { taskId, proposalMessageId, bids } } = at
  const { assignmentId, acceptBy, selection } = award.content
  const bid = bids.find(({ ordinal }) => ordinal === selection.winner)!.bid
  const selectionBasis = {
    requiredCapabilities, verifiedMatches: requiredCapabilities, authorizationEligible: true, availabilityEstimate: acceptBy, expectedCost: bid.estimatedCost, reliabilityEvidence: [], policyRulesApplied: [selection.rule, `iap-assignment ${assignmentId}`],
  }
  const awardEventId = eventIdOf(at, award)
  const data = { groupId, offer: { workItemId, candidateAgentIds: [workerId], selectionBasis, ...(delegationGrantId !== undefined && { delegationGrantId }) }, ...(awardEventId !== undefined && { causedByEventId: awardEventId }) }
  const payload = { fromAgent: ROUTER, toAgent: agentId, taskId, contextType: WORK_OFFER_CONTEXT, data, compression: 'none' as const }
  return composeMessage('CONTEXT_TRANSFER', { messageId: deriveUrn('iap-work-offer', taskId, assignmentId, agentId, delegationGrantId ?? ''), from: ROUTER, to: agentId, timestamp: award.at, correlationId: proposalMessageId }, payload) as IAPMessage
}

const isOfferable = ({ item }: WorkRecord): boolean => ['open', 'offered', 'failed'].includes(item.state)

/** Whether the latest of the records stands in the Group, and so all before it. */
function isRecorded({ state, work, taskId }: { readonly state: GroupState; readonly work: TaskWork; readonly taskId: TaskId }, records: readonly TaskRecord[]): boolean {
  const latest = records.at(-1)
  return latest !== undefined && state.sequenceOf.has(recordIdOf(work.workItemId, taskId, latest.ordinal))
}

/** The Event of the Group that holds the record; none for a task of the time when records stood in an open Space. */
function eventIdOf({ state, work, task }: Work, { ordinal }: TaskRecord): string | undefined {
  const sequence = state.sequenceOf.get(recordIdOf(work.workItemId, task.taskId, ordinal))
  return sequence === undefined ? undefined : state.eventIds[sequence - 1]
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
