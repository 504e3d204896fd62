// Refusals of the door itself, before a request reaches a session: a status and a JSON-RPC error without an id.
import type { ServerResponse } from 'node:http'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { sendJson } from '../../http-messages.ts'

/** The code that MCP implementations use for a session that is not, or no longer, there. */
const SESSION_NOT_FOUND = -32001

export const refusals = {
  badRequest: (message: string) => new HttpFault(400, ErrorCode.InvalidRequest, message),
  notJson: (message: string) => new HttpFault(400, ErrorCode.ParseError, message),
  noSession: () => new HttpFault(404, SESSION_NOT_FOUND, 'Session not found'),
  tooMany: (message: string, retryAfterMs = 1_000) => new HttpFault(429, ErrorCode.ConnectionClosed, message, { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
} as const

export class HttpFault {
  readonly #status: number
  readonly #code: number
  readonly #message: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    this.#status = status
    this.#code = code
    this.#message = message
    this.#headers = headers
  }

  send(response: ServerResponse): void {
    for (const [name, value] of Object.entries(this.#headers)) response.setHeader(name, value)
    sendJson(response, this.#status, { jsonrpc: '2.0', error: { code: this.#code, message: this.#message }, id: null })
  }
}
