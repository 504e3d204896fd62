// The MCP door: Streamable HTTP on one path. Every request shows the token of an Agent; a session belongs to the token that opened it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FindAddress, Handler } from '../../http-messages.ts'
import { bearerToken, isMethod, readBody, sendJson, sendTooLarge } from '../../http-messages.ts'
import type { Log } from '../../log.ts'
import { FailureQuota } from '../../service/failure-quota.ts'
import { defaultUploadLimits, UploadQuota } from '../../service/upload-quota.ts'
import { TokenBuckets } from '../../token-bucket.ts'
import { refusals } from './http-fault.ts'
import type { McpLimits } from './limits.ts'
import { defaultMcpLimits } from './limits.ts'
import type { SessionOwner } from './mcp-session.ts'
import { McpSessions } from './mcp-sessions.ts'
import type { ReceivedBody } from './received-body.ts'
import { readMcpBody } from './received-body.ts'
import type { McpService } from './tool.ts'

/** Clients of IOA look for it below the address that they were given. */
export const mcpPaths = ['/mcp', '/ioa/mcp'] as const

export interface McpDoorOptions {
  readonly addressOf: FindAddress
  readonly log: Log
  readonly limits?: Partial<McpLimits>
  readonly nowMs?: () => number
}

export interface McpDoor {
  readonly handle: Handler
  /** Ends all sessions with their streams. */
  close(): Promise<void>
}

export function createMcpDoor(service: McpService, { addressOf, log, nowMs = () => performance.now(), ...options }: McpDoorOptions): McpDoor {
  const limits = { ...defaultMcpLimits, ...options.limits }
  const sessions = new McpSessions({ service, uploads: new UploadQuota(defaultUploadLimits, nowMs), limits, log, nowMs })
  const failures = new FailureQuota(nowMs)
  const rates = new TokenBuckets(limits)

  const authenticate = async (request: IncomingMessage, response: ServerResponse): Promise<SessionOwner | undefined> => {
    const address = addressOf(request)
    const token = bearerToken(request)
    // Whom the door knows already is not locked out by others at its address.
    const waitMs = token !== undefined && service.doors.tokens.isKnown(token) ? 0 : failures.waitMs(address)
    if (waitMs > 0) return void refusals.tooMany('Too many requests of this address had no valid token', waitMs).send(response)
    const found = token === undefined ? undefined : await service.doors.tokens.find(token, 'mcp')
    if (found !== undefined) return found
    if (token !== undefined) failures.take(address)
    response.setHeader('www-authenticate', `Bearer realm="countersign"${token === undefined ? '' : ', error="invalid_token"'}`)
    sendJson(response, 401, { error: 'this door asks for the bearer token of an Agent' })
  }

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<ReceivedBody | undefined> => {
    const bytes = await readBody(request, limits.bodyBytes)
    if (bytes === 'too-large') return void sendTooLarge(response, limits.bodyBytes)
    const body = readMcpBody(bytes, limits.bodyBytes)
    return body.ok ? body.value : void refusals.notJson(body.error.reason).send(response)
  }

  const begin = async (owner: SessionOwner, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return refusals.badRequest('The header Mcp-Session-Id is missing').send(response)
    const body = await receive(request, response)
    if (body === undefined) return
    if (!body.isInitialize) return refusals.badRequest('The header Mcp-Session-Id is missing; a session begins with initialize').send(response)
    const session = await sessions.open(owner)
    if (session === undefined) return refusals.tooMany('Too many sessions are at work').send(response)
    try {
      await session.handle(request, response, body)
    } finally {
      await sessions.settle(session)
    }
  }

  return {
    async handle(request, response) {
      const owner = await authenticate(request, response)
      if (owner === undefined || !isMethod(request, response, 'GET', 'POST', 'DELETE')) return
      const waitMs = rates.waitMs(owner.principalId, nowMs())
      if (waitMs > 0) return refusals.tooMany('You ask too often', waitMs).send(response)
      const sessionId = request.headers['mcp-session-id']
      if (sessionId === undefined) return begin(owner, request, response)
      if (sessions.find(String(sessionId), owner.tokenId) === undefined) return refusals.noSession().send(response)
      const body = request.method === 'POST' ? await receive(request, response) : undefined
      if (request.method === 'POST' && body === undefined) return
      // It may have ended while the body was read.
      const session = sessions.find(String(sessionId), owner.tokenId)
      return session === undefined ? refusals.noSession().send(response) : session.handle(request, response, body)
    },
    close: () => sessions.close(),
  }
}
