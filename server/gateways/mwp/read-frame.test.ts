import { describe, expect, test } from 'vitest'
import type { ReceivedCommand } from './read-frame.ts'
import { readFrame } from './read-frame.ts'

const LIMIT = 256 * 1024
const read = (frame: object | string) =>
  readFrame(new TextEncoder().encode(typeof frame === 'string' ? frame : JSON.stringify(frame)), LIMIT)

const fault = (frame: object | string) => {
  const result = read(frame)
  if (result.ok) throw new Error('the frame was read')
  return result.error
}

const outer = { protocolVersion: '0.1', frameId: 'urn:test:frame' }
const hello = {
  ...outer,
  frameType: 'HELLO',
  phase: 'client_init',
  agentId: 'urn:test:agent',
  keyId: 'urn:test:key',
  clientNonce: 'AAAA',
  supportedVersions: ['0.1'],
}

describe('version before shape (A-249)', () => {
  test.each([
    ['of the envelope', { ...hello, protocolVersion: '0.2' }],
    ['of a frame that also breaks the schema', { protocolVersion: '9', frameType: 'NEWS' }],
    ['on offer', { ...hello, supportedVersions: ['0.2', '1.0'] }],
  ])('a foreign version %s is named as such', (_where, frame) => {
    expect(fault(frame).rejection.code).toBe('UNSUPPORTED_VERSION')
  })

  test('a client that offers newer versions beside the shared one is read', () => {
    const result = read({ ...hello, supportedVersions: ['0.2', '0.1'] })
    expect(result).toMatchObject({ ok: true, value: { supportedVersions: ['0.1'] } })
  })

  test.each([undefined, null, 0.1])('a version that is %s is a matter of shape', (protocolVersion) => {
    expect(fault({ ...hello, protocolVersion }).rejection.code).toBe('SCHEMA_VALIDATION_FAILED')
  })

  test('an empty offer is a matter of shape', () => {
    expect(fault({ ...hello, supportedVersions: [] }).rejection.code).toBe('SCHEMA_VALIDATION_FAILED')
  })
})

describe('framing (A-242)', () => {
  test.each([
    ['a member twice', `{"protocolVersion":"0.1","protocolVersion":"0.1"}`],
    ['a member twice once decoded', `{"a":{"b":1,"\\u0062":2}}`],
    ['two values', '{}{}'],
    ['a byte order mark', '\ufeff{}'],
    ['an array', '[]'],
    ['nothing', ''],
    ['a frame type that does not exist', { ...outer, frameType: 'RECEIPT' }],
    ['a frame type that is no text', { ...outer, frameType: 1 }],
    ['a frame that only the authority sends', { ...outer, frameType: 'EVENT', event: {} }],
    ['a HELLO of the authority', { ...outer, frameType: 'HELLO', phase: 'server_accept' }],
  ])('%s is a violation', (_what, frame) => {
    expect(fault(frame).rejection.code).toBe('PROTOCOL_VIOLATION')
  })

  test('a frame beyond the limit is a violation', () => {
    const bytes = new TextEncoder().encode(JSON.stringify(hello))
    expect(readFrame(bytes, bytes.length - 1)).toMatchObject({ ok: false, error: { rejection: { code: 'PROTOCOL_VIOLATION' } } })
  })

  test('a frame that does not fit is named by its id and the place of the fault', () => {
    const { rejection, related } = fault({ ...hello, agentId: 'no-uri' })
    expect(rejection.code).toBe('SCHEMA_VALIDATION_FAILED')
    expect(rejection.message).toContain('/agentId')
    expect(related).toEqual({ relatedFrameId: 'urn:test:frame' })
  })

  test('an id that no ERROR frame could hold is not repeated', () => {
    expect(fault({ ...hello, frameId: 'no uri' }).related).toEqual({})
  })
})

describe('COMMAND', () => {
  const command = { actionId: 'urn:test:action', groupId: 'urn:test:group' }

  test('keeps the text of the Command as it was sent (A-53)', () => {
    const text = '{ "groupId":"urn:test:group",\n "a" : 1.0, "\\u0062": "\\ud800", "big":1e400 }'
    const result = read(`{"frameType":"COMMAND","command":${text}, "protocolVersion":"0.1","frameId":"urn:test:frame"}`)
    expect(result.ok && (result.value as ReceivedCommand).command.text).toBe(text)
    expect(result.ok && (result.value as ReceivedCommand).command.value).toMatchObject({ big: Infinity })
  })

  test('names frame, action and Group for the answer (A-247)', () => {
    const result = read({ ...outer, frameType: 'COMMAND', command })
    expect(result.ok && (result.value as ReceivedCommand).related).toEqual({
      relatedFrameId: 'urn:test:frame',
      relatedActionId: 'urn:test:action',
      groupId: 'urn:test:group',
    })
  })

  test('leaves the shape of the Command to the authority', () => {
    expect(read({ ...outer, frameType: 'COMMAND', command: {} }).ok).toBe(true)
  })

  test('lets a Command nest as deep as it may on its own', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    const frame = (inner: string) => `{"protocolVersion":"0.1","frameId":"urn:a:b","frameType":"COMMAND","command":${inner}}`
    expect(read(frame(nested(64))).ok).toBe(true)
    expect(fault(frame(nested(65))).rejection.code).toBe('PROTOCOL_VIOLATION')
  })

  test.each([
    ['a further member', { ...outer, frameType: 'COMMAND', command, note: 1 }],
    ['no Command', { ...outer, frameType: 'COMMAND' }],
    ['a Command that is no object', { ...outer, frameType: 'COMMAND', command: [] }],
    ['no version', { frameId: 'urn:test:frame', frameType: 'COMMAND', command }],
    ['no frame id', { protocolVersion: '0.1', frameType: 'COMMAND', command }],
  ])('with %s does not fit', (_what, frame) => {
    expect(fault(frame).rejection.code).toBe('SCHEMA_VALIDATION_FAILED')
  })
})
