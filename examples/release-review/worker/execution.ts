// One execution of owned work: run the job, publish what it made, account for it, hand it in. All of it under one Execution Lease.
import { ARTIFACT_NAME } from '../../../protocol/artifact-name.ts'
import packageManifest from '../../../package.json' with { type: 'json' }
import { sha256Hash } from '../../../protocol/digest.ts'
import type { EventDocument, ToolVersion, Usage, WorkContract, WorkOwner } from '../../../protocol/generated/types.ts'
import { RESOURCE_USAGE_RECORD } from '../../../protocol/kinds.ts'
import type { Result } from '../../../protocol/result.ts'
import { err } from '../../../protocol/result.ts'
import type { AgentClient, ExecutionLease, GroupMirror, Receipt, Refusal } from '../../../sdk/index.ts'
import { withExecutionLease } from '../../../sdk/index.ts'
import type { JobContent } from '../job-content.ts'
import { contentIn } from '../job-content.ts'
import type { ReviewParts } from '../jobs/report.ts'
import type { ReviewWork } from '../review-inputs.ts'
import { artifactHashesOf, inputsOf, partsIn } from '../review-inputs.ts'
import type { Job } from '../review-jobs.ts'
import { constraintsOf, JOB_DESCRIPTIONS } from '../review-jobs.ts'
import { evidenceFor, failureEvidence, TOOL } from './job-evidence.ts'
import type { JobRun } from './job-run.ts'
import { JobFailure, runJob } from './job-run.ts'

const LEASE_SECONDS = 60

export interface OwnedWork {
  readonly groupId: string
  readonly mirror: GroupMirror
  readonly job: Job
  readonly workItemId: string
  readonly contract: WorkContract
  readonly owner: WorkOwner
  readonly folder: string
}

/** The lease was lost or never given; somebody or something else moves the work on. */
class Fenced extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`${refusal.code}: ${refusal.message}`)
    this.refusal = refusal
  }
}

/**
 * The Event by which the work was handed in or reported as failed, or the refusal that ended this execution. Throws when
 * the authority cannot be reached.
 */
export async function execute(client: AgentClient, work: OwnedWork): Promise<Result<EventDocument, Refusal>> {
  const { groupId, workItemId, owner } = work
  const request = { groupId, workItemId, ownershipEpoch: owner.ownershipEpoch, leaseSeconds: LEASE_SECONDS }
  try {
    return await withExecutionLease(client, request, (lease, signal) => new Execution(client, work, { lease, signal }).run())
  } catch (fault) {
    if (fault instanceof Fenced) return err(fault.refusal)
    throw fault
  }
}

class Execution {
  readonly #client: AgentClient
  readonly #work: OwnedWork
  readonly #lease: ExecutionLease
  readonly #signal: AbortSignal

  constructor(client: AgentClient, work: OwnedWork, { lease, signal }: { lease: ExecutionLease; signal: AbortSignal }) {
    this.#client = client
    this.#work = work
    this.#lease = lease
    this.#signal = signal
  }

  async run(): Promise<EventDocument> {
    try {
      return await this.#handIn()
    } catch (fault) {
      if (fault instanceof JobFailure) return this.#fail(fault)
      throw fault
    }
  }

