// The door for agents of the Inter-Agent Protocol: one upgrade with a token becomes one connection of the router.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ServerOptions } from 'ws'
import { WebSocketServer } from 'ws'
import type { FindAddress } from '../../http-messages.ts'
import { refuseUpgrade } from '../../http-messages.ts'
import type { TokenRecord } from '../../service/doors/types.ts'
import { FailureQuota } from '../../service/failure-quota.ts'
import { TokenBuckets } from '../../token-bucket.ts'
import type { AuthorityService } from '../../service/service.ts'
import { CLOSE_CODES } from './close-codes.ts'
import { IAP_SUBPROTOCOL, tokenOf } from './credentials.ts'
import { handshakeCost, IapConnection } from './iap-connection.ts'
import type { IapDoorLimits } from './limits.ts'
import { DEFAULT_IAP_DOOR_LIMITS } from './limits.ts'

/** When somebody may try again who overdrew what it may send by as much again. */
const exhaustedRetrySeconds = 5

/** How soon a node may have taken the seat of one that went. */
const elsewhereRetrySeconds = 2

export interface IapDoorOptions {
  readonly limits?: Partial<IapDoorLimits>
  /** Whose connection it is, for quotas. */
  readonly addressOf: FindAddress
  /** Told of faults of our own. */
  readonly onFault: (fault: unknown) => void
}

export interface IapDoor {
  /** Takes over an upgrade to `/iap` whose Host and Origin have been checked. */
  handleUpgrade(request: IncomingMessage, transport: Duplex, head: Buffer): void
  /** Turns new connections away and resolves when the present ones have ended. */
  close(): Promise<void>
}

/** Opens the I.A.P. door. The service must be ready. */
export function createIapDoor(service: Pick<AuthorityService, 'doors' | 'iap'>, options: IapDoorOptions): IapDoor {
  const { tokens } = service.doors
  const limits: IapDoorLimits = { ...DEFAULT_IAP_DOOR_LIMITS, ...options.limits }
  const failures = new FailureQuota(() => performance.now())
  const budgets = new TokenBuckets({ perSecond: limits.messagesPerSecond, burst: limits.messageBurst })
  const connections = new Map<IapConnection, TokenRecord>()
  const sockets = new WebSocketServer(socketOptions(limits))
  let isClosing = false

  const stopListening = tokens.onEnded((tokenId) => {
    for (const [connection, token] of connections) if (token.tokenId === tokenId) connection.end(CLOSE_CODES.tokenEnded)
  })
  const liveness = setInterval(() => {
    for (const connection of connections.keys()) connection.ping()
  }, service.iap.heartbeatIntervalMs)
  liveness.unref()

  async function admit(request: IncomingMessage, transport: Duplex, head: Buffer): Promise<void> {
    const address = options.addressOf(request)
    const text = tokenOf(request)
    // Whom the door knows already is not locked out by others at its address.
    const isLimited = failures.waitMs(address) > 0 && !(text !== undefined && tokens.isKnown(text))
    if (isClosing || isLimited) return refuseUpgrade(transport, isClosing ? '503 Service Unavailable' : '429 Too Many Requests', ['Retry-After: 1'])
    const token = text === undefined ? undefined : await tokens.find(text, 'iap')
    if (token === undefined) {
      if (text !== undefined) failures.take(address)
      return refuseUpgrade(transport, '401 Unauthorized', ['WWW-Authenticate: Bearer'])
    }
    if (!service.iap.isServing) return refuseUpgrade(transport, '503 Service Unavailable', [`Retry-After: ${elsewhereRetrySeconds}`], 'Another node serves the Inter-Agent Protocol. Try again: it may be reached next time.')
    const own = [...connections.values()].filter(({ principalId }) => principalId === token.principalId)
    if (own.length >= limits.maxConnectionsPerPrincipal) return refuseUpgrade(transport, '429 Too Many Requests', ['Retry-After: 1'])
    const take = (cost: number) => budgets.take(token.principalId, performance.now(), cost)
    const grant = take(handshakeCost)
    if (grant !== 'granted') return refuseUpgrade(transport, '429 Too Many Requests', [`Retry-After: ${grant === 'exhausted' ? exhaustedRetrySeconds : Math.ceil(grant.retryAfterMs / 1000)}`])
    sockets.handleUpgrade(request, transport, head, (socket) => {
      const left = tokens.connected(token.principalId)
      const onClosed = (connection: IapConnection) => {
        connections.delete(connection)
        left()
      }
      connections.set(new IapConnection(socket, { router: service.iap, limits, principalId: token.principalId, take, onClosed }), token)
    })
  }

  return {
    handleUpgrade(request, transport, head) {
      transport.on('error', () => transport.destroy())
      admit(request, transport, head).catch((fault: unknown) => {
        options.onFault(fault)
        refuseUpgrade(transport, '500 Internal Server Error')
      })
    },
    async close() {
      isClosing = true
      stopListening()
      clearInterval(liveness)
      const closed = [...sockets.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      await service.iap.suspend()
      await Promise.all(closed)
    },
  }
}

/** `closeTimeout` is newer than the package's type declarations. */
const socketOptions = (limits: IapDoorLimits): ServerOptions & { closeTimeout: number } => ({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: limits.maxFrameBytes,
  maxFragments: limits.maxFragments,
  // The connection answers itself, within its rate limit.
  autoPong: false,
  closeTimeout: limits.closeTimeoutMs,
  handleProtocols: (offered) => (offered.has(IAP_SUBPROTOCOL) ? IAP_SUBPROTOCOL : false),
})
