import type { Rejection } from '../../../protocol/error-codes.ts'
import { ERROR_CODES } from '../../../protocol/error-codes.ts'
import type { ProtocolError } from '../../../protocol/generated/types.ts'
import { protocolErrorOf } from '../../service/protocol-error.ts'
import type { CloseCode } from './close-codes.ts'
import { CLOSE_CODES } from './close-codes.ts'
import type { Related } from './read-frame.ts'

/** On this door a refusal ends the connection where its code says so, or where `ends` does: in a handshake there is nothing to keep. */
export const protocolError = (rejection: Rejection, related: Related, occurredAt: string, ends = ERROR_CODES[rejection.code].fatal): ProtocolError =>
  protocolErrorOf(rejection, related, occurredAt, ends)

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
