// The console's pages, compiled by Next and served behind everything else.
import { createServer } from 'node:http'
import next from 'next'
import type { UpgradeHandler } from './http.ts'
import type { Handler } from './http-messages.ts'

export interface Pages {
  readonly handle: Handler
  /** Hot reload; in development only. */
  readonly upgrade?: UpgradeHandler
  close(): Promise<void>
}

export const hotReloadPath = '/_next/hmr'

/** Prepares the pages of the project in `folder`; in production they have been built before. */
export async function openPages({ folder, isDevelopment }: { folder: string; isDevelopment: boolean }): Promise<Pages> {
  // Next adds an `upgrade` listener to the server that it sees first. It gets one that never listens, so that the real
  // server keeps its only listener and hands over hot reload alone.
  const neverListening = createServer()
  const app = next({ dev: isDevelopment, dir: folder, httpServer: neverListening })
  await app.prepare()
  const handle = app.getRequestHandler()
  return {
    handle: (request, response) => handle(request, response),
    ...(isDevelopment && { upgrade: (request, socket, head) => void neverListening.emit('upgrade', request, socket, head) }),
    close: () => app.close(),
  }
}
