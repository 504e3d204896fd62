// The one writer of a Space on this node: an in-memory fold and a queue. What queues up while a batch commits goes
// into the next batch; when idle, a Command is decided at once. The database's primary key arbitrates between nodes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { EventDocument, FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import type { Result } from '../../protocol/result.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import type { DecisionEnv } from '../authority/types.ts'
import type { AcceptedActions } from './accepted-actions.ts'
import { BatchRecords } from './batch-records.ts'
import type { DecidedBatch, FoundedSpace, KnownRecords, Verdict } from './decide-batch.ts'
import { decideBatch, reactionKey } from './decide-batch.ts'
import { eventAdmission } from './event-admission.ts'
import type { UnsignedEvent } from './event-bytes.ts'
import { decodeEvent, signEvents } from './event-bytes.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import type { PolicyMirror } from './policy-mirror.ts'
import type { AppendOutcome, Clock, FirstBatch, LogEntry, ReadModels, SpaceLog } from './ports.ts'
import type { SpaceFold, SpaceWork } from './space-fold.ts'

const maximumBatch = 32
const maximumQueue = 2048
const maximumAttempts = 8
const pageSize = 500

export interface ActorNeeds {
  readonly log: Pick<SpaceLog, 'append' | 'head' | 'takenIds' | 'read' | 'readAt' | 'findReceipts' | 'findAdmissions' | 'dropReactions'>
  readonly readModels: Pick<ReadModels, 'missionById' | 'membershipsOf'>
  /** Shared by all Spaces of the node, because an Action ID is good for one of them only. */
  readonly actions: AcceptedActions
  readonly clock: Clock
  readonly organization: OrganizationKeys
  readonly facts: Pick<DecisionEnv, 'cardOf' | 'sessionEpochOf' | 'isAdmin' | 'isDataSchema'>
  readonly policies: Pick<PolicyMirror, 'current'>
  /** The fold to begin with; the log is read from its head on. */
  readonly openFold: (spaceId: string) => Promise<SpaceFold>
  /** After commit, in order, before the senders are answered. */
  readonly onCommitted: (spaceId: string, entries: readonly LogEntry[], batch: DecidedBatch, fold: SpaceFold) => void
  /** Another Space has begun, in the same commit. */
  readonly onFounded: (batch: FirstBatch) => void
  /** Nothing is left to do. */
  readonly onIdle: (actor: SpaceActor) => void
  /** After reading Events that are in the log: at first use, and when another node has written. */
  readonly onLoaded: (spaceId: string, events: readonly EventDocument[], fold: SpaceFold) => void
}

export type WorkOutcome =
  | { readonly type: 'accepted'; readonly spaceId: string; readonly sequence: number; readonly eventBytes: Uint8Array; readonly isDuplicate: boolean }
  | Extract<Verdict, { type: 'refused' | 'done' }>

interface Pending {
  readonly work: SpaceWork
  readonly resolve: (outcome: WorkOutcome) => void
  readonly fail: (fault: unknown) => void
}
interface Reader { readonly resolve: (fold: SpaceFold) => void; readonly fail: (fault: unknown) => void }

/** What a batch left in the log: its own entries, and the Spaces that it founded. */
interface Written { readonly entries: readonly LogEntry[]; readonly founded: readonly FirstBatch[] }

type AppendConflict = Extract<AppendOutcome, { ok: false }>['conflict']

const queueFull: Rejection = reject('BACKPRESSURE', 'This Group has too many Commands waiting.', { retryAfterMs: 500 })

export class SpaceActor {
  readonly spaceId: string
  readonly #needs: ActorNeeds
  readonly #records: BatchRecords
  #fold: SpaceFold | undefined
  /** Another node may have written since the fold was read. */
  #isBehind = false
  #queue: Pending[] = []
  #readers: Reader[] = []
  #running: Promise<void> | undefined

  constructor(spaceId: string, needs: ActorNeeds) {
    this.spaceId = spaceId
    this.#needs = needs
    this.#records = new BatchRecords(spaceId, { ...needs, organizationId: needs.organization.organizationId })
  }

