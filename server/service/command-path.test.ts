import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { Command } from '../../protocol/generated/types.ts'
import { signDocument, signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import { parseStrictJson } from '../../protocol/strict-json.ts'
import { encodeState } from '../authority/encode-state.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import type { Store } from './ports.ts'
import type { Agent, Draft, Fixture, Person, Signatory } from '../testing/authority-fixture.ts'
import { StillClock, codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'

let fixture: Fixture
let owner: Person
let coordinator: Agent
let worker: Agent
let groupId: string
let audited: { stage: string; reason: string }[]

beforeEach(async () => {
  const clock = new StillClock()
  const store = createMemoryStore({ clock })
  audited = []
  const addAuditEntry: Store['directory']['addAuditEntry'] = async ({ stage, reason }) => void audited.push({ stage, reason })
  fixture = await startAuthority({ clock, store: { ...store, directory: { ...store.directory, addAuditEntry } } })
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
  worker = await fixture.agent('Worker')
  groupId = (await fixture.mission(owner, coordinator)).groupId
  // One o'clock: the keys have been valid for an hour.
  fixture.clock.advance(3600)
})

const post = (changes: Partial<Draft> = {}): Draft => ({ kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] }, ...changes })
const say = async (changes: Partial<Draft> = {}, signatory: Signatory = owner.conversation) => fixture.submit(signatory, post(changes))
const submit = (bytes: Uint8Array) => fixture.service.submitCommand(bytes, { door: 'http' })
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Everything that a refused Command must leave as it was. */
async function traces(): Promise<string> {
  const found = await fixture.service.reads.groupFor(owner.actor.id, groupId)
  const { log, readModels } = fixture.store
  return JSON.stringify([await log.head(groupId), Buffer.from(encodeState(found!.state)).toString(), await readModels.dump(groupId), await log.head(fixture.organization.organizationId)])
}

describe('a Command that cannot be checked before its turn in the session', () => {
  const unhandled: unknown[] = []
  const note = (fault: unknown) => void unhandled.push(fault)
  afterEach(() => void process.off('unhandledRejection', note))

  it('is answered in its turn, and ends nothing else', async () => {
    let answer = () => {}
    let looks = 0
    fixture.store.log.findReceipt = async () => {
      looks += 1
      if (looks === 2) throw new Error('the connection was lost')
      return new Promise((resolve) => (answer = () => resolve(undefined)))
    }
    process.on('unhandledRejection', note)
    // Payloads that do not fit: each looks for a receipt before it is refused.
    const misshapen = await Promise.all([1, 2].map(() => fixture.command(coordinator, post({ sessionEpoch: coordinator.session.sessionEpoch, payload: { nothing: true } }))))
    const outcomes = misshapen.map((bytes) => fixture.service.submitCommand(bytes, { door: 'mwp', session: coordinator.session }))
    await expect.poll(() => looks).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
    answer()
    expect((await Promise.all(outcomes)).map(codeOf)).toEqual(['SCHEMA_VALIDATION_FAILED', 'INTERNAL_ERROR'])
    expect(unhandled).toEqual([])
  })
})

describe('an accepted Command', () => {
  it('is answered with its signed Event', async () => {
    expect(eventOf(await say())).toMatchObject({ kind: 'message.posted', sequence: 2, groupId, acceptedBy: fixture.organization.authority.principal, occurredAt: fixture.clock.now() })
  })

  it('is taken from a frame that was parsed already, with the same result', async () => {
    const bytes = await fixture.command(owner.conversation, post())
    const parsed = parseStrictJson(bytes)
    const first = await fixture.service.submitCommand(parsed.ok ? parsed.value : bytes, { door: 'http' })
    expect(eventOf(first)).toMatchObject({ kind: 'message.posted' })
    expect(await fixture.service.reads.commandBytes(owner.actor.id, groupId, 2)).toEqual(bytes)
  })

  it('gets a First-Admission Record (A-86)', async () => {
    const { commandHash } = eventOf(await say())
    const record = await fixture.store.log.findAdmission(fixture.organization.organizationId, commandHash!)
    expect(record).toMatchObject({ documentKind: 'command', keyId: owner.conversation.keyId, principal: owner.actor, trustedAcceptedAt: fixture.clock.now(), acceptedBy: fixture.organization.authority.principal })
  })
})

it('A-104: takes a Command from up to five minutes ago or ahead', async () => {
  for (const issuedAt of ['2026-11-29T12:55:00.000Z', '2026-11-29T13:05:00.000Z']) expect(eventOf(await say({ issuedAt }))).toMatchObject({ kind: 'message.posted' })
})

