// Proves a Space from its log alone: every Event's signature and place, the Commands behind them, the fold from zero and the
// read models that it must give.
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { KeyResolver } from '../../protocol/key-registry.ts'
import { signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import type { SignatureVerifier } from '../../protocol/verify-document.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import { encodeRows, joinRows, latestRows } from '../authority/read-model-rows.ts'
import type { ReadModelRows } from '../authority/read-models.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { LogEntry, ReadModels, SpaceKind, SpaceLog } from './ports.ts'
import type { Reads } from './service.ts'
import type { SpaceFold } from './space-fold.ts'
import { newFold } from './space-fold.ts'

const pageSize = 500
/** A Space that grows while it is read is read again this often. */
const maximumReadings = 5

export interface LogEvidence {
  readonly log: Pick<SpaceLog, 'head' | 'read' | 'findReceiptAt' | 'listSpaces'>
  readonly readModels: Pick<ReadModels, 'dump'>
  readonly registry: KeyResolver
  readonly verifySignature: SignatureVerifier
  /** What this node holds in memory. */
  readonly liveState: Reads['fingerprintOf']
}

export interface SpaceReport {
  readonly spaceId: string
  readonly events: number
  readonly commands: number
  /** Of an open Space alone, which has nothing else. They are no Events: nobody signs them (decision 0101). */
  readonly messages: number
  /** Of Groups alone: the Organization's Space has no fold, and that of the policy is one document. */
  readonly stateHash?: string
  /** What is wrong, in words; empty when everything agrees. */
  readonly differences: readonly string[]
}

/** Verifies every Space, one after another. */
export async function verifyLog(evidence: LogEvidence): Promise<readonly SpaceReport[]> {
  const reports: SpaceReport[] = []
  for (const kind of ['organization', 'policy', 'mission'] as const) {
    for (const spaceId of await evidence.log.listSpaces(kind)) reports.push(await verifySpace(evidence, spaceId, kind))
  }
  return reports
}

/** Reads the whole Space and compares. A difference is reported, not thrown. */
async function verifySpace(evidence: LogEvidence, spaceId: string, kind: SpaceKind): Promise<SpaceReport> {
  for (let reading = 1; ; reading++) {
    const head = await evidence.log.head(spaceId)
    const report = await new SpaceReading(evidence, spaceId, kind).run(head)
    if ((await evidence.log.head(spaceId)) === head || reading === maximumReadings) return report
  }
}

class SpaceReading {
  readonly #evidence: LogEvidence
  readonly #spaceId: string
  readonly #kind: SpaceKind
  readonly #fold: SpaceFold
  readonly #rows: ReadModelRows[] = []
  readonly #differences: string[] = []
  #events = 0
  #commands = 0

  constructor(evidence: LogEvidence, spaceId: string, kind: SpaceKind) {
    this.#evidence = evidence
    this.#spaceId = spaceId
    this.#kind = kind
    this.#fold = newFold(kind, spaceId)
  }

  async run(head: number): Promise<SpaceReport> {
    while (this.#events < head && this.#differences.length === 0) {
      const page = await this.#evidence.log.read(this.#spaceId, this.#events, Math.min(pageSize, head - this.#events))
      if (page.length === 0) this.#differs(`the log ends at ${this.#events}, before its head ${head}`)
      for (const entry of page) await this.#read(entry)
    }
    const stateHash = this.#fold.group && fingerprintOf(this.#fold.group).stateHash
    if (this.#differences.length === 0 && stateHash !== undefined) {
      await this.#compareReadModels()
      await this.#compareLiveState(stateHash)
    }
    return { spaceId: this.#spaceId, events: this.#events, commands: this.#commands, messages: 0, differences: this.#differences, ...(stateHash !== undefined && { stateHash }) }
  }

  async #read(entry: LogEntry): Promise<void> {
    if (this.#differences.length > 0) return
    const { registry, verifySignature } = this.#evidence
    const verified = await verifyDocument({ kind: 'event', bytes: entry.bytes, registry, verifySignature })
    if (!verified.ok) return this.#differs(`Event ${entry.sequence} fails at ${verified.error.stage}: ${verified.error.reason}`)
    const event = verified.value.value
    const isOurs = this.#kind === 'organization' || (event.groupId === this.#spaceId && event.sequence === entry.sequence)
    if (entry.sequence !== this.#events + 1 || !isOurs) return this.#differs(`Event ${entry.sequence} is not in its place`)
    if (event.eventId !== entry.eventId || event.kind !== entry.kind) return this.#differs(`the index of Event ${entry.sequence} names another`)
    if (!Buffer.from(encodeCanonical(event)).equals(entry.bytes)) return this.#differs(`Event ${entry.sequence} is not stored in canonical form`)
    this.#events = entry.sequence
    this.#apply(event)
    await this.#checkCommand(event, entry.sequence)
  }

  #apply(event: EventDocument): void {
    try {
      this.#fold.apply(event)
      this.#rows.push(this.#fold.rowsOf([event]))
    } catch (fault) {
      this.#differs(`Event ${this.#events} cannot be folded: ${fault instanceof Error ? fault.message : String(fault)}`)
    }
  }

  /** The Command that an Event answers must be kept, and be the one that the Event names. */
  async #checkCommand(event: EventDocument, sequence: number): Promise<void> {
    if (event.cause.type !== 'command') return
    const receipt = await this.#evidence.log.findReceiptAt(this.#spaceId, sequence)
    if (!receipt) return this.#differs(`the Command of Event ${sequence} is missing`)
    const command = JSON.parse(new TextDecoder().decode(receipt.commandBytes)) as object
    const hash = signingHash(signingBytes(command))
    if (hash !== receipt.signingHash || hash !== event.commandHash) return this.#differs(`Event ${sequence} answers another Command than the one that is kept`)
    this.#commands++
  }

  async #compareReadModels(): Promise<void> {
    const expected = encodeRows(latestRows(joinRows(this.#rows)))
    if ((await this.#evidence.readModels.dump(this.#spaceId)) !== expected) this.#differs('the read models differ from what the log gives')
  }

  async #compareLiveState(stateHash: string): Promise<void> {
    const live = await this.#evidence.liveState(this.#spaceId)
    if (live?.sequence === this.#events && live.stateHash !== stateHash) this.#differs(`this node holds the state ${live.stateHash}, the log gives ${stateHash}`)
  }

  #differs(difference: string): void {
    this.#differences.push(difference)
  }
}
