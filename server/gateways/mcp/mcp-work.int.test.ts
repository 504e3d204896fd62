// A whole job by MCP tools alone, offered and reviewed by a Coordinator that signs for itself, on a real PostgreSQL.
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WorkContract } from '../../../protocol/generated/types.ts'
import type { HumanClient } from '../../../sdk/index.ts'
import { AgentClient, newId } from '../../../sdk/index.ts'
import { silentLog } from '../../log.ts'
import { foundOrganization, parseOrganizationKeys } from '../../service/organization-keys.ts'
import type { Store } from '../../service/ports.ts'
import type { RunningServer } from '../../start.ts'
import { startServer } from '../../start.ts'
import { openStore } from '../../store/open-store.ts'
import { memoryArtifacts } from '../../testing/authority-fixture.ts'
import { selectionBasis } from '../../testing/documents.ts'
import type { McpAgent } from '../../testing/mcp-client.ts'
import { mcpAgent, McpCaller } from '../../testing/mcp-client.ts'
import { accepted, enrol, inHours, register, reportContract } from '../../testing/sdk-clients.ts'
import type { TestDatabase } from '../../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../../testing/test-database.ts'

const capability = { id: 'release.report', version: '1.0.0' }
const criteria = [{ criterionId: 'complete', description: 'Nothing is missing.', evidenceRequired: ['artifact_integrity' as const, 'deterministic_test' as const] }]

const contract = (changes: Partial<WorkContract> = {}) =>
  reportContract(capability, { acceptanceCriteria: criteria, retryPolicy: { maxAttempts: 3, backoff: 'none', maxDelay: 'PT0S', retryableFailures: [] }, budget: { currency: 'EUR', financialLimit: 10 }, ...changes })

interface Standing { readonly state: string; readonly is_yours: boolean; readonly lease?: { readonly type: string; readonly seconds_left: number; readonly ends_at: string }; readonly next_step: string; readonly content_hash?: string; readonly message_id?: string }
interface Offers { readonly offers: readonly { readonly group_id: string; readonly work_item_id: string; readonly offer_id: string; readonly contract: WorkContract; readonly joins_mission?: boolean }[] }
interface Entries { readonly entries: readonly { readonly sequence: number; readonly kind: string; readonly what?: string; readonly parts?: readonly { readonly text: string }[]; readonly mentions?: readonly { readonly id: string }[]; readonly by: { readonly id: string } }[]; readonly next_after: number; readonly head: number }

