import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { publicKeyOf, signBytes } from '../../protocol/ed25519-sign.ts'
import { signDocument, signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import { verifyEntry } from './verify-entry.ts'

const seed = new Uint8Array(32).fill(7)
const sign = (bytes: Uint8Array) => signBytes(seed, bytes)
const authority = { principal: { type: 'service', id: 'urn:x:authority' }, keyId: 'urn:x:authority-key', publicKey: encodeBase64url(publicKeyOf(seed)) }
const place = { groupId: 'urn:x:group', sequence: 12 }
const at = '2026-11-29T10:00:00Z'

const command = { kind: 'message.post', actionId: 'urn:x:action', issuedAt: at, payload: { text: 'hello' }, signature: { value: 'outside the hash' } }
const unsigned = {
  protocolVersion: '0.1', eventId: 'urn:x:event', kind: 'message.posted', ...place, aggregateRevision: 12, actor: { type: 'human', id: 'urn:x:me' },
  cause: { type: 'command', id: 'urn:x:action' }, correlationId: 'urn:x:action', occurredAt: at, payload: {}, acceptedBy: authority.principal,
  commandHash: signingHash(signingBytes(command)),
}
const signed = await signDocument(unsigned, 'occurredAt', authority.keyId, sign)
const other = await signDocument({ ...command, payload: { text: 'other' } }, 'issuedAt', 'urn:x:k', sign)
const foreign = await signDocument({ ...unsigned, acceptedBy: { type: 'service', id: 'urn:x:other' } }, 'occurredAt', authority.keyId, sign)
const bytesOf = (document: object) => ({ event: encodeCanonical(document), command: encodeCanonical(command) })

describe('verifying an entry of the log in the page', () => {
  it('seals the exact Event of this place and the Command that it names', () => {
    const check = verifyEntry(bytesOf(signed), place, authority)
    expect(check).toMatchObject({ state: 'verified', event: { eventId: 'urn:x:event' }, command: { kind: 'message.post' } })
  })

  it('seals an Event that no Command caused', () => {
    expect(verifyEntry({ event: encodeCanonical(signed) }, place, authority)).toMatchObject({ state: 'verified' })
  })

  it.each<[string, Parameters<typeof verifyEntry>[0], string]>([
    ['a changed member', bytesOf({ ...signed, kind: 'mission.approved' }), 'signature'],
    ['an Event of another place', bytesOf({ ...signed, sequence: 13 }), 'the Event belongs to another place'],
    ['an Event of another Space', bytesOf({ ...signed, groupId: 'urn:x:elsewhere' }), 'the Event belongs to another place'],
    ['another signer', bytesOf(foreign), 'signer'],
    ['another key', bytesOf({ ...signed, signature: { ...signed.signature, keyId: 'urn:x:k' } }), 'key'],
    ['a signature of another time', bytesOf({ ...signed, signature: { ...signed.signature, createdAt: '2026-11-29T10:00:01Z' } }), 'envelope'],
    ['no signature at all', bytesOf(unsigned), 'envelope'],
    ['another Command', { event: encodeCanonical(signed), command: encodeCanonical(other) }, 'the Command is not the one that the Event names'],
    ['a repeated member', { event: new TextEncoder().encode('{"a":1,"a":2}') }, 'the bytes are not one JSON document'],
  ])('breaks the seal for %s and names the check', (_, bytes, stage) => {
    expect(verifyEntry(bytes, place, authority)).toMatchObject({ state: 'failed', stage })
  })
})
