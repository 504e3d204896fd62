// The SDK against the real server: one Mission from the invitation to the receipt, with a restart in the middle.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CapabilityRef, EventPayloads } from '../protocol/generated/types.ts'
import { silentLog } from '../server/log.ts'
import type { RunningServer } from '../server/start.ts'
import { startServer } from '../server/start.ts'
import { memoryResources } from '../server/testing/authority-fixture.ts'
import { selectionBasis } from '../server/testing/documents.ts'
import { accepted, enrol, inHours, register, reportContract } from '../server/testing/sdk-clients.ts'
import { AgentClient, GroupMirror, HumanClient, newId, reconcile, withExecutionLease } from './index.ts'
import type { GroupEntry } from './index.ts'

const capability: CapabilityRef = { id: 'release.report', version: '1.0.0' }
const backoff = { firstMs: 5, maxMs: 50 }

let resources: ReturnType<typeof memoryResources>
let server: RunningServer
const clients: AgentClient[] = []

beforeEach(async () => {
  resources = memoryResources()
  server = await startServer({ resources, log: silentLog() })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await server.stop()
})

async function restart() {
  const { port } = server
  await server.stop()
  server = await startServer({ resources, port, log: silentLog() })
}

const person = (name: string) => enrol(server, name)

async function agent(name: string, capabilities: CapabilityRef[]): Promise<AgentClient> {
  const client = await AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, ...(await register(server, name, capabilities)), backoff })
  clients.push(client)
  return client
}

const budget = { currency: 'EUR', financialLimit: 100, toolCallLimit: 100 }
const criteria = [{ criterionId: 'complete', description: 'Nothing is missing.', evidenceRequired: ['deterministic_test' as const] }]
const plan = (coordinator: AgentClient) => ({
  title: 'Release 1.0',
  coordinatorAgentId: coordinator.agentId,
  objective: 'Write the release report.',
  definitionOfDone: criteria,
  budget,
  deadline: inHours(48),
})
const contract = () => reportContract(capability, { budget: { currency: 'EUR', financialLimit: 10, toolCallLimit: 10 } })

/** Resolves with the first Group that the Agent is told of. */
async function invited(client: AgentClient): Promise<GroupEntry> {
  for await (const groups of client.watchGroups()) if (groups[0] !== undefined) return groups[0]
  throw new Error('the client was closed')
}

/** Follows a Group until the mirror shows what is waited for. */
async function until(client: AgentClient, groupId: string, isReached: (mirror: GroupMirror) => boolean): Promise<GroupMirror> {
  const mirror = new GroupMirror()
  for await (const event of client.subscribe(groupId, { after: 0 })) {
    mirror.apply(event)
    if (isReached(mirror)) break
  }
  return mirror
}

const evidenceOf = (client: AgentClient, missionId: string, groupId: string, workItemId: string) =>
  client.signEvidence({
    missionId,
    groupId,
    workItemId,
    type: 'deterministic_test',
    subject: { type: 'work_item', id: workItemId },
    criterionIds: ['complete'],
    method: 'Counted.',
    result: 'passed',
    artifactHashes: [],
  })

async function authorizeAndOffer(coordinator: AgentClient, worker: AgentClient, groupId: string): Promise<string> {
  const workItemId = newId()
  const member = { type: 'agent' as const, id: worker.agentId }
  accepted(await coordinator.submit('membership.change', { member, role: 'worker', visibilityStartSequence: 0 }, { groupId }))
  accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract() }, { groupId, workItemId }))
  const offer = { workItemId, candidateAgentIds: [worker.agentId], selectionBasis: selectionBasis(capability) }
  accepted(await coordinator.submit('work.offer', offer, { groupId, workItemId }))
  return workItemId
}

async function doTheWork(worker: AgentClient, { groupId, missionId }: GroupEntry, workItemId: string): Promise<string> {
  const offered = await until(worker, groupId, (mirror) => mirror.offerTo(worker.agentId, workItemId) !== undefined)
  const { offerId } = offered.offerTo(worker.agentId, workItemId)!
  accepted(await worker.submit('work.accept_offer', { workItemId, offerId }, { groupId, workItemId }))
  const done = await withExecutionLease(worker, { groupId, workItemId, ownershipEpoch: 1 }, async (lease) => {
    const description = { lease, mediaType: 'text/markdown', schemaUri: 'urn:test:report', agentCardVersion: 1, capabilities: [capability] }
    const { artifact, receipt } = await worker.publishArtifact(new TextEncoder().encode('# Report'), description)
    accepted(receipt)
    const { ownershipEpoch, executionLeaseId } = lease
    const evidence = [await evidenceOf(worker, missionId, groupId, workItemId)]
    const submission = { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [artifact.contentHash], evidence }
    accepted(await worker.submit('work.submit', submission, { groupId, workItemId }))
    return artifact.contentHash
  })
  if (!done.ok) throw new Error(done.error.message)
  return done.value
}

