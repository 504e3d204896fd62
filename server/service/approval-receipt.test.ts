import { expect, it } from 'vitest'
import { verifyReceipt } from '../../protocol/receipt.ts'
import { eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'

async function approvedRelease() {
  const fixture = await startAuthority()
  const [owner, coordinator, worker] = [await fixture.person('Olga'), await fixture.agent('Coordinator'), await fixture.agent('Worker')]
  const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
  await flow.submitForApproval()
  return { fixture, owner, worker, flow }
}

it('builds a receipt that verifies offline, content included', async () => {
  const { fixture, owner, flow } = await approvedRelease()
  eventOf(await fixture.submit(owner, await flow.approveDraft()))
  const receipt = await fixture.service.receiptFor(owner.actor.id, flow.missionId)
  const report = await verifyReceipt(receipt!, { authorityPublicKey: fixture.service.organization.authority.publicKey })
  expect(report.checks.filter((check) => !check.ok)).toEqual([])
  expect(report).toMatchObject({ ok: true, receipt: { mission: { missionId: flow.missionId, title: 'A release' }, contents: [{ hash: flow.contentHash }], omitted: [] } })
})

it('shows no receipt before the approval, to strangers, or of an unknown Mission', async () => {
  const { fixture, owner, flow } = await approvedRelease()
  expect(await fixture.service.receiptFor(owner.actor.id, flow.missionId)).toBeUndefined()
  eventOf(await fixture.submit(owner, await flow.approveDraft()))
  const stranger = await fixture.person('Sven')
  expect(await fixture.service.receiptFor(stranger.actor.id, flow.missionId)).toBeUndefined()
  expect(await fixture.service.receiptFor(owner.actor.id, newUrn())).toBeUndefined()
})
