/** What a peer may do with the same request after a refusal. */
export type RetryAdvice =
  | 'unchanged'
  | 'after-authenticating'
  | 'after-delay'
  | 'after-approval'
  | 'after-escalation'
  | 'after-joining'
  | 'after-new-offer'
  | 'after-policy-change'
  | 'after-repair'
  | 'after-snapshot'
  | 'after-state-change'
  | 'new-command'
  | 'other-version'
  | 'never'

/** `retryable`: the same Action ID and bytes may be sent again. `fatal`: the connection ends. */
export type ErrorCodeEntry = {
  readonly retryable: boolean
  readonly fatal: boolean
  readonly retry: RetryAdvice
  readonly meaning: string
}

const again = { retryable: true, fatal: false } as const
const refused = { retryable: false, fatal: false } as const
const ends = { retryable: false, fatal: true } as const

/** The 27 wire codes of the protocol; there are no others. */
export const ERROR_CODES = {
  UNSUPPORTED_VERSION: { ...ends, retry: 'other-version', meaning: 'No protocol version is shared.' },
  AUTH_REQUIRED: { ...again, retry: 'after-authenticating', meaning: 'The sender has not authenticated.' },
  AUTH_INVALID_SIGNATURE: {
    ...refused,
    retry: 'after-repair',
    meaning: 'The signature, its key, its admission or its freshness could not be established.',
  },
  AUTH_STALE_SESSION: { ...refused, retry: 'new-command', meaning: 'A newer session of this Agent exists.' },
  AUTH_STALE_COORDINATOR: { ...refused, retry: 'new-command', meaning: 'The Mission has a newer Coordinator.' },
  AUTH_FORBIDDEN: { ...refused, retry: 'after-policy-change', meaning: 'Role or policy does not allow this.' },
  GROUP_NOT_FOUND: { ...refused, retry: 'never', meaning: 'There is no such Group for this caller.' },
  MEMBERSHIP_REQUIRED: { ...refused, retry: 'after-joining', meaning: 'The caller is not a member of this Group.' },
  MEMBERSHIP_STALE: { ...refused, retry: 'new-command', meaning: 'The Membership has changed since.' },
  SCHEMA_VALIDATION_FAILED: { ...refused, retry: 'new-command', meaning: 'The document does not fit its schema.' },
  INVALID_COMMAND: { ...refused, retry: 'new-command', meaning: 'The Command is well formed but makes no sense.' },
  INVALID_STATE_TRANSITION: {
    ...refused,
    retry: 'after-state-change',
    meaning: 'The present state does not allow this.',
  },
  REVISION_CONFLICT: { ...refused, retry: 'new-command', meaning: 'The object has changed since it was read.' },
  ACTION_ID_COLLISION: {
    ...refused,
    retry: 'new-command',
    meaning: 'This Action ID was already used for other content.',
  },
  UNKNOWN_CRITICAL_EXTENSION: { ...refused, retry: 'never', meaning: 'A required extension is not understood.' },
  WORK_CONTRACT_INCOMPLETE: { ...refused, retry: 'new-command', meaning: 'The Work Contract lacks information.' },
  WORK_OFFER_EXPIRED: { ...refused, retry: 'after-new-offer', meaning: 'The offer is no longer valid.' },
  WORK_ALREADY_OWNED: { ...refused, retry: 'never', meaning: 'Another candidate owns this WorkItem.' },
  WORK_LEASE_EXPIRED: { ...refused, retry: 'new-command', meaning: 'The lease this needs is no longer valid.' },
  WORK_STALE_OWNERSHIP: { ...refused, retry: 'new-command', meaning: 'The WorkItem has a newer owner.' },
  APPROVAL_REQUIRED: { ...again, retry: 'after-approval', meaning: 'A policy gate has not been passed.' },
  BUDGET_EXCEEDED: { ...refused, retry: 'after-escalation', meaning: 'A budget limit is exhausted.' },
  RATE_LIMITED: { ...again, retry: 'after-delay', meaning: 'A rate or recursion limit was reached.' },
  BACKPRESSURE: { ...again, retry: 'after-delay', meaning: 'The receiver cannot take more at the moment.' },
  CURSOR_TOO_OLD: { ...refused, retry: 'after-snapshot', meaning: 'This position has left the online log.' },
  PROTOCOL_VIOLATION: { ...ends, retry: 'never', meaning: 'Framing or a core rule of the protocol was broken.' },
  INTERNAL_ERROR: { ...again, retry: 'unchanged', meaning: 'The authority failed; nothing was accepted.' },
} as const satisfies Record<string, ErrorCodeEntry>

export type ErrorCode = keyof typeof ERROR_CODES

/** An expected refusal. The message is for people; code only ever branches on `code`. */
export type Rejection = {
  readonly code: ErrorCode
  readonly message: string
  readonly expectedRevision?: number
  readonly currentRevision?: number
  readonly retryAfterMs?: number
  /** With CURSOR_TOO_OLD: the signed snapshot to restore from. */
  readonly snapshotArtifactHash?: string
  readonly details?: Record<string, unknown>
}

/** Builds a Rejection; members left out of `extra` stay absent. */
export function reject(code: ErrorCode, message: string, extra: Omit<Rejection, 'code' | 'message'> = {}): Rejection {
  return { code, message, ...extra }
}
