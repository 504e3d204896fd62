import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../protocol/base64url.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { AUTHORITY, answerTo, IDS } from './signing-fixture.ts'
import { verifyAnswer, verifyEvent } from './verify-event.ts'

const command = { actionId: IDS.action, signingHash: `sha256:${'4'.repeat(64)}` }
const event = await answerTo(command)

describe('verifyEvent', () => {
  it('accepts what the authority signed', () => {
    expect(verifyEvent(event, AUTHORITY)).toEqual({ ok: true, value: event })
  })

  it.each<[string, Partial<EventDocument>, string]>([
    ['a changed payload', { payload: { title: 'Other' } }, 'signature'],
    ['a time that the signature does not repeat', { occurredAt: '2026-11-29T12:00:02.000Z' }, 'envelope'],
    ['a time that is no text', { occurredAt: 5 as never, signature: { ...event.signature, createdAt: 5 as never } }, 'envelope'],
    ['no signature', { signature: undefined as never }, 'envelope'],
    ['another signer', { acceptedBy: { type: 'service', id: IDS.me } }, 'signer'],
    ['another key id', { signature: { ...event.signature, keyId: IDS.myKey } }, 'key'],
    ['a signature of zeros', { signature: { ...event.signature, value: encodeBase64url(new Uint8Array(64)) } }, 'signature'],
  ])('names the failed stage for %s', (_, change, stage) => {
    expect(verifyEvent({ ...event, ...change }, AUTHORITY)).toEqual({ ok: false, error: stage })
  })
})

describe('verifyAnswer', () => {
  it('takes only the answer to the very Command that was sent', () => {
    expect(verifyAnswer(event, AUTHORITY, command).ok).toBe(true)
    expect(verifyAnswer(event, AUTHORITY, { ...command, actionId: IDS.me })).toEqual({ ok: false, error: 'answer to another command' })
    expect(verifyAnswer(event, AUTHORITY, { ...command, signingHash: `sha256:${'5'.repeat(64)}` })).toEqual({ ok: false, error: 'answer to another command' })
  })
})
