// Commands with payloads of the public reference, through the whole command path.
import { beforeEach, expect, it } from 'vitest'
import type { Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'

let fixture: Fixture
let owner: Person
let groupId: string

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  ;({ groupId } = await fixture.mission(owner, await fixture.agent('Coordinator')))
})

const submit = (kind: Draft['kind'], payload: Record<string, unknown>) => fixture.submit(owner, { kind, groupId, membershipEpoch: 1, payload })

it('A-246: are decided as canonical ones, and what is stored and hashed is what was received', async () => {
  const payload = { messageId: newUrn(), content: 'Hello', conversationId: `${groupId}:mission`, mentions: [{ type: 'system', id: newUrn() }] }
  const bytes = await fixture.command(owner, { kind: 'message.post', groupId, membershipEpoch: 1, payload })
  const outcome = await fixture.service.submitCommand(bytes, { door: 'http' })
  const event = eventOf(outcome)
  expect(event).toMatchObject({ kind: 'message.posted', conversationId: `${groupId}:mission`, payload: { message: { content: [{ type: 'text', text: 'Hello' }], mentions: [{ type: 'service' }] } } })
  expect(Buffer.from((await fixture.store.log.findReceiptAt(groupId, event.sequence!))!.commandBytes)).toEqual(Buffer.from(bytes))
  expect(await fixture.service.submitCommand(bytes, { door: 'http' })).toEqual({ ...outcome, isDuplicate: true })
  expect((await fixture.service.verifyLog()).flatMap((report) => report.differences)).toEqual([])
})

it('A-246: admit a member', async () => {
  const worker = await fixture.agent('Worker')
  const event = eventOf(await submit('membership.change', { principal: worker.actor, roles: ['worker'], visibilityAfterSequence: null }))
  expect(event.payload).toMatchObject({ membership: { member: worker.actor, role: 'worker' } })
})

it('A-246: charge usage, and submit a Mission with what the reference does not say said so', async () => {
  const [coordinator, worker] = [await fixture.agent('Second coordinator'), await fixture.agent('Worker')]
  const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
  const { workItemId, ownershipEpoch, executionLeaseId, contentHash } = flow
  const usageDelta = { financialMicrounits: 0, modelTokens: 0, toolCalls: 2, computeSeconds: 0, wallClockSeconds: 0, externalActions: 0 }
  const charged = await flow.work({ kind: 'ext.missionweaveprotocol.core.resource_usage_record', payload: { workItemId, ownershipEpoch, executionLeaseId, usageDelta } })
  expect(charged.payload).toMatchObject({ cumulativeUsage: { toolCalls: 2 } })
  await flow.work(await flow.publishDraft())
  await flow.work({ kind: 'work.submit', payload: { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [contentHash], evidence: [await flow.evidence(worker)] } })
  await flow.coordinate({ kind: 'work.accept_result', payload: { workItemId, evidence: [await flow.evidence(coordinator)] } })
  const submitted = await flow.coordinate({ kind: 'mission.submit_for_approval', payload: { artifactHashes: [contentHash] } })
  expect(submitted.payload).toMatchObject({ artifactHashes: [contentHash], openRisks: ['Whether there are open risks was not said.'], dropped: [] })
  expect((await fixture.service.verifyLog()).flatMap((report) => report.differences)).toEqual([])
})

it('A-246: are refused with a member that they do not have, or when they carry authority (A-136)', async () => {
  expect(codeOf(await submit('message.post', { messageId: newUrn(), content: 'Hello', more: 1 }))).toBe('SCHEMA_VALIDATION_FAILED')
  expect(codeOf(await submit('message.post', { messageId: newUrn(), content: 'Hello', authority: true }))).toBe('SCHEMA_VALIDATION_FAILED')
  expect(codeOf(await submit('mission.approve', { approvalId: newUrn(), missionRevision: 1, artifactHashes: [], acceptancePolicyVersion: '1.0.0' }))).toBe('INVALID_COMMAND')
})
