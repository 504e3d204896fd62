// One port: plain HTTP doors, the Agents' WebSocket door, the console's router and, last, its pages.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer as createPlainServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from './config.ts'
import { createAdminHandler } from './gateways/admin/handler.ts'
import { createAgentsHandler, createGroupsHandler } from './gateways/agents/agents.ts'
import { createTokenHandler, createTokenVerifyHandler } from './gateways/agents/execution-tokens.ts'
import { artifactsPrefix, createDownloadHandler, createUploadHandler } from './gateways/artifacts/artifacts.ts'
import { createConsoleHandler, readConsoleSession } from './gateways/console/handler.ts'
import { createIapDoor } from './gateways/iap/iap-door.ts'
import { IoaDoor } from './gateways/ioa/ioa-door.ts'
import type { IoaLimits } from './gateways/ioa/limits.ts'
import { ioaPrefix } from './gateways/ioa/routes.ts'
import type { McpLimits } from './gateways/mcp/limits.ts'
import type { McpDoor } from './gateways/mcp/mcp-door.ts'
import { createMcpDoor, mcpPaths } from './gateways/mcp/mcp-door.ts'
import { createMwpDoor } from './gateways/mwp/mwp-door.ts'
import { createCommandsHandler } from './gateways/people/commands.ts'
import { createReceiptsHandler, receiptsPrefix } from './gateways/people/receipts.ts'
import type { Routes } from './http.ts'
import { AccessRules, createRequestListener, createUpgradeListener } from './http.ts'
import type { FindAddress, FindCaller, Handler } from './http-messages.ts'
import { addressReader, bearerToken, sendJson } from './http-messages.ts'
import type { Log } from './log.ts'
import type { Pages } from './pages.ts'
import { hotReloadPath } from './pages.ts'
import type { Resources } from './resources.ts'
import { writeServerFile } from './server-file.ts'
import type { IapOptions } from './service/iap/types.ts'
import { createAuthorityService } from './service/authority-service.ts'
import type { SenderQuota } from './service/open-spaces/limits.ts'
import { newToken } from './service/secret-token.ts'
import type { AuthorityService } from './service/service.ts'

const requestGraceMs = 2_000

export type ServerOptions = Partial<Pick<Config, 'host' | 'port' | 'tls' | 'publicOrigin' | 'allowedOrigins' | 'trustedProxies' | 'isDevelopment'>> & {
  readonly resources: Pick<Resources, 'store' | 'artifacts' | 'organization'>
  /** How long the head of a request may take to arrive. */
  readonly headersTimeoutMs?: number
  /** Where `server.json` goes; absent: nowhere. */
  readonly dataDir?: string
  readonly pages?: Pages
  readonly log: Log
  /** What IOA clients may cost, where it is not as usual; and MCP clients. */
  readonly ioa?: Partial<IoaLimits>
  readonly mcp?: Partial<McpLimits>
  /** What each Principal may write to open Spaces, where it is not as usual. */
  readonly openQuota?: SenderQuota
  /** Rules, limits and timers of the I.A.P. router, where they are not as usual. */
  readonly iap?: IapOptions
}

export interface RunningServer {
  /** Public origin: the audience of signed challenges and the base of links. */
  readonly origin: string
  readonly port: number
  readonly service: AuthorityService
  readonly adminToken: string
  /** Answers what is under way, says goodbye to Agents and leaves the store open. */
  stop(): Promise<void>
}

