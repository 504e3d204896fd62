// A Mission under the real state machine, its Coordinator's plan carried out against it, and workers that do real jobs in it.
import { ARTIFACT_NAME } from '../../../protocol/artifact-name.ts'
import { sha256Hash } from '../../../protocol/digest.ts'
import type { Actor, Evidence, MissionCreatePayload } from '../../../protocol/generated/types.ts'
import { MISSION_RECONCILE, RESOURCE_USAGE_RECORD } from '../../../protocol/kinds.ts'
import type { AgentEntry, EvidenceDescription } from '../../../sdk/index.ts'
import { stockOf } from '../../../sdk/index.ts'
import { ada, agentCard, cora, urnOf, verifiedSignature, wanda, wim } from '../../../server/testing/cast.ts'
import { artifactOf, missionPayload } from '../../../server/testing/documents.ts'
import { GroupFixture } from '../../../server/testing/group-fixture.ts'
import type { JobContent } from '../job-content.ts'
import { bytesOf, licencesOf, reportOf } from '../job-content.ts'
import type { Inventory } from '../jobs/inventory.ts'
import type { LinkReport } from '../jobs/link-check.ts'
import { artifactHashesOf, inputsOf, partsIn } from '../review-inputs.ts'
import type { Job } from '../review-jobs.ts'
import { constraintsOf, JOB_DESCRIPTIONS, JOBS } from '../review-jobs.ts'
import { evidenceFor } from '../worker/job-evidence.ts'
import { MissionHistory } from './mission-history.ts'
import type { Plan } from './plan.ts'
import { plan } from './plan.ts'
import { currentWork } from './review-work.ts'
import type { Step } from './steps.ts'
import { actionIdOf } from './steps.ts'

const WORKERS: Readonly<Record<Job, Actor>> = { inventory: wim, licences: wim, links: wanda, report: wanda }

const dependency = (name: string, licence: string) => ({ name, version: '1.0.0', licence, path: `node_modules/${name}`, isDevelopmentOnly: false, isOptional: false, integrity: '' })
const INVENTORY: Inventory = { project: 'thing', lockfileVersion: 3, dependencies: [dependency('a', 'MIT'), dependency('b', 'MPL-2.0')] }
const LINKS: LinkReport = { files: ['README.md'], links: [{ file: 'README.md', line: 1, target: 'docs/a.md', status: 'ok' }] }

const capabilitiesOf = (agent: Actor) => JOBS.filter((job) => WORKERS[job] === agent).map((job) => JOB_DESCRIPTIONS[job].capability)

/** As `GET /api/agents` answers. */
export const AGENTS: readonly AgentEntry[] = [wim, wanda].map((agent) => ({
  agentId: agent.id,
  displayName: 'Worker',
  capabilities: capabilitiesOf(agent),
  cardVersion: 1,
  online: true,
}))

export class ReviewFixture {
  readonly group = new GroupFixture('review')
  history = new MissionHistory()
  agents = AGENTS
  readonly #store = new Map<string, Uint8Array>()
  readonly #loaded = new Map<string, Uint8Array | undefined>()

  constructor(changes: Partial<MissionCreatePayload> = {}) {
    for (const agent of [wim, wanda]) {
      this.group.cards.set(agent.id, agentCard(agent, {}, capabilitiesOf(agent).map(({ id, version }) => `${id}@${version}`)))
    }
    this.group.accept(ada, 'mission.create', missionPayload('review', {
      definitionOfDone: JOBS.map((job) => JOB_DESCRIPTIONS[job].criterion),
      budget: { toolCallLimit: 1000, computeSecondsLimit: 600, wallClockSecondsLimit: 600 },
      ...changes,
    }))
  }

  get missionId(): string {
    return this.group.state.mission.missionId
  }

