import type { Rejection } from '../../../protocol/error-codes.ts'
import { ERROR_CODES } from '../../../protocol/error-codes.ts'
import type { ProtocolError } from '../../../protocol/generated/types.ts'
import type { CloseCode } from './close-codes.ts'
import { CLOSE_CODES } from './close-codes.ts'
import type { Related } from './read-frame.ts'

const MAX_MESSAGE_LENGTH = 2000

/**
 * A Rejection as the wire shows it. `ends` is set where this occurrence closes the connection although its code
 * alone does not: in a handshake there is nothing to keep.
 */
export function protocolError(rejection: Rejection, related: Related, occurredAt: string, ends = false): ProtocolError {
  const { code, message, expectedRevision, currentRevision, retryAfterMs, details } = rejection
  const { retryable, fatal } = ERROR_CODES[code]
  return {
    code,
    message: Array.from(message).slice(0, MAX_MESSAGE_LENGTH).join('') || ERROR_CODES[code].meaning,
    retryable: retryable && !ends,
    ...((fatal || ends) && { fatal: true }),
    ...related,
    ...(expectedRevision !== undefined && { expectedRevision }),
    ...(currentRevision !== undefined && { currentRevision }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(details !== undefined && { details }),
    occurredAt,
  }
}

/** How a connection ends after a refusal that ends it. */
export function closeCodeFor({ code }: Rejection): CloseCode {
  switch (code) {
    case 'UNSUPPORTED_VERSION':
      return CLOSE_CODES.unsupportedVersion
    case 'PROTOCOL_VIOLATION':
    case 'SCHEMA_VALIDATION_FAILED':
      return CLOSE_CODES.protocolViolation
    case 'INTERNAL_ERROR':
      return CLOSE_CODES.internalFault
    case 'RATE_LIMITED':
      return CLOSE_CODES.tooManyFrames
    case 'BACKPRESSURE':
      return CLOSE_CODES.tryAgainLater
    default:
      return CLOSE_CODES.authenticationFailed
  }
}
