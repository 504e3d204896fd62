// Bad input at the Agents' door, /mwp, gets its code, ends the connection where it has to, and leaves no trace in state.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CLOSE_CODES } from '../../gateways/mwp/close-codes.ts'
import { envelope, nonce } from '../../gateways/mwp/testing/raw-client.ts'
import type { RawClient } from '../../gateways/mwp/testing/raw-client.ts'
import { openResources } from '../../resources.ts'
import { startServer } from '../../start.ts'
import type { Draft, Signatory } from '../authority-fixture.ts'
import { newUrn } from '../authority-fixture.ts'
import { skipReason } from '../test-database.ts'
import type { Stand } from './stand.ts'
import { changesBetween, messageDraft, openStand } from './stand.ts'

/** What `ws` itself chooses. */
const notUtf8 = 1007
const tooManyFragments = 1008
const tooLarge = 1009
const { protocolViolation, binaryMessage, authenticationFailed, unsupportedVersion } = CLOSE_CODES
const frameLimit = 256 * 1024

type Message = string | Buffer | object
/** Sends the parts of one message. */
type Fragments = readonly Buffer[]

describe.skipIf(skipReason)(`bad input on a WebSocket${skipReason ? ` (${skipReason})` : ''}`, () => {
  let stand: Stand

  beforeAll(async () => {
    stand = await openStand(async ({ databaseUrl, dataDir, log }) => {
      const resources = await openResources({ databaseUrl, dataDir, organizationName: 'Test' }, log)
      return { resources, server: await startServer({ resources, log, trustedProxies: 1 }) }
    })
  })
  afterAll(() => stand.close())

  /** Sends the message and expects the ERROR with this code, if any, and the close code or, where there is none, a connection that still works. */
  async function refusesWithoutTrace(client: RawClient, message: Message | Fragments, code: string, closeCode: number | undefined): Promise<void> {
    stand.faults()
    const before = await stand.trace()
    if (Array.isArray(message)) (message as Fragments).forEach((part, index) => client.socket.send(part, { binary: false, fin: index === message.length - 1 }))
    else client.send(message)
    if (code === '') await client.closed
    else expect(await client.findError(code)).toMatchObject({ code, occurredAt: expect.any(String) })
    if (closeCode === undefined) await client.roundTrip()
    else expect(await client.closed).toMatchObject({ code: closeCode })
    await client.close()
    await stand.expectService()
    expect(changesBetween(before, await stand.trace())).toEqual([])
    expect(stand.faults()).toEqual([])
  }

  describe('before there is a WebSocket', () => {
    const upgrade = (changes: { path?: string; method?: string; headers?: Record<string, string | undefined> } = {}) => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16).toString('base64'), ...changes.headers }
      return { path: '/mwp', ...changes, headers: Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)) }
    }

    it.each([
      ['another path', 404, upgrade({ path: '/mwp/' })],
      ['a path with U+0000', 404, upgrade({ path: '/mwp%00' })],
      ['a foreign Origin', 403, upgrade({ headers: { origin: 'https://elsewhere.example' } })],
      ['the Origin null', 403, upgrade({ headers: { origin: 'null' } })],
      ['a foreign Host', 403, upgrade({ headers: { host: 'rebound.example' } })],
      ['another method', 405, upgrade({ method: 'POST' })],
      ['another protocol', 400, upgrade({ headers: { upgrade: 'h2c' } })],
      ['no key', 400, upgrade({ headers: { 'sec-websocket-key': undefined } })],
      ['a key of the wrong length', 400, upgrade({ headers: { 'sec-websocket-key': 'AAAA' } })],
      ['a version from before the standard', 400, upgrade({ headers: { 'sec-websocket-version': '7' } })],
    ])('%s: %i', async (_fault, status, shot) => {
      stand.faults()
      const before = await stand.trace()
      expect((await stand.send(shot)).status).toBe(status)
      await stand.expectService()
      expect([changesBetween(before, await stand.trace()), stand.faults()]).toEqual([[], []])
    })
  })

  const ping = (more: object = {}) => ({ ...envelope(), frameType: 'PING', nonce: nonce(), sentAt: '2026-11-29T12:00:00.000Z', ...more })
  const subscribe = (group: object) => ({ ...envelope(), frameType: 'SUBSCRIBE', subscriptionId: newUrn(), groups: [{ groupId: stand.groupId, afterSequence: 0, ...group }] })
  const acknowledge = (cursor: object) => ({ ...envelope(), frameType: 'ACK', acknowledgements: [{ groupId: stand.groupId, sequence: 1, ...cursor }], sentAt: '2026-11-29T12:00:00.000Z' })
  /** Text, so that the Command in it stays byte for byte as it was signed. */
  const around = (command: string) => `{"protocolVersion":"0.1","frameId":"${newUrn()}","frameType":"COMMAND","command":${command}}`
  const command = async (changes: Partial<Draft> = {}, by: Signatory = stand.coordinator) =>
    Buffer.from(await stand.command(by, messageDraft(stand.groupId, { sessionEpoch: stand.coordinator.session.sessionEpoch, ...changes }))).toString()
  const signed = async (changes: Partial<Draft> = {}, by?: Signatory) => around(await command(changes, by))
  const edited = async (edit: (text: string) => string) => around(edit(await command()))
  const inTwo = (text: string, middle: Buffer) => Buffer.concat([Buffer.from(text.split('#')[0]!), middle, Buffer.from(text.split('#')[1]!)])
  const pieces = (count: number, size: number): Fragments => Array.from({ length: count }, () => Buffer.alloc(size, ' '))

  describe('of an authenticated Agent', () => {
    let client: RawClient
    beforeEach(async () => {
      client = await stand.connect()
    })

    it.each<readonly [fault: string, code: string, closeCode: number | undefined, message: () => Message | Fragments | Promise<Message>]>([
      ['a binary message', 'PROTOCOL_VIOLATION', binaryMessage.code, () => randomBytes(200)],
      ['a frame as a binary message (A-237)', 'PROTOCOL_VIOLATION', binaryMessage.code, () => Buffer.from(JSON.stringify(ping()))],
      ['text that is not UTF-8', '', notUtf8, () => [inTwo(JSON.stringify(ping({ nonce: 'abc#def' })), Buffer.from([0xff, 0xc0]))]],
      ['too many bytes', '', tooLarge, () => ' '.repeat(frameLimit + 1)],
      ['too many bytes in fragments', '', tooLarge, () => pieces(5, frameLimit / 4)],
      ['too many fragments', '', tooManyFragments, () => pieces(40, 1)],
      ['an empty message', 'PROTOCOL_VIOLATION', protocolViolation.code, () => ''],
      ['zero bytes', 'PROTOCOL_VIOLATION', protocolViolation.code, () => '\0'.repeat(100)],
      ['a zero byte in a string', 'PROTOCOL_VIOLATION', protocolViolation.code, () => JSON.stringify(ping({ nonce: 'abc#def' })).replace('#', '\0')],
      ['half a document', 'PROTOCOL_VIOLATION', protocolViolation.code, () => JSON.stringify(ping()).slice(0, 50)],
      ['two documents', 'PROTOCOL_VIOLATION', protocolViolation.code, () => JSON.stringify(ping()) + JSON.stringify(ping())],
      ['a byte order mark', 'PROTOCOL_VIOLATION', protocolViolation.code, () => `\uFEFF${JSON.stringify(ping())}`],
      ['a repeated member (A-242)', 'PROTOCOL_VIOLATION', protocolViolation.code, () => JSON.stringify(ping()).replace('{', '{"frameType":"PING",')],
      ['a repeated member of the Command', 'PROTOCOL_VIOLATION', protocolViolation.code, () => edited((text) => text.replace('{', '{"kind":"message.post",'))],
      ['a repeated Command', 'PROTOCOL_VIOLATION', protocolViolation.code, async () => (await signed()).replace('"command":', `"command":${await command()},"command":`)],
      ['100,000 nested arrays', 'PROTOCOL_VIOLATION', protocolViolation.code, () => '['.repeat(100_000) + ']'.repeat(100_000)],
      ['an array', 'PROTOCOL_VIOLATION', protocolViolation.code, () => '[]'],
      ['an empty object', 'PROTOCOL_VIOLATION', protocolViolation.code, () => '{}'],
      ['an unknown type of frame', 'PROTOCOL_VIOLATION', protocolViolation.code, () => ping({ frameType: 'FLY' })],
      ['a frame that only the authority sends', 'PROTOCOL_VIOLATION', protocolViolation.code, () => ({ ...envelope(), frameType: 'EVENT', event: {} })],
      ['a second HELLO', 'PROTOCOL_VIOLATION', protocolViolation.code, () => ({ ...envelope(), frameType: 'HELLO', phase: 'client_init', agentId: stand.coordinator.actor.id, keyId: stand.coordinator.keyId, clientNonce: nonce(), supportedVersions: ['0.1'] })],
      ['another version (A-249)', 'UNSUPPORTED_VERSION', unsupportedVersion.code, () => ping({ protocolVersion: '9.9' })],
      ['half a surrogate pair in a Command (A-79)', 'PROTOCOL_VIOLATION', protocolViolation.code, () => edited((text) => text.replace('Hello.', '\\ud800'))],
      ['an unknown member (A-246)', 'SCHEMA_VALIDATION_FAILED', undefined, () => ping({ more: 1 })],
      ['an unknown member beside a Command', 'SCHEMA_VALIDATION_FAILED', undefined, async () => (await signed()).replace('{', '{"more":1,')],
      ['a Command that is no object', 'SCHEMA_VALIDATION_FAILED', undefined, () => around('null')],
      ['an empty Command', 'SCHEMA_VALIDATION_FAILED', undefined, () => around('{}')],
      ['an unknown member of the Command', 'SCHEMA_VALIDATION_FAILED', undefined, () => signed({ more: 1 } as object)],
      ['an unknown member of the payload', 'SCHEMA_VALIDATION_FAILED', undefined, () => signed({ payload: { more: 1 } })],
      ['U+0000 in a frame id', 'SCHEMA_VALIDATION_FAILED', undefined, () => ping({ frameId: 'urn:example:a\0b' })],
      ['U+0000 in the Group id of a Command', 'SCHEMA_VALIDATION_FAILED', undefined, () => signed({ groupId: 'urn:example:a\0b' })],
      ['U+0000 in the Group id of a SUBSCRIBE', 'SCHEMA_VALIDATION_FAILED', undefined, () => subscribe({ groupId: 'urn:example:a\0b' })],
      ['U+0000 in the Group id of an ACK', 'SCHEMA_VALIDATION_FAILED', undefined, () => acknowledge({ groupId: 'urn:example:a\0b' })],
      ['a position below nothing', 'SCHEMA_VALIDATION_FAILED', undefined, () => subscribe({ afterSequence: -1 })],
      ['a position beyond the safe integers', 'SCHEMA_VALIDATION_FAILED', undefined, () => acknowledge({ sequence: 2 ** 60 })],
      ['a position above the head (A-234)', 'INVALID_COMMAND', undefined, () => acknowledge({ sequence: 1000 })],
      ['a Command to an unknown Group', 'GROUP_NOT_FOUND', undefined, () => signed({ groupId: newUrn() })],
      ['a Command to a hidden Group (A-239)', 'GROUP_NOT_FOUND', undefined, () => signed({ groupId: stand.hiddenGroupId })],
      ['a SUBSCRIBE to an unknown Group', 'GROUP_NOT_FOUND', undefined, () => subscribe({ groupId: newUrn() })],
      ['a SUBSCRIBE to a hidden Group (A-239)', 'GROUP_NOT_FOUND', undefined, () => subscribe({ groupId: stand.hiddenGroupId })],
      ['an ACK of an unknown Group', 'GROUP_NOT_FOUND', undefined, () => acknowledge({ groupId: newUrn() })],
      ['an ACK of a hidden Group (A-239)', 'GROUP_NOT_FOUND', undefined, () => acknowledge({ groupId: stand.hiddenGroupId })],
      ['a foreign signature', 'AUTH_INVALID_SIGNATURE', undefined, () => signed({}, { ...stand.coordinator, sign: stand.stranger.sign })],
      ['an unknown key', 'AUTH_INVALID_SIGNATURE', undefined, () => signed({}, { ...stand.coordinator, keyId: newUrn() })],
      ['the key of another Agent', 'AUTH_INVALID_SIGNATURE', undefined, () => signed({}, { ...stand.worker, actor: stand.coordinator.actor })],
      ['content that was changed after signing', 'AUTH_INVALID_SIGNATURE', undefined, () => edited((text) => text.replace('Hello.', 'Good bye.'))],
      ['a Command of an hour ago (A-104)', 'AUTH_INVALID_SIGNATURE', undefined, () => signed({ issuedAt: new Date(stand.clock.nowMs() - 3_600_000).toISOString() })],
      ['a Command of another Agent', 'AUTH_FORBIDDEN', undefined, () => signed({ sessionEpoch: stand.worker.session.sessionEpoch }, stand.worker)],
      ['a Command of a person', 'AUTH_FORBIDDEN', undefined, async () => around(Buffer.from(await stand.command(stand.owner, messageDraft(stand.groupId))).toString())],
      ['a stale Session Epoch (A-38)', 'AUTH_STALE_SESSION', undefined, () => signed({ sessionEpoch: 1 })],
      ['a foreign Membership Epoch (A-39)', 'MEMBERSHIP_STALE', undefined, () => signed({ membershipEpoch: 7 })],
      ['a foreign Coordinator Epoch (A-40)', 'AUTH_STALE_COORDINATOR', undefined, () => signed({ kind: 'mission.renew_coordinator', coordinatorEpoch: 7, payload: { leaseSeconds: 600 } })],
      ['a kind that is not served', 'INVALID_COMMAND', undefined, () => signed({ kind: 'ext.example.more.fly', payload: {} })],
      ['an unknown critical extension (A-244)', 'UNKNOWN_CRITICAL_EXTENSION', undefined, () => signed({ extensions: { 'urn:example:x': { version: '1.0.0', critical: true, data: null } } })],
    ])('%s: %s, closed with %s', async (_fault, code, closeCode, make) => refusesWithoutTrace(client, await make(), code, closeCode))

    it('accepts what the broken Commands were made of', async () => {
      client.send(await signed())
      await client.find((frame) => frame.frameType === 'EVENT')
      await client.close()
    })
  })

  describe('before authentication', () => {
    const hello = (changes: object = {}) => ({ ...envelope(), frameType: 'HELLO', phase: 'client_init', agentId: stand.coordinator.actor.id, keyId: stand.coordinator.keyId, clientNonce: nonce(), supportedVersions: ['0.1'], ...changes })
    const response = (changes: object = {}) => ({ ...envelope(), frameType: 'HELLO', phase: 'client_response', agentId: stand.coordinator.actor.id, keyId: stand.coordinator.keyId, clientNonce: nonce(), serverNonce: nonce(), challengeSignature: 'A'.repeat(86), ...changes })

    it.each<readonly [fault: string, code: string, closeCode: number, message: () => Message | Fragments]>([
      ['a binary message', 'PROTOCOL_VIOLATION', binaryMessage.code, () => randomBytes(200)],
      ['text that is not UTF-8', '', notUtf8, () => [Buffer.from([0xff, 0xc0])]],
      ['more bytes than a handshake needs', '', tooLarge, () => ' '.repeat(40 * 1024)],
      ['half a document', 'PROTOCOL_VIOLATION', protocolViolation.code, () => '{"frameType":'],
      ['a repeated member', 'PROTOCOL_VIOLATION', protocolViolation.code, () => JSON.stringify(hello()).replace('{', '{"frameType":"HELLO",')],
      ['an unknown member', 'SCHEMA_VALIDATION_FAILED', protocolViolation.code, () => hello({ more: 1 })],
      ['U+0000 in the Agent id', 'SCHEMA_VALIDATION_FAILED', protocolViolation.code, () => hello({ agentId: 'urn:example:a\0b' })],
      ['half a surrogate pair in the nonce', 'SCHEMA_VALIDATION_FAILED', protocolViolation.code, () => hello({ clientNonce: '\ud800'.repeat(24) })],
      ['another version (A-249)', 'UNSUPPORTED_VERSION', unsupportedVersion.code, () => hello({ protocolVersion: '9.9' })],
      ['other versions on offer (A-249)', 'UNSUPPORTED_VERSION', unsupportedVersion.code, () => hello({ supportedVersions: ['9.9'] })],
      ['a response that nothing asked for', 'PROTOCOL_VIOLATION', protocolViolation.code, () => response()],
      ['an unknown Agent', 'AUTH_INVALID_SIGNATURE', authenticationFailed.code, () => hello({ agentId: newUrn() })],
      ['an unknown key', 'AUTH_INVALID_SIGNATURE', authenticationFailed.code, () => hello({ keyId: newUrn() })],
      ['the key of another Agent', 'AUTH_INVALID_SIGNATURE', authenticationFailed.code, () => hello({ keyId: stand.worker.keyId })],
      ['a person', 'AUTH_INVALID_SIGNATURE', authenticationFailed.code, () => hello({ agentId: stand.owner.actor.id, keyId: stand.owner.keyId })],
    ])('%s: %s, closed with %i', async (_fault, code, closeCode, make) => refusesWithoutTrace(await stand.connect({ isAnonymous: true }), make(), code, closeCode))

    it.each<readonly [fault: string, message: () => Message | Promise<Message>]>([
      ['a Command', () => signed()],
      ['a SUBSCRIBE', () => subscribe({})],
      ['an ACK', () => acknowledge({})],
      ['a PING', () => ping()],
    ])('%s instead of HELLO: AUTH_REQUIRED', async (_fault, make) => {
      const client = await stand.connect({ isAnonymous: true })
      const [message, before] = [await make(), await stand.trace()]
      client.send(message)
      await client.findError('AUTH_REQUIRED')
      await client.close()
      expect([changesBetween(before, await stand.trace()), stand.faults()]).toEqual([[], []])
    })

    it.each<readonly [fault: string, changes: (challenge: Buffer) => object]>([
      ['a signature of no use', () => ({ challengeSignature: 'A'.repeat(86) })],
      ['a signature by another key', (challenge) => ({ challengeSignature: Buffer.from(stand.worker.sign(challenge)).toString('base64url') })],
      ['a signature over something else', () => ({ challengeSignature: Buffer.from(stand.coordinator.sign(Buffer.from('something else'))).toString('base64url') })],
      ['another nonce of the client', (challenge) => ({ clientNonce: nonce(), challengeSignature: Buffer.from(stand.coordinator.sign(challenge)).toString('base64url') })],
      ['another nonce of the server', (challenge) => ({ serverNonce: nonce(), challengeSignature: Buffer.from(stand.coordinator.sign(challenge)).toString('base64url') })],
      ['another Agent', (challenge) => ({ agentId: stand.worker.actor.id, keyId: stand.worker.keyId, challengeSignature: Buffer.from(stand.worker.sign(challenge)).toString('base64url') })],
    ])('%s under the challenge: AUTH_INVALID_SIGNATURE', async (_fault, changes) => {
      const client = await stand.connect({ isAnonymous: true })
      const clientNonce = nonce()
      client.send(hello({ clientNonce }))
      const challenged = (await client.find((frame) => frame.frameType === 'HELLO')) as unknown as { serverNonce: string; challenge: string }
      const answer = response({ clientNonce, serverNonce: challenged.serverNonce, ...changes(Buffer.from(challenged.challenge, 'base64url')) })
      await refusesWithoutTrace(client, answer, 'AUTH_INVALID_SIGNATURE', authenticationFailed.code)
    })
  })
})
