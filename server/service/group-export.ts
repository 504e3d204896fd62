// Writes a Group into one file that can be verified without the authority, page by page as the log is read.
import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { Command, EventDocument, FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import { bindingOnly } from '../../protocol/receipt.ts'
import { invariant } from '../../protocol/result.ts'
import { signDocument, signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import { decodeEvent } from './event-bytes.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { ExportedEvent, ExportHeader, UnsignedSeal } from './group-export-format.ts'
import { GROUP_EXPORT_FORMAT, GROUP_EXPORT_LIMITS } from './group-export-format.ts'
import { nestedDocumentsOf } from './nested-documents.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import type { Clock, CommandReceipt, LogEntry, SpaceLog } from './ports.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { SpaceActors } from './space-actors.ts'

/** Events in memory at a time. */
const pageSize = 200

export interface ExportNeeds {
  readonly organization: OrganizationKeys
  readonly actors: Pick<SpaceActors, 'read'>
  readonly log: Pick<SpaceLog, 'read' | 'findReceiptAt' | 'findAdmissions'>
  readonly keys: Pick<RegistryMirror, 'key'>
  readonly clock: Clock
}

type Signed = { readonly signature: { readonly keyId: string } }

/** The lines of the file up to the present head of the Group; undefined where there is no such Group. */
export async function exportGroup(needs: ExportNeeds, groupId: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { group } = await needs.actors.read(groupId)
  return group && new GroupExport(needs, groupId, fingerprintOf(group)).lines()
}

class GroupExport {
  readonly #needs: ExportNeeds
  readonly #groupId: string
  readonly #head: { readonly sequence: number; readonly stateHash: string }
  readonly #content: Hash = createHash('sha256')
  readonly #knownKeys = new Set<string>()
  #commands = 0

  constructor(needs: ExportNeeds, groupId: string, head: { sequence: number; stateHash: string }) {
    this.#needs = needs
    this.#groupId = groupId
    this.#head = head
  }

  async *lines(): AsyncGenerator<Uint8Array, void, void> {
    const { organization: { organizationId, authority }, clock, log } = this.#needs
    const exportedAt = clock.now()
    const groupId = this.#groupId
    yield this.#line({ format: GROUP_EXPORT_FORMAT, organizationId, groupId, exportedAt, limits: GROUP_EXPORT_LIMITS } satisfies ExportHeader)
    const { sequence: head, stateHash } = this.#head
    for (let after = 0; after < head; ) {
      const page = await log.read(groupId, after, Math.min(pageSize, head - after))
      invariant(page.length > 0, 'the log ends before its head')
      yield* this.#page(page)
      after = page.at(-1)!.sequence
    }
    yield* this.#keys([authority.keyId])
    const contentHash = `sha256:${this.#content.copy().digest('hex')}`
    const seal: UnsignedSeal = { groupId, exportedAt, events: head, commands: this.#commands, stateHash, contentHash }
    yield this.#line({ seal: await signDocument(seal, 'exportedAt', authority.keyId, authority.sign) })
  }

  async *#page(page: readonly LogEntry[]): AsyncGenerator<Uint8Array, void, void> {
    const { log } = this.#needs
    const entries = await Promise.all(
      page.map(async ({ bytes, sequence }) => {
        const event = decodeEvent(bytes)
        const receipt = event.cause.type === 'command' ? await log.findReceiptAt(this.#groupId, sequence) : undefined
        return { bytes, receipt, documents: documentsOf(event, receipt) }
      }),
    )
    const records = await this.#recordsOf(entries.flatMap(({ documents }) => documents.map(({ hash }) => hash)))
    for (const { bytes, receipt, documents } of entries) {
      yield* this.#keys(documents.map(({ keyId }) => keyId))
      const admissions = documents.flatMap(({ hash }) => records.get(hash) ?? [])
      if (receipt) this.#commands += 1
      yield this.#line({ event: encodeBase64url(bytes), ...(receipt && { command: encodeBase64url(receipt.commandBytes) }), admissions } satisfies ExportedEvent)
    }
  }

  async #recordsOf(hashes: readonly string[]): Promise<ReadonlyMap<string, FirstAdmissionRecord>> {
    const { log, organization } = this.#needs
    const records = await log.findAdmissions(organization.organizationId, [...new Set(hashes)])
    return new Map(records.map((record) => [record.signingHash, record]))
  }

  *#keys(keyIds: readonly string[]): Generator<Uint8Array, void, void> {
    for (const keyId of keyIds) {
      if (this.#knownKeys.has(keyId)) continue
      this.#knownKeys.add(keyId)
      const key = this.#needs.keys.key(keyId)
      invariant(key, 'a key of the log is not in the Registry')
      yield this.#line({ key: bindingOnly(key) })
    }
  }

  #line(value: object): Uint8Array {
    const line = Buffer.concat([encodeCanonical(value), Buffer.from('\n')])
    this.#content.update(line)
    return line
  }
}

/** Signing hash and key of every document that the Event's line carries; each once. */
function documentsOf(event: EventDocument, receipt: CommandReceipt | undefined): readonly { readonly hash: string; readonly keyId: string }[] {
  const own = { hash: signingHash(signingBytes(event)), keyId: event.signature.keyId }
  if (!receipt) return [own]
  const command = JSON.parse(new TextDecoder().decode(receipt.commandBytes)) as Command
  const nested = (nestedDocumentsOf(command) as unknown as readonly Signed[]).map((document) => ({ hash: signingHash(signingBytes(document)), keyId: document.signature.keyId }))
  const all = [own, { hash: receipt.signingHash, keyId: command.signature.keyId }, ...nested]
  return [...new Map(all.map((document) => [document.hash, document])).values()]
}
