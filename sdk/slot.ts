// What one execution can see and do. Slots share nothing: no client, no other item, no checkpoint, no effect key.
import { deriveUrn } from '../protocol/digest.ts'
import type { Evidence, Progress, Usage, WorkContract, WorkOwner } from '../protocol/generated/types.ts'
import { RESOURCE_USAGE_RECORD } from '../protocol/kinds.ts'
import type { PublishedArtifact, WorkingClient } from './agent-client.ts'
import type { AgentStore, SavedCheckpoint } from './agent-store.ts'
import type { ArtifactDescription, ExecutionLease } from './artifact-manifest.ts'
import type { EvidenceDescription } from './evidence.ts'
import type { Receipt } from './refusal.ts'

/** How an execution ends; the Scheduler submits the Command that says so. `state` is kept for the next execution. */
export type Ending =
  | { readonly ends: 'submit'; readonly artifactHashes: string[]; readonly evidence: Evidence[] }
  | { readonly ends: 'pause'; readonly progress: Progress; readonly state: unknown }
  | { readonly ends: 'block'; readonly progress: Progress; readonly state: unknown; readonly reason: string; readonly unblockCondition: string }
  | { readonly ends: 'fail'; readonly reason: string; readonly evidence: Evidence[] }

/** The Execution Lease is over. Nothing that this execution would still do counts; the item is started again. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface SlotTerms {
  readonly lease: ExecutionLease
  readonly contract: WorkContract
  readonly owner: WorkOwner
  readonly sessionEpoch: number
  readonly lost: AbortSignal
  readonly pause: AbortSignal
}

export class Slot {
  readonly lease: ExecutionLease
  readonly contract: WorkContract
  readonly owner: WorkOwner
  /** Aborts when the lease is over. */
  readonly lost: AbortSignal
  /** Aborts when the slot is wanted: end with `pause` at the next safe point. */
  readonly pause: AbortSignal
  /** What the last paused or blocked execution under this ownership left. */
  readonly resumeFrom: SavedCheckpoint | undefined
  readonly #client: WorkingClient
  readonly #store: AgentStore
  readonly #sessionEpoch: number

  constructor(client: WorkingClient, store: AgentStore, { lease, contract, owner, sessionEpoch, lost, pause }: SlotTerms) {
    this.#client = client
    this.#store = store
    this.#sessionEpoch = sessionEpoch
    this.lease = lease
    this.contract = contract
    this.owner = owner
    this.lost = lost
    this.pause = pause
    this.resumeFrom = store.checkpoint(lease)
  }

  publish(bytes: Uint8Array, description: Omit<ArtifactDescription, 'lease'>): Promise<PublishedArtifact> {
    return this.#client.publishArtifact(bytes, { ...description, lease: this.lease })
  }

  signEvidence(description: Omit<EvidenceDescription, 'missionId' | 'groupId' | 'workItemId'>): Promise<Evidence> {
    const { missionId, groupId, workItemId } = this.lease
    return this.#client.signEvidence({ ...description, missionId, groupId, workItemId })
  }

  download(contentHash: string): Promise<Uint8Array | undefined> {
    return this.#client.download(contentHash)
  }

  /**
   * Charges what this execution used since it last said so, each amount in a dimension that the contract's budget limits
   * . Refused with `BUDGET_EXCEEDED` when it is more than is left: then nothing is charged, and the work must end.
   */
  recordUsage(usageDelta: Usage): Promise<Receipt> {
    const { groupId, workItemId, ownershipEpoch, executionLeaseId } = this.lease
    return this.#client.submit(RESOURCE_USAGE_RECORD, { workItemId, ownershipEpoch, executionLeaseId, usageDelta }, { groupId, workItemId })
  }

  /**
   * An act upon the outside world, once per Mission, WorkItem, Ownership Epoch and `operation`: a later execution gets
   * the kept result. A stop between act and record repeats the act under the same key, so **the other side must know the
   * key** (A-236). Throws LeaseLost instead of acting without a lease.
   */
  async effect<T>(operation: string, act: (key: string) => Promise<T>): Promise<T> {
    const { missionId, workItemId, ownershipEpoch } = this.lease
    const key = deriveUrn('effect', missionId, workItemId, operation, String(ownershipEpoch))
    const known = this.#store.effect(key)
    if (known?.isDone) return known.result as T
    await this.holdsLease()
    this.#store.beginEffect(key, this.lease)
    const result = await act(key)
    this.#store.finishEffect(key, result)
    return result
  }

  /** Waits for the authority to be reachable; throws LeaseLost when the lease is over. A newer session revoked it for certain. */
  async holdsLease(): Promise<void> {
    const { sessionEpoch } = await this.#client.session()
    if (this.lost.aborted || sessionEpoch !== this.#sessionEpoch) throw new LeaseLost('the execution lease is over')
  }
}
