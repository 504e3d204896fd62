// Bad input at every HTTP door gets its code and leaves no trace in state. `sockets.int.test.ts` does the same for /mwp.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openResources } from '../../resources.ts'
import { startServer } from '../../start.ts'
import type { Draft, Signatory } from '../authority-fixture.ts'
import { newKey, newUrn } from '../authority-fixture.ts'
import { progress } from '../documents.ts'
import { skipReason } from '../test-database.ts'
import type { Stand } from './stand.ts'
import { changesBetween, messageDraft, openStand } from './stand.ts'
import type { Answer, Shot } from './wire.ts'
import { codeOf } from './wire.ts'

const json = { 'content-type': 'application/json' }
const jsonLimit = 256 * 1024
const artifactLimit = 64 * 1024 * 1024
const bytesOf = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
const notUtf8 = [0xff, 0xc0, 0x80]

/** What is wrong, the status and the code that it gets, and the request. */
type Case = readonly [fault: string, status: number, code: string, shot: () => Shot | Promise<Shot>]

describe.skipIf(skipReason)(`bad input over HTTP${skipReason ? ` (${skipReason})` : ''}`, () => {
  let stand: Stand

  beforeAll(async () => {
    stand = await openStand(async ({ databaseUrl, dataDir, log }) => {
      const resources = await openResources({ databaseUrl, dataDir, organizationName: 'Test' }, log)
      return { resources, server: await startServer({ resources, log, trustedProxies: 1 }) }
    })
  })
  afterAll(() => stand.close())

  async function refusesWithoutTrace(...[, status, code, shoot]: Case): Promise<Answer> {
    const shot = await shoot()
    stand.faults()
    const before = await stand.trace()
    const answer = await stand.send(shot)
    expect([answer.status, codeOf(answer)], answer.text).toEqual([status, code])
    await stand.expectService()
    expect(changesBetween(before, await stand.trace())).toEqual([])
    expect(stand.faults()).toEqual([])
    return answer
  }

  describe('POST /api/commands', () => {
    const door = (body: Shot['body'], more: Partial<Shot> = {}): Shot => ({ path: '/api/commands', headers: json, body: body!, ...more })
    const signed = async (draft: Draft, by: Signatory = stand.owner) => door(await stand.command(by, draft))
    const post = (changes: Partial<Draft> = {}) => messageDraft(stand.groupId, changes)
    /** A Command that would be accepted, were its text not edited afterwards. */
    const edited = async (edit: (text: string) => string | Uint8Array) => door(edit(Buffer.from(await stand.command(stand.owner, post())).toString()))
    const asWorker = (changes: Partial<Draft> = {}) => signed(post({ sessionEpoch: stand.worker.session.sessionEpoch, ...changes }), stand.worker)
    const asCoordinator = (draft: Draft) => signed({ groupId: stand.groupId, membershipEpoch: 1, sessionEpoch: stand.coordinator.session.sessionEpoch, ...draft }, stand.coordinator)

    it.each<Case>([
      ['another method', 405, '', () => door(undefined, { method: 'GET' })],
      ['another media type', 415, '', () => door('{}', { headers: { 'content-type': 'text/plain' } })],
      ['no media type', 415, '', () => door('{}', { headers: {} })],
      ['a foreign Origin', 403, '', () => door('{}', { headers: { ...json, origin: 'https://elsewhere.example' } })],
      ['a foreign Host', 403, '', () => door('{}', { headers: { ...json, host: 'rebound.example' } })],
      ['too many bytes, announced', 413, '', () => door(undefined, { announced: jsonLimit + 1 })],
      ['too many bytes, chunked', 413, '', () => door(' '.repeat(jsonLimit + 1), { isChunked: true })],
      ['nothing', 400, 'PROTOCOL_VIOLATION', () => door('')],
      ['random bytes', 400, 'PROTOCOL_VIOLATION', () => door(randomBytes(1000))],
      ['zero bytes', 400, 'PROTOCOL_VIOLATION', () => door(Buffer.alloc(1000))],
      ['a zero byte at the end', 400, 'PROTOCOL_VIOLATION', () => edited((text) => `${text}\0`)],
      ['a zero byte in a string', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('Hello.', 'Hel\0lo.'))],
      ['invalid UTF-8 in a string', 400, 'PROTOCOL_VIOLATION', () => edited((text) => bytesOf(text.split('Hello.')[0]!, notUtf8, text.split('Hello.')[1]!))],
      ['a byte order mark', 400, 'PROTOCOL_VIOLATION', () => edited((text) => `\uFEFF${text}`)],
      ['half a document', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.slice(0, text.length / 2))],
      ['two documents', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text + text)],
      ['a repeated member', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('{', '{"kind":"message.post",'))],
      ['a repeated member in an inner object', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('"payload":{', '"payload":{"content":[],'))],
      ['a repeated member, once with an escape', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('{', '{"\\u006bind":"message.post",'))],
      ['65 nested arrays', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('"payload":{', `"payload":{"deep":${'['.repeat(65)}${']'.repeat(65)},`))],
      ['100,000 nested arrays', 400, 'PROTOCOL_VIOLATION', () => door('['.repeat(100_000) + ']'.repeat(100_000))],
      ['half a surrogate pair (A-79)', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('Hello.', '\\ud800'))],
      ['a number beyond binary64 (A-79)', 400, 'PROTOCOL_VIOLATION', () => edited((text) => text.replace('"groupId"', '"extensions":{"urn:example:x":{"critical":false,"data":1e999,"version":"1.0.0"}},"groupId"'))],
      ['an empty object', 422, 'SCHEMA_VALIDATION_FAILED', () => door('{}')],
      ['an array', 422, 'SCHEMA_VALIDATION_FAILED', () => door('[]')],
      ['null', 422, 'SCHEMA_VALIDATION_FAILED', () => door('null')],
      ['an unknown member', 422, 'SCHEMA_VALIDATION_FAILED', () => signed(post({ more: 1 } as object))],
      ['an unknown member named __proto__', 422, 'SCHEMA_VALIDATION_FAILED', () => edited((text) => text.replace('{', '{"__proto__":{},'))],
      ['an unknown member in the payload', 422, 'SCHEMA_VALIDATION_FAILED', () => signed(post({ payload: { ...post().payload, more: 1 } }))],
      ['another version', 422, 'SCHEMA_VALIDATION_FAILED', () => signed(post({ protocolVersion: '9.9' } as object))],
      ['U+0000 in an id', 422, 'SCHEMA_VALIDATION_FAILED', () => signed(post({ groupId: 'urn:example:a\0b' }))],
      ['an id of 513 characters', 422, 'SCHEMA_VALIDATION_FAILED', () => signed(post({ groupId: `urn:${'x'.repeat(509)}` }))],
      ['a fraction as an epoch', 422, 'SCHEMA_VALIDATION_FAILED', () => edited((text) => text.replace('"membershipEpoch":1', '"membershipEpoch":1.00000000000000000001'))],
      ['a Session Epoch of a person (A-213)', 422, 'SCHEMA_VALIDATION_FAILED', () => signed(post({ sessionEpoch: 1 }))],
      ['a kind that is not served', 422, 'INVALID_COMMAND', () => signed(post({ kind: 'ext.example.more.fly', payload: {} }))],
      ['an unknown critical extension (A-244)', 422, 'UNKNOWN_CRITICAL_EXTENSION', () => signed(post({ extensions: { 'urn:example:x': { version: '1.0.0', critical: true, data: null } } }))],
      ['a foreign signature', 401, 'AUTH_INVALID_SIGNATURE', () => signed(post(), { ...stand.owner, sign: stand.stranger.sign })],
      ['a foreign key', 401, 'AUTH_INVALID_SIGNATURE', () => signed(post(), { ...stand.stranger, actor: stand.owner.actor })],
      ['an unknown key', 401, 'AUTH_INVALID_SIGNATURE', () => signed(post(), { ...stand.owner, keyId: newUrn() })],
      ['a revoked key', 401, 'AUTH_INVALID_SIGNATURE', () => signed(post(), stand.revoked)],
      ['content that was changed after signing', 401, 'AUTH_INVALID_SIGNATURE', () => edited((text) => text.replace('Hello.', 'Good bye.'))],
      ['a signature of no use', 401, 'AUTH_INVALID_SIGNATURE', () => edited((text) => text.replace(/"value":"[^"]+"/, `"value":"${'A'.repeat(86)}"`))],
      ['a Command of an hour ago (A-104)', 401, 'AUTH_INVALID_SIGNATURE', () => signed(post({ issuedAt: new Date(stand.clock.nowMs() - 3_600_000).toISOString() }))],
      ['a key for conversation under a decision', 403, 'AUTH_FORBIDDEN', () => signed(post({ kind: 'mission.cancel', payload: { reason: 'Over.' } }), stand.owner.conversation)],
      ['an unknown Group', 404, 'GROUP_NOT_FOUND', () => signed(post({ groupId: newUrn() }))],
      ['a hidden Group (A-239)', 404, 'GROUP_NOT_FOUND', () => signed(post({ groupId: stand.hiddenGroupId }))],
      ['the Organization in place of a Group', 422, 'INVALID_COMMAND', () => signed(post({ groupId: stand.service.organization.organizationId }))],
      ['a foreign Membership Epoch (A-39)', 409, 'MEMBERSHIP_STALE', () => signed(post({ membershipEpoch: 7 }))],
      ['a stale Session Epoch (A-38)', 409, 'AUTH_STALE_SESSION', () => asWorker({ sessionEpoch: 1 })],
      ['a Session Epoch yet to come (A-38)', 409, 'AUTH_STALE_SESSION', () => asWorker({ sessionEpoch: 1000 })],
      ['a foreign Coordinator Epoch (A-40)', 409, 'AUTH_STALE_COORDINATOR', () => asCoordinator({ kind: 'mission.renew_coordinator', coordinatorEpoch: 7, payload: { leaseSeconds: 600 } })],
      ['a foreign Ownership Epoch (A-41)', 409, 'WORK_STALE_OWNERSHIP', () => asWorker({ kind: 'work.checkpoint', payload: { ...stand.work, ownershipEpoch: 7, progress: progress() } })],
      ['a foreign Execution Lease (A-42)', 409, 'WORK_LEASE_EXPIRED', () => asWorker({ kind: 'work.checkpoint', payload: { ...stand.work, executionLeaseId: newUrn(), progress: progress() } })],
      ['more than the budget (A-198)', 409, 'BUDGET_EXCEEDED', () => asWorker({ kind: 'ext.missionweaveprotocol.core.resource_usage_record', payload: { ...stand.work, usageDelta: { toolCalls: 11 } } })],
      ['an offer that nobody made', 409, 'WORK_OFFER_EXPIRED', () => asWorker({ kind: 'work.accept_offer', payload: { workItemId: stand.work.workItemId, offerId: newUrn(), ownershipLeaseSeconds: 60 } })],
      ['a foreign revision (A-223)', 409, 'REVISION_CONFLICT', () => signed(post({ kind: 'mission.cancel', expectedRevision: 99, payload: { reason: 'Over.' } }))],
      ['an Action ID with other content (A-222)', 409, 'ACTION_ID_COLLISION', () => signed(post({ actionId: stand.accepted.actionId }))],
      ['a new Mission in the Group of somebody else', 422, 'INVALID_COMMAND', () => signed(missionDraft({ groupId: stand.hiddenGroupId }))],
      ['the Mission of somebody else in a new Group', 422, 'INVALID_COMMAND', () => signed(missionDraft({ missionId: stand.missionId }))],
    ])('%s: %i %s', async (...row) => void (await refusesWithoutTrace(...row)))

    /** A Mission that could be created but for the ids given. */
    function missionDraft(ids: { missionId?: string; groupId?: string }): Draft {
      const { missionId = newUrn(), groupId = newUrn() } = ids
      const payload = {
        missionId, groupId, title: 'Another', coordinatorAgentId: stand.coordinator.actor.id, objective: 'Take it over.', coordinatorLeaseSeconds: 600,
        definitionOfDone: [{ criterionId: 'done', description: 'It is done.', evidenceRequired: ['human_review'] }], budget: { toolCallLimit: 1 },
        deadline: new Date(stand.clock.nowMs() + 86_400_000).toISOString(), approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' },
      }
      return { kind: 'mission.create', groupId, payload }
    }

    it('accepts what the broken Commands were made of', async () => {
      expect((await stand.send(await signed(post()))).status).toBe(200)
      expect((await stand.send(await asWorker())).status).toBe(200)
      expect((await stand.send(await asCoordinator({ kind: 'mission.renew_coordinator', coordinatorEpoch: 1, payload: { leaseSeconds: 600 } }))).status).toBe(200)
      expect((await stand.send(await signed(missionDraft({})))).status).toBe(200)
      expect((await stand.send(await asWorker({ kind: 'ext.missionweaveprotocol.core.resource_usage_record', payload: { ...stand.work, usageDelta: { toolCalls: 10 } } }))).status).toBe(200)
      expect((await stand.send(await asWorker({ kind: 'work.checkpoint', payload: { ...stand.work, progress: progress() } }))).status).toBe(200)
    })
  })

  describe('/api/trpc', () => {
    const call = (procedure: string, body: Shot['body'], more: Partial<Shot> = {}): Shot => ({ path: `/api/trpc/${procedure}`, headers: { ...json, ...stand.cookie }, body: body!, ...more })
    const ask = (procedure: string, input: unknown, headers: Record<string, string> = stand.cookie): Shot => ({ path: `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, headers })
    const invited = async () => (await stand.service.identities.invite({ name: 'Nina', isAdmin: true, ttlSeconds: 600 })).token

    /** Everything that a person sends to enrol, complete and signed, but for the changes. */
    async function enrolment(changes: { label?: string; custody?: string; name?: string }, more: object = {}): Promise<Shot> {
      const { name = 'Nina', label = 'laptop', custody = 'this browser' } = changes
      const { challengeId, challenge } = stand.service.console.challenge('countersign.console.enrol')
      const key = newKey()
      const proof = Buffer.from(key.sign(Buffer.from(challenge, 'base64url'))).toString('base64url')
      return call('enrolment.complete', JSON.stringify({ token: await invited(), name, challengeId, keys: [{ use: 'authority', publicKey: key.publicKey, custody, label, proof, ...more }] }))
    }
    const signIn = { challengeId: 'A'.repeat(24), keyId: newUrn(), signature: 'A'.repeat(86) }

    it.each<Case>([
      ['an unknown procedure', 404, 'NOT_FOUND', () => ask('missions.fly', {})],
      ['a procedure named __proto__', 404, 'NOT_FOUND', () => ask('__proto__', {})],
      ['a query in place of a mutation', 405, 'METHOD_NOT_SUPPORTED', () => ask('session.challenge', { purpose: 'countersign.console.sign-in' })],
      ['another media type', 415, '', () => call('session.challenge', '{}', { headers: { 'content-type': 'text/plain' } })],
      ['too many bytes, announced', 413, '', () => call('session.signIn', undefined, { announced: jsonLimit + 1 })],
      ['too many bytes, chunked', 413, '', () => call('session.signIn', `"${'a'.repeat(jsonLimit)}"`, { isChunked: true })],
      ['nothing', 400, 'BAD_REQUEST', () => call('session.signIn', '')],
      ['half a document', 400, '', () => call('session.challenge', '{"purpose":"countersign.console.sign-in"')],
      ['random bytes', 400, '', () => call('session.challenge', randomBytes(1000))],
      ['zero bytes', 400, '', () => call('session.challenge', Buffer.alloc(1000))],
      ['invalid UTF-8 in a string', 400, '', async () => ({ ...(await enrolment({ label: '#' })), body: split((await enrolment({ label: '#' })).body as string) })],
      ['a repeated member', 400, '', () => call('session.challenge', '{"purpose":"countersign.console.enrol","purpose":"countersign.console.sign-in"}')],
      ['a repeated member in the query', 400, '', () => ({ path: `/api/trpc/missions.view?input=${encodeURIComponent(`{"missionId":"urn:example:x","missionId":"${stand.missionId}"}`)}`, headers: stand.cookie })],
      ['an unknown member', 400, 'BAD_REQUEST', () => call('session.challenge', '{"purpose":"countersign.console.sign-in","more":1}')],
      ['an unknown member of a query', 400, 'BAD_REQUEST', () => ask('missions.view', { missionId: stand.missionId, more: 1 })],
      ['an unknown member of a new key', 400, 'BAD_REQUEST', () => enrolment({}, { more: 1 })],
      ['an array', 400, 'BAD_REQUEST', () => call('session.challenge', '[]')],
      ['another purpose', 400, 'BAD_REQUEST', () => call('session.challenge', '{"purpose":"countersign.console.rule"}')],
      ['too many calls in one request', 400, 'BAD_REQUEST', () => ({ path: `/api/trpc/${Array(500).fill('session.current').join(',')}?batch=1`, headers: stand.cookie })],
      ['nobody', 401, 'UNAUTHORIZED', () => ask('missions.view', { missionId: stand.missionId }, {})],
      ['a cookie that is none', 401, 'UNAUTHORIZED', () => ask('missions.view', { missionId: stand.missionId }, { cookie: `countersign_session=${'A'.repeat(43)}` })],
      ['a cookie with binary content', 401, 'UNAUTHORIZED', () => ask('missions.view', { missionId: stand.missionId }, { cookie: 'countersign_session=\xff\x80' })],
      ['an unknown challenge', 401, 'UNAUTHORIZED', () => call('session.signIn', JSON.stringify(signIn))],
      ['a foreign signature', 401, 'UNAUTHORIZED', () => call('session.signIn', JSON.stringify({ ...signIn, challengeId: stand.service.console.challenge('countersign.console.sign-in').challengeId, keyId: stand.owner.keyId }))],
      ['a signature by a revoked key', 401, 'UNAUTHORIZED', () => {
        const { challengeId, challenge } = stand.service.console.challenge('countersign.console.sign-in')
        const signature = Buffer.from(stand.revoked.sign(Buffer.from(challenge, 'base64url'))).toString('base64url')
        return call('session.signIn', JSON.stringify({ challengeId, keyId: stand.revoked.keyId, signature }))
      }],
      ['an unknown Mission', 404, 'NOT_FOUND', () => ask('missions.view', { missionId: newUrn() })],
      ['a sequence beyond the safe integers', 400, 'BAD_REQUEST', () => ask('missions.event', { missionId: stand.missionId, sequence: 2 ** 60 })],
      ['half a surrogate pair in the name of a person', 400, 'BAD_REQUEST', () => enrolment({ name: '\ud800' })],
      ['U+0000 in the name of a person', 400, 'BAD_REQUEST', () => enrolment({ name: 'Ni\0na' })],
      ['U+0000 in the label of a key', 400, 'BAD_REQUEST', () => enrolment({ label: 'lap\0top' })],
      ['U+0000 in the custody of a key', 400, 'BAD_REQUEST', () => enrolment({ custody: 'this\0browser' })],
      ['half a surrogate pair in the label of a key', 400, 'BAD_REQUEST', () => enrolment({ label: '\ud800' })],
      ['a proof that is none', 400, 'BAD_REQUEST', () => enrolment({}, { proof: 'A'.repeat(86) })],
      ['a key of small order (A-59)', 400, 'BAD_REQUEST', () => enrolment({}, { publicKey: `AQ${'A'.repeat(41)}` })],
      ['a key under a challenge that is unknown', 400, 'BAD_REQUEST', () => call('keys.add', JSON.stringify({ challengeId: 'x', key: { use: 'authority', publicKey: newKey().publicKey, custody: 'x', label: 'x', proof: 'A'.repeat(86) }, keyId: stand.owner.keyId, authorization: 'A'.repeat(86) }))],
    ])('%s: %i %s', async (...row) => void (await refusesWithoutTrace(...row)))

    it.each<readonly [fault: string, input: object]>([
      ['an unknown member', { more: 1 }],
      ['U+0000 in the Mission id', { missionId: 'urn:example:a\0b' }],
      ['half a surrogate pair in the cursor', { lastEventId: '\ud800' }],
    ])('%s of the live stream: BAD_REQUEST, and the stream ends', async (_fault, input) => {
      const before = await stand.trace()
      const answer = await stand.send(ask('live', input))
      expect(answer.text).toContain('BAD_REQUEST')
      expect([changesBetween(before, await stand.trace()), stand.faults()]).toEqual([[], []])
    })

    it.each(['missions.view', 'missions.conversation', 'missions.graph', 'missions.log'])('U+0000 in the Mission id of %s: refused', async (procedure) => {
      const before = await stand.trace()
      const answer = await stand.send(ask(procedure, { missionId: 'urn:example:a\0b', limit: 1 }))
      // A malformed id may be called so, or it may be one of those that do not exist.
      expect([400, 404]).toContain(answer.status)
      expect([changesBetween(before, await stand.trace()), stand.faults()]).toEqual([[], []])
    })

    it('accepts what the broken enrolments were made of', async () => {
      expect((await stand.send(await enrolment({}))).status).toBe(200)
    })

    const split = (body: string) => bytesOf(body.split('#')[0]!, notUtf8, body.split('#')[1]!)
  })

  describe('POST /api/admin', () => {
    const door = (body: Shot['body'], more: Partial<Shot> = {}): Shot => ({ path: '/api/admin', headers: { ...json, authorization: `Bearer ${stand.adminToken}` }, body: body!, ...more })
    const run = (command: unknown, args: unknown = {}, more: object = {}) => door(JSON.stringify({ command, args, ...more }))
    const agent = (changes: object) => run('agent add', { name: 'Wim', publicKey: newKey().publicKey, capabilities: [{ id: 'release.report', version: '1.0.0' }], ...changes })
    const binary = [...Buffer.from('{"command":"invite create","args":{"name":"'), ...notUtf8, ...Buffer.from('"}}')]

    it.each<Case>([
      ['another method', 405, '', () => door(undefined, { method: 'GET' })],
      ['nobody', 401, '', () => door('{"command":"agent list"}', { headers: json })],
      ['another token', 401, '', () => door('{"command":"agent list"}', { headers: { ...json, authorization: 'Bearer guess' } })],
      ['the token of an Agent', 401, '', () => door('{"command":"agent list"}', { headers: { ...json, ...stand.bearer } })],
      ['another media type', 415, '', () => door('{"command":"agent list"}', { headers: { authorization: `Bearer ${stand.adminToken}`, 'content-type': 'text/plain' } })],
      ['too many bytes, announced', 413, '', () => door(undefined, { announced: jsonLimit + 1 })],
      ['too many bytes, chunked', 413, '', () => door(' '.repeat(jsonLimit + 1), { isChunked: true })],
      ['nothing', 400, '', () => door('')],
      ['random bytes', 400, '', () => door(randomBytes(1000))],
      ['zero bytes', 400, '', () => door(Buffer.alloc(1000))],
      ['half a document', 400, '', () => door('{"command":"invite create"')],
      ['two documents', 400, '', () => door('{"command":"invite create"}{}')],
      ['a byte order mark', 400, '', () => door('\uFEFF{"command":"invite create"}')],
      ['invalid UTF-8 in a string', 400, '', () => door(Buffer.from(binary))],
      ['a repeated member', 400, '', () => door('{"command":"agent list","command":"invite create"}')],
      ['a repeated argument', 400, '', () => door('{"command":"invite create","args":{"name":"A","name":"B"}}')],
      ['an unknown member', 400, '', () => run('invite create', {}, { more: 1 })],
      ['an unknown argument', 400, '', () => run('invite create', { more: 1 })],
      ['an array', 400, '', () => door('[]')],
      ['an unknown command', 400, '', () => run('fly')],
      ['a command named __proto__', 400, '', () => run('__proto__')],
      ['a command that is no text', 400, '', () => run(['invite create'])],
      ['arguments that are no object', 400, '', () => run('invite create', [])],
      ['U+0000 in the name of an invitation', 400, '', () => run('invite create', { name: 'a\0b' })],
      ['half a surrogate pair in the name of an invitation', 400, '', () => run('invite create', { name: '\ud800' })],
      ['a time to live without end', 400, '', () => door('{"command":"invite create","args":{"ttlSeconds":1e999}}')],
      ['U+0000 in the name of an Agent', 400, '', () => agent({ name: 'a\0b' })],
      ['half a surrogate pair in the name of an Agent', 400, '', () => agent({ name: '\ud800' })],
      ['more behind the version of a capability', 400, '', () => agent({ capabilities: [{ id: 'release.report', version: '1.0.0 or so' }] })],
      ['an unknown member of a capability', 400, '', () => agent({ capabilities: [{ id: 'release.report', version: '1.0.0', more: 1 }] })],
      ['an Agent id that is no URI', 400, '', () => agent({ agentId: 'wim' })],
      ['a key id that is no URI', 400, '', () => agent({ keyId: 'key' })],
      ['U+0000 in an Agent id', 400, '', () => agent({ agentId: 'urn:example:a\0b' })],
      ['U+0000 in a key id', 400, '', () => agent({ keyId: 'urn:example:a\0b' })],
      ['the id of a person for an Agent', 400, '', () => agent({ agentId: stand.owner.actor.id })],
      ['the key of another Agent (A-62)', 400, '', () => agent({ publicKey: stand.service.identities.keysOf(stand.worker.actor.id)[0]!.publicKey })],
      ['the key id of another Agent (A-62)', 400, '', () => agent({ keyId: stand.worker.keyId })],
      ['a key of small order (A-59)', 400, '', () => agent({ publicKey: `AQ${'A'.repeat(41)}` })],
      ['a key with bits that mean nothing (A-12)', 400, '', () => agent({ publicKey: newKey().publicKey.replace(/.$/, 'B') })],
      ['an unknown Principal', 400, '', () => run('key list', { principalId: 'urn:example:a\0b' })],
      ['an unknown key', 400, '', () => run('key revoke', { keyId: 'urn:example:none' })],
      ['U+0000 in the key to revoke', 400, '', () => run('key revoke', { keyId: 'urn:example:a\0b' })],
      ['a time that is none', 400, '', () => run('key revoke', { keyId: stand.worker.keyId, at: '2026-02-30T00:00:00Z' })],
      ['the Organization’s own key', 400, '', () => run('key revoke', { keyId: stand.service.organization.authority.keyId })],
      ['an unknown Group', 400, '', () => run('space state', { groupId: newUrn() })],
      ['U+0000 in a Group id', 400, '', () => run('space state', { groupId: 'urn:example:a\0b' })],
    ])('%s: %i', async (...row) => void (await refusesWithoutTrace(...row)))

    it('accepts what the broken commands were made of', async () => {
      expect([(await stand.send(agent({}))).status, (await stand.send(run('invite create'))).status]).toEqual([200, 200])
    })
  })

  describe('artifacts, receipts, Groups and Agents', () => {
    const upload = (body: Shot['body'], more: Partial<Shot> = {}): Shot => ({ path: '/artifacts', headers: { ...stand.bearer, 'content-type': 'text/plain' }, body: body!, ...more })
    const get = (path: string, headers: Record<string, string> = stand.bearer): Shot => ({ path, headers })
    const noHash = `sha256:${'0'.repeat(64)}`
    const tooLarge = Buffer.alloc(artifactLimit + 1)

    it.each<Case>([
      ['POST /artifacts, another method', 405, '', () => upload(undefined, { method: 'PUT' })],
      ['POST /artifacts, nobody', 401, '', () => upload('x', { headers: { 'content-type': 'text/plain' } })],
      ['POST /artifacts, a token that is none', 401, '', () => upload('x', { headers: { authorization: 'Bearer x', 'content-type': 'text/plain' } })],
      ['POST /artifacts, a stale session', 401, '', () => upload('x', { headers: { ...stand.staleBearer, 'content-type': 'text/plain' } })],
      ['POST /artifacts, no media type', 415, '', () => upload('x', { headers: stand.bearer })],
      ['POST /artifacts, a media type that is none', 415, '', () => upload('x', { headers: { ...stand.bearer, 'content-type': 'nonsense' } })],
      ['POST /artifacts, a binary media type', 415, '', () => upload('x', { headers: { ...stand.bearer, 'content-type': 'text/\xff\xfe' } })],
      ['POST /artifacts, too many bytes, announced', 413, '', () => upload(undefined, { announced: artifactLimit + 1 })],
      ['POST /artifacts, too many bytes, chunked', 413, '', () => upload(tooLarge, { isChunked: true })],
      ['GET /artifacts, another method', 405, '', () => ({ ...get(`/artifacts/${stand.contentHash}`), method: 'DELETE' })],
      ['GET /artifacts, nobody', 401, '', () => get(`/artifacts/${stand.contentHash}`, {})],
      ['GET /artifacts, a stale session', 401, '', () => get(`/artifacts/${stand.contentHash}`, stand.staleBearer)],
      ['GET /artifacts, hidden', 404, '', () => get(`/artifacts/${stand.contentHash}`, stand.cookie)],
      ['GET /artifacts, unknown', 404, '', () => get(`/artifacts/${noHash}`)],
      ['GET /artifacts, no hash', 404, '', () => get('/artifacts/')],
      ['GET /artifacts, upper case', 404, '', () => get(`/artifacts/${stand.contentHash.toUpperCase()}`)],
      ['GET /artifacts, a path', 404, '', () => get('/artifacts/..%2f..%2forganization.json')],
      ['GET /artifacts, U+0000', 404, '', () => get(`/artifacts/${stand.contentHash}%00`)],
      ['GET /artifacts, invalid UTF-8', 404, '', () => get('/artifacts/%ff%c0%80')],
      ['GET /artifacts, a broken escape', 404, '', () => get('/artifacts/%zz')],
      ['GET /artifacts, a hash of 8,000 characters', 404, '', () => get(`/artifacts/sha256:${'a'.repeat(8000)}`)],
      ['GET /api/receipts, another method', 405, '', () => ({ ...get(`/api/receipts/${stand.missionId}`, stand.cookie), method: 'DELETE' })],
      ['GET /api/receipts, nobody', 401, '', () => get(`/api/receipts/${stand.missionId}`, {})],
      ['GET /api/receipts, an Agent', 401, '', () => get(`/api/receipts/${stand.missionId}`)],
      ['GET /api/receipts, not approved', 404, '', () => get(`/api/receipts/${stand.missionId}`, stand.cookie)],
      ['GET /api/receipts, unknown', 404, '', () => get(`/api/receipts/${newUrn()}`, stand.cookie)],
      ['GET /api/receipts, no id', 404, '', () => get('/api/receipts/', stand.cookie)],
      ['GET /api/receipts, U+0000', 404, '', () => get('/api/receipts/%00', stand.cookie)],
      ['GET /api/receipts, U+0000 in an id', 404, '', () => get('/api/receipts/urn:example:a%00b', stand.cookie)],
      ['GET /api/receipts, invalid UTF-8', 404, '', () => get('/api/receipts/%ff%c0%80', stand.cookie)],
      ['GET /api/receipts, a broken escape', 404, '', () => get('/api/receipts/%zz', stand.cookie)],
      ['GET /api/receipts, an id of 8,000 characters', 404, '', () => get(`/api/receipts/urn:${'a'.repeat(8000)}`, stand.cookie)],
      ['GET /api/groups, another method', 405, '', () => ({ path: '/api/groups', headers: stand.bearer, body: '{}' })],
      ['GET /api/groups, nobody', 401, '', () => get('/api/groups', {})],
      ['GET /api/groups, a person', 401, '', () => get('/api/groups', stand.cookie)],
      ['GET /api/groups, a stale session', 401, '', () => get('/api/groups', stand.staleBearer)],
      ['GET /api/groups, a binary token', 401, '', () => get('/api/groups', { authorization: 'Bearer \xff\x80' })],
      ['GET /api/agents, another method', 405, '', () => ({ path: '/api/agents', headers: stand.bearer, body: '{}' })],
      ['GET /api/agents, nobody', 401, '', () => get('/api/agents', {})],
      ['GET /api/agents, a stale session', 401, '', () => get('/api/agents', stand.staleBearer)],
      ['an unknown path below /api', 404, '', () => get('/api/fly')],
      ['a request line that is no path', 400, '', () => get('//')],
    ])('%s: %i', async (...row) => void (await refusesWithoutTrace(...row)))

    it.each(['after=x&wait=25', 'after=1e999&wait=25', 'after=-1&wait=-25', 'after=%00&wait=%00', `after=${2 ** 60}&wait=1e999`, 'wait=NaN'])('GET /api/groups?%s: answered at once', async (query) => {
      const before = await stand.trace()
      expect((await stand.send(get(`/api/groups?${query}`))).status).toBe(200)
      expect([changesBetween(before, await stand.trace()), stand.faults()]).toEqual([[], []])
    })

    it('an upload that ends too early: nothing is kept, nothing is anybody’s fault', async () => {
      const before = await stand.trace()
      const socket = connect(stand.port, '127.0.0.1')
      const head = ['POST /artifacts HTTP/1.1', `Host: 127.0.0.1:${stand.port}`, `Authorization: ${stand.bearer.authorization}`, 'Content-Type: text/plain', 'Content-Length: 100000']
      socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(50_000)}`)
      await expect.poll(async () => (await stand.trace()).artifacts).toContain('incoming')
      socket.destroy()
      await expect.poll(async () => changesBetween(before, await stand.trace())).toEqual([])
      await stand.expectService()
      expect(stand.faults()).toEqual([])
    })

    it.each([
      ['bytes that are no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      ['a header with U+0000', 'GET /healthz HTTP/1.1\r\nHost: a\0b\r\n\r\n'],
      ['two lengths', 'POST /api/commands HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
      ['a length and chunks', 'POST /api/commands HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['a chunk length that is none', 'POST /api/commands HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n'],
      ['64 KiB of headers', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`],
    ])('%s: refused before any door', async (_fault, text) => {
      const before = await stand.trace()
      const socket = connect(stand.port, '127.0.0.1')
      let answer = ''
      socket.on('data', (chunk) => (answer += String(chunk))).on('error', () => undefined)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(text, 'latin1')
      await closed
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      await stand.expectService()
      expect([changesBetween(before, await stand.trace()), stand.faults()]).toEqual([[], []])
    })
  })
})
