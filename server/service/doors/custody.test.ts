import { beforeEach, describe, expect, it } from 'vitest'
import { CUSTODY_MARK, HELD_BY_AGENT, HELD_BY_SERVER } from '../../../protocol/custody.ts'
import type { Artifact, Evidence } from '../../../protocol/generated/types.ts'
import { CORE_COMMAND_KINDS, EXTENSION_COMMAND_KINDS, WORK_EXECUTION_LEASE_RENEW } from '../../../protocol/kinds.ts'
import type { Fixture } from '../../testing/authority-fixture.ts'
import { codeOf, eventOf, newKey, newUrn, startAuthority } from '../../testing/authority-fixture.ts'
import type { Agent, Person } from '../../testing/authority-fixture.ts'
import { ReleaseFlow } from '../../testing/release-flow.ts'
import { foundOrganization, parseOrganizationKeys } from '../organization-keys.ts'
import { openSeed, SealBroken } from './sealed-seed.ts'
import type { CustodialCommand, Custody } from './types.ts'

let fixture: Fixture
let custody: Custody
let owner: Person
let coordinator: Agent

const capabilities = [{ id: 'release.report', version: '1.0.0' }]

beforeEach(async () => {
  fixture = await startAuthority()
  custody = fixture.service.doors.custody
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
})

async function adopt(changes: Partial<Parameters<Custody['adopt']>[0]> = {}) {
  const adopted = await custody.adopt({ name: 'Scout', capabilities, ...changes })
  if (!adopted.ok) throw new Error(adopted.error.reason)
  return adopted.value
}

/** A custodial Agent that works in a Mission. */
async function member() {
  const { agentId, keyId } = await adopt()
  const { groupId, missionId } = await fixture.mission(owner, coordinator)
  await coordinate(groupId, { kind: 'membership.change', payload: { member: { type: 'agent', id: agentId }, role: 'worker' } })
  return { agentId, keyId, groupId, missionId }
}

const coordinate = async (groupId: string, draft: { kind: string; payload: Record<string, unknown> }) =>
  eventOf(await fixture.submit(coordinator, { groupId, sessionEpoch: coordinator.session.sessionEpoch, membershipEpoch: 1, coordinatorEpoch: 1, ...draft } as Parameters<Fixture['submit']>[1]))

const post = (groupId: string, changes: Partial<CustodialCommand> = {}): CustodialCommand => ({ kind: 'message.post', groupId, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] }, ...changes })

describe('an adopted Agent', () => {
  it('has a card, and one key that is said to be held by the server', async () => {
    const { agentId, keyId } = await adopt({ maxConcurrency: 3 })
    expect(custody.holds(agentId)).toBe(true)
    expect(fixture.service.identities.cardOf(agentId)).toMatchObject({ displayName: 'Scout', cardVersion: 1, maxConcurrency: 3, publicKeys: [{ keyId }] })
    expect(fixture.service.identities.keysOf(agentId)).toMatchObject([{ keyId, custody: HELD_BY_SERVER, keyUse: 'agent' }])
    expect([HELD_BY_SERVER, HELD_BY_AGENT]).toEqual(['held by the server', 'held by the agent'])
  })

  it('stays as it is when it is adopted again, and gets a new card for other capabilities', async () => {
    const first = await adopt()
    const card = () => fixture.service.identities.cardOf(first.agentId)
    expect(await adopt({ agentId: first.agentId })).toEqual(first)
    expect(card()?.cardVersion).toBe(1)
    expect(await adopt({ agentId: first.agentId, capabilities: [...capabilities, { id: 'licence.check', version: '1.0.0' }] })).toEqual(first)
    expect(card()).toMatchObject({ cardVersion: 2, capabilities: [{ id: 'release.report' }, { id: 'licence.check' }] })
  })

  it('has one key, however many adopt it at once', async () => {
    const agentId = newUrn()
    const adopted = await Promise.all(Array.from({ length: 6 }, () => adopt({ agentId })))
    expect(new Set(adopted.map(({ keyId }) => keyId)).size).toBe(1)
    expect(fixture.service.identities.keysOf(agentId)).toHaveLength(1)
  })

  it('gets a new key when the one that it had was revoked', async () => {
    const { groupId, agentId, keyId } = await member()
    await fixture.service.identities.revokeKey(keyId)
    expect(custody.holds(agentId)).toBe(false)
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('AUTH_FORBIDDEN')
    const renewed = await adopt({ agentId })
    expect(renewed.keyId).not.toBe(keyId)
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('accepted')
  })

  it('is none who holds a key of its own, a person or a service', async () => {
    const robot = await fixture.serviceOf('Scanner')
    for (const id of [coordinator.actor.id, owner.actor.id, robot.actor.id]) {
      expect(await custody.adopt({ name: 'Scout', capabilities, agentId: id })).toMatchObject({ ok: false })
      expect(custody.holds(id)).toBe(false)
      expect(await fixture.store.credentials.findCustodialKey(id)).toBeUndefined()
    }
  })

  it.each([
    ['without capabilities', { capabilities: [] }],
    ['with an id that is no URI', { agentId: 'scout' }],
    ['without a name', { name: '' }],
  ])('is refused %s', async (_, changes) => {
    expect(await custody.adopt({ name: 'Scout', capabilities, ...changes })).toMatchObject({ ok: false })
  })

  it('is of no use to a server with other keys', async () => {
    const { agentId } = await adopt()
    const kept = await fixture.store.credentials.findCustodialKey(agentId)
    const foreign = parseOrganizationKeys(foundOrganization('Other', fixture.clock.now()))
    expect(() => openSeed(foreign.custodySecret, kept!, kept!.sealed)).toThrow(SealBroken)
    expect(() => openSeed(fixture.organization.custodySecret, { ...kept!, principalId: newUrn() }, kept!.sealed)).toThrow(SealBroken)
    expect(openSeed(fixture.organization.custodySecret, kept!, kept!.sealed)).toHaveLength(32)
  })
})