  async #handIn(): Promise<EventDocument> {
    const { job, contract, folder } = this.#work
    const inputs = inputsOf(this.#work.mirror, contract)
    const known = await this.#fetchParts(inputs)
    const sourceHashes = artifactHashesOf(inputs)
    const run = await runJob({ job, contract, folder, known, downloads: sourceHashes.length })
    const contentHash = await this.#publish(run, sourceHashes)
    await this.#verifyStored(contentHash, known)
    await this.#account(run)
    const described = evidenceFor({ lease: this.#lease, contract, content: run.content, contentHash })
    const evidence = await Promise.all(described.map((description) => this.#client.signEvidence(description)))
    return this.#accepted(await this.#client.submit('work.submit', { ...this.#cited, artifactHashes: [contentHash], evidence }, this.#target))
  }

  async #fail(failure: JobFailure): Promise<EventDocument> {
    const evidence = [await this.#client.signEvidence(failureEvidence(this.#lease, this.#work.contract, failure))]
    return this.#accepted(await this.#client.submit('work.fail', { ...this.#cited, reason: failure.message, evidence }, this.#target))
  }

  /** Every input is fetched by its hash, verified, and compared with what its own contract makes of its inputs. */
  async #fetchParts(inputs: ReviewWork): Promise<Partial<ReviewParts>> {
    const contents = new Map<string, Uint8Array | undefined>()
    const loading = partsIn(inputs, contents)
    for (;;) {
      const next = loading.next()
      if (next.done !== true) contents.set(next.value.contentHash, await this.#client.download(next.value.contentHash))
      else if (next.value !== undefined) return next.value
      else throw new JobFailure('INPUT_UNUSABLE', 'An artifact that this work builds on is missing or is not what its contract says.')
    }
  }

  /** Publishes the artifact, unless an execution before this one got that far with the same content. */
  async #publish({ content, bytes }: JobRun, sourceArtifactHashes: readonly string[]): Promise<string> {
    const { mirror, workItemId, owner } = this.#work
    const { deliverable, capability } = JOB_DESCRIPTIONS[content.job]
    const contentHash = sha256Hash(bytes)
    if (mirror.artifactsOf(workItemId).some((artifact) => artifact.contentHash === contentHash)) return contentHash
    const { receipt } = await this.#client.publishArtifact(bytes, {
      lease: this.#lease,
      mediaType: deliverable.mediaType,
      schemaUri: deliverable.schema,
      agentCardVersion: owner.agentCardVersion,
      capabilities: owner.capabilityPins.filter(({ id }) => id === capability.id),
      sourceArtifactHashes,
      toolVersions: toolVersions(content),
      extensions: { [ARTIFACT_NAME]: { version: '1.0.0', critical: false, data: deliverable.deliverableId } },
    })
    this.#accepted(receipt)
    return contentHash
  }

  /** What the evidence says about integrity and schema is found out here. */
  async #verifyStored(contentHash: string, known: Partial<ReviewParts>): Promise<void> {
    const stored = await this.#client.download(contentHash)
    const { job, contract } = this.#work
    if (stored && contentIn(job, stored, known, constraintsOf(contract))) return
    throw new JobFailure('JOB_FAILED', 'The stored artifact is not the one that was made.')
  }

  /** In the dimensions that the contract limits; in any other nothing may be used, and nothing can be recorded. */
  async #account({ usage }: JobRun): Promise<void> {
    const { budget } = this.#work.contract
    const usageDelta: Usage = {
      ...(budget.wallClockSecondsLimit !== undefined && { wallClockSeconds: usage.wallClockSeconds }),
      ...(budget.computeSecondsLimit !== undefined && { computeSeconds: usage.computeSeconds }),
      ...(budget.toolCallLimit !== undefined && { toolCalls: usage.toolCalls }),
    }
    if (Object.values(usageDelta).every((amount) => amount === 0)) return
    const receipt = await this.#client.submit(RESOURCE_USAGE_RECORD, { ...this.#cited, usageDelta }, this.#target)
    if (!receipt.ok && receipt.error.code === 'BUDGET_EXCEEDED') {
      throw new JobFailure('BUDGET_EXCEEDED', `The work took more than its budget allows: ${receipt.error.message}.`)
    }
    this.#accepted(receipt)
  }

  /** Also ends an execution whose lease is known to be lost. */
  #accepted(receipt: Receipt): EventDocument {
    if (!receipt.ok) throw new Fenced(receipt.error)
    if (this.#signal.aborted) throw new Fenced(this.#signal.reason as Refusal)
    return receipt.value
  }

  get #cited() {
    const { workItemId, ownershipEpoch, executionLeaseId } = this.#lease
    return { workItemId, ownershipEpoch, executionLeaseId }
  }

  get #target() {
    const { groupId, workItemId } = this.#lease
    return { groupId, workItemId }
  }
}

const PARSERS = { licences: ['spdx-expression-parse'], links: ['mdast-util-from-markdown', 'github-slugger'] } as const

/** What the result depends on besides its input; the packages are pinned to exactly these versions. */
function toolVersions({ job }: JobContent): ToolVersion[] {
  const names = job === 'licences' || job === 'links' ? PARSERS[job] : []
  return [TOOL, { name: 'node', version: process.versions.node }, ...names.map((name) => ({ name, version: packageManifest.dependencies[name] }))]
}
