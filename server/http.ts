// The outer shell of the one port: who may call, where a path leads, and the headers that every answer carries.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Handler } from './http-messages.ts'
import { isMethod, refuseUpgrade, sendJson, urlOf } from './http-messages.ts'
import type { Log } from './log.ts'

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface Routes {
  /** Exact paths. */
  readonly exact: ReadonlyMap<string, Handler>
  /** Path prefixes, each ending in `/`, tried in order. */
  readonly prefixes: readonly (readonly [prefix: string, handler: Handler])[]
  /** Everything else; absent: 404. */
  readonly pages?: Handler
}

/**
 * Which Host and Origin headers are ours. A page elsewhere may neither reach this server under a rebound name nor use
 * a browser's cookie; `null` is foreign, and no Origin at all is a program, not a page.
 */
export class AccessRules {
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string>

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
    this.#hosts = new Set(origins.map((origin) => new URL(origin).host))
  }

  isAllowed(request: IncomingMessage): boolean {
    const { host, origin } = request.headers
    return this.#hosts.has(hostWithoutDefaultPort(host)) && (origin === undefined || this.#origins.has(origin))
  }
}

const hostWithoutDefaultPort = (host: string | undefined) => (host ?? '').toLowerCase().replace(/:(80|443)$/, '')

interface ListenerOptions {
  readonly routes: Routes
  readonly access: AccessRules
  readonly isSecure: boolean
  readonly isDevelopment: boolean
  readonly log: Log
}

/** The `request` listener. Health probes come by address, so they alone skip the Host check. */
export function createRequestListener(options: ListenerOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { routes, access, log } = options
  return (request, response) => {
    setSecurityHeaders(response, options.isSecure)
    const path = urlOf(request)?.pathname
    if (path === undefined) return sendJson(response, 400, { error: 'bad request' })
    if (path !== '/healthz' && path !== '/readyz' && !access.isAllowed(request)) {
      return sendJson(response, 403, { error: 'this host or origin is not allowed' })
    }
    const route = routes.exact.get(path) ?? routes.prefixes.find(([prefix]) => path.startsWith(prefix))?.[1]
    const handler = route ?? (routes.pages && withPagePolicy(routes.pages, options.isDevelopment)) ?? notFound
    void run(handler, request, response, log)
  }
}

async function run(handler: Handler, request: IncomingMessage, response: ServerResponse, log: Log): Promise<void> {
  try {
    await handler(request, response)
  } catch (fault) {
    // The peer went away while its request was read.
    if (fault === request.errored) return
    const correlationId = randomBytes(8).toString('hex')
    log.error({ err: fault, correlationId, path: urlOf(request)?.pathname }, 'request failed')
    if (response.headersSent) return void response.destroy()
    // The rest of the body may still be on its way.
    if (!request.complete) response.setHeader('connection', 'close')
    sendJson(response, 500, { error: 'internal error', correlationId })
  }
}

const notFound: Handler = (_request, response) => sendJson(response, 404, { error: 'not found' })

/**
 * The only `upgrade` listener of the server: two of them would destroy each other's sockets. The error handler is
 * attached before anything else, because a peer may reset the connection at any moment.
 */
export function createUpgradeListener(doors: ReadonlyMap<string, UpgradeHandler>, access: AccessRules, log: Log): UpgradeHandler {
  return (request, socket, head) => {
    socket.on('error', (error) => log.debug({ err: error }, 'socket failed'))
    const door = doors.get(urlOf(request)?.pathname ?? '')
    if (door === undefined) return refuseUpgrade(socket, '404 Not Found')
    if (!access.isAllowed(request)) return refuseUpgrade(socket, '403 Forbidden')
    door(request, socket, head)
  }
}

function setSecurityHeaders(response: ServerResponse, isSecure: boolean): void {
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('x-frame-options', 'DENY')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('cross-origin-opener-policy', 'same-origin')
  response.setHeader('cross-origin-resource-policy', 'same-origin')
  response.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  if (isSecure) response.setHeader('strict-transport-security', 'max-age=31536000')
}

/** Pages run only the scripts that this answer names. Next finds the nonce in the request header and puts it on its own scripts. */
function withPagePolicy(pages: Handler, isDevelopment: boolean): Handler {
  return (request, response) => {
    // Nothing is sent to a page: what Next would read of it, calls of Server Actions above all, is never handed over.
    if (!isDevelopment && !isMethod(request, response, 'GET', 'HEAD')) return
    const policy = pagePolicy(randomBytes(16).toString('base64'), isDevelopment)
    request.headers['content-security-policy'] = policy
    response.setHeader('content-security-policy', policy)
    return pages(request, response)
  }
}

function pagePolicy(nonce: string, isDevelopment: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ''}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self'${isDevelopment ? ' ws: wss:' : ''}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