describe.skipIf(skipReason)(`work by MCP tools${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let store: Store
  let server: RunningServer
  let owner: HumanClient
  let coordinator: AgentClient
  let agent: McpAgent
  let worker: McpCaller
  let mission: { readonly missionId: string; readonly groupId: string }

  beforeAll(async () => {
    database = await createTestDatabase()
    store = await openStore({ url: database.url, migrationsFolder: join(import.meta.dirname, '../../../drizzle/migrations'), maxConnections: 4 })
    const organization = parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
    server = await startServer({ resources: { store, organization, artifacts: memoryArtifacts() }, log: silentLog() })
    owner = await enrol(server, 'Ada')
    coordinator = await AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, ...(await register(server, 'Coordinator', [capability])) })
  })
  afterAll(async () => {
    await coordinator.close()
    await server.stop()
    await store.close()
    await database.drop()
  })

  beforeEach(async () => {
    agent = await mcpAgent(server.service, 'Worker')
    worker = await McpCaller.connect(server.origin, agent.token)
    const plan = { title: 'Release 1.0', coordinatorAgentId: coordinator.agentId, objective: 'Write the release report.', definitionOfDone: criteria, budget: { currency: 'EUR', financialLimit: 100 }, deadline: inHours(48) }
    const { missionId, groupId, receipt } = await owner.createMission(plan)
    accepted(receipt)
    mission = { missionId, groupId }
    for await (const { kind } of coordinator.subscribe(groupId, { after: 0 })) if (kind === 'mission.created') break
  })
  afterEach(() => worker.close())

  async function enlist(): Promise<void> {
    accepted(await coordinator.submit('membership.change', { member: { type: 'agent', id: agent.agentId }, role: 'worker', visibilityStartSequence: 0 }, { groupId: mission.groupId }))
  }
  async function offer(changes: Partial<WorkContract> = {}): Promise<{ group_id: string; work_item_id: string }> {
    const { groupId } = mission
    const workItemId = newId()
    accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract(changes) }, { groupId, workItemId }))
    accepted(await coordinator.submit('work.offer', { workItemId, candidateAgentIds: [agent.agentId], selectionBasis: selectionBasis(capability) }, { groupId, workItemId }))
    return { group_id: groupId, work_item_id: workItemId }
  }
  const finding = (type: string) => ({ criterion_id: 'complete', type, method: 'Counted the sections.', result: 'passed' })
  const eventsOf = async () => (await worker.call<Entries>('mission_read', { group_id: mission.groupId, after: 0, limit: 200 })).entries

  it('an MCP client takes an offer, reads its context, publishes, hands in, and is accepted', async () => {
    await enlist()
    const waiting = worker.call<Offers>('work_offers', { wait_seconds: 30 })
    const name = await offer()
    const [shown] = (await waiting).offers
    expect(shown).toMatchObject({ ...name, contract: { goal: 'Write the report', acceptanceCriteria: criteria } })
    expect(await worker.call('mission_list')).toMatchObject({ missions: [{ group_id: mission.groupId, mission_id: mission.missionId, title: 'Release 1.0', role: 'worker', offers: 1, your_work: [] }] })

    const started = await worker.call<Standing>('work_accept', { ...name, offer_id: shown!.offer_id })
    expect(started).toMatchObject({ state: 'active', is_yours: true, lease: { type: 'execution' } })
    expect(started.lease!.seconds_left).toBeGreaterThan(800)

    const context = await worker.call<Record<string, unknown>>('work_context', name)
    expect(context).toMatchObject({ contract: { goal: 'Write the report' }, mission: { title: 'Release 1.0', coordinator_id: coordinator.agentId }, dependencies: [], published: [] })

    const published = await worker.call<Standing>('artifact_publish', { ...name, content: '# Report\n', name: 'report.md', deliverable_id: 'report', model: { provider: 'nobody', model: 'none', version: '1' } })
    expect(published.content_hash).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await worker.call('artifact_publish', { ...name, content: '# Report\n', name: 'report.md', deliverable_id: 'report' })).toMatchObject({ already_published: true, content_hash: published.content_hash })
    expect(await worker.call('artifact_read', { content_hash: published.content_hash })).toMatchObject({ media_type: 'text/markdown', encoding: 'utf8', content: '# Report\n' })

    const noted = await worker.call<Standing>('work_checkpoint', { ...name, phase: 'Written', milestones: ['Draft'], next: 'Hand in', usage: { financial: 4 } })
    expect(noted).toMatchObject({ state: 'active', progress: { phase: 'Written', milestones: ['Draft'] } })

    const hashes = { artifact_hashes: [published.content_hash] }
    expect(await worker.refusal('work_submit', { ...name, ...hashes, evidence: [finding('deterministic_test')] })).toContain('no artifact_integrity Evidence for the criterion complete')
    const whole = { ...name, ...hashes, evidence: [finding('deterministic_test'), finding('artifact_integrity')] }
    expect(await worker.refusal('work_submit', { ...whole, usage: { financial: 7 } })).toContain('BUDGET_EXCEEDED')
    const handedIn = await worker.call<Standing>('work_submit', { ...whole, usage: { financial: 6 } })
    expect(handedIn).toMatchObject({ state: 'submitted', next_step: 'Wait for the review of what you handed in.' })

    const evidence = [
      await coordinator.signEvidence({ missionId: mission.missionId, groupId: mission.groupId, workItemId: name.work_item_id, type: 'deterministic_test', subject: { type: 'work_item', id: name.work_item_id }, criterionIds: ['complete'], method: 'Read it.', result: 'passed', artifactHashes: [] }),
    ]
    accepted(await coordinator.submit('work.accept_result', { workItemId: name.work_item_id, evidence }, { groupId: mission.groupId, workItemId: name.work_item_id }))
    expect(await worker.call('work_context', name)).toMatchObject({ state: 'verified', next_step: 'It has come to its end.' })

    const submission = { artifactHashes: [published.content_hash!], summary: 'Done.', openRisks: [], dropped: [] }
    accepted(await coordinator.submit('mission.submit_for_approval', submission, { groupId: mission.groupId }))
    expect(accepted(await owner.approve(mission.missionId, 'Well done.')).kind).toBe('mission.approved')
    expect(await worker.call('mission_list')).toEqual({ missions: [] })
    expect(await worker.call('mission_list', { include_finished: true })).toMatchObject({ missions: [{ state: 'approved' }] })
    const kinds = (await eventsOf()).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['work.offer.accepted', 'work.started', 'artifact.published', 'ext.missionweaveprotocol.core.resource_usage_recorded', 'work.checkpointed', 'work.submitted', 'work.result.accepted', 'mission.approved']))
  })

  it('one Mission that cannot be read hides no other, nor what is offered there', async () => {
    await enlist()
    const name = await offer()
    const sound = mission
    const plan = { title: 'Release 2.0', coordinatorAgentId: coordinator.agentId, objective: 'Write the next report.', definitionOfDone: criteria, budget: { currency: 'EUR', financialLimit: 100 }, deadline: inHours(48) }
    mission = await owner.createMission(plan)
    for await (const { kind } of coordinator.subscribe(mission.groupId, { after: 0 })) if (kind === 'mission.created') break
    await enlist()
    const { read } = store.log
    store.log.read = (spaceId, after, limit) => (spaceId === mission.groupId ? Promise.reject(new Error('the disk is damaged')) : read(spaceId, after, limit))
    store.wakeUps.publish(mission.groupId)
    try {
      expect(await worker.call('mission_list')).toMatchObject({ missions: [{ group_id: sound.groupId }], unreadable: [mission.groupId] })
      expect((await worker.call<Offers>('work_offers')).offers).toMatchObject([name])
    } finally {
      store.log.read = read
    }
  })

  it('a candidate from outside is offered work, sees that alone, and joins by accepting (A-130, A-131)', async () => {
    const hidden = await (async () => {
      const workItemId = newId()
      accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract({ goal: 'Something else' }) }, { groupId: mission.groupId, workItemId }))
      return workItemId
    })()
    const events: string[] = []
    for await (const { eventId } of coordinator.subscribe(mission.groupId, { after: 0 })) {
      events.push(eventId)
      break
    }
    const workItemId = newId()
    accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract() }, { groupId: mission.groupId, workItemId }))
    const summary = {
      contextPackageId: newId(), version: 1, missionId: mission.missionId, groupId: mission.groupId, workItemId, sourceEventRange: { fromSequence: 1, toSequence: 1, eventIds: events }, artifactHashes: [],
      summary: 'The release report has to be written.', decisions: [], constraints: [], unresolvedQuestions: [], generatedBy: { type: 'agent', id: coordinator.agentId } as const, generatedAt: new Date().toISOString(),
    }
    const contextPackage = await coordinator.identity.signDocument(summary, 'generatedAt')
    const waiting = worker.call<Offers>('work_offers', { wait_seconds: 30 })
    accepted(await coordinator.submit('work.offer', { workItemId, candidateAgentIds: [agent.agentId], selectionBasis: selectionBasis(capability), contextPackage }, { groupId: mission.groupId }))
    const { offers: [shown] } = await waiting
    expect(shown).toMatchObject({ work_item_id: workItemId, joins_mission: true })
    const name = { group_id: mission.groupId, work_item_id: workItemId }
    expect(await worker.call('work_context', name)).not.toHaveProperty('mission')
    expect(await worker.refusal('work_context', { ...name, work_item_id: hidden })).toContain('There is no such work')
    expect(await worker.refusal('message_post', { group_id: mission.groupId, text: 'Hello' })).toContain('MEMBERSHIP_REQUIRED')
    expect((await eventsOf()).map(({ kind }) => kind)).toEqual(['work.offer.created', 'membership.changed'])
    expect(await worker.call('work_accept', name)).toMatchObject({ state: 'active' })
    expect(await worker.call('message_post', { group_id: mission.groupId, text: 'Hello' })).toHaveProperty('message_id')
  })

  it('work that was declined goes back with its reason; work that is not there is refused in words', async () => {
    await enlist()
    const name = await offer()
    expect(await worker.call('work_decline', { ...name, reason: 'deadline', comment: 'A day more.' })).toMatchObject({ declined: true })
    expect(await worker.refusal('work_accept', name)).toBe('This work is not offered to you now. work_offers shows what is.')
    expect(await worker.refusal('work_start', name)).toContain('not yours')
    expect(await worker.refusal('work_context', { group_id: newId(), work_item_id: name.work_item_id })).toContain('mission_list')
    expect(await worker.refusal('artifact_publish', { ...name, content: 'x', name: 'x', media_type: 'text/plain', schema: 'urn:x' })).toContain('You are not executing this work')
    expect(await worker.call('work_offers')).toEqual({ offers: [] })
    expect((await eventsOf()).at(-1)).toMatchObject({ kind: 'ext.countersign.work.offer_declined', by: { id: agent.agentId } })
  })

  it('work that waits for other work is owned and started later; its inputs can be read', async () => {
    await enlist()
    const first = await offer()
    const second = await offer({ goal: 'Check it', dependencyWorkItemIds: [first.work_item_id] })
    expect(await worker.call('work_accept', second)).toMatchObject({ state: 'queued', waits_for: [{ work_item_id: first.work_item_id, state: 'offered' }], not_started: expect.stringContaining('waits for'), lease: { type: 'ownership' } })
    expect(await worker.refusal('work_start', second)).toContain('INVALID_STATE_TRANSITION')
    await worker.call('work_accept', { ...first, start: false })
    expect(await worker.call('work_start', { ...first, lease_seconds: 60 })).toMatchObject({ state: 'active' })
    const { content_hash } = await worker.call<Standing>('artifact_publish', { ...first, content: Buffer.from([0, 159, 146, 150]).toString('base64'), encoding: 'base64', name: 'data.bin', media_type: 'application/octet-stream', schema: 'urn:x' })
    expect(await worker.call('work_context', second)).toMatchObject({ dependencies: [{ work_item_id: first.work_item_id, artifacts: [{ content_hash, name: 'data.bin' }] }] })
    expect(await worker.call('artifact_read', { content_hash, offset: 1 })).toMatchObject({ encoding: 'base64', content: Buffer.from([159, 146, 150]).toString('base64'), size_bytes: 4 })
    expect(await worker.refusal('artifact_publish', { ...first, content: 'not base64!', encoding: 'base64', name: 'x', media_type: 'text/plain', schema: 'urn:x' })).toBe('content is not base64')
    expect(await worker.refusal('artifact_publish', { ...first, content: 'x', name: 'x', deliverable_id: 'other' })).toContain('it has report')
  })

  it('text is read in pieces that never cut a character', async () => {
    await enlist()
    const name = await offer()
    await worker.call('work_accept', name)
    const text = 'ä€😀'.repeat(50)
    const { content_hash } = await worker.call<Standing>('artifact_publish', { ...name, content: text, name: 'text.txt', media_type: 'text/plain', schema: 'urn:x' })
    let read = ''
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const piece: { content: string; encoding: string; next_offset?: number } = await worker.call('artifact_read', { content_hash, offset, max_bytes: 10 })
      expect(piece.encoding).toBe('utf8')
      read += piece.content
      offset = piece.next_offset
    }
    expect(read).toBe(text)
  })

  it('every call about executed work shows the end of its lease and renews it once a third has passed', async () => {
    await enlist()
    const name = await offer()
    const started = await worker.call<Standing>('work_accept', { ...name, lease_seconds: 30 })
    const soonAfter = await worker.call<Standing>('work_context', name)
    expect(soonAfter.lease!.ends_at).toBe(started.lease!.ends_at)
    await expect.poll(async () => (await worker.call<Standing>('work_context', name)).lease!.ends_at, { timeout: 20_000, interval: 500 }).not.toBe(started.lease!.ends_at)
    expect((await worker.call<Standing>('work_context', name)).lease!.seconds_left).toBeGreaterThan(20)
    expect((await eventsOf()).filter(({ kind }) => kind === 'work.progressed')).toHaveLength(1)
  })

  it('help is asked of the Coordinator, with a pause until it says that the work may go on', async () => {
    await enlist()
    const name = await offer()
    await worker.call('work_accept', name)
    expect(await worker.refusal('ask_for_help', { group_id: mission.groupId, question: 'Which?', block: { unblock_condition: 'Told.' } })).toContain('work_item_id')
    const asked = await worker.call<Standing>('ask_for_help', { ...name, question: 'Which version?', ask_owner: true, block: { unblock_condition: 'The version is known.' } })
    expect(asked).toMatchObject({ state: 'blocked', blocked: { reason: 'Which version?', unblock_condition: 'The version is known.' }, lease: { type: 'blocked' } })
    const question = (await eventsOf()).find(({ kind }) => kind === 'message.posted')
    expect(question).toMatchObject({ parts: [{ text: 'Which version?' }] })
    expect(question!.mentions!.map(({ id }) => id)).toEqual([coordinator.agentId, owner.principalId])

    const { next_after } = await worker.call<Entries>('mission_read', { group_id: mission.groupId, after: 0, limit: 200 })
    const waiting = worker.call<Entries>('mission_read', { group_id: mission.groupId, after: next_after, wait_seconds: 30 })
    accepted(await coordinator.submit('message.post', { messageId: newId(), content: [{ type: 'text', text: 'Version 2.' }], references: [asked.message_id!] }, { groupId: mission.groupId, workItemId: name.work_item_id }))
    expect((await waiting).entries[0]).toMatchObject({ parts: [{ text: 'Version 2.' }], replies_to: [asked.message_id], by: { name: 'Coordinator' } })
    accepted(await coordinator.submit('work.unblock', { workItemId: name.work_item_id, resolution: 'Version 2.' }, { groupId: mission.groupId, workItemId: name.work_item_id }))
    expect(await worker.call('work_start', name)).toMatchObject({ state: 'active' })
    expect(await worker.call('work_checkpoint', { ...name, phase: 'Half', next: 'The rest', continue: false })).toMatchObject({ state: 'queued', lease: { type: 'ownership' }, next_step: 'It is yours and not started: work_start.' })
  })

  it.each(['\u0000', '\ud800'])('odd text %j in what is signed is refused in words', async (odd) => {
    await enlist()
    const name = await offer()
    await worker.call('work_accept', name)
    const { content_hash } = await worker.call<Standing>('artifact_publish', { ...name, content: odd, name: 'odd.txt', deliverable_id: 'report' })
    const calls: [string, Record<string, unknown>][] = [
      ['message_post', { group_id: name.group_id, text: odd }],
      ['ask_for_help', { ...name, question: odd, block: { unblock_condition: odd } }],
      ['work_checkpoint', { ...name, phase: odd, next: odd, milestones: [odd] }],
      ['artifact_publish', { ...name, content: 'x', name: odd, media_type: 'text/plain', schema: 'urn:x' }],
      ['artifact_publish', { ...name, content: 'x', name: 'x', media_type: 'text/plain', schema: `urn:${odd}` }],
      ['work_submit', { ...name, artifact_hashes: [content_hash], evidence: [{ ...finding('deterministic_test'), method: odd, details: { [odd]: odd } }] }],
      ['work_fail', { ...name, reason: odd }],
    ]
    for (const [tool, args] of calls) expect([tool, args, await worker.result(tool, args).then(({ content }) => JSON.stringify(content).includes('The server failed'))]).toEqual([tool, args, false])
  })

  it('work is given up with a report, signed by the key that the server holds', async () => {
    await enlist()
    const name = await offer()
    await worker.call('work_accept', name)
    expect(await worker.call('work_fail', { ...name, reason: 'The source is gone.' })).toMatchObject({ state: 'failed', reason: 'The source is gone.' })
    expect(await worker.refusal('work_fail', { ...name, reason: 'Again.' })).toContain('You are not executing this work: it is failed')
  })

  it('Messages reply, mention and are refused to strangers; nobody reads a Mission that is not theirs (A-239)', async () => {
    await enlist()
    const { message_id } = await worker.call<{ message_id: string }>('message_post', { group_id: mission.groupId, text: 'First' })
    await worker.call('message_post', { group_id: mission.groupId, text: 'Second', reply_to: [message_id], mentions: [coordinator.agentId] })
    expect((await eventsOf()).at(-1)).toMatchObject({ parts: [{ text: 'Second' }], replies_to: [message_id], mentions: [{ id: coordinator.agentId, name: 'Coordinator' }] })
    expect(await worker.refusal('message_post', { group_id: mission.groupId, text: 'x', mentions: [newId()] })).toContain('no member')
    const stranger = await mcpAgent(server.service, 'Stranger')
    const other = await McpCaller.connect(server.origin, stranger.token)
    for (const [tool, args] of [['mission_read', {}], ['message_post', { text: 'x' }], ['ask_for_help', { question: 'x' }]] as const) expect(await other.refusal(tool, { group_id: mission.groupId, ...args })).toContain('You belong to no Mission')
    expect(await other.refusal('artifact_read', { content_hash: `sha256:${'0'.repeat(64)}` })).toContain('no such artifact')
    await other.close()
  })
})