  /** What the Coordinator would do now. */
  plan(): Plan {
    for (const event of this.group.log.slice(this.history.mirror.sequence)) this.history.apply(event)
    return plan(this.history, { me: cora.id, nowMs: Date.parse(this.group.now), agents: this.agents, contents: this.#loaded })
  }

  /** Carries the plan out until nothing is due; the names of the Commands, in order. Throws when the authority refuses one. */
  advance(): string[] {
    const names: string[] = []
    for (let turn = 0; turn < 20; turn++) {
      const { steps } = this.plan()
      if (steps.length === 0) return names
      for (const step of steps) if (this.#carryOut(step)) names.push(step.type === 'load' ? '' : step.name)
    }
    throw new Error(`the plan does not come to rest: ${names.slice(-6).join(', ')}`)
  }

  /** The Coordinator's process is started again: it knows what the log says, and nothing else. */
  restart(): void {
    this.history = new MissionHistory()
    this.#loaded.clear()
  }

  item(job: Job) {
    this.plan()
    const item = currentWork(this.history)[job]
    if (item?.contract === undefined) throw new Error(`there is no WorkItem for ${job}`)
    return { ...item, contract: item.contract }
  }

  /** The worker takes the offer of this job and starts. */
  start(job: Job): void {
    const { workItemId, offers } = this.item(job)
    const worker = WORKERS[job]
    this.group.accept(worker, 'work.accept_offer', { workItemId, offerId: offers.find(({ agentId }) => agentId === worker.id)!.offerId })
    this.group.accept(worker, 'work.start', { workItemId, ownershipEpoch: this.group.state.workItems.get(workItemId)!.ownershipEpoch })
  }

  /** The worker does the job and hands it in; `change` may spoil the bytes or the evidence. */
  work(job: Job, change: { bytes?: (bytes: Uint8Array) => Uint8Array; evidence?: (evidence: Evidence[]) => Evidence[] } = {}): void {
    this.start(job)
    const { workItemId, contract } = this.item(job)
    const { owner, worker, cited } = this.#standing(job)
    const content = this.#result(job)
    const bytes = (change.bytes ?? ((same) => same))(bytesOf(content))
    const contentHash = sha256Hash(bytes)
    this.#store.set(contentHash, bytes)
    const { deliverable } = JOB_DESCRIPTIONS[job]
    const place = { state: this.group.state, workItemId, now: this.group.now }
    const artifact = artifactOf(place, `${contentHash} ${this.group.log.length}`, {
      contentHash,
      mediaType: deliverable.mediaType,
      schemaUri: deliverable.schema,
      sourceArtifactHashes: artifactHashesOf(inputsOf(this.history.mirror, contract)),
      extensions: { [ARTIFACT_NAME]: { version: '1.0.0', critical: false, data: deliverable.deliverableId } },
    })
    const { workItemId: _workItemId, ...leases } = cited
    this.group.accept(worker, 'artifact.publish', { ...leases, artifact })
    if (contract.budget.toolCallLimit !== undefined) this.group.accept(worker, RESOURCE_USAGE_RECORD, { ...cited, usageDelta: { toolCalls: 3 } })
    const lease = { missionId: this.missionId, groupId: this.group.state.groupId, ...cited, ownershipEpoch: owner.ownershipEpoch }
    const evidence = evidenceFor({ lease, contract, content, contentHash }).map((described) => this.#signed(worker, described))
    this.group.accept(worker, 'work.submit', { ...cited, artifactHashes: [contentHash], evidence: (change.evidence ?? ((same) => same))(evidence) })
  }

  /** The worker starts and reports a failure. */
  fail(job: Job, code: string): void {
    this.start(job)
    const { worker, cited } = this.#standing(job)
    const { missionId, groupId } = this.group.state.mission
    const { workItemId } = cited
    const report = { missionId, groupId, workItemId, type: 'failure_report' as const, subject: { type: 'work_item' as const, id: workItemId }, criterionIds: [job], method: 'Tried.', result: 'failed' as const, details: { failure: code }, artifactHashes: [] }
    this.group.accept(worker, 'work.fail', { ...cited, reason: 'It cannot be done.', evidence: [this.#signed(worker, report)] })
  }

  /** Workers and Coordinator take turns until the Mission is submitted. */
  complete(): void {
    for (const job of JOBS) {
      this.advance()
      if (this.item(job).state !== 'verified') this.work(job)
    }
    this.advance()
  }

  /** A member says something; answers the Message's id. */
  post(author: Actor, text: string, changes: { mentions?: Actor[]; conversationId?: string } = {}): string {
    const messageId = urnOf(`message ${this.group.log.length}`)
    const { conversationId, ...mentions } = changes
    this.group.accept(author, 'message.post', { messageId, content: [{ type: 'text', text }], ...mentions }, conversationId === undefined ? {} : { conversationId })
    return messageId
  }

  /** What the Coordinator has said so far. */
  get sayings(): { text: string; references: readonly string[]; conversationId: string }[] {
    return this.group.log.flatMap((event) => {
      const message = event.kind === 'message.posted' && event.actor.id === cora.id ? (event.payload.message as { content: { text: string }[]; references: string[]; conversationId: string }) : undefined
      return message ? [{ text: message.content[0]!.text, references: message.references, conversationId: message.conversationId }] : []
    })
  }

  #standing(job: Job) {
    const { workItemId } = this.item(job)
    const { item, executionLease, ownershipEpoch } = this.group.state.workItems.get(workItemId)!
    return { owner: item.owner!, worker: WORKERS[job], cited: { workItemId, ownershipEpoch, executionLeaseId: executionLease!.leaseId } }
  }

  #result(job: Job): JobContent {
    const { contract } = this.item(job)
    const loading = partsIn(inputsOf(this.history.mirror, contract), this.#store).next()
    const known = loading.done === true ? loading.value : undefined
    const constraints = constraintsOf(contract)
    switch (job) {
      case 'inventory':
        return { job, inventory: INVENTORY }
      case 'licences':
        return { job, licences: licencesOf(known!.inventory!, constraints) }
      case 'links':
        return { job, links: LINKS }
      case 'report':
        return reportOf({ inventory: known!.inventory!, licences: known!.licences!, links: known!.links! }, constraints)
    }
  }

  #carryOut(step: Step): boolean {
    if (step.type === 'load') {
      this.#loaded.set(step.contentHash, this.#store.get(step.contentHash))
      return false
    }
    const actionId = actionIdOf(this.missionId, step.name)
    if (this.group.log.some(({ cause }) => cause.id === actionId)) throw new Error(`${step.name} happened twice`)
    if (step.type === 'command') {
      this.group.accept(cora, step.command.kind, step.command.payload, { actionId, ...step.target })
      return true
    }
    if (step.type === 'reconcile') {
      const { contextPackage, workItems } = stockOf(this.history.mirror, cora.id)
      this.group.accept(cora, MISSION_RECONCILE, { contextPackage: { ...contextPackage, signature: verifiedSignature(this.group.now) }, workItems }, { actionId })
      return true
    }
    const { workItemId, reason } = step
    const evidence = step.evidence.map((described) => this.#signed(cora, described))
    if (reason === undefined) this.group.accept(cora, 'work.accept_result', { workItemId, evidence }, { actionId })
    else this.group.accept(cora, 'work.fail', { workItemId, reason, evidence }, { actionId })
    return true
  }

  #signed(generatedBy: Actor, described: EvidenceDescription): Evidence {
    const createdAt = this.group.now
    const evidenceId = urnOf(`evidence ${this.group.log.length} ${described.type} ${described.criterionIds.join()}`)
    return { ...described, evidenceId, generatedBy, createdAt, signature: verifiedSignature(createdAt) }
  }
}