  /** Resolves after commit; rejects on a fault, when the outcome may be unknown and a retry finds its receipt. */
  submit(work: SpaceWork): Promise<WorkOutcome> {
    if (this.#queue.length >= maximumQueue) return Promise.resolve({ type: 'refused', rejection: queueFull })
    return new Promise((resolve, fail) => {
      this.#queue.push({ work, resolve, fail })
      this.#wake()
    })
  }

  /** The committed fold. It stays as it is until the caller awaits something else. */
  read(): Promise<SpaceFold> {
    if (this.#running === undefined && this.#fold && !this.#isBehind) return Promise.resolve(this.#fold)
    return new Promise((resolve, fail) => {
      this.#readers.push({ resolve, fail })
      this.#wake()
    })
  }

  /** Another node has written: catch up before anything else is decided or read. */
  fallBehind(): void {
    this.#isBehind = true
  }

  /** Asks the log whether this node has missed anything, so that the next read holds all that was committed before. */
  async catchUp(): Promise<void> {
    if (this.#fold && (await this.#needs.log.head(this.spaceId)) > (this.#fold?.head ?? 0)) this.#isBehind = true
  }

  /** The fold as it is now, perhaps with Events that are being written; undefined where Events may be missing. */
  get latest(): SpaceFold | undefined {
    return this.#isBehind ? undefined : this.#fold
  }

  get isIdle(): boolean {
    return this.#running === undefined
  }

  /** Whether anything would be lost with this actor. */
  get isEmpty(): boolean {
    return (this.#fold?.head ?? 0) === 0
  }

  /** Resolves when the batch that is being decided or written now has been answered. What waits behind it is decided later. */
  async batchOver(): Promise<void> {
    // A read is served between two batches; that the Space cannot be read is its callers' to hear.
    if (this.#running) await this.read().catch(() => undefined)
  }

  /** Resolves when everything that was submitted so far, or is meanwhile, has been answered. */
  async drained(): Promise<void> {
    while (this.#running) await this.#running
  }

  #wake(): void {
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    while (this.#readers.length > 0 || this.#queue.length > 0) {
      await this.#serveReaders()
      const batch = this.#queue.splice(0, maximumBatch)
      if (batch.length === 0) continue
      if (!(await this.#tried(batch))) await this.#settleSingly(batch)
    }
    // In the same breath as the last look at the queue: what comes later starts anew.
    this.#running = undefined
    this.#needs.onIdle(this)
  }

  /** Whether the batch is settled, or its one work has failed. */
  async #tried(batch: readonly Pending[]): Promise<boolean> {
    try {
      await this.#settle(batch)
      return true
    } catch (fault) {
      this.#fold = undefined
      if (batch.length > 1) return false
      batch[0]!.fail(fault)
      return true
    }
  }

  /** One work that cannot be decided or written fails no other. Where the Space cannot be read it is none of them, and they fail at once. */
  async #settleSingly(batch: readonly Pending[]): Promise<void> {
    try {
      await this.#load()
    } catch (fault) {
      for (const pending of batch) pending.fail(fault)
      return
    }
    for (const pending of batch) await this.#tried([pending])
  }

  async #serveReaders(): Promise<void> {
    if (this.#readers.length === 0) return
    const readers = this.#readers.splice(0)
    try {
      const fold = await this.#load()
      for (const reader of readers) reader.resolve(fold)
    } catch (fault) {
      for (const reader of readers) reader.fail(fault)
    }
    // Readers look at the fold before the next batch changes it.
    await nextTurn()
  }

  /** Decides, signs, appends, answers. After a conflict everything is decided again on what the other writer left. */
  async #settle(batch: readonly Pending[]): Promise<void> {
    const works = batch.map((pending) => pending.work)
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      const fold = await this.#load()
      const known = await this.#records.before(works, fold.group)
      const expectedHead = fold.head
      const decided = decideBatch(works, { spaceId: this.spaceId, fold, known, env: this.#environment(fold, known) })
      if (fold.spaceKind !== 'open' && leavesNoMark(works, decided) && (await this.#hasMissed(expectedHead))) continue
      const written = await this.#write(fold, expectedHead, decided)
      if (written.ok) {
        const { entries, founded } = written.value
        if (entries.length > 0) this.#needs.onCommitted(this.spaceId, entries, decided, fold)
        founded.forEach(this.#needs.onFounded)
        return this.#answer(batch, await this.#records.reconsider(works, decided.verdicts), entries)
      }
      // The fold holds Events that were not written.
      this.#fold = undefined
      if (written.error !== 'head') await this.#records.afterConflict(works)
    }
    invariant(false, `the Space changed under ${maximumAttempts} decisions in a row`)
  }

  /** Only an append proves that nobody else has written. What appends nothing has to ask, or a lost wake-up would show. */
  async #hasMissed(head: number): Promise<boolean> {
    if ((await this.#needs.log.head(this.spaceId)) > head) this.#isBehind = true
    return this.#isBehind
  }

  async #write(fold: SpaceFold, expectedHead: number, decided: DecidedBatch): Promise<Result<Written, AppendConflict>> {
    const { log } = this.#needs
    const { spaceId } = this
    const { settled, reactions, rulings } = decided
    if (decided.events.length === 0) {
      if (settled.length > 0) await log.dropReactions(settled)
      return ok({ entries: [], founded: [] })
    }
    invariant(fold.spaceKind !== 'open', 'no Command moves an open Space')
    const { entries, admissions } = await this.#sign(spaceId, expectedHead, decided.events)
    const founded = await Promise.all(decided.founded.map((space) => this.#firstBatch(space)))
    const outcome = await log.append({
      spaceId,
      spaceKind: fold.spaceKind,
      expectedHead,
      events: entries,
      admissions: [...decided.admissions, ...admissions],
      receipts: decided.receipts,
      rows: decided.rows,
      ...(rulings.length > 0 && { rulings }),
      ...(reactions.length > 0 && { reactions: reactions.map((reaction) => ({ ...reactionKey(reaction), reaction: JSON.stringify(reaction) })) }),
      ...(settled.length > 0 && { settled }),
      ...(founded.length > 0 && { founded }),
    })
    if (!outcome.ok) return err(outcome.conflict)
    this.#records.accepted(decided.receipts)
    return ok({ entries, founded })
  }

  async #firstBatch({ spaceId, event, rows }: FoundedSpace): Promise<FirstBatch> {
    const { entries, admissions } = await this.#sign(spaceId, 0, [event])
    return { spaceId, spaceKind: 'mission', expectedHead: 0, events: entries, admissions, receipts: [], rows }
  }

  async #sign(spaceId: string, head: number, unsigned: readonly UnsignedEvent[]): Promise<{ entries: LogEntry[]; admissions: FirstAdmissionRecord[] }> {
    const { organization } = this.#needs
    const signed = await signEvents(unsigned, organization.authority)
    const entries = signed.map(({ event, bytes }, index) => ({ spaceId, sequence: head + 1 + index, eventId: event.eventId, kind: event.kind, bytes }))
    return { entries, admissions: signed.flatMap((event) => eventAdmission(event, organization) ?? []) }
  }

  #answer(batch: readonly Pending[], verdicts: readonly Verdict[], entries: readonly LogEntry[]): void {
    const first = entries[0]?.sequence ?? 0
    for (const [index, verdict] of verdicts.entries()) {
      const { resolve, fail } = batch[index]!
      if (verdict.type === 'accepted') resolve({ spaceId: this.spaceId, eventBytes: entries[verdict.sequence - first]!.bytes, ...verdict })
      else if (verdict.type === 'known') this.#findOriginal(verdict.action).then(resolve, fail)
      else resolve(verdict)
    }
  }

  async #findOriginal({ spaceId, sequence }: { spaceId: string; sequence: number }): Promise<WorkOutcome> {
    const [original] = await this.#needs.log.readAt(spaceId, [sequence])
    invariant(original, 'a receipt names an Event that the log does not have')
    return { type: 'accepted', spaceId, sequence, eventBytes: original.bytes, isDuplicate: true }
  }

  #environment(fold: SpaceFold, { missions, coordinates }: KnownRecords): DecisionEnv {
    const { clock, organization, facts, policies } = this.#needs
    const now = clock.now()
    return {
      // All of these times are written by the authority in one form, so that text order is time order.
      now: now > fold.lastOccurredAt ? now : fold.lastOccurredAt,
      organizationId: organization.organizationId,
      authority: organization.authority.principal,
      registry: organization.registry.principal,
      router: organization.router.principal,
      ...facts,
      missionFacts: (missionId) => missions.get(missionId),
      policy: policies.current,
      coordinates,
    }
  }

  /** The fold of everything in the log; a Space that is not there yet has an empty one. */
  async #load(): Promise<SpaceFold> {
    if (this.#fold && !this.#isBehind) return this.#fold
    const fold = this.#fold ?? (await this.#needs.openFold(this.spaceId))
    this.#fold = undefined
    this.#isBehind = false
    if (fold.spaceKind === 'open') return (this.#fold = fold)
    for (let page: readonly LogEntry[]; ; ) {
      page = await this.#needs.log.read(this.spaceId, fold.head, pageSize)
      const events = page.map((entry) => decodeEvent(entry.bytes))
      for (const [index, event] of events.entries()) {
        fold.apply(event)
        this.#records.loaded(event, page[index]!.sequence)
      }
      this.#needs.onLoaded(this.spaceId, events, fold)
      if (page.length < pageSize) break
    }
    return (this.#fold = fold)
  }
}

/** Nothing is appended, although something was asked for that another node's Events may bear on. */
function leavesNoMark(works: readonly SpaceWork[], { events, verdicts }: DecidedBatch): boolean {
  return events.length === 0 && (verdicts.some(({ type }) => type === 'refused') || works.some(({ type }) => type === 'reaction' || type === 'session-replaced'))
}
