// Mounts the router under /api/trpc on the one HTTP server.
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http'
import type { IncomingMessage } from 'node:http'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import type { Handler } from '../../http-messages.ts'
import { maximumJsonBytes, mediaTypeOf, readBody, sendJson, sendTooLarge, urlOf } from '../../http-messages.ts'
import type { Log } from '../../log.ts'
import type { AuthorityService } from '../../service/service.ts'
import { createContext } from './context.ts'
import { appRouter } from './router.ts'

const prefix = '/api/trpc/'

/** Calls that one request may carry. The console's pages send at most half as many at once. */
const maximumCalls = 20

/** Answers requests whose path begins with `/api/trpc/`. Origin and Host were checked before. Input must be strict JSON. */
export function createConsoleHandler(service: AuthorityService, log: Log): Handler {
  return async (req, res) => {
    const { pathname, searchParams } = urlOf(req)!
    if (isPost(req) && mediaTypeOf(req) !== 'application/json') return sendJson(res, 415, { error: 'the body must be application/json' })
    const input = isPost(req) ? await readBody(req, maximumJsonBytes) : new TextEncoder().encode(searchParams.get('input') ?? '')
    if (input === 'too-large') return sendTooLarge(res, maximumJsonBytes)
    const parsed = input.length === 0 ? undefined : parseStrictJson(input)
    if (parsed?.ok === false) return sendJson(res, 400, { error: parsed.error.message })
    await nodeHTTPRequestHandler({
      router: appRouter,
      path: pathname.slice(prefix.length),
      req: Object.assign(req, { body: parsed?.value.text ?? '{}' }),
      res,
      maxBatchSize: maximumCalls,
      createContext: () => createContext(service, req, res),
      onError: ({ error, path: procedure }) => {
        if (error.code === 'INTERNAL_SERVER_ERROR') log.error({ err: error.cause ?? error, procedure }, 'console procedure failed')
      },
    })
  }
}

const isPost = (req: IncomingMessage) => req.method === 'POST'

export { readConsoleSession } from './context.ts'