describe('a custodial Command', () => {
  it('is accepted as the Agent’s own, and marked in the log', async () => {
    const { agentId, keyId, groupId } = await member()
    const posted = eventOf(await custody.submit(agentId, post(groupId)))
    expect(posted).toMatchObject({ kind: 'message.posted', actor: { type: 'agent', id: agentId }, extensions: CUSTODY_MARK })
    const bytes = await fixture.service.reads.commandBytes(agentId, groupId, posted.sequence!)
    expect(JSON.parse(Buffer.from(bytes!).toString())).toMatchObject({ signature: { keyId }, extensions: CUSTODY_MARK })
    expect((await fixture.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])
  })

  const signed = new Set([
    'message.post', 'message.correct', 'message.retract', 'work.propose', 'work.accept_offer', 'work.start', 'work.checkpoint', 'work.block', 'work.submit', 'work.fail',
    'artifact.publish', WORK_EXECUTION_LEASE_RENEW, 'ext.missionweaveprotocol.core.resource_usage_record', 'ext.countersign.work.offer_decline',
  ])

  it('is signed only when it is of a kind that workers send, of all the kinds that there are', async () => {
    const { agentId, groupId } = await member()
    const head = await fixture.store.log.head(groupId)
    const kinds = [...CORE_COMMAND_KINDS, ...EXTENSION_COMMAND_KINDS, 'constructor', 'toString', '', 'ext.other.kind']
    const codes = new Map<string, string>()
    for (const kind of kinds) codes.set(kind, codeOf(await custody.submit(agentId, { kind, groupId, payload: {} })))
    // An empty payload fits no kind: what was signed is refused for that.
    expect(codes).toEqual(new Map(kinds.map((kind) => [kind, signed.has(kind) ? 'SCHEMA_VALIDATION_FAILED' : 'AUTH_FORBIDDEN'])))
    expect(await fixture.store.log.head(groupId)).toBe(head)
  })

  it('is refused for whom no key is held', async () => {
    const { groupId } = await member()
    for (const id of [owner.actor.id, coordinator.actor.id, newUrn()]) expect(codeOf(await custody.submit(id, post(groupId)))).toBe('AUTH_FORBIDDEN')
  })

  it('alone bears the mark: nobody who signs for itself can lay its words at the server’s door (0107)', async () => {
    const { groupId } = await fixture.mission(owner, coordinator)
    const marked = () => ({ kind: 'message.post' as const, groupId, membershipEpoch: 1, payload: post(groupId).payload, extensions: CUSTODY_MARK })
    expect(codeOf(await fixture.submit(coordinator, { ...marked(), sessionEpoch: coordinator.session.sessionEpoch }))).toBe('AUTH_FORBIDDEN')
    expect(codeOf(await fixture.submit(owner.conversation, marked()))).toBe('AUTH_FORBIDDEN')
    const { extensions: _mark, ...unmarked } = marked()
    expect(codeOf(await fixture.submit(owner.conversation, unmarked))).toBe('accepted')
  })

  it('finds no Group that the Agent does not belong to (A-239)', async () => {
    const { agentId } = await adopt()
    const { groupId } = await fixture.mission(owner, coordinator)
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('GROUP_NOT_FOUND')
    expect(codeOf(await custody.submit(agentId, post(newUrn())))).toBe('GROUP_NOT_FOUND')
  })

  it('is answered with its Event when it is sent again, and refused when its Action ID comes with other content (A-222)', async () => {
    const { agentId, groupId } = await member()
    const draft = post(groupId, { actionId: newUrn() })
    const first = await custody.submit(agentId, draft)
    fixture.clock.advance(1)
    expect(await custody.submit(agentId, structuredClone(draft))).toEqual({ ...first, isDuplicate: true })
    expect(codeOf(await custody.submit(agentId, post(groupId, { actionId: draft.actionId! })))).toBe('ACTION_ID_COLLISION')
  })

  it('is accepted once, however many send it at the same time (A-222)', async () => {
    const { agentId, groupId } = await member()
    const draft = post(groupId, { actionId: newUrn() })
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => custody.submit(agentId, draft)))
    expect(new Set(outcomes.map((outcome) => (outcome.ok ? outcome.sequence : codeOf(outcome)))).size).toBe(1)
    expect(outcomes.filter((outcome) => outcome.ok && !outcome.isDuplicate)).toHaveLength(1)
  })

  it('is sent in one session, however many are sent at once and however long it lasts', async () => {
    const { agentId, groupId } = await member()
    await Promise.all([custody.submit(agentId, post(groupId)), custody.submit(agentId, post(groupId))])
    fixture.clock.advance(24 * 60 * 60)
    await fixture.handshake(coordinator)
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('accepted')
    expect((await fixture.store.directory.sessionEpochs()).get(agentId)).toBe(1)
  })

  it('is sent in a session of the server’s own where the Agent’s own runtime has opened the current one (A-35)', async () => {
    const { agentId, groupId } = await member()
    await custody.submit(agentId, post(groupId))
    const own = newKey()
    const added = await fixture.service.identities.addAgent({ name: 'Scout', publicKey: own.publicKey, capabilities, agentId })
    const session = await fixture.handshake({ actor: { type: 'agent', id: agentId }, keyId: added.ok ? added.value.keyId : '', sign: own.sign })
    expect(session.sessionEpoch).toBe(2)
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('accepted')
    expect(fixture.service.sessions.endOf(session)).toBe('replaced')
  })

  it.each<[string, Partial<CustodialCommand>]>([
    ['a payload beyond the data model', { payload: { messageId: newUrn(), content: [{ type: 'text', text: '\ud800' }] } }],
    ['a payload with a number that is none', { payload: { size: Number.NaN } }],
    ['a payload that a Command has no room for', { payload: { messageId: newUrn(), content: [{ type: 'text', text: 'x'.repeat(300_000) }] } }],
    ['an Action ID that is no URI', { actionId: 'one' }],
    ['a WorkItem id that is no URI', { workItemId: '' }],
    ['a revision below zero', { expectedRevision: -1 }],
    ['a payload that is a list', { payload: [] as unknown as Record<string, unknown> }],
  ])('with %s is refused, and nothing else breaks', async (_, changes) => {
    const { agentId, groupId } = await member()
    expect(['SCHEMA_VALIDATION_FAILED', 'INVALID_COMMAND']).toContain(codeOf(await custody.submit(agentId, post(groupId, changes))))
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('accepted')
  })
})

