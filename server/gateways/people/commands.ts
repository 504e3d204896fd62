// POST /api/commands: exact signed Command bytes of any Principal. The signature is the authority; no cookie counts.
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { reject } from '../../../protocol/error-codes.ts'
import type { FindAddress, Handler } from '../../http-messages.ts'
import { isMethod, maximumJsonBytes, mediaTypeOf, readBody, sendBytes, sendJson, sendTooLarge } from '../../http-messages.ts'
import { FailureQuota, isCostly } from '../../service/failure-quota.ts'
import { protocolErrorOf } from '../../service/protocol-error.ts'
import type { AuthorityService, SubmitOutcome } from '../../service/service.ts'
import { httpStatusOf } from '../../service/http-status.ts'

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
    if (outcome.ok || !isCostly(outcome.rejection)) quota.giveBack(address)
    if (outcome.ok) return sendBytes(response, 200, Buffer.concat([eventOpening, outcome.eventBytes, closing]))
    refuse(service, response, outcome)
  }
}

function refuse({ clock }: Service, response: ServerResponse, { rejection, actionId, groupId }: Refusal): void {
  if (rejection.retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(rejection.retryAfterMs / 1000))
  // The connection of a request does not outlive it anyway, so nothing here ends it.
  const related = { ...(actionId !== undefined && { relatedActionId: actionId }), ...(groupId !== undefined && { groupId }) }
  sendJson(response, httpStatusOf[rejection.code], { error: protocolErrorOf(rejection, related, clock.now()) })
}