test('a Mission from invitation to receipt', async () => {
  const owner = await person('Ada')
  const coordinator = await agent('Coordinator', [{ id: 'countersign.coordination', version: '1.0.0' }])
  const worker = await agent('Worker', [capability])
  expect((await coordinator.agents()).map(({ agentId }) => agentId)).toContain(worker.agentId)

  const invitation = invited(coordinator)
  const { missionId, groupId, receipt } = await owner.createMission(plan(coordinator))
  accepted(receipt)
  expect(await invitation).toMatchObject({ groupId, missionId, role: 'coordinator' })

  // A Coordinator knows its epoch from the Events of the Group.
  await until(coordinator, groupId, ({ mission }) => mission !== undefined)
  const workItemId = await authorizeAndOffer(coordinator, worker, groupId)
  const contentHash = await doTheWork(worker, await invited(worker), workItemId)

  const submitted = await until(coordinator, groupId, (mirror) => mirror.workItems.get(workItemId)?.state === 'submitted')
  expect(new TextDecoder().decode(await coordinator.download(contentHash))).toBe('# Report')
  expect(submitted.artifactsOf(workItemId)).toHaveLength(1)
  const evidence = [await evidenceOf(coordinator, missionId, groupId, workItemId)]
  accepted(await coordinator.submit('work.accept_result', { workItemId, evidence }, { groupId, workItemId }))
  const submission = { artifactHashes: [contentHash], summary: 'Done.', openRisks: [], dropped: [] }
  accepted(await coordinator.submit('mission.submit_for_approval', submission, { groupId }))

  accepted(await owner.post(missionId, 'Looks good, one more thing.'))
  accepted(await owner.requestChanges(missionId, 'Please say who wrote it.'))
  accepted(await coordinator.submit('mission.submit_for_approval', submission, { groupId }))
  expect(await owner.receipt(missionId)).toBeUndefined()
  expect(accepted(await owner.approve(missionId, 'Well done.')).kind).toBe('mission.approved')
  expect((await owner.missionView(missionId)).state).toBe('approved')
  const file = JSON.parse(new TextDecoder().decode(await owner.receipt(missionId))) as { format?: string }
  expect(JSON.stringify(file)).toContain('countersign.approval-receipt.v1')

  const mirror = await until(coordinator, groupId, ({ mission }) => mission?.state === 'approved')
  expect(mirror.submissions.map(({ decision }) => decision?.decision)).toEqual(['changes_requested', 'approved'])
})

test('a Mission changes its Coordinator: the successor takes stock and goes on, the predecessor is told (A-120, A-121)', async () => {
  const owner = await person('Ada')
  const [first, second] = [await agent('First', [capability]), await agent('Second', [capability])]
  const { missionId, groupId } = await owner.createMission(plan(first))
  await until(first, groupId, ({ mission }) => mission !== undefined)
  const lastOfFirst = (async () => {
    const kinds: string[] = []
    for await (const { kind } of first.subscribe(groupId, { after: 1 })) kinds.push(kind)
    return kinds
  })()

  const invitation = invited(second)
  accepted(await owner.submitIn(await owner.missionView(missionId), 'mission.assign_coordinator', { coordinatorAgentId: second.agentId, reason: 'First is silent.' }))
  expect(await invitation).toMatchObject({ groupId, role: 'coordinator' })
  expect(await lastOfFirst).toEqual(['mission.coordinator.assigned', 'membership.ended'])
  const mirror = await until(second, groupId, ({ mission }) => mission?.coordinator.agentId === second.agentId)
  expect(mirror.mission?.coordinator.coordinatorEpoch).toBe(2)

  const authorize = { workItemId: newId(), contract: contract() }
  expect(await first.submit('work.authorize', authorize, { groupId })).toMatchObject({ ok: false, error: { code: 'MEMBERSHIP_REQUIRED' } })
  expect(await second.submit('work.authorize', authorize, { groupId })).toMatchObject({ ok: false, error: { code: 'INVALID_STATE_TRANSITION' } })
  expect(accepted(await reconcile(second, mirror)).payload).toMatchObject({ coordinatorEpoch: 2, contextPackage: { generatedBy: { id: second.agentId } } })
  accepted(await second.submit('work.authorize', authorize, { groupId }))
})

