// Refusals that several places give, each with one text.
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'

/** For everything about keys, signatures, admission and freshness: the outside learns no more. */
export const invalidSignature = (): Rejection => reject('AUTH_INVALID_SIGNATURE', 'The signature could not be established.')

export const actionIdCollision = (): Rejection => reject('ACTION_ID_COLLISION', 'This Action ID was already used for other content.')

/** The Command may have been accepted all the same; an unchanged retry finds out. */
export const internalError = (): Rejection => reject('INTERNAL_ERROR', 'The authority failed. Send the same Command again.')

/** An unknown Group and one that is hidden from the caller look the same. */
export const groupNotFound = (): Rejection => reject('GROUP_NOT_FOUND', 'There is no such Group for this caller.')
