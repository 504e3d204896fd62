// Why the I.A.P. door ends a connection. 1007 (not UTF-8), 1008 (too many fragments) and 1009 (too long) also come from `ws`.
import type { PeerEnd } from '../../service/iap/types.ts'

export interface CloseCode { readonly code: number; readonly reason: string }

export const CLOSE_CODES = {
  binaryMessage: { code: 1003, reason: 'binary_message' },
  tooLong: { code: 1009, reason: 'too_long' },
  handshakeTimeout: { code: 4004, reason: 'handshake_timeout' },
  tooManyMessages: { code: 4006, reason: 'too_many_messages' },
  neverReads: { code: 4007, reason: 'never_reads' },
  /** The token was revoked or has expired. */
  tokenEnded: { code: 4401, reason: 'token_ended' },
} as const satisfies Record<string, CloseCode>

export const closeCodeOf: Readonly<Record<PeerEnd, CloseCode>> = {
  left: { code: 1000, reason: 'disconnected' },
  stopping: { code: 1001, reason: 'server_stopping' },
  failed: { code: 1011, reason: 'internal_fault' },
  /** A newer session of the same agent; coming back would only replace that one in turn. */
  replaced: { code: 4001, reason: 'session_replaced' },
  /** Nothing was heard for three heartbeat intervals. */
  silent: { code: 4002, reason: 'silent' },
  refused: { code: 4003, reason: 'refused' },
  version: { code: 4005, reason: 'unsupported_version' },
}
