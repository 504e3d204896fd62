// Whatever arrives at a door: a well-formed refusal with a known code, no fault, no trace, and a server that goes on.
// A failure prints the seed and the path that make it happen again.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../../../protocol/error-codes.ts'
import { CORE_COMMAND_KINDS } from '../../../protocol/kinds.ts'
import type { JsonValue } from '../../../protocol/strict-json.ts'
import { isJsonObject } from '../../../protocol/strict-json.ts'
import { exampleDocuments } from '../../../protocol/testing/example-documents.ts'
import { exampleCommandPayloads } from '../../../protocol/testing/example-payloads.ts'
import { validateDocument } from '../../../protocol/validate.ts'
import { appRouter } from '../../gateways/console/router.ts'
import type { RawClient } from '../../gateways/mwp/testing/raw-client.ts'
import { envelope, nonce } from '../../gateways/mwp/testing/raw-client.ts'
import { openResources } from '../../resources.ts'
import { startServer } from '../../start.ts'
import type { Draft, Signatory } from '../authority-fixture.ts'
import { eventOf, newKey, newUrn } from '../authority-fixture.ts'
import { skipReason } from '../test-database.ts'
import type { Stand, Trace } from './stand.ts'
import { changesBetween, messageDraft, openStand } from './stand.ts'
import type { ByteEdit, Edit } from './wild-input.ts'
import { byteEdit, edit, poisonedText, signableEdit, wildText, wildValue, withByteEdits, withEdits } from './wild-input.ts'
import type { Answer, Shot } from './wire.ts'
import { codeOf, jsonOf } from './wire.ts'

const effort = Number(process.env.FUZZ_EFFORT ?? 1)

/** Looks for a counterexample until so many runs are made or four seconds are over, both times FUZZ_EFFORT. No run is cut short. */
async function search<T>(input: fc.Arbitrary<T>, numRuns: number, check: (value: T) => Promise<void>): Promise<void> {
  const end = performance.now() + 4_000 * effort
  const property = fc.asyncProperty(input, async (value) => (performance.now() < end ? check(value) : undefined))
  await fc.assert(property, { numRuns: numRuns * effort })
}
const timeout = 30_000 + 10_000 * effort

const edits = fc.array(edit, { minLength: 1, maxLength: 3 })
const signableEdits = fc.array(signableEdit, { minLength: 1, maxLength: 3 })
const byteEdits = fc.array(byteEdit, { minLength: 1, maxLength: 3 })

const json = { 'content-type': 'application/json' }
const codes = Object.keys(ERROR_CODES).filter((code) => code !== 'INTERNAL_ERROR')
/** What a connection may end with after a frame that is none. */
const closeCodes = [1002, 1003, 1007, 1008, 1009, 4003, 4005]
const trpcCodes = ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'METHOD_NOT_SUPPORTED', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'TOO_MANY_REQUESTS', '']

