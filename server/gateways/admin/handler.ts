// POST /api/admin: the operator's commands on the running server, for whoever can read its data folder.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Handler } from '../../http-messages.ts'
import { bearerToken, isMethod, maximumJsonBytes, readBody, sendJson, sendTooLarge } from '../../http-messages.ts'
import type { AuthorityService } from '../../service/service.ts'
import { runAdminCommand } from './commands.ts'

/** 200 `{"result": …}`, 400 `{"error": …}` when the command is refused, 401 without the token of `server.json`. */
export function createAdminHandler(service: AuthorityService, adminToken: string): Handler {
  const expected = digest(adminToken)
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    if (!timingSafeEqual(digest(bearerToken(request) ?? ''), expected)) return sendJson(response, 401, { error: 'the admin token of this server is needed' })
    const body = await readBody(request, maximumJsonBytes)
    if (body === 'too-large') return sendTooLarge(response, maximumJsonBytes)
    const { command, args } = parse(body)
    const outcome = await runAdminCommand(service, String(command), args)
    if (outcome.ok) sendJson(response, 200, { result: outcome.value })
    else sendJson(response, 400, { error: outcome.error.reason })
  }
}

const digest = (token: string) => createHash('sha256').update(token).digest()

function parse(body: Uint8Array): { command?: unknown; args?: unknown } {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
