// POST /api/commands: exact signed Command bytes of any Principal. The signature is the authority; no cookie counts.
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { reject } from '../../../protocol/error-codes.ts'
import type { Handler } from '../../http-messages.ts'
import { isMethod, maximumJsonBytes, mediaTypeOf, readBody, sendBytes, sendJson, sendTooLarge } from '../../http-messages.ts'
import type { AuthorityService, SubmitOutcome } from '../../service/service.ts'
import { httpStatusOf, protocolErrorOf } from './errors.ts'
import { FailureQuota } from './failure-quota.ts'

type Service = Pick<AuthorityService, 'submitCommand' | 'clock'>
type Refusal = Omit<Extract<SubmitOutcome, { ok: false }>, 'ok'>

const eventOpening = Buffer.from('{"event":')
const closing = Buffer.from('}')

/** 200 `{"event": …}` with the exact Event, or the status of the refusal and `{"error": …}` with the protocol error. */
export function createCommandsHandler(service: Service, nowMs = () => performance.now()): Handler {
  const quota = new FailureQuota(nowMs)
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    if (mediaTypeOf(request) !== 'application/json') return sendJson(response, 415, { error: 'the body must be application/json' })
    const address = request.socket.remoteAddress ?? ''
    const retryAfterMs = quota.waitMs(address)
    if (retryAfterMs > 0) return refuse(service, response, { rejection: reject('RATE_LIMITED', 'Too many Commands of this address failed.', { retryAfterMs }) })
    const body = await readBody(request, maximumJsonBytes)
    if (body === 'too-large') return sendTooLarge(response, maximumJsonBytes)
    const outcome = await service.submitCommand(body, { door: 'http' })
    if (outcome.ok) return sendBytes(response, 200, Buffer.concat([eventOpening, outcome.eventBytes, closing]))
    if (isCostly(outcome.rejection.code)) quota.failed(address)
    refuse(service, response, outcome)
  }
}

const isCostly = (code: string): boolean => code === 'AUTH_INVALID_SIGNATURE' || code === 'PROTOCOL_VIOLATION'

function refuse({ clock }: Service, response: ServerResponse, { rejection, actionId, groupId }: Refusal): void {
  if (rejection.retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(rejection.retryAfterMs / 1000))
  const related = { ...(actionId !== undefined && { actionId }), ...(groupId !== undefined && { groupId }) }
  sendJson(response, httpStatusOf[rejection.code], { error: protocolErrorOf(rejection, related, clock.now()) })
}
