// Verifies an exported Group from its file alone: no server, no network. Every line is judged as it comes; the first that is
// wrong ends it. What is kept in memory is the fold.
import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'
import { validateRecord } from '../../protocol/admission.ts'
import { decodeBase64url } from '../../protocol/base64url.ts'
import { canonicalize, canonicalText, encodeCanonical } from '../../protocol/canonical-json.ts'
import { hasReducedScalar } from '../../protocol/ed25519-strict.ts'
import type { Actor, EventDocument, FirstAdmissionRecord, GroupSnapshot } from '../../protocol/generated/types.ts'
import type { KeyBinding, ValidatedRegistry } from '../../protocol/key-registry.ts'
import { extendRegistry, isSamePrincipal, validateRegistry } from '../../protocol/key-registry.ts'
import type { CommandKind } from '../../protocol/kinds.ts'
import { PRIMARY_EVENT_OF } from '../../protocol/kinds.ts'
import type { DocumentKind } from '../../protocol/signed-documents.ts'
import { signingBytes } from '../../protocol/signed-documents.ts'
import { parseStrictJson } from '../../protocol/strict-json.ts'
import { endsInUpperZ, parseTimestamp } from '../../protocol/timestamp.ts'
import type { SignatureVerifier, VerifiedDocument } from '../../protocol/verify-document.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import { evolve } from '../authority/evolve.ts'
import { snapshotHashOf } from '../authority/group-archive.ts'
import type { GroupState } from '../authority/types.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { ExportedEvent, ExportHeader, ExportSeal } from './group-export-format.ts'
import { readExportLine } from './group-export-format.ts'
import { LineTooLong } from './lines.ts'
import { verifyNestedDocuments } from './nested-documents.ts'

/** The Command of an archive names every Event, and stands in its line as base64url. */
export const maximumLineBytes = 128 * 1024 * 1024
const maximumDocumentBytes = 64 * 1024 * 1024

export interface ExportOptions {
  /** Public key (base64url) that must have signed the file. Without it the authority is whoever the file says. */
  readonly authorityPublicKey?: string
  readonly verifySignature: SignatureVerifier
}

export interface ProvenGroup {
  readonly groupId: string
  readonly title: string
  readonly missionState: string
  readonly isArchived: boolean
  readonly events: number
  readonly commands: number
  readonly stateHash: string
  readonly authorityPublicKey: string
  /** What even a good file does not prove. */
  readonly limits: readonly string[]
}

export type ExportReport = { readonly ok: true; readonly group: ProvenGroup } | { readonly ok: false; readonly line: number; readonly reason: string }

/** Why the file is refused, in words; never leaves this module. */
class Refusal extends Error {}

function refuse(reason: string): never {
  throw new Refusal(reason)
}

/** `lines` are the lines of the file without their line feeds; the last one is what stands behind the last line feed, which must be nothing. A LineTooLong that they end with refuses the file. */
export async function verifyExport(lines: AsyncIterable<Uint8Array>, options: ExportOptions): Promise<ExportReport> {
  const reading = new ExportReading(options)
  let line = 0
  try {
    for await (const bytes of lines) {
      line += 1
      await reading.take(bytes)
    }
    return { ok: true, group: reading.result() }
  } catch (cause) {
    if (cause instanceof LineTooLong) return { ok: false, line: line + 1, reason: cause.message }
    if (!(cause instanceof Refusal)) throw cause
    return { ok: false, line, reason: cause.message }
  }
}

class ExportReading {
  readonly #options: ExportOptions
  readonly #content: Hash = createHash('sha256')
  #header: ExportHeader | undefined
  #registry: ValidatedRegistry | undefined
  #state: GroupState | undefined
  #acceptedBy: Actor | undefined
  #commands = 0
  #sealedBy: string | undefined
  #hasEnded = false

  constructor(options: ExportOptions) {
    this.#options = options
  }