describe('a repeated Command (A-222)', () => {
  it('gets the same bytes again and changes nothing', async () => {
    const bytes = await fixture.command(owner.conversation, post())
    const first = await submit(bytes)
    const before = await traces()
    expect(await submit(bytes)).toEqual({ ...first, isDuplicate: true })
    expect(await traces()).toBe(before)
  })

  it('gives one Event to all who send it at once', async () => {
    const bytes = await fixture.command(owner.conversation, post())
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => submit(bytes)))
    expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.sequence))).toEqual(new Set([2]))
    expect(outcomes.filter((outcome) => outcome.ok && !outcome.isDuplicate)).toHaveLength(1)
    expect(await fixture.store.log.head(groupId)).toBe(2)
  })

  it('still finds its Event when it is stale by now', async () => {
    const bytes = await fixture.command(owner.conversation, post())
    const first = await submit(bytes)
    fixture.clock.advance(3600)
    expect(await submit(bytes)).toEqual({ ...first, isDuplicate: true })
  })

  it('collides when the content differs, whatever else is wrong with it', async () => {
    const actionId = newUrn()
    await say({ actionId })
    expect(codeOf(await say({ actionId }))).toBe('ACTION_ID_COLLISION')
    expect(codeOf(await say({ actionId, issuedAt: '2026-11-29T12:30:00Z' }))).toBe('ACTION_ID_COLLISION')
    expect(codeOf(await fixture.submit(owner, { kind: 'mission.cancel', groupId, membershipEpoch: 1, actionId, payload: { reason: 'No.' } }))).toBe('ACTION_ID_COLLISION')
    expect(codeOf(await say({ actionId, payload: {} }))).toBe('ACTION_ID_COLLISION')
    expect(codeOf(await say({ actionId, kind: 'ext.example.profile.thing' }))).toBe('ACTION_ID_COLLISION')
  })

  it('still finds its Event on the connection of a session that was replaced, but never on another Agent’s', async () => {
    const { session } = coordinator
    const bytes = await fixture.command(coordinator, post({ sessionEpoch: session.sessionEpoch }))
    const first = await fixture.service.submitCommand(bytes, { door: 'mwp', session })
    await fixture.handshake(coordinator)
    expect(await fixture.service.submitCommand(bytes, { door: 'mwp', session })).toEqual({ ...first, isDuplicate: true })
    expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'mwp', session: worker.session }))).toBe('AUTH_FORBIDDEN')
  })

  it('of a refused Command is judged anew, because only acceptance reserves an Action ID (O-8)', async () => {
    const actionId = newUrn()
    expect(codeOf(await say({ actionId, membershipEpoch: 9 }))).toBe('MEMBERSHIP_STALE')
    expect(codeOf(await say({ actionId }))).toBe('accepted')
  })
})

