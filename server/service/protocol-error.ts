import type { Rejection } from '../../protocol/error-codes.ts'
import { ERROR_CODES } from '../../protocol/error-codes.ts'
import type { ProtocolError } from '../../protocol/generated/types.ts'

/** In code points, as the schema counts. */
const maximumMessageLength = 2000

/** What an answer may name of the request that it answers. */
export type RelatedIds = Pick<ProtocolError, 'relatedFrameId' | 'relatedActionId' | 'groupId'>

/**
 * A Rejection as the protocol writes it. With `ends` this occurrence closes the connection, so that nothing can be
 * tried again on it.
 */
export function protocolErrorOf(rejection: Rejection, related: RelatedIds, occurredAt: string, ends = false): ProtocolError {
  const { code, message, expectedRevision, currentRevision, retryAfterMs, snapshotArtifactHash, details } = rejection
  return {
    code,
    message: shorten(message) || ERROR_CODES[code].meaning,
    retryable: ERROR_CODES[code].retryable && !ends,
    ...(ends && { fatal: true }),
    ...related,
    ...(expectedRevision !== undefined && { expectedRevision }),
    ...(currentRevision !== undefined && { currentRevision }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(snapshotArtifactHash !== undefined && { snapshotArtifactHash }),
    ...(details !== undefined && { details }),
    occurredAt,
  }
}

/** Whole characters alone: half of a surrogate pair is no text. */
function shorten(message: string): string {
  const whole = message.replace(/\p{Surrogate}/gu, '\uFFFD')
  return Array.from(whole).slice(0, maximumMessageLength).join('')
}
