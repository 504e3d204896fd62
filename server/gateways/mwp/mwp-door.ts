// The door for Agents: one upgrade becomes one authenticated connection.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ServerOptions } from 'ws'
import { WebSocketServer } from 'ws'
import type { FindAddress } from '../../http-messages.ts'
import { refuseUpgrade } from '../../http-messages.ts'
import { FailureQuota } from '../../service/failure-quota.ts'
import type { AgentSession, AuthorityService } from '../../service/service.ts'
import { AddressQuota } from './address-quota.ts'
import { CLOSE_CODES, closeCodeOfEnd } from './close-codes.ts'
import { Connection } from './connection.ts'
import type { MwpLimits } from './limits.ts'
import { DEFAULT_MWP_LIMITS } from './limits.ts'

export interface MwpDoorOptions {
  readonly limits?: Partial<MwpLimits>
  /** Whose connection it is, for quotas. */
  readonly addressOf: FindAddress
  /** Told of faults of our own; peers see INTERNAL_ERROR only. */
  readonly onFault: (fault: unknown) => void
}

export interface MwpDoor {
  /** Takes over an upgrade to `/mwp` whose Host and Origin have been checked. */
  handleUpgrade(request: IncomingMessage, transport: Duplex, head: Buffer): void
  /** Connections now: how many are still in their handshake, how many are authenticated. */
  count(): { unauthenticated: number; authenticated: number }
  /** Turns new connections away and resolves when the present ones have ended. */
  close(): Promise<void>
}

/** Opens the MissionWeaveProtocol door. The authority must be ready. */
export function createMwpDoor(service: AuthorityService, options: MwpDoorOptions): MwpDoor {
  const limits: MwpLimits = { ...DEFAULT_MWP_LIMITS, ...options.limits }
  const quota = new AddressQuota(limits.maxUnauthenticatedPerAddress, limits.maxUnauthenticated)
  const failures = new FailureQuota(() => performance.now())
  const connections = new Set<Connection>()
  const bySession = new Map<AgentSession, Connection>()
  let isClosing = false

  const sockets = new WebSocketServer(socketOptions(limits))

  const stopListening = service.sessions.onEnded((session, why) => bySession.get(session)?.end(closeCodeOfEnd[why]))
  const liveness = setInterval(() => {
    for (const connection of connections) connection.checkLiveness()
  }, limits.pingIntervalMs)

  function handleUpgrade(request: IncomingMessage, transport: Duplex, head: Buffer): void {
    transport.on('error', () => transport.destroy())
    const giveBack = isClosing ? undefined : quota.take(options.addressOf(request))
    if (giveBack === undefined) return refuseUpgrade(transport, '503 Service Unavailable', ['Retry-After: 1'])
    transport.once('close', giveBack)
    sockets.handleUpgrade(request, transport, head, (socket) => {
      const connection = new Connection(socket, transport, {
        service,
        limits,
        failures,
        onFault: options.onFault,
        onAuthenticated: (authenticated, session) => {
          giveBack()
          bySession.set(session, authenticated)
        },
        onClosed,
      })
      connections.add(connection)
    })
  }

  function onClosed(connection: Connection): void {
    connections.delete(connection)
    if (connection.session !== undefined) bySession.delete(connection.session)
  }

  async function close(): Promise<void> {
    isClosing = true
    stopListening()
    const closed = [...sockets.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const connection of connections) connection.end(CLOSE_CODES.serverStopping)
    await Promise.all(closed)
    clearInterval(liveness)
  }

  return {
    handleUpgrade,
    count: () => ({ unauthenticated: quota.count, authenticated: bySession.size }),
    close,
  }
}

/** `closeTimeout` is newer than the package's type declarations. */
const socketOptions = (limits: MwpLimits): ServerOptions & { closeTimeout: number } => ({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: limits.maxFrameBytes,
  maxFragments: limits.maxFragments,
  // The connection answers itself, within its rate limit.
  autoPong: false,
  closeTimeout: limits.closeTimeoutMs,
})
