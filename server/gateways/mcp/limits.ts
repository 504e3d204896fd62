// What one client may ask of the MCP door.

export interface McpLimits {
  /** Largest request body; an artifact of 4 MiB in base64 fits in. */
  readonly bodyBytes: number
  /** Open sessions of one Principal; the one that was quiet longest makes room. */
  readonly sessionsPerPrincipal: number
  /** Open sessions of all on this node; the one that was quiet longest makes room. */
  readonly sessions: number
  /** A session without a request or an open stream ends after so long. */
  readonly idleMs: number
  /** Requests of one Principal. */
  readonly perSecond: number
  readonly burst: number
  /** Requests of one session that are being answered. */
  readonly concurrentRequests: number
  /** Resources that one session may watch. */
  readonly subscriptions: number
  /** Shortest time between two notifications about one resource. */
  readonly notifyEveryMs: number
}

export const defaultMcpLimits: McpLimits = {
  bodyBytes: 6 * 1024 * 1024,
  sessionsPerPrincipal: 16,
  sessions: 4_096,
  idleMs: 30 * 60 * 1000,
  perSecond: 50,
  burst: 200,
  concurrentRequests: 32,
  subscriptions: 64,
  notifyEveryMs: 250,
}
