import type { SessionEnd } from '../../service/service.ts'

/** Why the door ends a connection. 1007 (not UTF-8) and 1008 (too many fragments) come from `ws`. */
export const CLOSE_CODES = {
  serverStopping: { code: 1001, reason: 'server_stopping' },
  protocolViolation: { code: 1002, reason: 'protocol_violation' },
  binaryMessage: { code: 1003, reason: 'binary_message' },
  /** `ws` gives the same code to a single message that is too big. */
  tooManyBytes: { code: 1009, reason: 'too_many_bytes' },
  /** The handshake found the authority too busy. */
  tryAgainLater: { code: 1013, reason: 'try_again_later' },
  internalFault: { code: 1011, reason: 'internal_fault' },
  /** A newer session of the same Agent was accepted; reconnecting would only replace that one in turn. */
  sessionReplaced: { code: 4001, reason: 'session_replaced' },
  sessionExpired: { code: 4002, reason: 'session_expired' },
  authenticationFailed: { code: 4003, reason: 'authentication_failed' },
  helloTimeout: { code: 4004, reason: 'hello_timeout' },
  unsupportedVersion: { code: 4005, reason: 'unsupported_version' },
  tooManyFrames: { code: 4006, reason: 'too_many_frames' },
  /** The key behind the session was revoked or has run out. */
  keyEnded: { code: 4008, reason: 'key_ended' },
  neverReads: { code: 4007, reason: 'never_reads' },
} as const

export const closeCodeOfEnd: Record<SessionEnd, CloseCode> = {
  replaced: CLOSE_CODES.sessionReplaced,
  expired: CLOSE_CODES.sessionExpired,
  'key-ended': CLOSE_CODES.keyEnded,
}

export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES]
