// The open sessions of this node: found by id and token, few for each Principal, ended when idle or when their token ends.
import type { Log } from '../../log.ts'
import type { UploadQuota } from '../../service/upload-quota.ts'
import type { McpLimits } from './limits.ts'
import type { SessionOwner } from './mcp-session.ts'
import { McpSession } from './mcp-session.ts'
import type { McpService } from './tool.ts'

interface SessionsOptions {
  readonly service: McpService
  readonly uploads: UploadQuota
  readonly limits: McpLimits
  readonly log: Log
  readonly nowMs: () => number
}

export class McpSessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, McpSession>()
  /** Being initialized: they count, but nobody finds them yet. */
  readonly #opening = new Set<McpSession>()
  readonly #stopListening: () => void
  readonly #sweep: NodeJS.Timeout

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#stopListening = options.service.doors.tokens.onEnded((tokenId) => void this.#endAll((session) => session.owner.tokenId === tokenId))
    this.#sweep = setInterval(() => void this.endIdle(), Math.max(1_000, options.limits.idleMs / 10)).unref()
  }

  /** Another token's session does not exist for the caller, be it another token of the same Principal. */
  find(sessionId: string, tokenId: string): McpSession | undefined {
    const session = this.#sessions.get(sessionId)
    return session?.owner.tokenId === tokenId ? session : undefined
  }

  /**
   * A session to be initialized by its first request and to be given to `settle` after it. Where the Principal, or else the node,
   * has as many as it may, the one of these that was quiet longest makes room, one without a stream first; undefined when all are
   * answering.
   */
  async open(owner: SessionOwner): Promise<McpSession | undefined> {
    const crowd = this.#crowdOf(owner)
    const [quietest] = crowd.filter((session) => !session.isAnswering && !this.#opening.has(session)).sort(byQuiet)
    if (crowd.length > 0 && quietest === undefined) return undefined
    const session = new McpSession(owner, {
      ...this.#options,
      onOpened: (opened) => void this.#sessions.set(opened.sessionId!, opened),
      onClosed: (closed) => this.#forget(closed),
    })
    this.#opening.add(session)
    await Promise.all([quietest?.close(), session.open()])
    return session
  }

  /** Those of which one has to make room for another of this owner's; none while there is room. */
  #crowdOf({ principalId }: SessionOwner): readonly McpSession[] {
    const { sessions, sessionsPerPrincipal } = this.#options.limits
    const all = [...this.#sessions.values(), ...this.#opening]
    const own = all.filter(({ owner }) => owner.principalId === principalId)
    if (own.length >= sessionsPerPrincipal) return own
    return all.length >= sessions ? all : []
  }

  /** A session that its first request has not initialized is over. */
  async settle(session: McpSession): Promise<void> {
    this.#opening.delete(session)
    if (session.sessionId === undefined) await session.close()
  }

  /** Ends the sessions that nobody has used for long. */
  endIdle(): Promise<void> {
    const { limits, nowMs } = this.#options
    return this.#endAll((session) => !session.isConnected && nowMs() - session.usedAtMs >= limits.idleMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.#stopListening()
    await this.#endAll(() => true)
  }

  async #endAll(isOver: (session: McpSession) => boolean): Promise<void> {
    await Promise.all([...this.#sessions.values(), ...this.#opening].filter(isOver).map((session) => session.close()))
  }

  #forget(session: McpSession): void {
    this.#opening.delete(session)
    if (session.sessionId !== undefined) this.#sessions.delete(session.sessionId)
  }
}

const byQuiet = (one: McpSession, other: McpSession): number => Number(one.isConnected) - Number(other.isConnected) || one.usedAtMs - other.usedAtMs