describe.skipIf(skipReason)(`any input at all${skipReason ? ` (${skipReason})` : ''}`, () => {
  let stand: Stand
  /** Of the coordinator, so that it may come over its connection. */
  let acceptedByAgent: Uint8Array
  /** The last one taken, while nothing good has been sent since. */
  let lastTrace: Trace | undefined

  beforeAll(async () => {
    stand = await openStand(async ({ databaseUrl, dataDir, log }) => {
      const resources = await openResources({ databaseUrl, dataDir, organizationName: 'Test' }, log)
      return { resources, server: await startServer({ resources, log, trustedProxies: 1 }) }
    })
    acceptedByAgent = await stand.command(stand.coordinator, messageDraft(stand.groupId, { sessionEpoch: stand.coordinator.session.sessionEpoch }))
    eventOf(await stand.service.submitCommand(acceptedByAgent, { door: 'http' }))
  })
  afterAll(() => stand.close())
  afterEach(async () => {
    lastTrace = undefined
    await stand.expectService()
    expect((await stand.send({ path: '/api/commands', headers: json, body: await stand.command(stand.owner, messageDraft(stand.groupId)) })).status).toBe(200)
  })

  /** Sends it; the answer must not be a fault, and unless `isGood` says that it was good input after all, nothing may have changed. */
  async function send(shot: Shot, isGood: (answer: Answer) => boolean = () => false): Promise<Answer> {
    stand.faults()
    const before = lastTrace ?? (await stand.trace())
    const answer = await stand.send(shot)
    expect(stand.faults(), answer.text).toEqual([])
    expect(answer.status, answer.text).toBeLessThan(500)
    if (isGood(answer)) lastTrace = undefined
    else await expectNoTrace(before)
    return answer
  }

  async function expectNoTrace(before: Trace): Promise<void> {
    lastTrace = await stand.trace()
    expect(changesBetween(before, lastTrace)).toEqual([])
  }

  function expectProtocolError(answer: Answer): void {
    const { error } = jsonOf(answer) as { error: { code: string } }
    expect(codes).toContain(error.code)
    expect(validateDocument('error', error)).toBeUndefined()
  }

  /** The Event of a Command that was accepted long ago, however it was spelt this time; or a protocol error. */
  function expectOriginalOrError(answer: Answer, original: string): void {
    if (answer.status === 200) expect(answer.text).toBe(original)
    else if ([413, 415].includes(answer.status)) expect(codeOf(answer)).toBe('')
    else expectProtocolError(answer)
  }

  it('bytes of a signed Command, damaged, at POST /api/commands', async () => {
    const headers = json
    const { text: original } = await stand.send({ path: '/api/commands', headers, body: stand.accepted.bytes })
    await search(fc.tuple(byteEdits, fc.boolean()), 200, async ([edits, isChunked]) => {
      const answer = await send({ path: '/api/commands', headers, body: withByteEdits(stand.accepted.bytes, edits), isChunked })
      expectOriginalOrError(answer, original)
    })
  }, timeout)

  it('members of a signed Command, exchanged, at POST /api/commands', async () => {
    const command = JSON.parse(Buffer.from(stand.accepted.bytes).toString()) as object
    const { text: original } = await stand.send({ path: '/api/commands', headers: json, body: stand.accepted.bytes })
    await search(edits, 200, async (changes) => {
      expectOriginalOrError(await send({ path: '/api/commands', headers: json, body: JSON.stringify(withEdits(command, changes)) }), original)
    })
  }, timeout)

  it('Commands that are signed as they should be and make no sense', async () => {
    await search(wildCommand, 250, async (wild) => {
      const body = await stand.command(...commandOf(wild))
      const answer = await send({ path: '/api/commands', headers: json, body }, ({ status }) => status === 200)
      if (answer.status !== 200) return expectProtocolError(answer)
      // It made sense after all; then the same bytes get the same Event and change nothing.
      expect((await send({ path: '/api/commands', headers: json, body })).text).toBe(answer.text)
    })
  }, timeout)

  it('JSON of any kind at POST /api/admin', async () => {
    const good = [
      { command: 'invite create', args: { name: 'Nina', isAdmin: true, ttlSeconds: 600 } },
      { command: 'agent add', args: { name: 'Wim', publicKey: newKey().publicKey, capabilities: [{ id: 'release.report', version: '1.0.0' }], maxConcurrency: 1, agentId: newUrn(), keyId: newUrn() } },
      { command: 'key list', args: { principalId: stand.owner.actor.id } },
      { command: 'key revoke', args: { keyId: newUrn(), at: '2026-11-29T12:00:00Z' } },
      { command: 'key revoke', args: { keyId: stand.service.organization.authority.keyId } },
      { command: 'space state', args: { groupId: stand.groupId } },
    ]
    const headers = { ...json, authorization: `Bearer ${stand.adminToken}` }
    await search(damaged(good), 150, async (body) => {
      const answer = await send({ path: '/api/admin', headers, body }, ({ status }) => status === 200)
      if (answer.status === 200) expect(jsonOf(answer)).toHaveProperty('result')
      else expect([answer.status, typeof (jsonOf(answer) as { error: unknown }).error]).toEqual([400, 'string'])
    })
  }, timeout)

  it('JSON of any kind at the console’s procedures', async () => {
    const { token } = await stand.service.identities.invite({ name: 'Nina', isAdmin: false, ttlSeconds: 600 })
    const [challengeId, signature, missionId] = ['A'.repeat(24), 'A'.repeat(86), stand.missionId]
    const key = { use: 'authority', publicKey: newKey().publicKey, custody: 'here', label: 'laptop', proof: signature }
    const inputs = [
      { missionId, limit: 5, before: 3, sequence: 1, conversationId: newUrn() },
      { missionId }, { missionId, limit: 5 }, { missionId, sequence: 1 }, { missionId, limit: 5, conversationId: newUrn() },
      { token }, { token, name: 'Nina', challengeId, keys: [key] },
      { challengeId, key, keyId: stand.owner.keyId, authorization: signature },
      { challengeId, keyId: stand.owner.keyId, signature }, { purpose: 'countersign.console.enrol' },
    ]
    // The stream does not end, and signing out is good input that ends the session of all that follows.
    const procedures = Object.keys(appRouter._def.procedures).filter((name) => !['live', 'session.signOut'].includes(name))
    const call = fc.record({ procedure: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...procedures) }, { weight: 1, arbitrary: fc.constantFrom('__proto__', 'missions', 'missions.view,missions.list', 'constructor', '%00', '%zz') }), isQuery: fc.boolean(), isBatch: fc.boolean(), input: damaged(inputs) })
    await search(call, 200, async ({ procedure, isQuery, isBatch, input }) => {
      const batch = isBatch ? 'batch=1&' : ''
      const query = isQuery ? `input=${percentEncoded(input)}` : ''
      const answer = await send({ path: `/api/trpc/${procedure}?${batch}${query}`, headers: { ...json, ...stand.cookie }, ...(!isQuery && { body: input }) })
      // The server itself has no room for a longer request line.
      if (answer.status === 431) return
      const answers = [jsonOf(answer)].flat() as { result?: unknown; error?: unknown }[]
      for (const each of answers) if (!each.result) expect(trpcCodes).toContain(codeOf({ ...answer, text: JSON.stringify(each) }))
    })
  }, timeout)

  it('enrolments that are proven as they should be, with texts of any kind', async () => {
    await search(fc.record({ name: poisonedText, label: poisonedText, custody: poisonedText }), 60, async ({ name, label, custody }) => {
      const { token } = await stand.service.identities.invite({ name: 'Nina', isAdmin: true, ttlSeconds: 600 })
      lastTrace = undefined
      const { challengeId, challenge } = stand.service.console.challenge('countersign.console.enrol')
      const { publicKey, sign } = newKey()
      const proof = Buffer.from(sign(Buffer.from(challenge, 'base64url'))).toString('base64url')
      const body = JSON.stringify({ token, name, challengeId, keys: [{ use: 'authority', publicKey, custody, label, proof }] })
      const answer = await send({ path: '/api/trpc/enrolment.complete', headers: json, body }, ({ status }) => status === 200)
      expect([200, 400]).toContain(answer.status)
    })
  }, timeout)

  it('uploads of any kind', async () => {
    const mediaType = fc.oneof(fc.constantFrom('text/plain', 'TEXT/HTML; charset=utf-8', 'a/b;c', 'application/x-\x80', 'text/plain, text/html', 'text', '/', ''), headerText)
    const authorization = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: headerText.map((text) => `Bearer ${text}`) })
    const upload = fc.record({ content: fc.uint8Array({ maxLength: 300 }), mediaType, authorization, isChunked: fc.boolean(), method: fc.oneof({ weight: 8, arbitrary: fc.constant('POST') }, { weight: 1, arbitrary: fc.constantFrom('PUT', 'PATCH', 'OPTIONS', 'TRACE') }) })
    await search(upload, 150, async ({ content, mediaType: type, authorization: other, isChunked, method }) => {
      const headers = { ...(other === '' ? stand.bearer : { authorization: other }), ...(type !== '' && { 'content-type': type }) }
      const answer = await send({ path: '/artifacts', method, headers, body: content, isChunked }, ({ status }) => status === 201)
      const contentHash = `sha256:${createHash('sha256').update(content).digest('hex')}`
      if (answer.status === 201) expect(jsonOf(answer)).toMatchObject({ contentHash, sizeBytes: content.length })
      else expect([[401, 405, 415, 429], codeOf(answer)]).toEqual([expect.arrayContaining([answer.status]), ''])
    })
  }, timeout)

  it('paths of any kind at the doors that only read', async () => {
    const prefix = fc.constantFrom('/artifacts/', '/artifacts/sha256:', `/artifacts/${'sha256:'}${'0'.repeat(60)}`, '/api/receipts/', '/api/receipts/urn:', '/api/groups?after=', '/api/agents?x=', '/api/', '/api/trpc/', '/')
    const rest = fc.oneof(wildText.map(encodeURIComponent), fc.uint8Array({ maxLength: 30 }).map(percentEncoded), fc.constantFrom('%', '%0', '%zz', '..%2f..%2f', '%2e%2e/', '%00', '//', '\\', '?', '#', '%ed%a0%80', 'x'.repeat(10_000)))
    await search(fc.tuple(prefix, rest, fc.boolean()), 200, async ([start, end, isPerson]) => {
      const answer = await send({ path: `${start}${end}`, headers: isPerson ? stand.cookie : stand.bearer })
      if (answer.status !== 200) expect([400, 401, 404, 405, 414, 415, 431]).toContain(answer.status)
    })
  }, timeout)

  describe('on a WebSocket', () => {
    let client: RawClient
    beforeEach(reconnect)
    afterEach(() => client.close())

    /** Sends it on a connection that works; whatever comes back, none of it is a fault, and nothing has changed. */
    async function deliver(frame: Uint8Array, answered: (from: number) => Promise<unknown>): Promise<void> {
      if (client.socket.readyState !== client.socket.OPEN) await reconnect()
      stand.faults()
      const [before, from] = [lastTrace ?? (await stand.trace()), client.received.length]
      client.socket.send(frame, { binary: false })
      const closed = await Promise.race([answered(from).then(() => undefined, () => client.closed), client.closed, late()])
      if (closed !== undefined) expect(closeCodes).toContain(closed.code)
      const errors = client.received.slice(from).flatMap((received) => (received.frameType === 'ERROR' ? [received.error.code] : []))
      expect(codes).toEqual(expect.arrayContaining(errors))
      expect(stand.faults()).toEqual([])
      await expectNoTrace(before)
    }
    /** A handshake is good input: it opens a session. */
    async function reconnect(): Promise<void> {
      client = await stand.connect()
      lastTrace = undefined
    }
    const late = () => new Promise<never>((_, reject) => AbortSignal.timeout(5_000).addEventListener('abort', () => reject(new Error('the door did not answer'))))

    it('frames with a signed Command, damaged', async () => {
      const [opening, closing] = [Buffer.from(`{"protocolVersion":"0.1","frameId":"${newUrn()}","frameType":"COMMAND","command":`), Buffer.from('}')]
      const frame = Buffer.concat([opening, acceptedByAgent, closing])
      await search(byteEdits, 150, (changes) =>
        deliver(withByteEdits(frame, changes), (from) => client.find((received) => client.received.indexOf(received) >= from && ['ERROR', 'EVENT'].includes(received.frameType))),
      )
    }, timeout)

    it('frames with any members', async () => {
      const sentAt = '2026-11-29T12:00:00.000Z'
      const frames = [
        { frameType: 'SUBSCRIBE', subscriptionId: newUrn(), groups: [{ groupId: stand.groupId, afterSequence: 0, attention: { mentionsOnly: true } }] },
        { frameType: 'SUBSCRIBE', subscriptionId: newUrn(), groups: [{ groupId: stand.hiddenGroupId, afterSequence: 0 }, { groupId: newUrn(), afterSequence: 0 }] },
        { frameType: 'ACK', acknowledgements: [{ groupId: stand.hiddenGroupId, sequence: 1 }, { groupId: newUrn(), sequence: 1 }], sentAt },
        { frameType: 'COMMAND', command: JSON.parse(Buffer.from(acceptedByAgent).toString()) as object },
        { frameType: 'PING', nonce: nonce(), sentAt },
        { frameType: 'ERROR', error: { code: 'BACKPRESSURE', message: 'slow', retryable: true, occurredAt: sentAt } },
        { frameType: 'HELLO', phase: 'client_init', agentId: stand.worker.actor.id, keyId: stand.worker.keyId, clientNonce: nonce(), supportedVersions: ['0.1'] },
      ].map((frame) => ({ ...envelope(), ...frame }))
      await search(fc.tuple(fc.constantFrom(...frames), edits), 150, ([frame, changes]) =>
        deliver(Buffer.from(JSON.stringify(withEdits(frame, changes)) ?? ''), () => client.roundTrip()),
      )
    }, timeout)
  })

  const headerText = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f).map((code) => String.fromCharCode(code)), maxLength: 30 })

  interface WildCommand {
    readonly kind: string
    readonly payload: { readonly edits: readonly Edit[] } | { readonly value: unknown }
    readonly signer: 'owner' | 'conversation' | 'stranger' | 'coordinator' | 'worker'
    readonly group: 'own' | 'hidden' | 'unknown' | 'organization'
    readonly epochs: { readonly session: number; readonly membership: number; readonly coordinator: number }
    readonly more: readonly Edit[]
  }

  const unservedKinds = [...CORE_COMMAND_KINDS, 'ext.example.more.fly'].filter((kind) => !(kind in exampleCommandPayloads))
  const drift = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, -1, 1000) })
  const wildCommand: fc.Arbitrary<WildCommand> = fc.record({
    kind: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...Object.keys(exampleCommandPayloads)) }, { weight: 1, arbitrary: fc.constantFrom(...unservedKinds) }),
    payload: fc.oneof({ weight: 4, arbitrary: fc.constant({ edits: [] }) }, { weight: 3, arbitrary: fc.record({ edits: signableEdits }) }, { weight: 1, arbitrary: fc.record({ value: fc.dictionary(wildText, wildValue, { maxKeys: 4 }) }) }),
    signer: fc.constantFrom('owner', 'owner', 'conversation', 'stranger', 'coordinator', 'coordinator', 'worker', 'worker'),
    group: fc.constantFrom('own', 'own', 'own', 'own', 'own', 'own', 'own', 'own', 'own', 'hidden', 'unknown', 'organization'),
    epochs: fc.record({ session: drift, membership: drift, coordinator: drift }),
    more: fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(signableEdit, { minLength: 1, maxLength: 2 }) }),
  })

  /** Kinds that would end the Mission, the work or a Membership if they made sense, and leave nothing to try; they only come with a Membership Epoch that is wrong. */
  const ending = ['mission.cancel', 'mission.terminate', 'mission.assign_coordinator', 'work.cancel', 'work.fail', 'membership.change', 'membership.end']

  function commandOf({ kind, payload, signer, group, epochs, more }: WildCommand): [Signatory, Draft] {
    const signatory = signer === 'conversation' ? stand.owner.conversation : stand[signer]
    const groupId = { own: stand.groupId, hidden: stand.hiddenGroupId, unknown: newUrn(), organization: stand.service.organization.organizationId }[group]
    const example = placed((exampleCommandPayloads as Record<string, object>)[kind] ?? {})
    const isAgent = signer === 'coordinator' || signer === 'worker'
    const membershipEpoch = (ending.includes(kind) ? 7 : 1) + epochs.membership
    const draft = {
      kind, groupId, ...(!kind.startsWith('mission.create') && { membershipEpoch }),
      ...(isAgent && { sessionEpoch: stand[signer].session.sessionEpoch + epochs.session, coordinatorEpoch: 1 + epochs.coordinator }),
      payload: 'edits' in payload ? withEdits(example, payload.edits) : payload.value,
    }
    // These three are the signer's own, and a Command is an object: other tests send what is not even that.
    const edited = withEdits(draft, more)
    const { actor: _actor, actionId: _actionId, signature: _signature, ...signable } = (isJsonObject(edited as JsonValue) ? edited : draft) as Draft & Record<string, unknown>
    return [signatory, signable]
  }

  /** The example at home in the Mission, with times that lie ahead, so that it gets far. */
  function placed(example: object): object {
    const { mission, lease, 'agent-card': card, 'work-item': workItem } = exampleDocuments
    const text = JSON.stringify(example)
      .replaceAll(mission.missionId, stand.missionId)
      .replaceAll(mission.groupId, stand.groupId)
      .replaceAll(`"${workItem.workItemId}"`, `"${stand.work.workItemId}"`)
      .replaceAll(`"${lease.leaseId}"`, `"${stand.work.executionLeaseId}"`)
      .replaceAll(`"${card.agentId}"`, `"${stand.worker.actor.id}"`)
      .replace(/"deadline":"[^"]+"/g, `"deadline":"${new Date(stand.clock.nowMs() + 3_600_000).toISOString()}"`)
    return JSON.parse(text) as object
  }

  /** JSON text of one of these after edits of its members, its bytes or both; or of anything else. */
  function damaged(examples: readonly object[]): fc.Arbitrary<Buffer> {
    const shape = fc.tuple(fc.constantFrom(...examples), fc.oneof({ weight: 3, arbitrary: fc.array(edit, { minLength: 1, maxLength: 1 }) }, { weight: 1, arbitrary: edits }), fc.oneof({ weight: 5, arbitrary: fc.constant<ByteEdit[]>([]) }, { weight: 1, arbitrary: fc.array(byteEdit, { minLength: 1, maxLength: 2 }) }))
    const anything = fc.oneof(
      { weight: 5, arbitrary: shape.map(([example, edits, bytes]) => withByteEdits(Buffer.from(JSON.stringify(withEdits(example, edits)) ?? ''), bytes)) },
      { weight: 1, arbitrary: wildValue.map((value) => Buffer.from(JSON.stringify(value))) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
    )
    return anything.map((bytes) => Object.assign(bytes, { [fc.toStringMethod]: () => JSON.stringify(bytes.toString()) }))
  }
  function percentEncoded(bytes: Uint8Array): string {
    return Buffer.from(bytes).toString('hex').replace(/../g, '%$&')
  }
})