describe('a refused Command leaves no trace but the audit', () => {
  const signed = async (changes: Partial<Command>, signatory: Signatory = owner.conversation) => {
    const command = JSON.parse(new TextDecoder().decode(await fixture.command(signatory, post()))) as Command
    return encodeCanonical({ ...command, ...changes })
  }
  const cases: readonly (readonly [name: string, bytes: () => Promise<Uint8Array>, code: string, audit?: string])[] = [
    ['that is no JSON', async () => bytesOf('{'), 'PROTOCOL_VIOLATION', 'parse'],
    ['with a member twice (A-73)', async () => bytesOf('{"kind":"a","\\u006bind":"b"}'), 'PROTOCOL_VIOLATION', 'parse'],
    ['that fits no schema (A-74)', async () => bytesOf('{"kind":"message.post"}'), 'SCHEMA_VALIDATION_FAILED', 'schema'],
    ['with changed content (A-78)', async () => signed({ correlationId: newUrn() }), 'AUTH_INVALID_SIGNATURE', 'signature'],
    ['of another signer than its actor (A-76)', async () => signed({ actor: { type: 'human', id: newUrn() } }), 'AUTH_INVALID_SIGNATURE', 'key-resolution'],
    ['with an unknown key (A-69)', async () => fixture.command({ ...owner, keyId: newUrn() }, post()), 'AUTH_INVALID_SIGNATURE', 'key-resolution'],
    ['whose times differ (A-54)', async () => signed({ issuedAt: '2026-11-29T12:59:59Z' }), 'AUTH_INVALID_SIGNATURE', 'signature-envelope'],
    ['with a lone surrogate (A-77)', async () => bytesOf((await textOf(signed({}))).replace('Hello', '\\ud800')), 'PROTOCOL_VIOLATION', 'canonicalization'],
    ['with a payload of another shape', async () => fixture.command(owner, post({ payload: { messageId: newUrn() } })), 'SCHEMA_VALIDATION_FAILED'],
    ['of a kind that is not served', async () => fixture.command(owner, post({ kind: 'ext.example.profile.thing' })), 'INVALID_COMMAND'],
    ['older than five minutes (A-104)', async () => fixture.command(owner, post({ issuedAt: '2026-11-29T12:54:59.999Z' })), 'AUTH_INVALID_SIGNATURE', 'freshness'],
    ['from more than five minutes ahead (A-104)', async () => fixture.command(owner, post({ issuedAt: '2026-11-29T13:05:01.000Z' })), 'AUTH_INVALID_SIGNATURE', 'freshness'],
    ['with an unknown critical extension (A-244)', async () => fixture.command(owner, post({ extensions: { 'urn:example:x': { version: '1.0.0', critical: true, data: {} } } })), 'UNKNOWN_CRITICAL_EXTENSION'],
    ['to an unknown Group', async () => fixture.command(owner, post({ groupId: newUrn() })), 'GROUP_NOT_FOUND'],
    ['with a stale Membership Epoch (A-39)', async () => fixture.command(owner, post({ membershipEpoch: 2 })), 'MEMBERSHIP_STALE'],
    ['with a stale Session Epoch (A-35)', async () => fixture.command(coordinator, post({ sessionEpoch: 7 })), 'AUTH_STALE_SESSION'],
    ['with a conversation key where authority is needed', async () => fixture.command(owner.conversation, { kind: 'mission.cancel', groupId, membershipEpoch: 1, payload: { reason: 'No.' } }), 'AUTH_FORBIDDEN'],
    ['of the Organization from a stranger', async () => fixture.command({ ...owner, actor: { type: 'service', id: owner.actor.id } }, { kind: 'ext.missionweaveprotocol.identity.session_open', payload: { agentId: worker.actor.id } }), 'AUTH_INVALID_SIGNATURE', 'key-resolution'],
  ]
  const textOf = async (bytes: Promise<Uint8Array>) => new TextDecoder().decode(await bytes)

  for (const [name, bytes, code, audit] of cases) {
    it(name, async () => {
      const before = await traces()
      const outcome = await submit(await bytes())
      expect(codeOf(outcome)).toBe(code)
      expect(await traces()).toBe(before)
      expect(audited.map(({ stage }) => stage)).toEqual(audit === undefined ? [] : [audit])
    })
  }

  it('tells the outside nothing about keys and signatures (A-106)', async () => {
    const unknownKey = await submit(await fixture.command({ ...owner, keyId: newUrn() }, post()))
    const tampered = await submit(await signed({ correlationId: newUrn() }))
    const stale = await say({ issuedAt: '2026-11-29T12:30:00Z' })
    const texts = [unknownKey, tampered, stale].map((outcome) => !outcome.ok && outcome.rejection)
    expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1)
  })

  it('answers a fault with INTERNAL_ERROR and goes on (A-275)', async () => {
    const { log } = fixture.store
    const append = log.append
    log.append = async () => Promise.reject(new Error('disk full'))
    const bytes = await fixture.command(owner.conversation, post())
    expect(codeOf(await submit(bytes))).toBe('INTERNAL_ERROR')
    log.append = append
    expect(eventOf(await submit(bytes))).toMatchObject({ sequence: 2 })
  })
})

describe('the order of judgement (A-221)', () => {
  it('reports the earlier fault of two', async () => {
    const future = { 'urn:example:x': { version: '1.0.0', critical: true, data: {} } }
    expect(codeOf(await say({ payload: {}, issuedAt: '2026-11-29T12:30:00Z' }))).toBe('SCHEMA_VALIDATION_FAILED')
    expect(codeOf(await say({ extensions: future, issuedAt: '2026-11-29T12:30:00Z' }))).toBe('AUTH_INVALID_SIGNATURE')
    expect(codeOf(await say({ extensions: future, groupId: newUrn() }))).toBe('UNKNOWN_CRITICAL_EXTENSION')
  })

  it('judges the session after the time and the extensions', async () => {
    const { session } = coordinator
    await fixture.handshake(coordinator)
    const late = async (changes: Partial<Draft>) => codeOf(await fixture.service.submitCommand(await fixture.command(coordinator, post({ sessionEpoch: session.sessionEpoch, ...changes })), { door: 'mwp', session }))
    expect(await late({ issuedAt: '2026-11-29T12:30:00Z' })).toBe('AUTH_INVALID_SIGNATURE')
    expect(await late({ extensions: { 'urn:example:x': { version: '1.0.0', critical: true, data: {} } } })).toBe('UNKNOWN_CRITICAL_EXTENSION')
    expect(await late({})).toBe('AUTH_STALE_SESSION')
  })
})

