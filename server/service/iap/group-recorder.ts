// Puts the records of a task that is done for a WorkItem into the log of its Group: the router signs what it saw and decided, and
// names who said it. Nobody else's name stands under them.
import { createHash } from 'node:crypto'
import { canonicalize, encodeCanonical } from '../../../protocol/canonical-json.ts'
import { deriveUrn } from '../../../protocol/digest.ts'
import type { Rejection } from '../../../protocol/error-codes.ts'
import { ERROR_CODES } from '../../../protocol/error-codes.ts'
import type { Actor, Command, IapRecord } from '../../../protocol/generated/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { IAP_RECORD } from '../../../protocol/kinds.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { signDocument } from '../../../protocol/signed-documents.ts'
import { DEFAULT_MAX_DEPTH, parseStrictJson } from '../../../protocol/strict-json.ts'
import { PROTOCOL_VERSION } from '../../../protocol/version.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import { recordIdOf } from '../../authority/negotiation.ts'
import type { ServiceIdentity } from '../organization-keys.ts'
import type { Clock } from '../ports.ts'
import type { AuthorityService } from '../service.ts'
import type { AgentNodes } from './agent-nodes.ts'
import type { TaskWork } from './store-port.ts'

/** Content that is longer, or that no Command can hold, stands in the log by its hash; the journal of the router has the whole of it. */
const maximumContentBytes = 64 * 1024
/** A Command has the content three containers down: in itself, its payload and the record. */
const maximumContentDepth = DEFAULT_MAX_DEPTH - 3

export interface RecorderNeeds {
  readonly router: Pick<ServiceIdentity, 'principal' | 'keyId' | 'sign'>
  readonly submit: AuthorityService['submitCommand']
  readonly nodes: Pick<AgentNodes, 'principalOf'>
  readonly clock: Clock
}

export class GroupRecorder {
  readonly #needs: RecorderNeeds

  constructor(needs: RecorderNeeds) {
    this.#needs = needs
  }

  /**
   * Resolves with the id of the record once it stands in the Group, however often it is put there; `refs` are the ids of those that
   * it rests on. Throws where that may pass: on a fault, and where a Group has too much to do.
   */
  async put(record: TaskRecord, work: TaskWork, refs: readonly string[]): Promise<Result<string, Rejection>> {
    const { groupId, workItemId } = work
    const recordId = recordIdOf(workItemId, record.taskId, record.ordinal)
    const payload = { workItemId, record: await this.#entry(record, recordId, refs) }
    const outcome = await this.#needs.submit(await this.#command({ groupId, workItemId, payload, actionId: deriveUrn('iap-record-action', recordId) }), { door: 'internal' })
    // The Action ID is that of the record, so whoever has used it has put this record there.
    if (outcome.ok || outcome.rejection.code === 'ACTION_ID_COLLISION') return ok(recordId)
    const { code } = outcome.rejection
    if (ERROR_CODES[code].retryable) throw new Error(`a record could not be put into its Group: ${code}`)
    return err(outcome.rejection)
  }

  async #entry(record: TaskRecord, recordId: string, refs: readonly string[]): Promise<IapRecord> {
    const { taskId, ordinal, type, author, at, content } = record
    // Parts of a result are not put into a Group.
    const kind = type as IapRecord['type']
    const speaker = author === ROUTER ? undefined : await this.#actorOf(author)
    const concerns = 'agentId' in content ? await this.#actorOf(content.agentId) : undefined
    return { recordId, taskId, ordinal, type: kind, author, at, refs: [...new Set(refs)], ...(speaker && { speaker }), ...(concerns && { concerns }), ...boundedContent(content) }
  }

  async #actorOf(agentId: string): Promise<Actor | undefined> {
    const id = await this.#needs.nodes.principalOf(agentId)
    return id === undefined ? undefined : { type: 'agent', id }
  }

  async #command(about: Pick<Command, 'groupId' | 'workItemId' | 'payload' | 'actionId'>): Promise<Uint8Array> {
    const { router, clock } = this.#needs
    const unsigned: Omit<Command, 'signature'> = { protocolVersion: PROTOCOL_VERSION, kind: IAP_RECORD, actor: router.principal, correlationId: about.actionId, issuedAt: clock.now(), ...about }
    return encodeCanonical(await signDocument(unsigned, 'issuedAt', router.keyId, router.sign))
  }
}

function boundedContent(content: TaskRecord['content']): Pick<IapRecord, 'content' | 'omitted'> {
  const text = JSON.stringify(content)
  const size = Buffer.byteLength(text)
  const fits = size <= maximumContentBytes && canonicalize(content).ok && parseStrictJson(Buffer.from(text), { maxDepth: maximumContentDepth }).ok
  if (fits) return { content: content as unknown as Record<string, unknown> }
  return { omitted: { sha256: createHash('sha256').update(text).digest('hex'), size } }
}
