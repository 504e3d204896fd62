// A part of a mission is a mission of its own. Where its policy asks for the person at the top, that person signs its result in the page.
import { expect, test } from '@playwright/test'
import { addAgent, addKeyHolder } from '../fixtures/agents-page.ts'
import { createExampleMission, enrol, sign } from '../fixtures/console-steps.ts'
import { Installation } from '../fixtures/installation.ts'
import { McpWorker } from '../fixtures/mcp-worker.ts'
import { MissionDesk } from '../fixtures/mission-desk.ts'
import { CRITERIA, REPORT, reportContract } from '../fixtures/release-notes-mission.ts'

test('the person at the top approves a part of the mission, and then its owner can', async ({ page }) => {
  test.setTimeout(4 * 60_000)
  const installation = await Installation.start()
  const { origin } = installation
  const ending: (() => Promise<unknown>)[] = []
  try {
    await enrol(page, installation.ownerInvitation)
    await page.goto(`${origin}/agents`)
    const coordination = 'countersign.coordination@1.0.0'
    const above = await addKeyHolder(page, { name: 'Above', capability: coordination })
    const below = await addKeyHolder(page, { name: 'Below', capability: coordination })
    const { token } = await addAgent(page, { door: 'MCP', name: 'Writer', capability: `${REPORT.id}@${REPORT.version}` })
    const [desk, partDesk] = await Promise.all([above, below].map((key) => MissionDesk.open({ origin, ...key })))
    ending.push(() => desk!.close(), () => partDesk!.close())
    await createExampleMission(page, origin)
    await desk!.takeCharge()

    const deadlineIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const { workItemId } = await desk!.authorize(reportContract(deadlineIn(12)))
    const part = await desk!.foundPart(workItemId, {
      title: 'Write the report', coordinatorAgentId: below.agentId, objective: 'One report says what is new.', definitionOfDone: [CRITERIA[0]!], budget: { currency: 'EUR', financialLimit: 8 },
      deadline: deadlineIn(11), approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' },
    })
    await partDesk!.takeCharge()
    const artifactHashes = await test.step('the part is worked', () => workPart(partDesk!, origin, token, deadlineIn(10)))
    await partDesk!.submitForApproval(artifactHashes, 'The report is written.')

    await test.step('A-207: its owner cannot approve it alone', async () => {
      expect(await desk!.approvePart(part)).toBe('APPROVAL_REQUIRED')
    })

    await test.step('it waits under Approvals for the person at the top, who signs', async () => {
      await page.goto(`${origin}/approvals`)
      await page.getByRole('link', { name: /Write the report/ }).click()
      const artifact = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'report.md', exact: true }) })
      await expect(artifact).toContainText('Recomputed here: matches')
      await expect(page.getByText('This page asks for the approval of a child mission.')).toBeVisible()
      await sign(page, 'Approve')
      await expect(page.getByText('Your approval is verified')).toBeVisible()
      await expect(page.getByText('Waits for Above to decide', { exact: false }).first()).toBeVisible()
      await page.reload()
      await expect(page.getByRole('heading', { name: /^You approved revision \d+ of “Write the report”\.$/ })).toBeVisible()
      await expect(page.getByText('decides next. Nothing more is asked of you.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeHidden()
    })

    await test.step('then its owner approves, and the work above is verified', async () => {
      await partDesk!.until(({ submissions }) => submissions.at(-1)?.rootDecision?.decision === 'approved')
      expect(await desk!.approvePart(part)).toMatchObject({ kind: 'mission.approved', payload: { rootApproval: { decision: 'approved' } } })
      await desk!.until(({ workItems }) => workItems.get(workItemId)?.state === 'verified')
      await page.goto(`${origin}/approvals`)
      await expect(page.getByText('Nothing waits for you')).toBeVisible()
    })
  } catch (error) {
    console.log(installation.output.slice(-4_000))
    throw error
  } finally {
    await Promise.all(ending.map((end) => end().catch(() => undefined)))
    await installation.stop()
  }
})

/** A worker comes by MCP, writes the report and hands it in; the Coordinator of the part accepts it. Resolves with the hashes of the artifacts. */
async function workPart(desk: MissionDesk, origin: string, token: string, deadline: string): Promise<readonly string[]> {
  const writerId = await desk.agentCalled('Writer')
  await desk.bringIn(writerId)
  const contract = { ...reportContract(deadline), budget: { currency: 'EUR', financialLimit: 5 } }
  const { workItemId } = await desk.authorize(contract)
  await desk.offer(workItemId, writerId, contract)
  const mirror = await desk.until((known) => known.offerTo(writerId, workItemId) !== undefined)
  const writer = await McpWorker.connect({ url: `${origin}/mcp`, headers: { authorization: `Bearer ${token}` } })
  try {
    const work = { group_id: desk.groupId, work_item_id: workItemId }
    await writer.call('work_accept', { ...work, offer_id: mirror.offerTo(writerId, workItemId)!.offerId })
    const { content_hash } = await writer.call<{ content_hash: string }>('artifact_publish', { ...work, name: 'report.md', content: '# What is new\n', deliverable_id: 'report' })
    await writer.call('work_submit', { ...work, artifact_hashes: [content_hash], evidence: [{ criterion_id: 'report', type: 'artifact_integrity', method: 'Read it again.', result: 'passed' }] })
  } finally {
    await writer.close()
  }
  return desk.acceptResult(workItemId, 'report')
}