test('an Agent from outside joins by an offer: it is told of the Group, reads the offer alone, accepts and goes on (A-130, A-131)', async () => {
  const owner = await person('Ada')
  const [coordinator, newcomer] = [await agent('Coordinator', [capability]), await agent('Newcomer', [capability])]
  const { missionId, groupId } = await owner.createMission(plan(coordinator))
  const founding: string[] = []
  for await (const { eventId } of coordinator.subscribe(groupId, { after: 0 })) {
    founding.push(eventId)
    break
  }
  const workItemId = newId()
  accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract() }, { groupId }))
  const summary = {
    contextPackageId: newId(),
    version: 1,
    missionId,
    groupId,
    workItemId,
    sourceEventRange: { fromSequence: 1, toSequence: 1, eventIds: founding },
    artifactHashes: [],
    summary: 'The release report has to be written.',
    decisions: [],
    constraints: [],
    unresolvedQuestions: [],
    generatedBy: { type: 'agent', id: coordinator.agentId } as const,
    generatedAt: new Date().toISOString(),
  }
  const contextPackage = await coordinator.identity.signDocument(summary, 'generatedAt')

  const invitation = invited(newcomer)
  accepted(await coordinator.submit('work.offer', { workItemId, candidateAgentIds: [newcomer.agentId], selectionBasis: selectionBasis(capability), contextPackage }, { groupId }))
  expect(await invitation).toMatchObject({ groupId, role: 'worker', state: 'provisional', membershipEpoch: 1, visibilityStartSequence: 3 })

  const seen: string[] = []
  for await (const event of newcomer.subscribe(groupId, { after: 0 })) {
    seen.push(event.kind)
    if (event.kind !== 'work.offer.created') continue
    const { offers, contract: shown } = event.payload as unknown as EventPayloads['work.offer.created']
    expect(shown?.goal).toBe('Write the report')
    const said = { messageId: newId(), content: [{ type: 'text' as const, text: 'Hello.' }] }
    expect(await newcomer.submit('message.post', said, { groupId })).toMatchObject({ ok: false, error: { code: 'MEMBERSHIP_REQUIRED' } })
    accepted(await newcomer.submit('work.accept_offer', { workItemId, offerId: offers[0]?.offerId ?? '' }, { groupId }))
    accepted(await newcomer.submit('work.start', { workItemId, ownershipEpoch: 1 }, { groupId }))
    void coordinator.submit('message.post', { ...said, messageId: newId() }, { groupId })
    break
  }
  for await (const { kind } of newcomer.subscribe(groupId, { after: 3 })) {
    seen.push(kind)
    if (kind === 'message.posted') break
  }
  expect(seen).toEqual(['work.offer.created', 'membership.changed', 'work.offer.accepted', 'membership.changed', 'work.started', 'message.posted'])
})

test('a person signs in again with the keys of the enrolment, and not with others', async () => {
  const owner = await person('Ada')
  const [key, ...others] = owner.keys
  const again = await HumanClient.signIn(server.origin, [key!, ...others])
  expect(again.principalId).toBe(owner.principalId)
  await expect(HumanClient.signIn(server.origin, [{ ...key!, seed: randomBytes(32) }])).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
})

test('restarts of the server lose no Command and double no Event', async () => {
  const owner = await person('Ada')
  const coordinator = await agent('Coordinator', [{ id: 'countersign.coordination', version: '1.0.0' }])
  const { groupId, receipt } = await owner.createMission(plan(coordinator))
  accepted(receipt)
  const total = 120
  const messageIds = Array.from({ length: total }, newId)
  const posted: string[] = []
  const reading = (async () => {
    const sequences: number[] = []
    for await (const { kind, sequence, payload } of coordinator.subscribe(groupId)) {
      sequences.push(sequence!)
      if (kind === 'message.posted') posted.push((payload as { message: { messageId: string } }).message.messageId)
      if (posted.length === total) break
    }
    return sequences
  })()
  for (let sent = 0; sent < total; sent += 30) {
    const batch = messageIds.slice(sent, sent + 30).map((messageId) => {
      const payload = { messageId, content: [{ type: 'text' as const, text: 'hello' }], authority: false as const }
      return coordinator.submit('message.post', payload, { groupId, conversationId: `${groupId}:mission` })
    })
    await Promise.race(batch)
    await restart()
    for (const answer of await Promise.all(batch)) accepted(answer)
  }
  const sequences = await reading
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, index) => index + 1))
  expect([...posted].sort()).toEqual([...messageIds].sort())
})
