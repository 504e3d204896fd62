// POST /api/admin: the operator's commands on the running server, for whoever can read its data folder.
import { z } from 'zod'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import type { Handler } from '../../http-messages.ts'
import { bearerToken, isMethod, maximumJsonBytes, mediaTypeOf, readBody, sendJson, sendTooLarge } from '../../http-messages.ts'
import { tokenHashOf } from '../../service/secret-token.ts'
import type { AuthorityService } from '../../service/service.ts'
import { runAdminCommand } from './commands.ts'

const requestShape = z.strictObject({ command: z.string(), args: z.unknown().optional() })

/** 200 `{"result": …}`, 400 `{"error": …}` when the command is refused, 401 without the token of `server.json`, 415 for what is not JSON. */
export function createAdminHandler(service: AuthorityService, adminToken: string): Handler {
  const expected = tokenHashOf(adminToken)
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    if (tokenHashOf(bearerToken(request) ?? '') !== expected) return sendJson(response, 401, { error: 'the admin token of this server is needed' })
    if (mediaTypeOf(request) !== 'application/json') return sendJson(response, 415, { error: 'the body must be application/json' })
    const body = await readBody(request, maximumJsonBytes)
    if (body === 'too-large') return sendTooLarge(response, maximumJsonBytes)
    const asked = readRequest(body)
    const outcome = asked.ok ? await runAdminCommand(service, asked.value.command, asked.value.args) : asked
    if (outcome.ok) sendJson(response, 200, { result: outcome.value })
    else sendJson(response, 400, { error: outcome.error.reason })
  }
}

function readRequest(body: Uint8Array): Result<z.infer<typeof requestShape>, { reason: string }> {
  const parsed = parseStrictJson(body)
  if (!parsed.ok) return err({ reason: parsed.error.message })
  const asked = requestShape.safeParse(parsed.value.value)
  return asked.success ? ok(asked.data) : err({ reason: 'the body must be {"command": "…", "args": {…}}' })
}
