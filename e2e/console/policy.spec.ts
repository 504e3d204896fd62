// An administrator changes what the organization allows, signed in the page; it binds at once, and the Policy Log says so.
import { generateKeyPairSync } from 'node:crypto'
import { expect, test, type Browser, type Page } from '@playwright/test'
import { adminCommand } from '../fixtures/admin-command.ts'
import { createExampleMission, enrol } from '../fixtures/console-steps.ts'
import { Installation } from '../fixtures/installation.ts'

test('an administrator changes the policy, and reads in its log what it refused', async ({ page, browser }) => {
  test.setTimeout(4 * 60_000)
  const installation = await Installation.start()
  const { origin } = installation
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  try {
    await enrol(page, installation.ownerInvitation)

    await test.step('the policy that every server begins with is shown in words', async () => {
      await page.goto(origin)
      await page.getByRole('link', { name: 'Policy', exact: true }).click()
      await expect(page.getByText('Version 0 is in force')).toBeVisible()
      await expect(page.getByText('Version 0 is the only one so far.')).toBeVisible()
    })

    await test.step('what does not fit is not signed; what changes stands before the signature', async () => {
      await page.getByRole('button', { name: 'Change the policy' }).click()
      await page.getByLabel('Reason').fill('One message a minute is enough for a pilot.')
      await expect(page.getByText('Nothing yet.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Review and sign' })).toBeDisabled()
      await page.getByLabel('Messages a minute').fill('0')
      await expect(page.getByText('Give a whole number from 1 to 100,000.')).toBeVisible()
      await page.getByLabel('Messages a minute').fill('1')
      await page.getByLabel('Payment').fill('payment.send')
      await expect(differences(page)).toHaveText(['Operations that wait for approval:Paymentfrom nonepayment.send', 'How much at once:Messages a minutefrom 1201'])
    })

    await test.step('what was typed is there again after the page was left', async () => {
      await page.getByRole('link', { name: 'Policy Log' }).click()
      await expect(page.getByRole('form', { name: 'Change the policy' })).toBeHidden()
      await page.getByRole('navigation', { name: 'Views of the policy' }).getByRole('link', { name: 'Policy', exact: true }).click()
      await page.getByRole('button', { name: 'Go on with your changes' }).click()
      await expect(page.getByLabel('Reason')).toHaveValue('One message a minute is enough for a pilot.')
      await expect(differences(page)).toHaveCount(2)
    })

    await test.step('it is signed, in force, and on record with its reason', async () => {
      await page.getByRole('button', { name: 'Review and sign' }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign this?' })
      await expect(dialog.locator('[data-statement]')).toHaveText('Put version 1 of the organization’s policy in force instead of version 0.')
      await expect(dialog.getByText('Messages a minute: 1', { exact: true })).toBeVisible()
      await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
      await expect(page.getByText('Version 1 is in force')).toBeVisible()
      await expect(page.getByText('One message a minute is enough for a pilot.')).toHaveCount(2)
      await expect(differences(page)).toHaveCount(2)
      expect(await adminCommand(installation, 'policy show', {})).toMatchObject({ policy: { version: 1, limits: { messagesPerMinute: 1 }, executionGates: { payment: ['payment.send'] } } })
    })

    await test.step('a second message within the minute is refused by it', async () => {
      const { x: publicKey } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
      await adminCommand(installation, 'agent add', { name: 'Ann Coordinator', publicKey, capabilities: [{ id: 'countersign.coordination', version: '1.0.0' }] })
      await createExampleMission(page, origin)
      await page.getByRole('link', { name: 'Conversation', exact: true }).click()
      await post(page, 'First.')
      await expect(page.getByRole('article').filter({ hasText: 'First.' })).toBeVisible()
      await post(page, 'Second.')
      await expect(page.getByText('RATE_LIMITED').first()).toBeVisible()
    })

    await test.step('the log tells both, and leads to the mission', async () => {
      await page.goto(`${origin}/policy/log`)
      const rulings = page.getByRole('list', { name: 'Rulings' }).getByRole('listitem')
      await expect(rulings.filter({ hasText: 'Version 1 is in force: One message a minute is enough for a pilot.' })).toBeVisible()
      await page.getByLabel('Outcome').selectOption('Refused')
      await expect(rulings).toHaveCount(1)
      await expect(rulings).toContainText('The limit of messages per minute is 1.')
      await page.getByLabel('About').selectOption('The policy itself')
      await expect(page.getByText('No rulings here')).toBeVisible()
      await page.getByLabel('About').selectOption({ label: 'Release review of this repository' })
      await rulings.getByRole('link', { name: 'Release review of this repository' }).click()
      await page.waitForURL(/\/missions\/[^/]+\/log$/)
    })

    await test.step('somebody else reads the policy, and cannot change it', () => readsOnly(browser, installation))
    expect(errors).toEqual([])
  } catch (error) {
    console.log(installation.output.slice(-4_000))
    throw error
  } finally {
    await installation.stop()
  }
})

/** What one version says otherwise than another, line by line. */
const differences = (page: Page) => page.getByRole('listitem').filter({ has: page.getByRole('img', { name: 'to', exact: true }) }).filter({ hasNot: page.getByRole('listitem') })

async function post(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Post', exact: true }).click()
}

async function readsOnly(browser: Browser, installation: Installation): Promise<void> {
  const { link } = await adminCommand<{ link: string }>(installation, 'invite create', { name: 'Rita' })
  const context = await browser.newContext()
  const page = await context.newPage()
  await enrol(page, link)
  await page.goto(`${installation.origin}/policy`)
  await expect(page.getByText('Version 1 is in force')).toBeVisible()
  await expect(page.getByText('Administrators can change it.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change the policy' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Policy Log' }).click()
  await expect(page.getByText('You own no mission')).toBeVisible()
  await context.close()
}