type Unsigned = Omit<Artifact, 'signature'>

describe('a custodial worker', () => {
  it('takes an offer, works, publishes and hands in', async () => {
    const { agentId, groupId, missionId } = await member()
    const submit = async (kind: string, payload: Record<string, unknown>) => eventOf(await custody.submit(agentId, { kind, groupId, workItemId, payload }))
    const workItemId = newUrn()
    await coordinate(groupId, { kind: 'work.authorize', payload: { workItemId, contract: ReleaseFlow.contract } })
    const offered = await coordinate(groupId, { kind: 'work.offer', payload: { workItemId, candidateAgentIds: [agentId], selectionBasis: ReleaseFlow.selectionBasis, offerExpiresInSeconds: 600 } })
    const { offerId } = (offered.payload as { offers: { offerId: string }[] }).offers[0]!
    const { ownershipEpoch } = (await submit('work.accept_offer', { workItemId, offerId, ownershipLeaseSeconds: 3600 })).payload as { ownershipEpoch: number }
    const started = await submit('work.start', { workItemId, ownershipEpoch, executionLeaseSeconds: 600 })
    const executionLeaseId = (started.payload as { executionLease: { leaseId: string } }).executionLease.leaseId
    await submit(WORK_EXECUTION_LEASE_RENEW, { workItemId, ownershipEpoch, executionLeaseId, leaseSeconds: 600 })
    const content = new TextEncoder().encode('All licences allow it.\n')
    const stored = await fixture.service.artifacts.put([content] as unknown as AsyncIterable<Uint8Array>, { mediaType: 'text/plain', maxBytes: 1000, uploadedBy: agentId })
    if (typeof stored === 'string') throw new Error(stored)
    const { artifact, evidence } = documents({ agentId, groupId, missionId, workItemId, contentHash: stored.contentHash, sizeBytes: content.length })
    const manifest = await custody.signArtifact(agentId, artifact)
    const proof = await custody.signEvidence(agentId, evidence)
    if (!manifest.ok || !proof.ok) throw new Error('a document was not signed')
    await submit('artifact.publish', { artifact: manifest.value, ownershipEpoch, executionLeaseId })
    const submitted = await submit('work.submit', { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [stored.contentHash], evidence: [proof.value] })
    expect(submitted).toMatchObject({ kind: 'work.submitted', actor: { id: agentId }, extensions: CUSTODY_MARK })
    expect((await fixture.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])
  })

  it('has documents of its own signed, nobody else’s and nothing that is none', async () => {
    const { agentId, groupId, missionId } = await member()
    const own = documents({ agentId, groupId, missionId, workItemId: newUrn(), contentHash: `sha256:${'0'.repeat(64)}`, sizeBytes: 1 })
    const foreign = documents({ agentId: coordinator.actor.id, groupId, missionId, workItemId: newUrn(), contentHash: `sha256:${'0'.repeat(64)}`, sizeBytes: 1 })
    const refused = { ok: false, error: { reason: expect.any(String) as string } }
    expect(await custody.signEvidence(agentId, own.evidence)).toMatchObject({ ok: true })
    expect(await custody.signEvidence(agentId, foreign.evidence)).toEqual(refused)
    expect(await custody.signArtifact(agentId, foreign.artifact)).toEqual(refused)
    expect(await custody.signArtifact(coordinator.actor.id, foreign.artifact)).toEqual(refused)
    expect(await custody.signArtifact(agentId, { ...own.evidence, producer: own.artifact.producer } as unknown as Unsigned)).toEqual(refused)
    expect(await custody.signArtifact(agentId, {} as Unsigned)).toEqual(refused)
    expect(await custody.signEvidence(agentId, { ...own.evidence, method: '\ud800' })).toEqual(refused)
    expect(await custody.signEvidence(agentId, { ...own.evidence, createdAt: 'today' })).toEqual(refused)
    expect(await custody.signEvidence(agentId, { ...own.evidence, kind: 'mission.approve' } as typeof own.evidence)).toEqual(refused)
  })

  it('may take its own key, whose session ends the one here, and custody signs no more once the held key is revoked', async () => {
    const { agentId, keyId, groupId } = await member()
    const own = newKey()
    await custody.submit(agentId, post(groupId))
    const added = await fixture.service.identities.addAgent({ name: 'Scout', publicKey: own.publicKey, capabilities, agentId })
    const session = await fixture.handshake({ actor: { type: 'agent', id: agentId }, keyId: added.ok ? added.value.keyId : '', sign: own.sign })
    await fixture.service.identities.revokeKey(keyId)
    expect(codeOf(await custody.submit(agentId, post(groupId)))).toBe('AUTH_FORBIDDEN')
    expect(fixture.service.sessions.isCurrent(session)).toBe(true)
  })
})

function documents({ agentId, groupId, missionId, workItemId, contentHash, sizeBytes }: { agentId: string; groupId: string; missionId: string; workItemId: string; contentHash: string; sizeBytes: number }) {
  const createdAt = fixture.clock.now()
  const artifact: Unsigned = {
    artifactId: newUrn(), contentHash, uri: `http://127.0.0.1:4310/artifacts/${contentHash}`, sizeBytes, mediaType: 'text/plain', schemaUri: 'urn:example:report',
    producer: { agentId, agentCardVersion: 1, capabilities }, missionId, groupId, workItemId, sourceArtifactHashes: [], toolVersions: [], modelVersions: [], classification: 'internal', createdAt,
  }
  const evidence: Omit<Evidence, 'signature'> = {
    evidenceId: newUrn(), missionId, groupId, workItemId, type: 'artifact_integrity', subject: { type: 'work_item', id: workItemId }, criterionIds: ['report'],
    method: 'Hashed it.', result: 'passed', artifactHashes: [contentHash], generatedBy: { type: 'agent', id: agentId }, createdAt,
  }
  return { artifact, evidence }
}
