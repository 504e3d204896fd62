// Tokens for what an Agent executes: POST /api/execution-tokens, and their verification by whoever guards a resource.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Rejection } from '../../../protocol/error-codes.ts'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import type { Handler } from '../../http-messages.ts'
import { bearerToken, isMethod, maximumJsonBytes, mediaTypeOf, readBody, sendJson, sendTooLarge } from '../../http-messages.ts'
import { protocolErrorOf } from '../../service/protocol-error.ts'
import type { AuthorityService } from '../../service/service.ts'
import { httpStatusOf } from '../../service/http-status.ts'

type Service = Pick<AuthorityService, 'sessions' | 'executionTokens' | 'clock'>

const id = z.string().min(1).max(2048)
const count = z.number().int().nonnegative()
const budget = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/).optional(),
  financialLimit: z.number().nonnegative().optional(),
  modelTokenLimit: count.optional(),
  toolCallLimit: count.optional(),
  computeSecondsLimit: count.optional(),
  wallClockSecondsLimit: count.optional(),
  externalSideEffectLimit: count.optional(),
})
const usage = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/).optional(),
  financial: z.number().nonnegative().optional(),
  modelTokens: count.optional(),
  toolCalls: count.optional(),
  computeSeconds: count.optional(),
  wallClockSeconds: count.optional(),
  externalSideEffects: count.optional(),
})
const resource = z.strictObject({ resource: id, operations: z.array(id).min(1).max(64) })
const issueShape = z.strictObject({ groupId: id, workItemId: id, resources: z.array(resource).min(1).max(64).optional(), budget: budget.optional(), seconds: z.number().int().positive().optional() })
const verifyShape = z.strictObject({ token: z.string().max(maximumJsonBytes), resource: id, operation: id, usage: usage.optional() })

/** 201 `{"token": …, "expiresAt": …}` for the Agent of this session, 401 without one, else the status and error of the refusal. */
export function createTokenHandler(service: Service): Handler {
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    const credential = bearerToken(request)
    const session = credential === undefined ? undefined : service.sessions.byToken(credential)
    if (session === undefined) return sendJson(response, 401, { error: 'a current session token is needed' })
    const asked = await readAs(issueShape, request, response)
    if (asked === undefined) return
    const { groupId, ...wanted } = asked
    const issued = await service.executionTokens.issue(session, groupId, wanted as Parameters<Service['executionTokens']['issue']>[2])
    if (issued.ok) sendJson(response, 201, issued.value)
    else refuse(service, response, issued.error)
  }
}

/** 200 with what the token grants if it allows this use now, else the status and error of the refusal. The token is the credential. */
export function createTokenVerifyHandler(service: Service): Handler {
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    const asked = await readAs(verifyShape, request, response)
    if (asked === undefined) return
    const { token, ...use } = asked
    const verified = await service.executionTokens.verify(token, use as Parameters<Service['executionTokens']['verify']>[1])
    if (verified.ok) sendJson(response, 200, { grant: verified.value })
    else refuse(service, response, verified.error)
  }
}

/** The body in this shape; undefined when it was answered already. */
async function readAs<T>(shape: z.ZodType<T>, request: IncomingMessage, response: ServerResponse): Promise<T | undefined> {
  if (mediaTypeOf(request) !== 'application/json') return void sendJson(response, 415, { error: 'the body must be application/json' })
  const body = await readBody(request, maximumJsonBytes)
  if (body === 'too-large') return void sendTooLarge(response, maximumJsonBytes)
  const parsed = parseStrictJson(body)
  const asked = parsed.ok ? shape.safeParse(parsed.value.value) : undefined
  return asked?.success ? asked.data : void sendJson(response, 400, { error: 'the body does not have the documented members' })
}

function refuse({ clock }: Service, response: ServerResponse, rejection: Rejection): void {
  sendJson(response, httpStatusOf[rejection.code], { error: protocolErrorOf(rejection, {}, clock.now()) })
}
