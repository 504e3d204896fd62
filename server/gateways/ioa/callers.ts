// Who calls, from credentials alone: a header that names a Node must agree with them.
import type { IncomingMessage } from 'node:http'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { bearerToken } from '../../http-messages.ts'
import { FailureQuota } from '../../service/failure-quota.ts'
import type { AccessKeyRecord } from '../../service/doors/types.ts'
import type { Caller, IoaService } from './exchange.ts'
import type { NodeIds } from './node-ids.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refused } from './refusal.ts'

export class Callers {
  readonly #service: IoaService
  readonly #failures: FailureQuota
  readonly #nodeIds: NodeIds

  constructor(service: IoaService, nodeIds: NodeIds, nowMs: () => number) {
    this.#service = service
    this.#nodeIds = nodeIds
    this.#failures = new FailureQuota(nowMs)
  }

  /**
   * 401 without a token in force at this door, 403 where `X-Node-ID` names another Node, 429 after too many failures of others at this
   * address: whom the door knows already, they do not lock out.
   */
  async byToken(request: IncomingMessage, address: string): Promise<Result<Caller, Refusal>> {
    const token = bearerToken(request)
    const isKnown = token !== undefined && this.#service.doors.tokens.isKnown(token)
    const limited = isKnown ? undefined : this.#limited(address)
    if (limited !== undefined) return err(limited)
    if (token === undefined) return refused(401, 'a bearer token is required')
    const record = await this.#service.doors.tokens.find(token, 'ioa')
    const nodeId = record === undefined ? undefined : await this.#nodeIds.of(record.principalId)
    if (record === undefined || nodeId === undefined) return this.#failure(address, refusal(401, 'the token is not in force'))
    const named = nodeNamed(request)
    if (named !== undefined && named !== nodeId) return refused(403, 'X-Node-ID is not the Node of this token')
    return ok({ nodeId, principalId: record.principalId, tokenId: record.tokenId })
  }

  /** 401 without a key, 403 with a wrong one. */
  async accessKey(key: string | undefined, address: string): Promise<Result<AccessKeyRecord, Refusal>> {
    const limited = this.#limited(address)
    if (limited !== undefined) return err(limited)
    if (key === undefined || key === '') return refused(401, 'an access key is required')
    const record = await this.#service.doors.accessKeys.find(key)
    return record === undefined ? this.#failure(address, refusal(403, 'the access key is not in force')) : ok(record)
  }

  /**
   * Who enters a Space: the access key is asked for in any case. A token names the Node; without one `X-Node-ID` does, which must
   * be a Node that this key enrolled.
   */
  async byAccessKey(request: IncomingMessage, address: string): Promise<Result<Caller, Refusal>> {
    const header = request.headers['x-access-key']
    const key = await this.accessKey(typeof header === 'string' ? header : undefined, address)
    if (!key.ok) return key
    if (request.headers.authorization !== undefined) return this.byToken(request, address)
    const nodeId = nodeNamed(request)
    if (nodeId === undefined) return refused(422, 'a bearer token or X-Node-ID must name the caller')
    const node = await this.#service.openSpaces.nodes.byId(nodeId)
    if (node === undefined) return refused(422, 'the caller is not a registered Node')
    if (!(await this.#service.openSpaces.nodes.isEnrolledBy(nodeId, key.value.accessKeyId))) return refused(403, 'this access key did not enrol the Node that X-Node-ID names')
    return ok({ nodeId, principalId: node.principalId })
  }

  #limited(address: string): Refusal | undefined {
    const waitMs = this.#failures.waitMs(address)
    return waitMs > 0 ? refusal(429, 'too many wrong credentials', { 'retry-after': Math.ceil(waitMs / 1000) }) : undefined
  }

  #failure(address: string, why: Refusal) {
    this.#failures.take(address)
    return err(why)
  }
}

/** Why who asked once would be refused by now. */
export const endedFor = (identify: () => Promise<Result<Caller, Refusal>>) => async (): Promise<Refusal | undefined> => {
  const again = await identify()
  return again.ok ? undefined : again.error
}

function nodeNamed({ headers }: IncomingMessage): string | undefined {
  const header = headers['x-node-id']
  return typeof header === 'string' && header !== '' ? header : undefined
}
