import { describe, expect, it } from 'vitest'
import type { ErrorCode } from './error-codes.ts'
import { ERROR_CODES, reject } from './error-codes.ts'
import type { ErrorCode as WireCode } from './generated/types.ts'
import { validateDocument } from './validate.ts'

const codes = Object.keys(ERROR_CODES) as ErrorCode[]

describe('error codes (A-249 to A-275)', () => {
  it('are the codes of the wire schema, by type and by validation', () => {
    const sameTypes: [ErrorCode] extends [WireCode] ? ([WireCode] extends [ErrorCode] ? true : false) : false = true
    expect(sameTypes).toBe(true)
    expect(codes).toHaveLength(27)
    for (const code of codes) {
      const { retryable, fatal, meaning } = ERROR_CODES[code]
      const error = { code, message: meaning, retryable, fatal, occurredAt: '2026-11-29T00:00:00Z' }
      expect(validateDocument('error', error)).toBeUndefined()
    }
  })

  it('call exactly those retryable whose advice lets the same Action ID and bytes be sent again (A-248)', () => {
    const unchanged = new Set(['unchanged', 'after-authenticating', 'after-delay', 'after-approval'])
    for (const code of codes) expect([code, ERROR_CODES[code].retryable]).toEqual([code, unchanged.has(ERROR_CODES[code].retry)])
  })

  it('never end the connection for a refusal that may be retried', () => {
    expect(codes.filter((code) => ERROR_CODES[code].fatal && ERROR_CODES[code].retryable)).toEqual([])
  })
})

describe('rejections', () => {
  it('leave members absent that were not given', () => {
    expect(Object.keys(reject('GROUP_NOT_FOUND', 'no such Group'))).toEqual(['code', 'message'])
    expect(reject('REVISION_CONFLICT', 'changed', { expectedRevision: 1, currentRevision: 2 })).toEqual({
      code: 'REVISION_CONFLICT',
      message: 'changed',
      expectedRevision: 1,
      currentRevision: 2,
    })
  })
})
