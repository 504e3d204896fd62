// What an owner decides inside a mission besides its result: members, conversations, and stepping in for the coordinator, each signed in the page.
import { expect, test, type Page } from '@playwright/test'
import { addAgent, addKeyHolder } from '../fixtures/agents-page.ts'
import { createExampleMission, enrol, sign } from '../fixtures/console-steps.ts'
import { Installation } from '../fixtures/installation.ts'
import { McpWorker } from '../fixtures/mcp-worker.ts'
import { MissionDesk } from '../fixtures/mission-desk.ts'
import { REPORT, reportContract } from '../fixtures/release-notes-mission.ts'

test('an owner brings an agent in, asks, opens a conversation, steps in, lets work start and ends it', async ({ page }) => {
  test.setTimeout(4 * 60_000)
  const installation = await Installation.start()
  const { origin } = installation
  let desk: MissionDesk | undefined
  try {
    await enrol(page, installation.ownerInvitation)
    await page.goto(`${origin}/agents`)
    const coordinator = await addKeyHolder(page, { name: 'Coordinator', capability: 'countersign.coordination@1.0.0' })
    const { token } = await addAgent(page, { door: 'MCP', name: 'Writer', capability: `${REPORT.id}@${REPORT.version}` })
    desk = await MissionDesk.open({ origin, ...coordinator })
    await createExampleMission(page, origin)
    await desk.takeCharge()
    const proposedAt = await desk.propose({ ...reportContract(new Date(Date.now() + 12 * 3_600_000).toISOString()), executionApproval: 'human_required' })
    const missionAddress = page.url()

    await test.step('A-128: brings an agent in as a worker; nothing is chosen for the person', async () => {
      await page.getByRole('link', { name: 'People', exact: true }).click()
      await page.getByRole('button', { name: 'Bring somebody in' }).click()
      const dialog = page.getByRole('dialog', { name: 'Bring somebody in' })
      await expect(dialog).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('button', { name: 'Bring somebody in' })).toBeFocused()
      await page.keyboard.press('Enter')
      await dialog.getByRole('radio', { name: /Writer/ }).check()
      await expect(dialog.getByRole('button', { name: 'Review and sign' })).toBeDisabled()
      await dialog.getByLabel('What they read').selectOption('everything')
      await sign(page, 'Review and sign')
      await expect(dialog).toBeHidden()
      await expect(page.getByRole('button', { name: /Writer.*worker/ })).toBeVisible()
    })

    await test.step('A-142: asks the coordinator for what only it decides', async () => {
      await page.getByRole('button', { name: 'Ask the coordinator for an agent' }).click()
      const dialog = page.getByRole('dialog', { name: 'Ask Coordinator' })
      await dialog.getByLabel('Message').fill('Please bring a second writer in.')
      await dialog.getByRole('button', { name: 'Post' }).click()
      await expect(dialog).toBeHidden()
      await page.getByRole('link', { name: 'Conversation', exact: true }).click()
      await expect(page.getByRole('article').filter({ hasText: 'Please bring a second writer in.' })).toContainText('Coordinator')
    })

    await test.step('A-134: opens a restricted conversation with one member and lands in it', async () => {
      await page.getByRole('button', { name: 'Open a conversation' }).click()
      const dialog = page.getByRole('dialog', { name: 'Open a conversation' })
      await dialog.getByRole('radio', { name: /Restricted/ }).check()
      await dialog.getByLabel('Title').fill('Salaries')
      await dialog.getByRole('checkbox', { name: /Writer/ }).check()
      await sign(page, 'Review and sign')
      await expect(dialog).toBeHidden()
      await expect(page.getByText('Only these read and post here:')).toContainText('Writer')
    })

    const workItemId = await test.step('A-117, A-148: steps in and makes work of a proposal', async () => {
      await page.goto(`${missionAddress}/log?sel=${proposedAt}`)
      await page.getByRole('button', { name: 'Authorize it yourself' }).click()
      const dialog = page.getByRole('dialog', { name: 'Step in: authorize this proposal' })
      await dialog.getByLabel('Reason').fill('It is needed today.')
      await sign(page, 'Review and sign')
      await expect(dialog).toBeHidden()
      const { workItems } = await desk!.until((known) => known.workItems.size > 0)
      return [...workItems.keys()][0]!
    })

    await test.step('A-117: steps in and offers work, with a reason that the log repeats', async () => {
      await openWork(page, missionAddress, workItemId)
      await page.getByRole('button', { name: 'Offer it yourself' }).click()
      const dialog = page.getByRole('dialog', { name: 'Step in: offer this work' })
      await dialog.getByRole('checkbox', { name: /Writer/ }).check()
      await dialog.getByLabel('Reason').fill('The coordinator is busy.')
      await sign(page, 'Review and sign')
      await expect(dialog).toBeHidden()
      const mirror = await desk!.until(({ workItems }) => workItems.get(workItemId)?.state === 'offered')
      expect(mirror.workItems.get(workItemId)?.offers).toHaveLength(1)
      await page.getByRole('link', { name: 'Log', exact: true }).click()
      await expect(page.getByText('stepping in: The coordinator is busy.', { exact: false }).first()).toBeVisible()
    })

    await test.step('A-196: finds under Approvals that the agent may not start yet, and lets it', async () => {
      await acceptByMcp({ origin, token, groupId: desk!.groupId, workItemId })
      await page.goto(`${origin}/approvals`)
      await page.getByRole('link', { name: /One work item waits for you to approve the start/ }).click()
      await page.getByRole('region', { name: 'Waiting on you' }).getByRole('button', { name: 'Look at it' }).click()
      await page.getByRole('button', { name: 'Decide on the start' }).click()
      await page.getByRole('button', { name: 'Refuse' }).click()
      await page.getByRole('dialog', { name: 'Cancel this work' }).getByRole('button', { name: 'Let it go on' }).click()
      await page.getByRole('button', { name: 'Decide on the start' }).click()
      await sign(page, 'Review and sign')
      await expect(page.getByRole('dialog')).toBeHidden()
      await expect(page.getByRole('region', { name: 'Waiting on you' })).toBeHidden()
      await expect(page.getByRole('button', { name: 'Decide on the start' })).toBeHidden()
    })

    await test.step('A-160: ends work in its own name', async () => {
      await openWork(page, missionAddress, workItemId)
      await page.getByRole('button', { name: 'Cancel this work' }).click()
      const dialog = page.getByRole('dialog', { name: 'Cancel this work' })
      await dialog.getByLabel('Reason').fill('Nobody needs it any more.')
      await sign(page, 'Review and sign')
      await expect(dialog).toBeHidden()
      await desk!.until(({ workItems }) => workItems.get(workItemId)?.state === 'cancelled')
      await expect(page.getByRole('button', { name: 'Cancel this work' })).toBeHidden()
    })

    await test.step('A-128: gives the member another role, then ends the membership', async () => {
      await page.getByRole('link', { name: 'People', exact: true }).click()
      await page.getByRole('button', { name: /Writer/ }).first().click()
      await page.getByRole('button', { name: 'Change the role' }).click()
      await page.getByLabel('Role', { exact: true }).selectOption('work_delegate')
      await sign(page, 'Review and sign')
      await expect(page.getByRole('dialog')).toBeHidden()
      await expect(page.getByRole('button', { name: 'Ask for a delegation' })).toBeVisible()
      await page.getByRole('button', { name: 'End the membership' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('It is done here.')
      await sign(page, 'Review and sign')
      await expect(page.getByRole('heading', { name: 'Earlier members, 1' })).toBeVisible()
    })
  } catch (error) {
    console.log(installation.output.slice(-4_000))
    throw error
  } finally {
    await desk?.close()
    await installation.stop()
  }
})

async function openWork(page: Page, missionAddress: string, workItemId: string): Promise<void> {
  await page.goto(`${missionAddress}?sel=${encodeURIComponent(workItemId)}`)
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible()
}

/** The worker takes the offer that it has; starting is another matter. */
async function acceptByMcp({ origin, token, groupId, workItemId }: { readonly origin: string; readonly token: string; readonly groupId: string; readonly workItemId: string }): Promise<void> {
  const writer = await McpWorker.connect({ url: `${origin}/mcp`, headers: { authorization: `Bearer ${token}` } })
  try {
    expect(await writer.call('work_accept', { group_id: groupId, work_item_id: workItemId })).toMatchObject({ state: 'queued', is_yours: true })
  } finally {
    await writer.close()
  }
}
