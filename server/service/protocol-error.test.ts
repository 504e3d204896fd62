import { describe, expect, it } from 'vitest'
import { reject } from '../../protocol/error-codes.ts'
import { validateDocument } from '../../protocol/validate.ts'
import { protocolErrorOf } from './protocol-error.ts'

const at = '2026-11-29T12:00:00.000Z'

describe('a refusal as the protocol writes it (A-247)', () => {
  it.each(['', '😀'.repeat(3000), `x${'😀'.repeat(1000)}`, `${'x'.repeat(1999)}😀😀`, 'half: \ud83d', '\ude00'])('has a message that fits the schema and is text, whatever it was made of', (text) => {
    const error = protocolErrorOf(reject('INVALID_COMMAND', text), {}, at)
    expect(validateDocument('error', error)).toBeUndefined()
    expect(Buffer.from(error.message).toString()).toBe(error.message)
  })

  it('keeps what the Rejection knows and names what it answers', () => {
    const rejection = reject('REVISION_CONFLICT', 'changed', { expectedRevision: 1, currentRevision: 2, details: { a: 1 } })
    const related = { relatedActionId: 'urn:a:b', groupId: 'urn:a:c' }
    expect(protocolErrorOf(rejection, related, at)).toEqual({ code: 'REVISION_CONFLICT', message: 'changed', retryable: false, expectedRevision: 1, currentRevision: 2, details: { a: 1 }, ...related, occurredAt: at })
  })

  it('is fatal and not retryable where it ends the connection', () => {
    expect(protocolErrorOf(reject('INTERNAL_ERROR', 'x'), {}, at, true)).toMatchObject({ fatal: true, retryable: false })
    expect(protocolErrorOf(reject('INTERNAL_ERROR', 'x'), {}, at)).not.toHaveProperty('fatal')
  })
})
