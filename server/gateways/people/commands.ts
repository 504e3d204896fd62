// POST /api/commands: exact signed Command bytes of any Principal. The signature is the authority; no cookie counts.
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import type { ErrorCode } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { FindAddress } from '../../client-address.ts'
import { FailureQuota } from '../../failure-quota.ts'
import type { Handler } from '../../http-messages.ts'
import { isMethod, maximumJsonBytes, mediaTypeOf, readBody, sendBytes, sendJson, sendTooLarge } from '../../http-messages.ts'
import type { AuthorityService, SubmitOutcome } from '../../service/service.ts'
import { httpStatusOf, protocolErrorOf } from './errors.ts'

type Service = Pick<AuthorityService, 'submitCommand' | 'clock'>
type Refusal = Omit<Extract<SubmitOutcome, { ok: false }>, 'ok'>

const eventOpening = Buffer.from('{"event":')
const closing = Buffer.from('}')

/** 200 `{"event": …}` with the exact Event, or the status of the refusal and `{"error": …}` with the protocol error. */
export function createCommandsHandler(service: Service, addressOf: FindAddress, nowMs = () => performance.now()): Handler {
  const quota = new FailureQuota(nowMs)
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    if (mediaTypeOf(request) !== 'application/json') return sendJson(response, 415, { error: 'the body must be application/json' })
    const body = await readBody(request, maximumJsonBytes)
    if (body === 'too-large') return sendTooLarge(response, maximumJsonBytes)
    const address = addressOf(request)
    const retryAfterMs = quota.waitMs(address)
    if (retryAfterMs > 0) return refuse(service, response, { rejection: reject('RATE_LIMITED', 'Too many Commands of this address failed.', { retryAfterMs }) })
    quota.take(address)
    const outcome = await service.submitCommand(body, { door: 'http', peer: address })
    if (outcome.ok || !isUnproven.has(outcome.rejection.code)) quota.giveBack(address)
    if (outcome.ok) return sendBytes(response, 200, Buffer.concat([eventOpening, outcome.eventBytes, closing]))
    refuse(service, response, outcome)
  }
}

/** Refusals that nobody has to sign for: they cost work and an entry in the audit trail. */
const isUnproven: ReadonlySet<ErrorCode> = new Set(['AUTH_INVALID_SIGNATURE', 'PROTOCOL_VIOLATION', 'SCHEMA_VALIDATION_FAILED'])

function refuse({ clock }: Service, response: ServerResponse, { rejection, actionId, groupId }: Refusal): void {
  if (rejection.retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(rejection.retryAfterMs / 1000))
  const related = { ...(actionId !== undefined && { actionId }), ...(groupId !== undefined && { groupId }) }
  sendJson(response, httpStatusOf[rejection.code], { error: protocolErrorOf(rejection, related, clock.now()) })
}
