// Mounts the router under /api/trpc on the one HTTP server.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http'
import type { Log } from '../../log.ts'
import type { AuthorityService } from '../../service/service.ts'
import { createContext } from './context.ts'
import { appRouter } from './router.ts'

const prefix = '/api/trpc/'
const maximumBodyBytes = 256 * 1024

/** Answers requests whose path begins with `/api/trpc/`. Origin and Host were checked before. */
export function createConsoleHandler(service: AuthorityService, log: Log): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const path = new URL(req.url ?? '/', 'http://localhost').pathname.slice(prefix.length)
    void nodeHTTPRequestHandler({
      router: appRouter,
      path,
      req,
      res,
      maxBodySize: maximumBodyBytes,
      createContext: () => createContext(service, req, res),
      onError: ({ error, path: procedure }) => {
        if (error.code === 'INTERNAL_SERVER_ERROR') log.error({ err: error.cause ?? error, procedure }, 'console procedure failed')
      },
    })
  }
}

export { readConsoleSession } from './context.ts'