  async take(bytes: Uint8Array): Promise<void> {
    if (this.#sealedBy !== undefined) return this.#end(bytes)
    const parsed = parseStrictJson(bytes, { maxBytes: maximumLineBytes })
    if (!parsed.ok) return refuse(`the line is not readable: ${parsed.error.message}`)
    const canonical = canonicalize(parsed.value.value)
    if (!canonical.ok || !Buffer.from(canonical.value).equals(bytes)) return refuse('the line is not in canonical form')
    const line = readExportLine(parsed.value.value)
    if (line === undefined) return refuse('the line has a member that is missing, foreign or malformed')
    if ((line.type === 'header') !== (this.#header === undefined)) return refuse('the header is not the first line')
    if (line.type === 'header') this.#header = line.header
    else if (line.type === 'key') this.#addKey(line.key)
    else if (line.type === 'event') await this.#addEvent(line.entry)
    else return this.#close(line.seal)
    this.#content.update(bytes).update('\n')
  }

  result(): ProvenGroup {
    if (!this.#header || !this.#state || this.#sealedBy === undefined || !this.#hasEnded) return refuse('the file ends before its seal')
    const { groupId, title, mission, group, sequence: events } = this.#state
    const { stateHash } = fingerprintOf(this.#state)
    return {
      groupId,
      title,
      missionState: mission.state,
      isArchived: group.state === 'archived',
      events,
      commands: this.#commands,
      stateHash,
      authorityPublicKey: this.#sealedBy,
      limits: this.#header.limits,
    }
  }

  /** What stands behind the last line feed. */
  #end(bytes: Uint8Array): void {
    if (this.#hasEnded || bytes.length > 0) return refuse('something follows the seal')
    this.#hasEnded = true
  }

  #addKey(key: KeyBinding): void {
    const { organizationId } = this.#opened()
    const registry = this.#registry ? extendRegistry(this.#registry, key) : validateRegistry({ organizationId, bindings: [key] })
    if (!registry.ok) return refuse(`the key is not a valid binding beside the others: ${registry.error}`)
    this.#registry = registry.value
  }

  async #addEvent({ event: encodedEvent, command: encodedCommand, admissions }: ExportedEvent): Promise<void> {
    const event = await this.#verify('event', encodedEvent)
    this.#checkPlace(event)
    const { acceptedBy, cause } = event.value
    if ((cause.type === 'command') !== (encodedCommand !== undefined)) return refuse('an Event comes with the Command that caused it, and with no other')
    const command = encodedCommand === undefined ? [] : await this.#answered(event, encodedCommand)
    checkAdmissions(event, command, admissions, acceptedBy)
    this.#checkSnapshot(event.value)
    this.#fold(event.value)
    if (event.value.kind === 'group.archived') this.#checkArchive(command.find(isSnapshot)?.value)
  }

  #checkPlace({ value: { groupId, sequence, acceptedBy }, value, bytes }: VerifiedDocument<'event'>): void {
    if (groupId !== this.#opened().groupId) return refuse('the Event is of another Group')
    const expected = (this.#state?.sequence ?? 0) + 1
    if (sequence !== expected) return refuse(`the Event has sequence ${sequence}, and ${expected} is missing`)
    if (!Buffer.from(encodeCanonical(value)).equals(bytes)) return refuse('the Event is not in canonical form')
    this.#acceptedBy ??= acceptedBy
    if (!isSamePrincipal(acceptedBy, this.#acceptedBy)) return refuse('another service than before accepted the Event')
  }

  /** The Command that the Event answers, and the documents inside it. */
  async #answered({ value: event }: VerifiedDocument<'event'>, encoded: string): Promise<readonly VerifiedDocument[]> {
    const command = await this.#verify('command', encoded)
    const { kind, actor, actionId } = command.value
    if (command.signingHash !== event.commandHash) return refuse('the Event names another Command by its hash')
    if (event.cause.id !== actionId || !isSamePrincipal(event.actor, actor)) return refuse('the Event names another action or actor than the Command')
    if (PRIMARY_EVENT_OF[kind as CommandKind] !== event.kind) return refuse(`a ${event.kind} does not answer a ${kind}`)
    const nested = await verifyNestedDocuments(command.value, this.#keys(), this.#options.verifySignature)
    if (!nested.ok) return refuse(`a document in the Command fails at ${nested.error.stage}: ${nested.error.reason}`)
    this.#commands += 1
    return [command, ...nested.value]
  }

  /** A-127, O-6: the snapshot is of the very state that the Events before it give. */
  #checkSnapshot({ kind, payload }: EventDocument): void {
    if (kind !== 'group.snapshot.created' || !this.#state) return
    const { sequence, stateHash } = fingerprintOf(this.#state)
    if (payload['throughSequence'] !== sequence) return refuse('the snapshot ends at another Event')
    if (payload['stateHash'] !== stateHash) return refuse('the snapshot is of another state than the Events give')
  }

  #checkArchive(snapshot: GroupSnapshot | undefined): void {
    if (!snapshot) return refuse('the Group was archived without a snapshot')
    const { archive, eventIds, policyLog, groupId } = this.#state!
    if (snapshotHashOf(snapshot) !== archive?.snapshotArtifactHash || snapshot.groupId !== groupId) return refuse('the signed snapshot is another than the Event names')
    if (canonicalText(snapshot.eventIds) !== canonicalText(eventIds.slice(0, snapshot.throughSequence))) return refuse('the snapshot names other Events')
    const rulings = policyLog.filter(({ details }) => Number(details['sequence']) <= snapshot.throughSequence)
    if (canonicalText(snapshot.policyLog) !== canonicalText(rulings)) return refuse('the snapshot has another Policy Log than the Events give')
  }

  #fold(event: EventDocument): void {
    try {
      this.#state = evolve(this.#state, event)
    } catch (fault) {
      refuse(`the Event cannot be folded: ${fault instanceof Error ? fault.message : String(fault)}`)
    }
  }

  async #close(seal: ExportSeal): Promise<void> {
    const { groupId, exportedAt } = this.#opened()
    if (!this.#state) return refuse('there is no Event')
    if (seal.groupId !== groupId || seal.exportedAt !== exportedAt) return refuse('the seal is of another file')
    if (seal.contentHash !== `sha256:${this.#content.digest('hex')}`) return refuse('the lines before the seal are not those that were sealed')
    if (seal.events !== this.#state.sequence || seal.commands !== this.#commands) return refuse('the seal counts other Events or Commands')
    if (seal.stateHash !== fingerprintOf(this.#state).stateHash) return refuse('the Events give another state than the seal names')
    this.#sealedBy = await this.#sealKey(seal)
  }

  async #sealKey(seal: ExportSeal): Promise<string> {
    const at = parseTimestamp(seal.exportedAt)
    if (at === undefined || !endsInUpperZ(seal.exportedAt) || seal.signature.createdAt !== seal.exportedAt) return refuse('the seal is not signed at the time of the export')
    const signature = decodeBase64url(seal.signature.value)
    if (signature === undefined || !hasReducedScalar(signature)) return refuse('the signature of the seal is malformed')
    const key = this.#keys().resolve(seal.signature.keyId, { rule: 'service' }, at)
    if (!key.ok) return refuse(`the key of the seal is not one of a service, valid at the export: ${key.error}`)
    if (!isSamePrincipal(key.value.binding.principal, this.#acceptedBy!)) return refuse('another service than the one that accepted the Events sealed the file')
    if (!(await this.#options.verifySignature(key.value.publicKey, signingBytes(seal), signature))) return refuse('the signature of the seal does not match')
    const { publicKey } = key.value.binding
    const pin = this.#options.authorityPublicKey
    return pin === undefined || pin === publicKey ? publicKey : refuse(`the authority has the key ${publicKey}, not the one that you trust`)
  }

  async #verify<K extends DocumentKind>(kind: K, encoded: string): Promise<VerifiedDocument<K>> {
    const bytes = decodeBase64url(encoded)
    if (bytes === undefined) return refuse(`the bytes of the ${kind} are not canonical base64url`)
    const { verifySignature } = this.#options
    const verified = await verifyDocument({ kind, bytes, registry: this.#keys(), verifySignature, maxBytes: maximumDocumentBytes })
    return verified.ok ? verified.value : refuse(`the ${kind} fails at ${verified.error.stage}: ${verified.error.reason}`)
  }

  #keys(): ValidatedRegistry {
    return this.#registry ?? refuse('a document comes before any key')
  }

  #opened(): ExportHeader {
    return this.#header ?? refuse('there is no header')
  }
}

const isSnapshot = (document: VerifiedDocument): document is VerifiedDocument<'group-snapshot'> => document.kind === 'group-snapshot'

/** Each Command and each document inside it was admitted while its key was valid; a record of anything else refuses. */
function checkAdmissions(event: VerifiedDocument<'event'>, admitted: readonly VerifiedDocument[], admissions: readonly FirstAdmissionRecord[], authenticatedService: Actor): void {
  const records = new Map(admissions.map((record) => [record.signingHash, record]))
  if (records.size !== admissions.length) return refuse('two admission records are of the same document')
  for (const subject of [event, ...admitted]) {
    const record = records.get(subject.signingHash)
    if (record === undefined && subject.kind === 'event') continue
    if (record === undefined) return refuse(`the ${subject.kind} has no admission record`)
    const valid = validateRecord(subject, { record: encodeCanonical(record), authenticatedService })
    if (!valid.ok) return refuse(`the admission record of the ${subject.kind}: ${valid.error.reason}`)
  }
  const known = new Set([event, ...admitted].map(({ signingHash }) => signingHash))
  if ([...records.keys()].some((hash) => !known.has(hash))) return refuse('an admission record is of no document in its line')
}
