import type { ErrorCode, Rejection } from '../../../protocol/error-codes.ts'
import { ERROR_CODES } from '../../../protocol/error-codes.ts'
import type { ProtocolError } from '../../../protocol/generated/types.ts'

/** The HTTP status of each refusal of a Command. */
export const httpStatusOf = {
  UNSUPPORTED_VERSION: 400,
  AUTH_REQUIRED: 401,
  AUTH_INVALID_SIGNATURE: 401,
  AUTH_STALE_SESSION: 409,
  AUTH_STALE_COORDINATOR: 409,
  AUTH_FORBIDDEN: 403,
  GROUP_NOT_FOUND: 404,
  MEMBERSHIP_REQUIRED: 403,
  MEMBERSHIP_STALE: 409,
  SCHEMA_VALIDATION_FAILED: 422,
  INVALID_COMMAND: 422,
  INVALID_STATE_TRANSITION: 409,
  REVISION_CONFLICT: 409,
  ACTION_ID_COLLISION: 409,
  UNKNOWN_CRITICAL_EXTENSION: 422,
  WORK_CONTRACT_INCOMPLETE: 422,
  WORK_OFFER_EXPIRED: 409,
  WORK_ALREADY_OWNED: 409,
  WORK_LEASE_EXPIRED: 409,
  WORK_STALE_OWNERSHIP: 409,
  APPROVAL_REQUIRED: 409,
  BUDGET_EXCEEDED: 409,
  RATE_LIMITED: 429,
  BACKPRESSURE: 503,
  CURSOR_TOO_OLD: 410,
  PROTOCOL_VIOLATION: 400,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>

/** A Rejection as the protocol writes it. The connection of an HTTP request does not outlive it, so nothing here is fatal. */
export function protocolErrorOf(rejection: Rejection, related: { actionId?: string; groupId?: string }, occurredAt: string): ProtocolError {
  const { code, message, expectedRevision, currentRevision, retryAfterMs, details } = rejection
  return {
    code,
    message: message.slice(0, 2000) || ERROR_CODES[code].meaning,
    retryable: ERROR_CODES[code].retryable,
    ...(related.actionId !== undefined && { relatedActionId: related.actionId }),
    ...(related.groupId !== undefined && { groupId: related.groupId }),
    ...(expectedRevision !== undefined && { expectedRevision }),
    ...(currentRevision !== undefined && { currentRevision }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(details !== undefined && { details }),
    occurredAt,
  }
}
