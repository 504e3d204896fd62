// Progress from offline through the whole service: the receipt is the Message, the charge stands before it.
import { beforeEach, describe, expect, it } from 'vitest'
import { OFFLINE_EXECUTION, offlineExecution } from '../../protocol/offline-execution.ts'
import type { Agent, Draft, Fixture } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { selectionBasis, workContract } from '../testing/documents.ts'

const capability = { id: 'release.report', version: '1.0.0' }
const contract = workContract({ requiredCapabilities: [capability], budget: { toolCallLimit: 10 }, deadline: '2026-12-30T00:00:00Z' })

let fixture: Fixture
let worker: Agent
let groupId: string
let late: Draft

beforeEach(async () => {
  fixture = await startAuthority()
  const owner = await fixture.person('Olga')
  const coordinator = await fixture.agent('Coordinator')
  worker = await fixture.agent('Worker')
  groupId = (await fixture.mission(owner, coordinator)).groupId
  const asWorker = (sessionEpoch: number) => ({ groupId, membershipEpoch: 1, sessionEpoch })
  const asCoordinator = { ...asWorker(coordinator.session.sessionEpoch), coordinatorEpoch: 1 }
  const workItemId = newUrn()
  eventOf(await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, payload: { member: worker.actor, role: 'worker' } }))
  eventOf(await fixture.submit(coordinator, { kind: 'work.authorize', ...asCoordinator, payload: { workItemId, contract } }))
  const offer = { workItemId, candidateAgentIds: [worker.actor.id], selectionBasis: selectionBasis(capability) }
  const offered = eventOf(await fixture.submit(coordinator, { kind: 'work.offer', ...asCoordinator, payload: offer }))
  const { offerId } = (offered.payload as { offers: { offerId: string }[] }).offers[0]!
  const sessionEpoch = worker.session.sessionEpoch
  eventOf(await fixture.submit(worker, { kind: 'work.accept_offer', ...asWorker(sessionEpoch), payload: { workItemId, offerId } }))
  const started = eventOf(await fixture.submit(worker, { kind: 'work.start', ...asWorker(sessionEpoch), payload: { workItemId, ownershipEpoch: 1 } }))
  const { executionLease } = started.payload as { executionLease: { leaseId: string; startsAt: string; expiresAt: string } }
  fixture.clock.advance(30)
  const back = await fixture.handshake(worker)
  const { leaseId: executionLeaseId, startsAt, expiresAt } = executionLease
  const extensions = offlineExecution({
    agentId: worker.actor.id,
    groupId,
    workItemId,
    sessionEpoch,
    ownershipEpoch: 1,
    executionLeaseId,
    disconnectedAt: startsAt,
    bufferedAt: startsAt,
    graceDeadline: expiresAt,
    executionLeaseExpiresAt: expiresAt,
    resourceUsageDelta: { financial: 0, modelTokens: 0, toolCalls: 3, computeSeconds: 0, wallClockSeconds: 0, externalSideEffects: 0 },
  })
  const payload = { messageId: newUrn(), content: [{ type: 'text', text: 'Half of it is done.' }] }
  late = { kind: 'message.post', ...asWorker(back.sessionEpoch), workItemId, extensions, payload }
})

describe('a Message from offline', () => {
  it('A-192: is the receipt, and the charge is the Event before it', async () => {
    const bytes = await fixture.command(worker, late)
    const first = await fixture.service.submitCommand(bytes, { door: 'http' })
    const posted = eventOf(first)
    expect(posted.kind).toBe('message.posted')
    const [charge] = await fixture.service.reads.entries(worker.actor.id, groupId, [posted.sequence! - 1])
    expect(charge?.event).toMatchObject({ kind: 'ext.missionweaveprotocol.core.resource_usage_recorded', payload: { cumulativeUsage: { toolCalls: 3 } } })
    const again = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect([eventOf(again).eventId, again.ok && again.isDuplicate]).toEqual([posted.eventId, true])
  })

  it('A-244: any other critical extension is still not understood', async () => {
    const unknown = { 'urn:example:unknown': { version: '1.0.0', critical: true, data: {} } }
    expect(codeOf(await fixture.submit(worker, { ...late, extensions: { ...late.extensions, ...unknown } }))).toBe('UNKNOWN_CRITICAL_EXTENSION')
    const elsewhere = { ...late, kind: 'work.propose' as const, payload: { proposalId: newUrn(), contract } }
    expect(Object.keys(late.extensions ?? {})).toEqual([OFFLINE_EXECUTION])
    expect(codeOf(await fixture.submit(worker, elsewhere))).toBe('INVALID_COMMAND')
  })
})