describe('Signed Documents inside a Command', () => {
  async function executing() {
    return ReleaseFlow.executing(fixture, { owner, coordinator, worker })
  }

  it('are admitted with it, once for all Commands that carry them', async () => {
    const flow = await executing()
    const { payload } = await flow.work(await flow.publishDraft())
    const { log } = fixture.store
    const hash = signingHash(signingBytes(payload.artifact as object))
    expect(await log.findAdmission(fixture.organization.organizationId, hash)).toMatchObject({ documentKind: 'artifact', principal: worker.actor })
  })

  it.each([['content', { mediaType: 'text/html' }], ['producer', { producer: { agentId: 'urn:example:other', agentCardVersion: 1, capabilities: [{ id: 'release.report', version: '1.0.0' }] } }]])('refuse it when their %s was changed (A-37)', async (_, changes) => {
    const flow = await executing()
    const draft = await flow.publishDraft(changes)
    const head = await fixture.store.log.head(flow.groupId)
    expect(codeOf(await fixture.submit(worker, flow.workDraft(draft)))).toBe('AUTH_INVALID_SIGNATURE')
    expect(await fixture.store.log.head(flow.groupId)).toBe(head)
    expect(audited).toEqual([{ stage: expect.any(String), reason: expect.stringContaining('nested') }])
  })

  it('are one record when the same Evidence comes twice at once', async () => {
    const flow = await executing()
    await flow.work(await flow.publishDraft())
    const { workItemId, ownershipEpoch, executionLeaseId, contentHash } = flow
    const payload = { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [contentHash], evidence: [await flow.evidence(worker)] }
    const commands = await Promise.all([1, 2, 3].map(() => fixture.command(worker, flow.workDraft({ kind: 'work.submit', payload }))))
    const codes = (await Promise.all(commands.map(submit))).map(codeOf)
    // Verification runs on several threads: which of the three comes first is open.
    expect(codes.sort()).toEqual(['WORK_LEASE_EXPIRED', 'WORK_LEASE_EXPIRED', 'accepted'])
  })

  it('are few, and refused at the first that fails', async () => {
    const flow = await executing()
    await flow.work(await flow.publishDraft())
    const { workItemId, ownershipEpoch, executionLeaseId, contentHash } = flow
    const submitWith = async (evidence: readonly object[]) => fixture.submit(worker, flow.workDraft({ kind: 'work.submit', payload: { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [contentHash], evidence } }))
    const evidence = await flow.evidence(worker)
    const tooMany = await submitWith(Array.from({ length: 65 }, () => evidence))
    expect(tooMany).toMatchObject({ ok: false, rejection: { code: 'SCHEMA_VALIDATION_FAILED', details: { path: '/payload/evidence', keyword: 'maxItems' } } })
    const forged = Array.from({ length: 64 }, (_, index) => ({ ...evidence, method: `Forged ${index}.` }))
    expect(codeOf(await submitWith(forged))).toBe('AUTH_INVALID_SIGNATURE')
  })

  it('cannot be admitted any more once their key was revoked (A-91)', async () => {
    const bytes = await fixture.command(owner.conversation, post())
    await fixture.service.identities.revokeKey(owner.conversation.keyId, '2026-11-29T13:00:01Z')
    fixture.clock.advance(2)
    expect(codeOf(await submit(bytes))).toBe('AUTH_INVALID_SIGNATURE')
    expect(audited).toEqual([{ stage: 'admission', reason: 'trusted-time-outside-key-interval' }])
  })
})

describe('a session', () => {
  it('carries the Commands of its own Agent alone', async () => {
    const bytes = await fixture.command(owner.conversation, post())
    expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'mwp', session: coordinator.session }))).toBe('AUTH_FORBIDDEN')
  })

  it('has its Commands decided in the order of their arrival, however long each takes to verify', async () => {
    const { session } = coordinator
    const commands = await Promise.all(
      Array.from({ length: 20 }, (_, index) => fixture.command(coordinator, post({ sessionEpoch: session.sessionEpoch, payload: { messageId: newUrn(), content: [{ type: 'text', text: `${index} ${'.'.repeat(index % 2 === 0 ? 50_000 : 1)}` }] } }))),
    )
    const outcomes = await Promise.all(commands.map((bytes) => fixture.service.submitCommand(bytes, { door: 'mwp', session })))
    expect(outcomes.map((outcome) => outcome.ok && outcome.sequence)).toEqual(commands.map((_, index) => 2 + index))
  })

  it('that was replaced carries nothing more', async () => {
    const { session } = coordinator
    await fixture.handshake(coordinator)
    const bytes = await fixture.command(coordinator, post({ sessionEpoch: session.sessionEpoch }))
    expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'mwp', session }))).toBe('AUTH_STALE_SESSION')
  })
})

it('signs with the key that it shows', async () => {
  const { service } = fixture
  const document = await signDocument({ exportedAt: '2026-11-29T12:00:00Z' }, 'exportedAt', service.organization.authority.keyId, (bytes) => service.signAsAuthority(bytes))
  const { signature, ...unsigned } = document
  expect(await service.identities.verifyWithKey(service.organization.authority.keyId, encodeCanonical(unsigned), signature.value)).toBe(true)
})
