import { expect, it } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { registryWith, testKey } from '../../protocol/testing/test-keys.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import type { UnsignedEvent } from './event-bytes.ts'
import { decodeEvent, signEvents } from './event-bytes.ts'

const principal = { type: 'service', id: 'urn:example:authority' } as const
const { binding, sign } = testKey('authority', principal)
const authority = { principal, keyId: binding.keyId, publicKey: binding.publicKey, sign: async (bytes: Uint8Array) => sign(bytes), signNow: sign }

const event: UnsignedEvent = {
  protocolVersion: '0.1', eventId: 'urn:example:event', groupId: 'urn:example:group', sequence: 1, aggregateRevision: 1, kind: 'message.posted', actor: principal,
  cause: { type: 'command', id: 'urn:example:action' }, correlationId: 'urn:example:action', occurredAt: '2026-11-29T12:00:00.000Z', payload: { text: 'ends in "}' }, acceptedBy: principal,
}

it.each<[string, Partial<UnsignedEvent>]>([
  ['when nothing follows the signature', {}],
  ['when a member follows it', { workItemId: 'urn:example:work' }],
  ['when members hold nested signatures', { payload: { signature: { value: 'x' }, workItemId: 'y' }, workItemId: 'urn:example:work' }],
])('signs an Event whose bytes are canonical and verify, %s', async (_, changes) => {
  const signed = await signEvents(Array.from({ length: 6 }, () => ({ ...event, ...changes })), authority)
  const [alone] = await signEvents([{ ...event, ...changes }], authority)
  expect(new Set([...signed, alone!].map(({ bytes }) => Buffer.from(bytes).toString())).size).toBe(1)
  const { bytes } = alone!
  expect(Buffer.from(bytes).toString()).toBe(Buffer.from(encodeCanonical(decodeEvent(bytes))).toString())
  expect(await verifyDocument({ kind: 'event', bytes, registry: registryWith(testKey('authority', principal)) })).toMatchObject({ ok: true, value: { value: { ...event, ...changes } } })
})