/** Starts a server on the resources; rejects when the address cannot be had or the store is not usable. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', resources, log, tls } = options
  const { headersTimeoutMs = 15_000 } = options
  // By itself Node looks for late requests twice a minute only.
  const timing = { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: headersTimeoutMs / 3 }
  const server = tls ? createTlsServer({ ...timing, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.3' }) : createPlainServer(timing)
  server.keepAliveTimeout = 65_000
  server.on('request', answerStarting)
  const sockets = openSocketsOf(server)
  const port = await listen(server, host, options.port ?? 0)
  try {
    const address = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
    const origin = options.publicOrigin ?? address
    const service = await createAuthorityService({ ...resources, origin, diagnostics: log, ...(options.iap && { iap: options.iap }), ...(options.openQuota && { openQuota: options.openQuota }) })
    return await serve(server, { ...options, service, origin, address, port, sockets })
  } catch (cause) {
    server.close()
    throw cause
  }
}

type Serving = ServerOptions & { service: AuthorityService; origin: string; address: string; port: number; sockets: ReadonlySet<Socket> }

async function serve(server: Server, { service, origin, address, port, sockets, pages, log, dataDir, ...options }: Serving): Promise<RunningServer> {
  const adminToken = newToken()
  const access = new AccessRules([origin, ...localOrigins(address), ...(options.allowedOrigins ?? [])])
  const addressOf = addressReader(options.trustedProxies)
  const door = createMwpDoor(service, { addressOf, onFault: (fault) => log.error({ err: fault }, 'the door for Agents failed') })
  const ioa = new IoaDoor(service, { addressOf, log, ...(options.ioa && { limits: options.ioa }) })
  const mcp = createMcpDoor(service, { addressOf, log, ...(options.mcp && { limits: options.mcp }) })
  const isSecure = origin.startsWith('https:')
  const iapDoor = createIapDoor(service, { addressOf, onFault: (fault) => log.error({ err: fault }, 'the door of the Inter-Agent Protocol failed') })
  const upgrades = new Map([['/mwp', door.handleUpgrade], ['/iap', iapDoor.handleUpgrade], ...(pages?.upgrade ? [[hotReloadPath, pages.upgrade] as const] : [])])
  server.off('request', answerStarting)
  server.on('request', createRequestListener({ routes: routesOf(service, { adminToken, addressOf, pages, log, ioa, mcp }), access, isSecure, isDevelopment: options.isDevelopment ?? false, log }))
  server.on('upgrade', createUpgradeListener(upgrades, access, log))
  const removeFile = dataDir === undefined ? undefined : await writeServerFile(dataDir, { pid: process.pid, port, address, origin, adminToken })
  return {
    origin,
    port,
    service,
    adminToken,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      ioa.close()
      await Promise.all([door.close(), iapDoor.close(), mcp.close()])
      await Promise.race([closed, pause(requestGraceMs)])
      for (const socket of sockets) socket.destroy()
      await closed
      await pages?.close()
      await service.stop()
      await removeFile?.()
    },
  }
}

interface Routed { readonly adminToken: string; readonly addressOf: FindAddress; readonly pages: Pages | undefined; readonly log: Log; readonly ioa: IoaDoor; readonly mcp: McpDoor }

function routesOf(service: AuthorityService, { adminToken, addressOf, pages, log, ioa, mcp }: Routed): Routes {
  const findPerson: FindCaller = async (request) => (await readConsoleSession(service, request))?.principalId
  const findCaller: FindCaller = async (request) => {
    const token = bearerToken(request)
    return token === undefined ? findPerson(request) : service.sessions.byToken(token)?.agentId
  }
  return {
    exact: new Map([
      ['/healthz', (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')],
      ['/readyz', async (_request, response) => ((await service.ready()) ? sendJson(response, 200, { ready: true, iap: service.iap.isServing }) : sendJson(response, 503, { ready: false }))],
      ['/api/commands', createCommandsHandler(service, addressOf)],
      ['/api/groups', createGroupsHandler(service)],
      ['/api/agents', createAgentsHandler(service)],
      ['/api/execution-tokens', createTokenHandler(service)],
      ['/api/execution-tokens/verify', createTokenVerifyHandler(service)],
      ['/api/admin', createAdminHandler(service, adminToken)],
      ['/artifacts', createUploadHandler(service, findCaller)],
      [ioaPrefix, ioa.handle],
      ...mcpPaths.map((path) => [path, mcp.handle] as const),
    ]),
    prefixes: [
      [`${ioaPrefix}/`, ioa.handle],
      [artifactsPrefix, createDownloadHandler(service, findCaller)],
      [receiptsPrefix, createReceiptsHandler(service, findPerson)],
      ['/api/trpc/', createConsoleHandler(service, log)],
      ['/api/', (_request, response) => sendJson(response, 404, { error: 'not found' })],
    ],
    ...(pages && { pages: pages.handle }),
  }
}

const answerStarting: Handler = (_request, response) => sendJson(response, 503, { error: 'the server is starting' })

/** All of them, the upgraded ones included, which the server itself forgets. */
function openSocketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host)
  // Rejects with the `error` event's error.
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The names by which this machine's own browser may call a server that listens on a loopback address. */
function localOrigins(address: string): readonly string[] {
  const { protocol, hostname, port } = new URL(address)
  const isLocal = hostname === '[::1]' || hostname === 'localhost' || hostname.startsWith('127.')
  return isLocal ? ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${protocol}//${name}:${port}`) : [address]
}
