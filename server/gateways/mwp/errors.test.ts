import { expect, test } from 'vitest'
import { ERROR_CODES, reject } from '../../../protocol/error-codes.ts'
import type { ErrorCode } from '../../../protocol/error-codes.ts'
import { validateDocument } from '../../../protocol/validate.ts'
import { protocolError } from './errors.ts'

const at = '2026-11-29T12:00:00.000Z'
const codes = Object.keys(ERROR_CODES) as ErrorCode[]

test.each(codes)('%s fits the schema and repeats what the table says of retries and endings', (code) => {
  const error = protocolError(reject(code, 'why'), { relatedFrameId: 'urn:a:b' }, at)
  expect(validateDocument('error', error)).toBeUndefined()
  expect(error.retryable).toBe(ERROR_CODES[code].retryable)
  expect(error.fatal ?? false).toBe(ERROR_CODES[code].fatal)
})

test('a refusal that ends the connection is fatal and cannot be retried on it', () => {
  expect(protocolError(reject('INTERNAL_ERROR', 'x'), {}, at, true)).toMatchObject({ fatal: true, retryable: false })
})
